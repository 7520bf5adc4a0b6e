"""Several outcomes at once: what they may be, what is told, what is chosen, and the trade-off that is answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.costvarying._trade_off import Scalarised, Units
from steerbo.errors import InvalidOption, InvalidOutcome, InvalidProblem, InvalidRequest


def energy(play: sb.Recommendation) -> tuple[float, float, float]:
    """Expected energy with its bounds."""
    found = play.outcomes["energy"]
    assert found.mean is not None
    assert found.lower is not None
    assert found.upper is not None
    return found.lower, found.mean, found.upper


def plant(**more: Any) -> sb.CostVarying:
    """Little waste and little energy are both wanted: a = 0 wastes least, a = 1 needs least energy."""
    fields: dict[str, Any] = {"minimize": True, "outcomes": {"energy": "minimize"}, **more}
    return sb.CostVarying([sb.Float("a", 0, 1), sb.Float("b", 0, 1)], [["a", "b"]], [1], **fields)


def played(rounds: int = 12, **more: Any) -> sb.Optimizer:
    """A study of the plant."""
    study = sb.Optimizer(plant(**more), seed=3)
    for _ in range(rounds):
        tell(study, study.ask())
    return study


def tell(study: sb.Optimizer, suggestion: sb.Suggestion) -> None:
    """Tell what a play gives."""
    a, b = suggestion.values["a"], suggestion.values["b"]
    more = (b - 0.5) ** 2
    study.tell(suggestion, a * a + more, realised={"energy": (1 - a) ** 2 + more})


def test_the_trade_off_is_what_it_truly_is() -> None:
    """Along a, with b at its best for both; prices choose where the slopes agree."""
    found = played().tradeoff()
    assert len(found.plays) > 5
    assert found.minimized == ("value", "energy")
    for play in found.plays:
        a, b = play.values["a"], play.values["b"]
        assert abs(b - 0.5) < 0.1
        assert abs(play.mean - a * a) < 0.1
        assert abs(energy(play)[1] - (1 - a) ** 2) < 0.1
        assert sorted(energy(play)) == [*energy(play)]
    assert found.plays[0].values["a"] < 0.1
    assert found.plays[-1].values["a"] > 0.9
    assert abs(found.plays[found.middle].values["a"] - 0.5) < 0.15
    assert abs(found.best({"energy": 3.0}).values["a"] - 0.75) < 0.1  # a² + 3 (1 − a)²
    assert found.best({}).values["a"] < 0.1


def test_no_play_of_it_is_better_in_everything() -> None:
    rows = np.array([[play.mean, energy(play)[1]] for play in played().tradeoff().plays])
    for row in rows:
        assert not ((rows <= row).all(axis=1) & (rows < row).any(axis=1)).any()


def test_a_larger_outcome_may_be_better() -> None:
    """With the sign turned round the same is found."""
    study = sb.Optimizer(plant(outcomes={"saved": "maximize"}), seed=3)
    for _ in range(12):
        suggestion = study.ask()
        a, b = suggestion.values["a"], suggestion.values["b"]
        study.tell(suggestion, a * a + (b - 0.5) ** 2, realised={"saved": -((1 - a) ** 2) - (b - 0.5) ** 2})
    found = study.tradeoff()
    assert found.minimized == ("value",)
    assert found.plays[0].values["a"] < 0.1
    assert found.plays[-1].values["a"] > 0.9


def test_weights_change_with_the_round_and_are_logged() -> None:
    study = played(9)
    notes = [each.suggestion.note.get("weights") for each in study.history]
    drawn = [note for note in notes if note]
    assert len(drawn) == 4
    assert all(note.keys() == {"value", "energy"} for note in drawn)
    assert len({note["energy"] for note in drawn}) == 4
    assert "outcomes are weighed anew each round" in study.card(study.ask()).why


def test_a_study_that_is_read_again_suggests_the_same() -> None:
    study = played(9)
    again = sb.load(study.to_json())
    assert again.ask().values == study.ask().values
    assert again.tradeoff() == study.tradeoff()


def test_cheap_sets_stay_where_dear_ones_are_not_better_in_everything() -> None:
    """A dearer set is in the trade-off for its outcomes, a cheaper one for its price; nature is averaged over."""
    problem = sb.CostVarying(
        [sb.Float("a", 0, 1, law=sb.Uniform()), sb.Float("b", 0, 1, law=sb.Uniform())],
        [["a"], ["a", "b"]],
        [1, 2],
        minimize=True,
        outcomes={"energy": "minimize"},
    )
    study, draw = sb.Optimizer(problem, seed=1), np.random.default_rng(0)
    for _ in range(14):
        suggestion = study.ask()
        x = {"a": 0.0, "b": draw.random(), **suggestion.values}
        more = 4 * (x["b"] - 0.5) ** 2  # 1/3 where it is drawn
        study.tell(suggestion, x["a"] ** 2 + more, realised={**x, "energy": (1 - x["a"]) ** 2 + more})
    plays = study.tradeoff().plays
    assert {str(play.scope) for play in plays} == {"a", "a + b"}
    cheap = [play for play in plays if str(play.scope) == "a"]
    assert all(abs(play.mean - play.values["a"] ** 2 - 1 / 3) < 0.15 for play in cheap)


def test_each_play_tells_every_outcome() -> None:
    study = sb.Optimizer(plant())
    suggestion = study.ask()
    with pytest.raises(InvalidOutcome, match=r"realised\.energy.*trades the value against it"):
        study.tell(suggestion, 1.0)
    with pytest.raises(InvalidOutcome, match="enrgy"):
        study.tell(suggestion, 1.0, realised={"enrgy": 1.0})


def test_data_may_lack_an_outcome() -> None:
    """It is then unknown for that outcome alone."""
    study = played(8)
    study.add(0.3, {"a": 0.5, "b": 0.3})
    assert study.tradeoff().plays
    study.ask()


def test_before_any_outcome_nothing_is_expected() -> None:
    study = sb.Optimizer(plant())
    advice = study.recommend()
    assert (advice.mean, advice.outcomes, advice.alternatives) == (None, {}, ())
    with pytest.raises(InvalidRequest, match="nothing told yet"):
        study.tradeoff()


def test_an_outcome_that_nobody_measured_is_unknown() -> None:
    study = sb.Optimizer(plant())
    study.add(0.3, {"a": 0.5, "b": 0.3})
    assert "energy unknown" in study.predict({"a": 0.5, "b": 0.3}).expected
    assert study.tradeoff().plays[0].outcomes["energy"].mean is None


def test_one_outcome_may_be_limited_and_traded() -> None:
    study = played(12, limits=[sb.OutcomeConstraint("energy", at_most=0.3)])
    assert all(energy(play)[1] < 0.35 for play in study.tradeoff().plays)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"outcomes": {}}, "at least one outcome beside the value"),
        ({"outcomes": {"a": "maximize"}}, "a name that nothing else has"),
        ({"outcomes": {"value": "maximize"}}, "a name that nothing else has"),
        ({"outcomes": {"energy": "smaller"}}, "minimize"),
        ({"tolerance": sb.Absolute(1.0)}, "nothing beside `outcomes`"),
        ({"value_of_one": 2.0}, "nothing beside `outcomes`"),
        ({"drift": "learned"}, "nothing beside `outcomes`"),
        ({"current": {"a": 0.5, "b": 0.5}}, "nothing beside `outcomes`"),
    ],
)
def test_what_cannot_be_traded_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        plant(**fields)


def test_methods_for_one_outcome_refuse_several_and_the_other_way_round() -> None:
    with pytest.raises(InvalidOption, match="a method for several outcomes"):
        sb.Optimizer(plant(), method="cheap-first")
    with pytest.raises(InvalidOption, match="a method for one outcome"):
        sb.Optimizer(plant(outcomes=None), method="random-weights")


def test_a_problem_of_one_outcome_has_no_trade_off() -> None:
    with pytest.raises(InvalidRequest, match="a problem with outcomes beside the value"):
        sb.Optimizer(plant(outcomes=None)).tradeoff()


def test_prices_are_of_outcomes() -> None:
    found = played().tradeoff()
    with pytest.raises(InvalidRequest, match=r"prices\.enrgy"):
        found.best({"enrgy": 1.0})
    with pytest.raises(InvalidRequest, match="a finite number from 0"):
        found.best({"energy": -1.0})


def test_the_order_of_outcomes_is_none() -> None:
    """A log may keep no order."""
    ways = {"x": "minimize", "y": "maximize"}
    one, other = plant(outcomes=ways), plant(outcomes=dict(reversed(ways.items())))
    assert [*one.traded] == [*other.traded]


class Plane:
    """An outcome with slopes that are known."""

    def __init__(self, slope: list[float], bend: float) -> None:
        self.slope, self.bend = np.array(slope), bend

    def values(self, points: np.ndarray) -> np.ndarray:
        """Values."""
        return points @ self.slope + self.bend * (points**2).sum(axis=1)

    def curved(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values, gradients, Hessians."""
        bend = np.repeat(2 * self.bend * np.eye(2)[None], len(points), axis=0)
        return self.values(points), self.slope + 2 * self.bend * points, bend


@pytest.mark.parametrize("price", [None, -1.0])
def test_slopes_of_the_weighted_number(price: float | None) -> None:
    k = 2 if price is None else 3
    units = Units(np.array([-1.0, -2.0, -2.0])[:k], np.array([1.0, 3.0, 0.0])[:k])
    one: Any = Scalarised(
        [Plane([1, 0], -0.5), Plane([-1, 0.4], 0.2)],  # type: ignore[list-item]
        [2.0, 1.0],
        [0.1, 0.2],
        units,
        np.array([0.6, 0.7, 0.4])[:k],
        price,
    )
    at, h = np.array([[0.1, 0.2]]), 1e-5
    value, rise, bend = one.curved(at)
    steps = h * np.eye(2)
    slopes = [(one.values(at + s) - one.values(at - s))[0] / (2 * h) for s in steps]
    bends = [(one.curved(at + s)[1] - one.curved(at - s)[1])[0] / (2 * h) for s in steps]
    assert value == pytest.approx(one.values(at))
    assert rise[0] == pytest.approx(slopes, rel=1e-6, abs=1e-8)
    assert bend[0] == pytest.approx(np.array(bends), rel=1e-5, abs=1e-6)
