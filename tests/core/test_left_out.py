"""Cross-validation: each outcome beside what was expected without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Amended
from steerbo.errors import InvalidOption, InvalidRequest
from tests.causal.worlds import figure
from tests.costvarying import worlds
from tests.interop.examples import control_sets, drifting, played
from tests.meanfield import worlds as meanfield


def plain(noise: float, seed: int, n: int = 30) -> sb.Optimizer:
    """Random data of a parabola over two variables."""
    problem = sb.CostVarying([sb.Float("a", 0, 1), sb.Float("b", 0, 1)], [["a", "b"]])
    study, random = sb.Optimizer(problem, seed=seed), np.random.default_rng(seed)
    for a, b in random.random((n, 2)):
        study.add(3 * (a - 0.4) ** 2 + b + noise * random.standard_normal(), {"a": a, "b": b})
    return study


def test_an_outcome_is_expected_as_where_it_is_void() -> None:
    """Hyperparameters are those of all outcomes: a fit that was logged stays where one is taken back."""
    study = plain(0.1, seed=0)
    study.ask()
    found = study.cross_validate(folds=30)
    assert [each.name for each in found] == [f"added-{k}" for k in range(1, 31)]
    state, left = study._state, found[7]
    event = state.history.data["added-8"]
    void = state.preview(Amended("added-8", None))
    expected, told = (each.method.expected_outcome(event) for each in (void, state))
    assert expected is not None
    assert told is not None
    value, mean, deviation = expected
    assert (left.value, left.mean) == (value, mean)
    assert left.upper - left.mean == pytest.approx(2 * deviation)
    assert abs(told[1] - value) < abs(mean - value), "one that was told the outcome is nearer to it"


def test_bounds_hold_as_often_as_they_say() -> None:
    """Of 150 outcomes some 142 are within: fewer than 128 by chance once in ten thousand at 93 %."""
    found = [each for seed in range(5) for each in plain(0.2, seed).cross_validate()]
    assert len(found) == 150
    assert sum(each.covered for each in found) >= 128


def test_noise_that_nothing_explains_is_expected_at_its_mean() -> None:
    study, random = sb.Optimizer(sb.CostVarying([sb.Float("a", 0, 1)], [["a"]]), seed=0), np.random.default_rng(0)
    values = random.standard_normal(40)
    for value in values:
        study.add(value, {"a": random.random()})
    found = study.cross_validate()
    off = np.array([each.mean - values.mean() for each in found])
    assert np.abs(off).mean() < 0.5, "a model that was told them would go through them"


def test_an_outcome_that_is_probably_wrong_is_left_out_like_any_other() -> None:
    """The fit that waits for the next ask names it; where it is void the fit counts all the same."""
    study = plain(0.05, seed=3)
    with pytest.warns(UserWarning, match="far from"):
        study.add(60.0, {"a": 0.5, "b": 0.5})
    found = {each.name: each for each in study.cross_validate()}
    assert len(found) == 31
    assert not found["added-31"].covered
    fitted = study._state._refit()
    assert fitted is not None
    assert "added-31" in str(fitted.hyperparameters), "or the test says nothing"


def test_nothing_of_the_study_changes() -> None:
    study = plain(0.1, seed=1)
    before, advice = study.events, study.recommend()
    study.cross_validate()
    assert study.events == before
    assert study.recommend() == advice
    again = sb.Optimizer.replay(study.problem, list(before))
    assert study.ask() == again.ask()


def a_line() -> sb.Optimizer:
    """Time-varying, without priors."""
    study = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)]), seed=0)
    for time in range(14):
        suggestion = study.ask(time=float(time))
        assert suggestion is not None
        study.tell(suggestion, (suggestion.values["x"] - 0.3) ** 2)
    return study


def a_crowd() -> sb.Optimizer:
    case = meanfield.case("mf-gp-ucb", meanfield.crowd(feedback="population"))
    return case.play(case.start(), 14)


def looked_at() -> sb.Optimizer:
    """Cost-varying, with variables seen before each choice."""
    return played(worlds.seen_case("cheap-first"), 12)


def graph() -> sb.Optimizer:
    """Causal: two scopes that were played a dozen times each."""
    return played(figure("coca-bo", initial=2), 30)


@pytest.mark.parametrize("make", [control_sets, drifting, looked_at, graph, a_line, a_crowd])
def test_every_kind_expects_its_outcomes_from_some_on(make: Callable[[], sb.Optimizer]) -> None:
    study = make()
    found = study.cross_validate()
    told = {name: study.problem.scalar(outcome) for name, outcome, _ in study.history.outcomes()}
    assert 0 < len(found) <= len(told)
    assert all(each.value == pytest.approx(told[each.name]) for each in found)
    assert all(each.lower < each.mean < each.upper for each in found)


@pytest.mark.parametrize("folds", [1, 0, 2.5, True, "ten", None])
def test_folds_are_a_whole_number_from_two(folds: Any) -> None:
    with pytest.raises(InvalidOption, match="a whole number from 2"):
        plain(0.1, seed=0).cross_validate(folds)


def test_too_few_outcomes_are_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidRequest, match="ten outcomes or so"):
        plain(0.1, seed=0, n=4).cross_validate()
    with pytest.raises(InvalidRequest, match="ten outcomes or so"):
        plain(0.1, seed=0, n=0).cross_validate()
