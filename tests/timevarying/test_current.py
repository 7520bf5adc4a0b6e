"""How the system is run today, by a curve over the weather: played first, left step by step, and compared with."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.interop.posteriors import PosteriorQuery, posterior
from steerbo.timevarying import SquaredExponential

pytestmark = pytest.mark.few_draws

CURVE = {"supply": "55 - 1.1 * outdoor", "setback": 3}
VARIABLES = [sb.Float("supply", 30, 60), sb.Float("setback", 0, 8)]


def building(current: dict[str, Any] | None = CURVE, **more: Any) -> sb.TimeVarying:
    return sb.TimeVarying([*VARIABLES, sb.Float("outdoor", -10, 25, seen=True)], current=current, **more)


@cache
def heated(rounds: int = 14, noise: float = 0.5) -> sb.Optimizer:
    """A study whose best is two degrees above today's curve."""
    optimizer, random = sb.Optimizer(building(), rounds=rounds, seed=1), np.random.default_rng(1)
    for day in range(rounds):
        outdoor = float(15 - day)
        suggestion = optimizer.ask(time=float(day), context={"outdoor": outdoor})
        assert suggestion is not None
        supply, setback = suggestion.values["supply"], suggestion.values["setback"]
        worse = ((supply - 57 + 1.1 * outdoor) / 8) ** 2 + ((setback - 3) / 3) ** 2
        optimizer.tell(suggestion, 40 - 7 * worse + noise * random.normal())
    return optimizer


def test_today_is_played_first_and_left_step_by_step() -> None:
    rounds = list(heated().history)
    assert rounds[0].suggestion.values == {"supply": pytest.approx(55 - 1.1 * 15), "setback": 3}
    for number, played in enumerate(rounds[1:4]):
        away = played.suggestion.values["supply"] - (55 - 1.1 * (14 - number))
        assert abs(away) <= 0.4 * 30 + 1e-6, "a tenth of the range, doubled by what was better at most twice"
        assert abs(played.suggestion.values["setback"] - 3) <= 0.4 * 8 + 1e-6
    first = rounds[1].suggestion.values
    assert abs(first["supply"] - (55 - 1.1 * 14)) <= 3 + 1e-6
    assert abs(first["setback"] - 3) <= 0.8 + 1e-6


def test_pictures_and_posteriors_expect_what_predictions_do() -> None:
    optimizer, space = heated(), building().space
    places = [{"supply": 35.0, "setback": 1.0, "outdoor": 10.0}, {"supply": 58.0, "setback": 6.0, "outdoor": -4.0}]
    for time in (13.0, 16.0):
        found = posterior(optimizer, PosteriorQuery(time=time)).moments(space.encode(places))
        for place, mean in zip(places, found[0], strict=True):
            settings = {name: place[name] for name in ("supply", "setback")}
            told = optimizer.predict(settings, context={"outdoor": place["outdoor"]}, time=time)
            assert mean == pytest.approx(told.mean, rel=1e-6)


def test_slopes_of_a_posterior_follow_the_curve_with_the_weather() -> None:
    found, step = posterior(heated(), PosteriorQuery()), 1e-4
    [point] = building().space.encode([{"supply": 40.0, "setback": 2.5, "outdoor": 5.0}])

    def rise(values: Any) -> Any:
        return (values[:3] - values[3:]) / (2 * step)

    around = point + step * np.vstack([np.eye(3), -np.eye(3)])
    slope = found.cross_slope(point[None], found.weights[None])[0]
    assert slope == pytest.approx(rise(found.cross(around) @ found.weights), rel=1e-3, abs=1e-6)
    assert found.prior_slope(point[None, None], np.ones((1, 1, 1)))[0, 0] == pytest.approx(
        rise(found.prior(around[:, None])[:, 0, 0]), rel=1e-3, abs=1e-6
    )


def test_answers_follow_the_curve_and_say_what_is_gained() -> None:
    optimizer = heated()
    advice = optimizer.recommend()
    [reason] = [each for each in advice.reasons if each.kind == "gain-over-current"]
    assert reason.values["low"] < reason.values["gain"] < reason.values["high"]
    assert "better than today's settings" in advice.why
    assert "believing" not in advice.why, "there is one belief only, and nothing drifts by it"
    cold, mild = (optimizer.policy({"outdoor": outdoor}, time=14.0).values["supply"] for outdoor in (0.0, 10.0))
    assert cold - mild == pytest.approx(11, abs=5), "of weather that was hardly seen the curve is known"


