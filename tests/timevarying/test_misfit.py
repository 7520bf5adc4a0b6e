"""Outcomes that contradict every stated prior: `status` and `explain` say so, and of a right prior they do not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import steerbo as sb
from steerbo import Decay, Prior, TimeVarying
from steerbo.timevarying import SquaredExponential
from steerbo.timevarying._doubts import Misfit
from steerbo.timevarying.data import Datum

SAID = "No prior fits the outcomes"
PLANE = [sb.Float("x", 0, 1), sb.Float("y", 0, 1)]
ONE = np.ones(1)


def prior(lengthscale: float = 0.3, variance: float = 25.0, mean: float = 5.0, noise: float = 0.2) -> Prior:
    """By default one that fits what is played here."""
    return Prior(SquaredExponential([lengthscale] * 2, variance), mean, Decay(0.02), noise)


WRONG = {
    "mean": [prior(mean=-50.0)],
    "variance": [prior(variance=0.01, noise=0.02)],
    "all": [prior(mean=-50.0), prior(lengthscale=3.0), prior(variance=0.01, noise=0.02)],
}


def hill(x: float, y: float, t: int) -> float:
    """Worth 10 at best; the best place jumps after 15 rounds."""
    return 10 - 20 * ((x - (0.8 if t <= 15 else 0.15)) ** 2 + (y - 0.3) ** 2)


def play(priors: list[Prior], noise: Callable[[], float], rounds: int = 24, method: str | None = None) -> sb.Optimizer:
    """Play some rounds."""
    optimizer = sb.Optimizer(TimeVarying(PLANE, priors), method, seed=0)
    for t in range(1, rounds + 1):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, hill(suggestion.values["x"], suggestion.values["y"], t) + 0.2 * noise())
    return optimizer


def normal() -> Callable[[], float]:
    """Standard normal noise."""
    return np.random.default_rng(0).standard_normal


@pytest.mark.parametrize("name", WRONG)
def test_priors_that_are_all_wrong_are_said_with_what_to_do(name: str) -> None:
    """Each of them was believed to the end, and nothing was said."""
    optimizer = play(WRONG[name], normal())
    assert SAID in optimizer.explain().text
    assert f"{SAID}: by time" in str(optimizer.status)
    assert "Leave priors out, or state wider ones." in str(optimizer.status)


@pytest.mark.parametrize("method", ["tempered-elimination", "switching-elimination"])
def test_of_a_right_prior_nothing_is_said_even_where_the_function_jumps_or_noise_has_heavy_tails(method: str) -> None:
    heavy = np.random.default_rng(1)
    for noise in (normal(), lambda: float(heavy.standard_t(3)) / 3**0.5):
        optimizer = play([prior(mean=-50.0), prior()], noise, method=method)
        assert SAID not in str(optimizer.status)
        assert SAID not in optimizer.explain().text


def test_an_amended_outcome_is_compared_anew() -> None:
    optimizer = sb.Optimizer(TimeVarying([sb.Float("x", 0, 1)], [Prior(SquaredExponential(0.2), 0.0, noise=0.1)]))
    told = []
    for x in (0.1, 0.5, 0.9):
        optimizer.add(90.0, {"x": x})
        told.append(optimizer.history.latest_data)
    assert SAID in str(optimizer.status)
    optimizer.amend(told[-1], 0.5)
    assert SAID not in str(optimizer.status)


def test_three_of_five_contradict_and_noise_may_be_three_times_as_large() -> None:
    def since(values: list[float], noise: float) -> dict[int, float]:
        misfit = Misfit()
        for t, value in enumerate(values):
            misfit.compare(Datum(t, t, 0, value), 0 * ONE, 0 * ONE, noise * ONE)
        return misfit.since

    assert since([13.0, 0.0, -13.0, 0.0, 13.0], 1.0) == {0: 4}
    assert since([13.0, 0.0, -13.0, 0.0, 0.0, 13.0], 1.0) == {}
    assert since([11.0] * 5, 1.0) == {}


def test_a_prior_that_comes_back_is_judged_anew() -> None:
    misfit = Misfit()
    for t in range(3):
        misfit.compare(Datum(t, t, 0, 99.0), 0 * ONE, ONE, ONE)
    misfit.reset([0, 1])
    assert misfit.since == {}


def test_a_unix_time_is_written_in_full() -> None:
    optimizer, begun = sb.Optimizer(TimeVarying(PLANE, WRONG["mean"]), seed=0), 1_750_000_000
    for minute in range(8):
        suggestion = optimizer.ask(time=begun + 60 * minute)
        optimizer.tell(suggestion, hill(suggestion.values["x"], suggestion.values["y"], 1))
    assert f"{SAID}: by time 17500001" in optimizer.explain().text
