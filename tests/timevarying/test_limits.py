"""Limits in time-varying problems: on boxes and finite domains, with what is available and what is seen."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem, InvalidRequest
from steerbo.timevarying import SquaredExponential

LIMIT = sb.LinearConstraint({"a": 1, "b": 2}, at_most=6)
PRIORS = [
    sb.Prior(SquaredExponential(1.0), drift=sb.Decay(0.05), noise=0.1),
    sb.Prior(SquaredExponential(2.0), noise=5.0),
]
BOX = sb.TimeVarying([sb.Float("a", 0, 5), sb.Float("b", 0.01, 5, scale="log")], PRIORS, limits=[LIMIT])
FINITE = sb.TimeVarying([sb.Float("a", 0, 5, step=0.5), sb.Float("b", 0, 5, step=0.5)], PRIORS, limits=[LIMIT])
MIXED = sb.TimeVarying(
    [sb.Float("a", 0, 5), sb.Integer("b", 0, 5), sb.Categorical("m", ["u", "v"]), sb.Float("w", 0, 1, seen=True)],
    [sb.Prior(SquaredExponential([1.0, 1.0, 1.0, 0.5]), drift=sb.Decay(0.05), noise=5.0)],
    limits=[
        LIMIT,
        sb.LinearConstraint({"a": 1, "w": 3}, at_most=4),
        sb.space.ForbiddenCombination({"m": "u", "b": [2]}),
    ],
)
SEEN_SITES = sb.TimeVarying(
    [sb.Integer("a", 0, 5), sb.Integer("w", 0, 3, seen=True)],
    PRIORS,
    limits=[sb.LinearConstraint({"a": 1, "w": 1}, at_most=4)],
)


def played(problem: sb.TimeVarying, rounds: int = 8, method: str | None = None, **request: Any) -> sb.Optimizer:
    """Best at a = 4, b = 2, which is more than is allowed."""
    optimizer = sb.Optimizer(problem, method, rounds=rounds, seed=1)
    for k in range(rounds):
        now = {name: given[k % len(given)] for name, given in request.items()}
        suggestion = optimizer.ask(**now)
        assert suggestion is not None
        x = {**suggestion.values, **suggestion.context}
        assert not any(limit.breaks(x) for limit in problem.limits or ())
        optimizer.tell(suggestion, -((x["a"] - 4) ** 2) - (x.get("b", 2) - 2) ** 2)
    return optimizer


@pytest.mark.parametrize("method", ["mle", "random", "fully-bayesian"])
@pytest.mark.parametrize("problem", [BOX, FINITE])
def test_no_suggestion_breaks_a_limit(problem: sb.TimeVarying, method: str) -> None:
    optimizer = played(problem, 6, method)
    assert not LIMIT.breaks(optimizer.recommend().values)


def test_the_best_at_a_limit_is_found_and_explained() -> None:
    optimizer = played(BOX, 40)
    best = optimizer.recommend().values
    assert LIMIT.sum(best) == pytest.approx(6, abs=1e-6)
    assert 2.5 < best["a"] < 4.5
    assert optimizer.explain().tables[-1].rows[0][2] is True
    assert sb.load(optimizer.to_json()).recommend() == optimizer.recommend()


def test_what_is_seen_and_what_is_available_count() -> None:
    played(MIXED, 5, context=[{"w": 0.0}, {"w": 1.0}])
    played(SEEN_SITES, 5, context=[{"w": 0}, {"w": 3}])
    played(BOX, 3, available=[{"a": (0, 2)}, [{"a": 1, "b": 1}, {"a": 5, "b": 5}]])
    played(FINITE, 3, available=[[(1, 1), (5, 5)]])


@pytest.mark.parametrize(
    ("problem", "request_"),
    [
        (BOX, {"available": {"a": (4, 5), "b": (2, 3)}}),
        (BOX, {"available": [{"a": 5, "b": 5}]}),
        (FINITE, {"available": [(5, 5)]}),
        (MIXED, {"context": {"w": 1.8}}),
    ],
)
def test_nothing_left_is_refused_before_it_is_logged(problem: sb.TimeVarying, request_: dict[str, Any]) -> None:
    optimizer = sb.Optimizer(problem, rounds=3)
    with pytest.raises(InvalidRequest, match=r"a point that satisfies the limits.* a \+ 2 b at most 6") as caught:
        optimizer.ask(**request_)
    assert ("None is not allowed" in str(caught.value)) is ("available" not in request_)
    assert not len(optimizer.history)


def test_limits_that_clash_are_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"'a \+ 2 b at most 6', 'a at least 4\.5'"):
        sb.TimeVarying(
            [sb.Float("a", 0, 5), sb.Float("b", 1, 5)],
            limits=[sb.LinearConstraint({"b": 1}, at_most=4), LIMIT, sb.LinearConstraint({"a": 1}, at_least=4.5)],
        )
    with pytest.raises(InvalidProblem, match="where w is 1"):
        sb.TimeVarying(
            [sb.Integer("a", 1, 2), sb.Float("w", 0, 1, seen=True)],
            limits=[sb.LinearConstraint({"a": 1, "w": 1}, at_most=1.5)],
        )


@pytest.mark.parametrize(("w", "most"), [(300.0, 20.0), (0.5, 49.95)])
def test_what_is_seen_beyond_a_logarithmic_range_counts_as_it_was_measured(w: float, most: float) -> None:
    variables = [sb.Float("a", 1, 100, scale="log"), sb.Float("w", 1, 100, scale="log", seen=True)]
    problem = sb.TimeVarying(variables, limits=[sb.LinearConstraint({"a": 1, "w": 0.1}, at_most=50)])
    for method in ("random", "learned-drift"):
        optimizer, found = sb.Optimizer(problem, method, rounds=12, seed=1), []
        for _ in range(12):
            suggestion = optimizer.ask(context={"w": w})
            assert suggestion is not None
            found.append(suggestion.values["a"])
            optimizer.tell(suggestion, suggestion.values["a"])
        assert most / 3 < max(found) <= most * (1 + 1e-9)
