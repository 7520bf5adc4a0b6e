"""Lengthscales of priors are in the unit of their variable: those that look like another are noticed."""

from __future__ import annotations

import math

import pytest

import steerbo as sb
from steerbo.core import Finding
from steerbo.space import Space
from steerbo.timevarying import Matern, SquaredExponential


def noticed(problem: sb.TimeVarying) -> list[Finding]:
    study = sb.Optimizer(problem, rounds=9, seed=0)
    return [found for found in study.status.findings if found.kind == "lengthscale-unlikely"]


@pytest.mark.parametrize(("lengthscale", "said"), [(0.4, "short"), (1.6, ""), (10.0, ""), (290.0, ""), (301.0, "long")])
def test_a_lengthscale_below_a_twentieth_of_the_range_or_above_ten_is_noticed(lengthscale: float, said: str) -> None:
    oven = sb.Float("oven", 30, 60, unit="°C")
    found = noticed(sb.TimeVarying([oven], [sb.Prior(SquaredExponential(lengthscale), name="warm")]))
    assert [f"{said} beside the range of oven, 30 °C wide" in each.text for each in found] == [True] * bool(said)
    assert all(each.text.startswith("warm: the lengthscale") for each in found)


def test_each_variable_has_its_own_unit_and_categories_have_none() -> None:
    heat, clay = sb.Float("heat", 0, 1000), sb.Categorical("clay", ["red", "white"])
    (found,) = noticed(sb.TimeVarying([heat, clay, sb.Float("share", 0, 1)], [sb.Prior(Matern([0.3, 0.01, 0.3]))]))
    assert found.values["name"] == "heat"


@pytest.mark.parametrize(("lengthscale", "said"), [(0.05, "short"), (0.5, ""), (20.0, ""), (3000.0, "long")])
def test_along_a_logarithmic_scale_lengthscales_are_in_decades(lengthscale: float, said: str) -> None:
    """A third of a range of two decades was 6600 Hz, with which all below was one place."""
    pitch = sb.Float("pitch", 200, 20_000, scale="log", unit="Hz")
    found = noticed(sb.TimeVarying([pitch], [sb.Prior(SquaredExponential(lengthscale), name="low")]))
    assert [f"{said} beside the range of pitch, 2 decades wide" in each.text for each in found] == [True] * bool(said)


def test_a_prior_knows_as_much_in_each_decade() -> None:
    rate = sb.Float("rate", 1e-6, 1, scale="log")
    gram = SquaredExponential(1.5).over(Space([rate]))(*(rate.encode([x])[:, None] for x in (1e-5, 1e-4)))
    assert gram[0, 0] == pytest.approx(math.exp(-0.5 / 1.5**2))


def test_with_priors_the_best_place_is_found_in_any_decade() -> None:
    """Lengthscales were in the variable's unit: all decades but the highest were one place."""
    rates = [sb.Float(name, 1e-6, 1, scale="log") for name in "ab"]
    priors = [sb.Prior(SquaredExponential(width, variance=100.0), mean=-10.0) for width in (1.0, 3.0)]
    for best in (-5.0, -1.5):
        optimizer = sb.Optimizer(sb.TimeVarying(rates, priors), rounds=18, seed=0)
        for _ in range(18):
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, -sum((math.log10(x) - best) ** 2 for x in suggestion.values.values()))
        found = [math.log10(x) for x in optimizer.recommend().values.values()]
        assert found == pytest.approx([best, best], abs=0.5)


def test_points_with_coordinates_of_their_own_are_judged_by_those() -> None:
    place = sb.Categorical("place", ["a", "b", "c"])
    prior = sb.Prior(SquaredExponential(1.0))
    (found,) = noticed(sb.TimeVarying([place], [prior], coordinates=[[0.0], [50.0], [100.0]]))
    assert found.values["name"] == "coordinate 1"
    assert not noticed(sb.TimeVarying([place], [prior], coordinates=[[0.0], [1.0], [2.0]]))


@pytest.mark.parametrize("height", [0.0, -3.0, 1e17])
def test_a_coordinate_that_all_points_share_has_no_range(height: float) -> None:
    place, prior = sb.Categorical("place", ["a", "b", "c"]), sb.Prior(SquaredExponential(50.0))
    problem = sb.TimeVarying([place], [prior], coordinates=[[x, height] for x in (0.0, 50.0, 100.0)])
    assert not noticed(problem)
    assert problem.points is not None
    assert problem.points.tolist() == [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]


def test_without_priors_nothing_is_noticed() -> None:
    assert not noticed(sb.TimeVarying([sb.Float("oven", 30, 60)]))
