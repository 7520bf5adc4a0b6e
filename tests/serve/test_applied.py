"""The policy at texts by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from steerbo.errors import InvalidInput
from steerbo.serve.operations import applied
from steerbo.serve.pool import OpenStudy
from tests.serve.players import of_kind, opener, oven


def test_contexts_are_read_by_their_variable(tmp_path: Path) -> None:
    place = oven(tmp_path)
    one = OpenStudy("oven", str(place), opener(place))
    with pytest.raises(InvalidInput, match="Tell one first"):
        applied(one, {"weather": "3"})
    with one.use() as study:
        study.tell(study.ask(context={"weather": 3.0}), 1.0, cost=1.0, realised={"oven": 150.0, "speed": 0.5})
    assert applied(one, {"weather": "3.5"})["context"] == {"weather": 3.5}
    with pytest.raises(InvalidInput, match=r"context\.wether"):
        applied(one, {"wether": "3"})
    one.close()


def test_what_ask_takes_is_no_context(tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, "time-varying")
    one = OpenStudy("study", str(place), opener(place))
    with one.use() as study:
        case.play(study.optimizer, 2)
    assert applied(one, {"time": "12"})["values"]
    one.close()
