"""An ask that is killed between its fit and its choice: what is promised of the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Asked, Event, Optimizer, Problem, Refitted
from steerbo.core.state import StudyState
from steerbo.study import Study
from tests.core.kinds import PROBLEMS

LEARNED = {
    "cost-varying": PROBLEMS["cost-varying"][0],
    "time-varying": sb.TimeVarying([sb.Float("x", 0, 1), sb.Float("a", 0, 1)]),
    "causal": sb.Causal(
        sb.CausalGraph.from_text("x -> y; m -> y", target="y", intervenable=["x", "m"]),
        [sb.Float("x", 0, 1), sb.Float("m", 0, 1)],
    ),
    "mean-field": PROBLEMS["mean-field"][0],
}
"""A problem of each kind whose asks log fits."""


class Killed(BaseException):
    """End of a process."""


def datum(problem: Problem, random: np.random.Generator) -> dict[str, Any]:
    """One piece of data, as `add` takes it."""
    value = float(random.normal())
    if isinstance(problem, sb.MeanField):
        shares = [float(share) for share in random.uniform(size=2)]
        by_context = zip(problem.contexts, shares, strict=True)
        table = {context: {"south": share, "north": 1.0 - share} for context, share in by_context}
        return {"value": value, "realised": {"distribution": table}}
    numbers = [each for each in problem.space if isinstance(each, sb.Float)]
    realised = {each.name: float(random.uniform(each.low, each.high)) for each in numbers}
    return {"value": value, "realised": realised, "scope": ["x", "m"] if isinstance(problem, sb.Causal) else None}


def killed_ask(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask, and end after the fit was logged, before anything is chosen."""

    def killed(*_: Any, **__: Any) -> Any:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(StudyState, "choose", killed)
        with pytest.raises(Killed):
            study.ask()
    assert isinstance(study.events[-1], Refitted)


def but_for_their_places(events: Sequence[Event]) -> list[Event]:
    """Events of a log, whatever number of others came before each."""
    return [replace(each, based_on=0) if isinstance(each, Asked) else each for each in events]


@pytest.mark.parametrize("kind", LEARNED)
def test_an_ask_that_is_killed_after_its_fit_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Neither where the next ask follows at once, nor where something comes in between."""
    problem, random, place = LEARNED[kind], np.random.default_rng(5), tmp_path / "study.db"
    with Study.create(place, problem, rounds=20, seed=5) as study:
        for _ in range(9):
            study.add(**datum(problem, random))
        killed_ask(study, monkeypatch)

    with Study.open(place) as study:
        twin = Optimizer.replay(problem, study.events[:-1])
        assert study.ask() == twin.ask()
        assert [*study.events] == [*twin.events]

        for _ in range(6):  # another fit is due after them
            more = {**datum(problem, random), "id": str(random.integers(2**60))}
            study.add(**more)
            twin.add(**more)
        killed_ask(study, monkeypatch)
        lost = len(study.events) - 1
        late = datum(problem, random)
        for each in (study, twin):
            each.remark(study.pending[0], "a lamp failed")
            each.add(**late, id="late")

        readers = [Optimizer.replay(problem, study.events), sb.load(study.to_json())]
        suggested = twin.ask()
        assert study.ask() == suggested
        events = [*study.events[:lost], *study.events[lost + 1 :]]
        assert but_for_their_places(events) == but_for_their_places(twin.events)
        assert study.recommend() == twin.recommend()
    for reader in readers:
        assert reader.ask() == suggested


@pytest.mark.parametrize("kind", LEARNED)
def test_a_play_of_ones_own_does_not_take_over_the_fit_of_a_lost_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    problem, random = LEARNED[kind], np.random.default_rng(7)
    with Study.create(tmp_path / "study.db", problem, rounds=20, seed=5) as study:
        for _ in range(9):
            study.add(**datum(problem, random))
        twin = Optimizer.replay(problem, study.events)
        killed_ask(study, monkeypatch)
        settings = twin.recommend().values
        assert study.attach(settings) == twin.attach(settings)
        assert study.ask() == twin.ask()
