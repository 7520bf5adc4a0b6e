"""ET-GP-UCB: when it starts over, and how often it does so in vain."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from steerbo import Decay, Float, Optimizer, Prior, TimeVarying
from steerbo.timevarying import SquaredExponential
from steerbo.timevarying.baselines import EventTriggered, threshold
from steerbo.timevarying.data import Datum
from tests.timevarying.reference import refit

X = np.linspace(0, 1, 11)
K = np.exp(-0.5 * (np.subtract.outer(X, X) / 0.3) ** 2)
PRIOR = Prior(SquaredExponential(0.3), 0.5, Decay(0.3), 0.1, "ours")
SITES = TimeVarying([Float("x", 0, 1, step=0.1)], [PRIOR])
BOX = TimeVarying([Float("x", 0, 1)], [PRIOR])


def method(problem: TimeVarying = SITES, **options: Any) -> EventTriggered:
    found = Optimizer(problem, "et-gp-ucb", **options)._method
    assert isinstance(found, EventTriggered)
    return found


def told(optimizer: Optimizer, level: float, rounds: int) -> list[tuple[float, int, float]]:
    """Rounds of a wave about a level: time, place and outcome of each."""
    data = []
    for _ in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        i = round(10 * suggestion.values["x"])
        y = level + 0.5 * math.sin(6 * X[i]) + 0.03 * math.sin(7.0 * suggestion.round)
        optimizer.tell(suggestion, y)
        data.append((float(suggestion.round), i, y))
    return data


def remembered(data: list[tuple[float, int, float]], delta_b: float) -> list[tuple[float, int, float]]:
    """What is left after all tests, with the posterior solved from scratch each time."""
    kept: list[tuple[float, int, float]] = []
    tests = 0
    for row in data:
        tests += 1
        mean, variance, _ = (
            refit(np.full(11, 0.5), K, None, 0.1, kept, 0.0) if kept else (np.full(11, 0.5), np.diag(K), 0)
        )
        allowed = math.sqrt(2 * math.log(2 * (math.pi**2 * tests**2 / 6) / delta_b))
        if abs(row[2] - mean[row[1]]) > allowed * (math.sqrt(variance[row[1]]) + 0.1):
            kept, tests = [], 0
        kept.append(row)
    return kept


def test_it_forgets_what_the_paper_says() -> None:
    optimizer = Optimizer(SITES, "et-gp-ucb", confidence=1.0, seed=3)
    data = told(optimizer, 0.0, 12)
    assert remembered(data, 0.1) == data
    data += told(optimizer, 3.0, 9)
    kept = remembered(data, 0.1)
    assert kept == data[12:]
    data += told(optimizer, -2.0, 7)
    kept = remembered(data, 0.1)
    assert kept == data[21:]
    mean, variance, _ = refit(np.full(11, 0.5), K, None, 0.1, kept, 0.0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    upper = mean + np.sqrt(variance)
    assert suggestion.note["upper"] == pytest.approx(upper.max(), rel=1e-9)
    assert upper[round(10 * suggestion.values["x"])] == pytest.approx(upper.max(), rel=1e-9)
    said = str(optimizer.explain())
    assert "This happened 2 times, the last time at time 22" in said
    assert "Outcomes remembered: 7" in said


def test_drift_of_the_prior_is_left_out() -> None:
    still = replace(SITES, priors=[replace(PRIOR, drift=None)])
    ours, theirs = Optimizer(SITES, "et-gp-ucb", seed=1), Optimizer(still, "et-gp-ucb", seed=1)
    assert told(ours, 0.0, 6) == told(theirs, 0.0, 6)


@pytest.mark.parametrize("problem", [SITES, BOX])
@pytest.mark.parametrize("delta_b", [0.3, 0.99])
def test_false_alarms_are_as_rare_as_it_says(problem: TimeVarying, delta_b: float) -> None:
    """Truths drawn from the prior: alarms are as many as normal tails say (|z| < 4: one in 16 000), and few."""
    random, ours = np.random.default_rng(5), method(problem, delta_b=delta_b)
    runs, rounds = (250, 25) if problem is SITES else (80, 12)
    root = np.linalg.cholesky(K + 1e-9 * np.eye(11))
    expected = variance = 0.0
    in_vain = 0
    for _ in range(runs):
        f = 0.5 + root @ random.standard_normal(11)
        compared: Any = ours.not_compared()
        for t in range(1, rounds + 1):
            i = int(random.integers(11))
            datum = Datum(t, t, i if problem is SITES else X[[i]], float(f[i] + 0.1 * random.standard_normal()))
            sd = float(compared.surrogate.expected(datum)[1][0])
            p = 2 * norm.sf(threshold(sd, 0.1, t, delta_b) / math.hypot(sd, 0.1))
            expected, variance = expected + p, variance + p * (1 - p)
            compared.condition(datum, [0])
            if compared.events:
                in_vain += 1
                break
    assert abs(in_vain - expected) < 4 * math.sqrt(variance)
    assert in_vain <= delta_b / 2 * runs + 4 * math.sqrt(delta_b / 2 * runs)
    assert delta_b < 0.9 or in_vain >= 5


def test_what_comes_late_is_not_tested_and_what_is_too_old_is_left_out() -> None:
    ours: Any = method().not_compared()
    for t in (1.0, 2.0, 4.0):
        assert ours.condition(Datum(t, t, 3, 0.5), [0])
    assert ours.condition(Datum(3.0, 3, 3, 9.0), [0])
    assert (ours.events, ours.tests, len(ours.held)) == (0, 3, 4)
    assert ours.condition(Datum(5.0, 5, 9, -9.0), [0])
    assert (ours.events, ours.tests, len(ours.held)) == (1, 0, 1)
    assert not ours.condition(Datum(4.5, 4.5, 3, 0.5), [0])
    assert len(ours.held) == 1
    assert ours.surrogate.expected(Datum(5.0, 6, 9, 0.0))[0][0] < -8


def test_a_typing_error_that_is_mended_was_no_event() -> None:
    optimizer, other = (Optimizer(SITES, "et-gp-ucb", confidence=1.0, seed=4) for _ in range(2))
    for k in range(6):
        one, two = optimizer.ask(), other.ask()
        assert one is not None
        assert two is not None
        if k == 5:
            optimizer.tell(one, 77.0)
            assert optimizer._method.comparison.events == 1  # type: ignore[attr-defined]
            optimizer.amend(one.token, value=0.4)
            other.tell(two, 0.4)
            break
        optimizer.tell(one, 0.4)
        other.tell(two, 0.4)
    assert optimizer._method.comparison.events == 0  # type: ignore[attr-defined]
    assert optimizer.ask() == other.ask()
