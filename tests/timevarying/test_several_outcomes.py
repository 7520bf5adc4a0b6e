"""Several outcomes that may drift: what is told, what is chosen, and the trade-off at a time."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidOption, InvalidOutcome, InvalidProblem

pytestmark = pytest.mark.few_draws


def oven(**more: Any) -> sb.TimeVarying:
    """Little waste and little energy are both wanted: along a; the best b moves with time."""
    fields: dict[str, Any] = {"minimize": True, "outcomes": {"energy": "minimize"}, **more}
    return sb.TimeVarying([sb.Float("a", 0, 1), sb.Float("b", 0, 1)], **fields)


def best(time: float) -> float:
    return 0.3 + 0.02 * time


def play(study: sb.Optimizer, suggestion: sb.Suggestion, time: float, sign: float = 1.0) -> None:
    a, b = suggestion.values["a"], suggestion.values["b"]
    more = (b - best(time)) ** 2
    study.tell(suggestion, a * a + more, realised={"energy": sign * ((1 - a) ** 2 + more)})


@cache
def played() -> sb.Optimizer:
    study = sb.Optimizer(oven(), seed=1)
    for k in range(14):
        play(study, study.ask(), k + 1.0)
    return study


def test_the_trade_off_is_that_of_now() -> None:
    """Along a; b is where it is best for both at the last round."""
    found = played().tradeoff()
    assert len(found.plays) > 5
    assert found.minimized == ("value", "energy")
    for each in found.plays:
        a: float = each.values["a"]
        energy: Any = each.outcomes["energy"]
        assert abs(each.values["b"] - best(14.0)) < 0.15
        assert abs(float(each.mean or 0.0) - a * a) < 0.1
        assert abs(energy.mean - (1 - a) ** 2) < 0.1
        assert energy.lower < energy.mean < energy.upper
    assert found.plays[0].values["a"] < 0.25 < 0.75 < found.plays[-1].values["a"]
    assert abs(found.best({"energy": 3.0}).values["a"] - 0.75) < 0.15  # a² + 3 (1 − a)²


def test_what_a_play_adds_is_logged_and_said() -> None:
    study = played()
    gains = [each.suggestion.note["gain"] for each in study.history if "gain" in each.suggestion.note]
    assert len(gains) == 9
    assert gains[0] > 2 * gains[-1] > 0
    assert "drift of energy: " in study.explain().summary


def test_a_study_that_is_read_again_suggests_the_same() -> None:
    study = played()
    again = sb.load(study.to_json())
    assert again.tradeoff() == study.tradeoff()
    one, other = sb.load(study.to_json()), sb.load(study.to_json())
    assert one.ask(time=15.0).values == other.ask(time=15.0).values


def test_another_time_and_settings_of_ones_own_have_all_outcomes() -> None:
    step, found = played().policy(time=16.0), played().predict({"a": 0.5, "b": 0.5})
    assert "energy" in step.expected
    energy: Any = found.outcomes["energy"]
    assert abs(energy.mean - 0.25) < 0.15


def test_listed_settings_and_what_is_available() -> None:
    """Of twelve ovens most are tried before one is played again; the answer is among those that are there."""
    problem = sb.TimeVarying([sb.Categorical("oven", [*"abcdefghijkl"])], outcomes={"purity": "maximize"})
    study, draw = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    truth = {oven: draw.random(2).tolist() for oven in "abcdefghijkl"}
    plays = []
    for k in range(14):
        suggestion = study.ask(available=["a", "b"] if k == 13 else [*"abcdefghijkl"])
        plays.append(suggestion.values["oven"])
        first, second = truth[plays[-1]]
        study.tell(suggestion, first, realised={"purity": second})
    assert len(set(plays[:13])) >= 9
    assert plays[-1] in "ab"
    assert study.policy(available=["c", "d"]).values["oven"] in "cd"
    found = [truth[each.values["oven"]] for each in study.tradeoff().plays]
    bettered = [row for row in found if any(all(np.greater(other, row)) for other in truth.values())]
    assert len(found) >= 3 > 1 >= len(bettered)


def test_a_limit_may_hold_beside() -> None:
    study = sb.Optimizer(oven(limits=[sb.OutcomeConstraint("energy", at_most=0.3)]), seed=3)
    for k in range(10):
        play(study, study.ask(), k + 1.0)
    energies: list[Any] = [each.outcomes["energy"] for each in study.tradeoff().plays]
    assert all(energy.mean < 0.35 for energy in energies)


def test_each_play_tells_every_outcome_and_data_may_lack_one() -> None:
    study = sb.Optimizer(oven(), seed=1)
    with pytest.raises(InvalidOutcome, match=r"realised\.energy.*trades the value against it"):
        study.tell(study.ask(), 1.0)
    study.add(0.3, {"a": 0.5, "b": 0.3})
    assert "energy unknown" in study.predict({"a": 0.5, "b": 0.3}).expected


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"outcomes": {"time": "maximize"}}, "a name that nothing else has"),
        ({"current": {"a": 0.5, "b": 0.5}}, "nothing beside `outcomes`"),
        ({"priors": [sb.Prior(sb.timevarying.SquaredExponential(0.2))]}, "Without them the drift of each outcome"),
    ],
)
def test_what_cannot_be_traded_is_refused_with_what_to_do(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        oven(**fields)


def test_methods_for_one_outcome_refuse_several_and_the_other_way_round() -> None:
    with pytest.raises(InvalidOption, match="a method for several outcomes"):
        sb.Optimizer(oven(), method="learned-drift")
    with pytest.raises(InvalidOption, match="a method for one outcome"):
        sb.Optimizer(oven(outcomes=None), method="hypervolume")
