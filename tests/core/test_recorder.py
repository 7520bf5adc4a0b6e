"""Events are in the log before they count."""

from __future__ import annotations

import pytest

from steerbo.core import Optimizer
from tests.core.stub import Nearest, Stub, stub_case


def test_the_log_gets_every_event_before_the_call_returns() -> None:
    class Refusing(list):  # type: ignore[type-arg]
        def append(self, event: object) -> None:
            if len(self) == 3:
                raise OSError("disk full")
            super().append(event)

    log = Refusing()
    optimizer = Optimizer(Stub(), Nearest, log=log)
    with pytest.raises(OSError, match="disk full"):
        stub_case().ask(optimizer)
    assert log == list(optimizer.events), "what is not in the log did not happen"
    assert optimizer.pending[0].observe == ("pulse",)