def test_answers_lie_no_further_from_today_than_plays_may() -> None:
    """Where noise hides what little was moved, the best of a flat model would be a corner."""
    optimizer = heated(noise=3.0)
    plays = [each.suggestion for each in optimizer.history]
    away = max(abs(each.values["supply"] - 55 + 1.1 * each.context["outdoor"]) for each in plays)
    for outdoor in (0.0, 5.0, 10.0, 15.0):
        supply = optimizer.policy({"outdoor": outdoor}, time=14.0).values["supply"]
        assert abs(supply - 55 + 1.1 * outdoor) <= max(3.0, 2.0 * away) + 1e-6


def test_today_is_held_again_as_long_as_noise_leaves_open_what_is_better() -> None:
    def held(noise: float) -> list[bool]:
        return [bool(each.suggestion.note.get("current")) for each in heated(noise=noise).history]

    assert held(3.0) == [True, False] * 7, "half of all rounds: a comparison needs both"
    assert not any(held(0.02)[-4:]), "where outcomes tell, none"


def test_a_list_of_places_and_a_finite_domain_are_left_step_by_step_too() -> None:
    stations = sb.TimeVarying([sb.Integer("site", 0, 50)], current={"site": 25})
    optimizer = sb.Optimizer(stations, seed=0)
    assert optimizer.ask().values == {"site": 25}
    assert 20 <= optimizer.ask().values["site"] <= 30
    far = sb.Optimizer(stations, seed=0)
    assert far.ask(available=[1, 2]).values["site"] in (1, 2), "where nothing near is available, what is"


def test_with_priors_it_is_played_first() -> None:
    from steerbo.timevarying import SquaredExponential

    prior = sb.Prior(SquaredExponential(8.0), mean=30.0, noise=1.0)
    optimizer = sb.Optimizer(sb.TimeVarying(VARIABLES, [prior], current={"supply": 48, "setback": 3}), seed=0)
    assert optimizer.ask().values == {"supply": 48, "setback": 3}


def test_what_is_not_a_setting_of_every_variable_is_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"current: .* settings of supply, setback"):
        building({"supply": 45})
    with pytest.raises(InvalidProblem, match=r"current\.supply"):
        building({"supply": "55 - wind", "setback": 3})
    assert ("today's settings", "supply = 55 - 1.1 * outdoor, setback = 3") in building().describe()


def test_it_is_read_back_from_the_log() -> None:
    optimizer = heated()
    again = sb.Optimizer.replay(building(), list(optimizer.events))
    assert again.recommend() == optimizer.recommend()


def test_listed_settings_are_left_step_by_step_in_every_context() -> None:
    """Of a finite domain that has the weather in it, the settings are listed, not its points."""
    weathers = sb.Categorical("weather", ["cold", "mild", "warm"], seen=True)
    ladder = sb.TimeVarying([sb.Float("supply", 30, 60, step=3), weathers], current={"supply": 45})
    study = sb.Optimizer(ladder, seed=0)
    for day in range(6):
        weather = ["warm", "mild", "cold"][day % 3]
        suggestion = study.ask(context={"weather": weather})
        assert abs(suggestion.values["supply"] - 45) <= 9, "of what was no better no round goes beyond"
        study.tell(suggestion, -abs(suggestion.values["supply"] - 45))
    assert study.policy({"weather": "warm"}).values["supply"] == 45


@pytest.mark.parametrize("priors", ["auto", [sb.Prior(SquaredExponential(0.5))]])
def test_settings_of_today_that_break_a_limit_are_not_played(priors: Any) -> None:
    limit = sb.LinearConstraint({"a": 1, "b": 1}, at_most=1)
    variables = [sb.Float("a", 0, 1), sb.Float("b", 0, 1)]
    study = sb.Optimizer(sb.TimeVarying(variables, priors, limits=[limit], current={"a": 0.6, "b": 0.6}), seed=0)
    for _ in range(3):
        suggestion = study.ask()
        assert sum(suggestion.values.values()) <= 1 + 1e-9
        study.tell(suggestion, sum(suggestion.values.values()))
    assert sum(study.recommend().values.values()) <= 1 + 1e-9
