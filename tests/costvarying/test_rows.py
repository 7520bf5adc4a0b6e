"""State is a function of what is known: the way there leaves no trace in choices and answers, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Refitted
from steerbo.space import Learned

pytestmark = pytest.mark.few_draws

X = [sb.Float("a", 0, 1, law=Learned()), sb.Float("b", 0, 1, law=sb.Uniform())]


def played(rounds: int = 9, **more: Any) -> sb.Optimizer:
    optimizer = sb.Optimizer(sb.CostVarying(X, [["a"], ["b"], ["a", "b"]], **more), budget=200, seed=5001)
    for n in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        random = np.random.default_rng(5000 + n)
        x = {"a": random.random(), "b": random.random()} | suggestion.values
        if n == 4:
            optimizer.fail(suggestion, "burst", cost=0.5)
        else:
            wrong = 30.0 * (n == 6)  # it is doubted
            optimizer.tell(suggestion, -((x["a"] - 0.3) ** 2) - (x["b"] - 0.7) ** 2 + wrong, cost=1.0, realised=x)
    return optimizer


def answers(optimizer: sb.Optimizer) -> tuple[str, ...]:
    return repr(optimizer.recommend()), repr(optimizer.explain()), repr(optimizer.ask())


@pytest.mark.parametrize("peek", [False, True])
@pytest.mark.parametrize("more", [{}, {"drift": "learned"}])
def test_a_correction_and_back_is_as_if_nothing_had_been(more: dict[str, Any], peek: bool) -> None:
    optimizer, before = played(**more), played(**more)
    for round_number in (7, 2, 5):  # one that is doubted, one that is not, and one that failed
        token = list(optimizer.history)[round_number - 1].suggestion.token
        stands = optimizer.history[token]
        if stands.outcome is None:
            continue
        optimizer.amend(token, 5.0)
        if peek:
            optimizer.recommend()
        optimizer.amend(token, stands.outcome.value)
    assert answers(optimizer) == answers(before)


def test_a_failure_is_imputed_by_what_was_known_before_it_however_it_is_read() -> None:
    live = played()
    token = next(iter(live.history)).suggestion.token
    live.amend(token, 0.0)
    later = sb.load(live.to_json())
    points = [o._method.surrogate.feasibility.failures._points for o in (live, later)]  # type: ignore[attr-defined]
    assert [p.tolist() for p in points[0]] == [p.tolist() for p in points[1]]
    before = played()._method.surrogate.feasibility.failures  # type: ignore[attr-defined]
    failed = [k for k, worked in enumerate(before._worked) if not worked]
    assert [before._points[k].tolist() for k in failed] == [points[0][k].tolist() for k in failed]


def test_data_added_between_rounds_stay_in_their_place_after_a_correction() -> None:
    optimizer = played(5)
    optimizer.add(-0.2, {"a": 0.5, "b": 0.5}, cost=1.0)
    names = [each.name for each in optimizer.history.results]
    optimizer.amend(names[1], 0.1)
    assert [each.name for each in optimizer.history.results] == names
    assert names[-1] == "added-1"


def test_doubts_come_back_with_the_outcome_whatever_else_was_corrected() -> None:
    optimizer, before = played(), played()
    assert before._method.outliers() == [list(before.history)[6].suggestion.token]
    doubted, other = (list(optimizer.history)[n] for n in (6, 1))
    assert doubted.outcome is not None
    assert other.outcome is not None
    for token, value in (
        (doubted.suggestion.token, -0.1),
        (other.suggestion.token, 5.0),
        (doubted.suggestion.token, doubted.outcome.value),
        (other.suggestion.token, other.outcome.value),
    ):
        optimizer.amend(token, value)
        optimizer.explain()
    assert answers(optimizer) == answers(before)


def test_the_log_names_the_outcomes_that_are_doubted() -> None:
    optimizer = played()
    optimizer.refit()
    fits = [event.hyperparameters["objective"] for event in optimizer.events if isinstance(event, Refitted)]
    assert [*fits[-1]["doubted"]] == [list(optimizer.history)[6].suggestion.token]


def late(amended: bool) -> sb.Optimizer:
    """Round 2 is told after round 4; then the outcome of round 1 is corrected, and corrected back."""
    optimizer = sb.Optimizer(sb.CostVarying(X, [["a"], ["a", "b"]]), rounds=20, seed=3)
    asked = []
    for n in range(6):
        asked.append(optimizer.ask())
        for each in {1: [], 3: [3, 1]}.get(n, [n]):
            suggestion, random = asked[each], np.random.default_rng(each)
            assert suggestion is not None
            x = {"a": random.random(), "b": random.random()} | suggestion.values
            optimizer.tell(suggestion, float(each), realised=x)
    if amended:
        first = next(iter(optimizer.history)).suggestion
        optimizer.amend(first, 3.0)
        optimizer.amend(first, 0.0)
    return optimizer


def test_a_late_outcome_keeps_its_place_when_another_is_corrected() -> None:
    optimizer = late(amended=True)
    assert [each.number for each in optimizer.history.results] == [1, 3, 4, 2, 5, 6]
    assert answers(optimizer) == answers(late(amended=False))
