"""Who does not watch a run finds in Python's logging what was said."""

from __future__ import annotations

import logging

import pytest

from steerbo.core import Optimizer
from steerbo.study._run import Logged
from tests.core.stub import Nearest, Stub


def test_what_a_user_ought_to_know_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    optimizer = Optimizer(Stub(), Nearest)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with caplog.at_level(logging.DEBUG):
        Logged().began(suggestion)
        Logged().ended(optimizer)
        assert caplog.records == []
        Logged().say("100 % of the disk is used")
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == ("WARNING", "100 % of the disk is used")
    assert record.name.startswith("steerbo")
