"""An ask that is killed between its fit and its choice: what is promised of the next one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Refitted
from steerbo.core.state import StudyState
from steerbo.study import Study

PROBLEM = sb.CostVarying(
    [sb.Float("x", 0, 10, law=sb.Uniform()), sb.Float("y", 0, 10, law=sb.Uniform())], [["x"], ["x", "y"]]
)


ROUNDS = 9  # after which a fit is due


class Killed(BaseException):
    """End of a process."""


def interrupted(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study whose last ask ended after its fit was logged, and before it chose."""

    def killed(*_: Any, **__: Any) -> Any:
        raise Killed

    with Study.create(place, PROBLEM, rounds=20, seed=5) as study:
        for number in range(ROUNDS):
            asked = study.ask()
            nature = {name: 4.0 + number for name in ("x", "y") if name not in asked.values}
            study.tell(asked, float(number % 4), realised=nature)
        with monkeypatch.context() as patched:
            patched.setattr(StudyState, "choose", killed)
            with pytest.raises(Killed):
                study.ask()
        assert isinstance(study.events[-1], Refitted)


def test_the_next_ask_chooses_what_the_killed_one_would_have_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(tmp_path / "study.db", monkeypatch)
    with Study.open(tmp_path / "study.db") as study:
        twin = sb.Optimizer.replay(PROBLEM, study.events[:-1])
        assert study.ask().values == twin.ask().values
        assert [event.kind for event in study.events] == [event.kind for event in twin.events]


def test_with_data_in_between_everybody_who_reads_the_log_chooses_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fit is in the log, and counts: it may be another choice than without the kill."""
    interrupted(tmp_path / "study.db", monkeypatch)
    with Study.open(tmp_path / "study.db") as study:
        study.add(2.5, {"x": 1.0, "y": 2.0})
        readers = [sb.Optimizer.replay(PROBLEM, study.events), sb.load(study.to_json())]
        chosen = study.ask()
    for reader in readers:
        assert reader.ask() == chosen
