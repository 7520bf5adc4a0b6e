"""Outcomes that are probably wrong: what a noise of its own would gain, against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import loggamma, norm

from steerbo.gp import AnovaKernel, GPRegression, SquaredExponentialKernel
from steerbo.gp._standardisation import rounding_step
from steerbo.gp.outliers import (
    MOST_OUTLIERS,
    WORTH,
    OutlierRule,
    gains,
    skewness_gain,
    supported,
    suspected,
    systematic,
)


def test_gains_are_those_of_the_likeliest_extra_variance() -> None:
    random = np.random.default_rng(0)
    x = np.sort(random.random(12))
    covariance = np.exp(-0.5 * ((x[:, None] - x) / 0.2) ** 2) + 0.05 * np.eye(12)
    y = random.multivariate_normal(np.zeros(12), covariance)
    y[4] += 3.0
    inverse = np.linalg.inv(covariance)
    found = gains(np.diagonal(inverse), inverse @ y, np.zeros(12))
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        solved = np.linalg.solve(covariance[np.ix_(rest, rest)], covariance[rest, i])
        mean, variance = solved @ y[rest], covariance[i, i] - solved @ covariance[rest, i]

        def density(log_extra: float, i: int = i, mean: Any = mean, variance: Any = variance) -> float:
            return -float(norm.logpdf(y[i], mean, np.sqrt(variance + np.exp(log_extra))))

        best = minimize_scalar(density, bounds=(-20, 10), method="bounded").fun
        assert found[i] == pytest.approx(max(density(-40.0) - best, 0.0), abs=1e-3)
    assert found.argmax() == 4


@pytest.mark.parametrize("outcome", [5.0, -3.0])
def test_one_wrong_outcome_is_doubted_and_named(outcome: float) -> None:
    random = np.random.default_rng(1)
    points = random.random((25, 1))
    y = np.sin(5 * points[:, 0]) + 0.1 * random.standard_normal(25)
    y[11] = outcome
    model = GPRegression(SquaredExponentialKernel([0.3]))
    model.replace(points, y)
    model.set(model.fit())
    assert model.doubted == [11]
    honest = float(np.sin(5 * points[11, 0]))
    assert model.predict(points[11:12])[0][0] == pytest.approx(honest, abs=0.3)
    y[11] = honest
    model.revise(y)
    assert model.doubted == []


@pytest.mark.parametrize("seed", [1, 6, 26, 27])
def test_three_wrong_outcomes_are_found_where_one_or_two_doubts_do_not_pay(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = random.random((24, 2))
    y = np.sin(5 * points[:, 0]) + np.cos(4 * points[:, 1]) + 0.2 * random.standard_normal(24)
    wrong = random.choice(24, 3, replace=False)
    y[wrong] += 1.6 * random.choice([-1, 1], 3) * (1 + random.random(3))
    model = GPRegression(SquaredExponentialKernel([0.3, 0.3]))
    model.replace(points, y)
    model.set(model.likeliest())
    assert model.doubted == sorted(wrong.tolist())


def test_skewness_gain_compares_standardised_log_gamma_laws_with_a_normal_one() -> None:
    random = np.random.default_rng(5)
    for z, skewed in ((random.standard_normal(200), False), (1.0 - random.exponential(size=200), True)):
        laws = []
        for shape in (0.1, 0.3, 1.0, 3.0):
            law = loggamma(shape, scale=1.0 / loggamma(shape).std())
            laws += [law.logpdf(side * z + law.mean()).sum() for side in (-1, 1)]
        density = np.logaddexp.reduce(laws) - np.log(8.0)
        assert skewness_gain(z) == pytest.approx(density - norm.logpdf(z).sum() - 3.0)
        assert (skewness_gain(z) > 0) == skewed


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_tail_of_skewed_noise_is_not_doubted_and_does_not_shift_the_function(side: float) -> None:
    """Where the same tail lies to both sides, noise is not skewed, and its ends are doubted."""
    random = np.random.default_rng(10)
    points = random.random((60, 1))
    tail = random.lognormal(0.0, 1.0, 60) - np.exp(0.5)
    both = tail * random.choice([-1, 1], 60)
    shifts = []
    for noise, skewed in ((side * tail, True), (both, False)):
        model = GPRegression(SquaredExponentialKernel([0.3]))
        model.replace(points, np.sin(5 * points[:, 0]) + 0.25 * noise)
        model.set(model.likeliest())
        assert (model.doubted == []) == skewed
        mean, deviation = model.predict(points)
        shifts.append(abs(float((mean - np.sin(5 * points[:, 0])).mean())) / float(deviation.mean()))
    assert max(shifts) < 2.0


def test_a_plateau_of_its_own_height_is_no_mistake() -> None:
    """More of its kind have come than are ever doubted."""
    random = np.random.default_rng(2)
    points = random.random((30, 1))
    y = np.where(points[:, 0] > 0.7, 6.0, 0.0) + 0.1 * random.standard_normal(30)
    model = GPRegression(SquaredExponentialKernel([0.3]))
    model.replace(points, y)
    model.set(model.fit())
    assert len(model.doubted) <= MOST_OUTLIERS * 30
    assert model.predict([[0.85]])[0][0] == pytest.approx(6.0, abs=0.6)


def test_clean_normal_outcomes_are_hardly_ever_doubted() -> None:
    """Of 40 data sets of 20 outcomes at most 4 have one: `WORTH` is what one normal outcome of thousands gains."""
    doubted = 0
    for seed in range(40):
        random = np.random.default_rng([5, seed])
        points = random.random((20, 1))
        model = GPRegression(SquaredExponentialKernel([0.3]))
        model.replace(points, np.cos(4 * points[:, 0]) + 0.3 * random.standard_normal(20))
        model.set(model.fit())
        doubted += bool(model.doubted)
    assert WORTH >= 6.0
    assert doubted <= 4


def test_suspects_are_far_from_the_middle_half() -> None:
    assert not suspected(np.zeros(9)).any()
    assert not suspected(np.random.default_rng(0).normal(size=200)).any()
    assert suspected(np.array([*range(9), 500.0])).nonzero()[0].tolist() == [9]


def where_it_goes_wrong(wrong: list[int]) -> GPRegression[AnovaKernel]:
    """Thirty outcomes of a line, fitted; some of them, in ascending order of x, are 60 lower."""
    random = np.random.default_rng(0)
    x = np.linspace(0.0, 1.0, 30)
    y = 10.0 + 2.0 * x + 0.2 * random.standard_normal(30)
    y[wrong] -= 60.0
    model = GPRegression(AnovaKernel.over([False]), seed=0)
    model.extend(x[:, None], y)
    model.set(model.fit())
    return model


def test_what_goes_wrong_often_is_no_slip() -> None:
    """One play of seven in the upper half loses 60: where all are doubted, its value is 12 for sure."""
    model = where_it_goes_wrong([16, 20, 23, 27])
    assert len(model.doubted) <= 2
    mean, sd = model.predict(np.array([[0.75]]))
    assert mean[0] - 2 * sd[0] < 2.0, "the mean of 12 and -48, one to seven, is 3"


def test_what_goes_wrong_at_one_end_is_no_slip() -> None:
    model = where_it_goes_wrong([28, 29])
    assert not {28, 29} <= {*model.doubted}
    assert model.predict(np.array([[1.0]]))[0][0] < 0.0


def test_sure_disasters_count_among_those_that_are_doubted() -> None:
    """Three of forty may be slips; beside two more that a repetition vouches for they are not."""
    x, y = np.linspace(0.0, 1.0, 40)[:, None], 10.0 + np.linspace(0.0, 1.0, 40)
    y[[5, 20, 35]], doubted = -50.0, np.isin(np.arange(40), [5, 20, 35])
    assert not systematic(x, y, doubted).any()
    y[[25, 26]] = -52.0
    assert systematic(x, y, doubted).any()
    y[[25, 26]] = -20.0
    assert not systematic(x, y, doubted).any(), "these are not as bad"


def test_slips_anywhere_are_doubted() -> None:
    assert where_it_goes_wrong([7, 22]).doubted == [7, 22]


def test_two_outliers_of_many_outcomes_at_one_point_do_not_settle_it() -> None:
    """Two of eight that agree were taken for right; of two outcomes there both are."""
    x = np.concatenate([np.full(8, 0.5), np.linspace(0.0, 1.0, 12)])
    near = np.exp(-0.5 * (np.subtract.outer(x, x) / 0.3) ** 2)
    away = np.where(np.arange(20) < 2, 8.0, 0.1)
    assert not supported(near, away, np.arange(20) < 2).any()
    few = np.r_[0, 1, 8:20]
    assert supported(near[np.ix_(few, few)], away[few], few < 2).tolist() == [True, True, *(12 * [False])]


@pytest.mark.parametrize("seed", range(4))
def test_rounded_outcomes_are_no_mistakes_and_as_unsure_as_rounding_is(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = np.clip(0.5 + 0.15 * random.standard_normal((30, 1)), 0.0, 1.0)
    y = 4.0 - 12.0 * (points[:, 0] - 0.5) ** 2 + 0.1 * random.standard_normal(30)
    model = GPRegression(AnovaKernel.over([False]), seed=0)
    model.extend(points, np.rint(y))
    model.set(model.fit())
    assert model.doubted == []
    assert model.noise * model.scale**2 >= 0.99 / 12.0


def test_five_successes_are_no_certainty_where_others_failed() -> None:
    """Outcomes of another model say that plays succeed or do not; alone, the five say that nothing differs."""
    found = {}
    for elsewhere in (np.zeros(0), np.tile([0.0, 1.0, 1.0], 6)):
        model = GPRegression(AnovaKernel.over([False]), seed=0)
        model.extend(np.linspace(0.0, 1.0, 5)[:, None], np.ones(5))
        model.elsewhere = elsewhere
        model.set(model.fit())
        found[len(elsewhere)] = model.noise * model.scale**2
    assert found[18] >= 0.99 / 12.0
    assert found[0] < 0.5 / 12.0


def test_a_step_is_seen_in_any_unit_and_not_where_there_is_none() -> None:
    counts = np.array([3.0, 4.0, 4.0, 2.0, 4.0, 3.0, 6.0, 4.0])
    for unit in (1e-9, -0.1, 1e6, 1e300):
        assert rounding_step(unit * counts + 7.0 * unit) == pytest.approx(abs(unit))
    assert rounding_step(counts[:7]) == 0.0
    assert rounding_step(np.where(counts > 3.0, 1.0, 0.0)) == 1.0
    assert rounding_step(np.full(9, 3.0)) == 0.0
    assert rounding_step(np.repeat([0.0, 1.0, 2.3], 5)) == 0.0
    assert rounding_step(np.repeat([-1.7e308, 0.0, 1.7e308], 5)) in (0.0, 1.7e308)


def test_outcomes_of_the_same_play_agree_wherever_their_points_are() -> None:
    x = np.linspace(0.0, 1.0, 6)
    near, away = np.exp(-((x[:, None] - x) ** 2)), np.array([5.0, 0.0, 0.0, 0.0, 0.0, 4.0])
    doubted, plays = away > 0.0, np.array([0, 1, 2, 3, 4, 0])
    assert not supported(near, away, doubted).any()
    assert supported(near, away, doubted, same=[plays[:, None] == plays]).tolist() == doubted.tolist()
    assert not supported(near, -away * np.array([1, 1, 1, 1, 1, -1]), doubted, same=[plays[:, None] == plays]).any()


def test_good_outcomes_at_one_end_are_no_slips() -> None:
    x = np.linspace(0, 1, 30)[:, None]
    y = np.where(x[:, 0] > 0.87, 50.0, 1.0)
    assert systematic(x, y, y > 1).tolist() == (y > 1).tolist()
    scattered = np.isin(np.arange(30), [3, 11, 20, 29])
    assert not systematic(x, np.where(scattered, 50.0, 1.0), scattered).any()


def test_outcomes_of_one_level_alone_agree_with_each_other() -> None:
    """A level that nature shows seldom may differ from all others; slips do not choose a level."""
    random = np.random.default_rng(0)
    X = np.column_stack([random.random(24), np.repeat(np.arange(8), 3)])
    y = 0.05 * random.normal(size=24)
    flat = SquaredExponentialKernel([0.5], dimensions=[0])
    rule = OutlierRule(categorical=(1,))
    assert rule.suspects(X, y + 5.0 * (X[:, 1] == 2), flat).sum() == 0
    assert OutlierRule().suspects(X, y + 5.0 * (X[:, 1] == 2), flat).sum() == 3
    slips = np.isin(np.arange(24), [4, 13, 22])
    assert rule.suspects(X, y + 5.0 * slips, flat).tolist() == slips.tolist()
