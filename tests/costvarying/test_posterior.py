"""One honest posterior: bounds hold where noise is as large as the signal, and outcomes that are wrong do little."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import OutOfRangeWarning
from tests.costvarying.worlds import sizes

SETS = [["a"], ["a", "b"]]


def problem(noise: float | None = None) -> sb.CostVarying:
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "ab"]
    return sb.CostVarying(variables, SETS, costs=[1, 2], tolerance=sb.Absolute(0.3), noise=noise)


def yield_of(a: float, b: float) -> float:
    """No draw of a kernel: a kink in a, a saturating rise in b; from 0 to about 8."""
    return 8.0 - 6.0 * abs(a - 0.4) - 2.0 * (1.0 - b / (b + 0.1)) / (1.0 - 1.0 / 1.1)


def told(seed: int, count: int, noise: float, wrong: dict[int, float] | None = None) -> sb.Optimizer:
    """Data at random points; some of them wrong."""
    optimizer, random = sb.Optimizer(problem(), seed=seed), np.random.default_rng([7, seed])
    for k in range(count):
        a, b = random.random(2).tolist()
        value = yield_of(a, b) + noise * random.standard_normal()
        optimizer.add((wrong or {}).get(k, value), {"a": a, "b": b})
    return optimizer


def true_value(advice: sb.core.Recommendation) -> float:
    """What the recommended settings give on average over nature."""
    nature = (np.arange(2000) + 0.5) / 2000
    settings = [(advice.values["a"], advice.values.get("b", b)) for b in nature.tolist()]
    return float(np.mean([yield_of(a, b) for a, b in settings]))


@pytest.mark.parametrize(("studies", "least"), sizes((12, 8), (40, 33)))
def test_bounds_hold_where_noise_is_as_large_as_the_signal(studies: int, least: int) -> None:
    """95 of 100 are meant to: a false alarm in 5400 drawings of 12 seeds, in 1400 of 40."""
    held = 0
    for seed in range(studies):
        advice = told(seed, 20, noise=1.6).recommend()
        assert advice.lower is not None
        assert advice.upper is not None
        held += advice.lower <= true_value(advice) <= advice.upper
    assert held >= least


@pytest.mark.parametrize("wrong", [{17: 740.0}, {17: 45.0, 31: -35.0}], ids=["mistyped", "two outliers"])
def test_outcomes_that_are_wrong_are_said_at_once_and_do_little(wrong: dict[int, float]) -> None:
    """740 typed for 7.40; and two of fifty that are off by five times the range."""
    with pytest.warns(OutOfRangeWarning, match="is far from what was expected there") as said:
        optimizer = told(1, 50, noise=0.4, wrong=wrong)
    for value in wrong.values():
        assert any(f": {value:g} is far" in str(each.message) for each in said)
    advice = optimizer.recommend()
    assert true_value(advice) > 8.0 - 2.0 - 0.3 - 0.1  # the tolerance, and an error of the settings
    assert advice.mean == pytest.approx(true_value(advice), abs=0.5)


def test_more_of_its_kind_are_believed() -> None:
    """Where a quarter of the range is a plateau of another height, no outcome there is wrong."""
    optimizer, random = sb.Optimizer(problem(), seed=0), np.random.default_rng(3)
    for _ in range(48):
        a, b = random.random(2).tolist()
        optimizer.add((20.0 if a > 0.75 else 5.0) + 0.2 * random.standard_normal(), {"a": a, "b": b})
    assert optimizer.recommend().values["a"] > 0.75
    assert optimizer.recommend().mean == pytest.approx(20.0, abs=1.5)


@pytest.mark.parametrize("noise", [0.0, -1.0, math.inf, "1", True])
def test_a_noise_that_is_none_is_refused(noise: float) -> None:
    with pytest.raises(sb.errors.InvalidProblem, match=r"CostVarying\.noise"):
        problem(noise)


def test_a_stated_noise_is_believed() -> None:
    optimizer, random = sb.Optimizer(problem(0.5), seed=0), np.random.default_rng(0)
    for _ in range(12):
        a, b = random.random(2).tolist()
        optimizer.add(yield_of(a, b), {"a": a, "b": b})
    optimizer.ask()
    model = optimizer._method.model  # type: ignore[attr-defined]
    stated = [member.noise**0.5 * member.scale for member in model.members]
    assert 0.2 < np.median(stated) < 0.8
