"""Several outcomes at once: what they may be, what is told, what is chosen, and the trade-off that is answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidOption, InvalidOutcome, InvalidProblem, InvalidRequest
from steerbo.surrogate._trade_off import Scalarised, Units, VolumeGained


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
    found = played(16).tradeoff()
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


def test_what_a_play_adds_is_logged_and_said() -> None:
    """The more is known, the less a play adds."""
    study = played(16)
    gains = [gain for each in study.history if (gain := each.suggestion.note.get("gain")) is not None]
    assert len(gains) == 11
    assert gains[0] > 5 * gains[-1] > 0
    assert "expected to improve the trade-off between the outcomes by" in study.card(study.ask()).why


def test_listed_settings_are_hardly_played_twice_while_others_may_add() -> None:
    """A play of the same setting adds little: it is believed to be noisy at most."""
    levels = [*"abcdefghijkl"]
    problem = sb.CostVarying(
        [sb.Categorical("kind", levels), sb.Categorical("form", levels[:3])],
        [["kind", "form"]],
        [1],
        outcomes={"purity": "maximize"},
    )
    study = sb.Optimizer(problem, rounds=24, seed=2)
    draw = np.random.default_rng(0)
    truth = {(kind, form): draw.random(2) for kind in levels for form in levels[:3]}
    plays = []
    while (suggestion := study.ask()) is not None:
        plays.append((suggestion.values["kind"], suggestion.values["form"]))
        first, second = truth[plays[-1]].tolist()
        study.tell(suggestion, first, realised={"purity": second})
    assert len(set(plays)) >= 21


def test_rounds_that_wait_are_counted() -> None:
    """Two rounds at once lie at different places of the trade-off."""
    study = played(10)
    one, other = study.ask(), study.ask()
    assert abs(one.values["a"] - other.values["a"]) > 0.02


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


def test_a_limit_that_nothing_keeps_is_answered_by_the_likeliest_play() -> None:
    study = played(10, limits=[sb.OutcomeConstraint("energy", at_most=-1.0)])
    advice = study.recommend()
    assert advice.says("none-keeps")
    assert advice.mean is not None
    assert study.tradeoff().plays == (replace(advice, reasons=()),)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"outcomes": {}}, "at least one outcome beside the value"),
        ({"outcomes": {"a": "maximize"}}, "a name that nothing else has"),
        ({"outcomes": {"value": "maximize"}}, "a name that nothing else has"),
        ({"outcomes": {"energy": "smaller"}}, "minimize"),
        ({"outcomes": ["energy"]}, "outcomes with their better way"),
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
        sb.Optimizer(plant(outcomes=None), method="hypervolume")


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

    def moments(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means, and deviations that rise with the first variable."""
        return self.values(points), np.exp(points[:, 0]) / 4

    def curved_moments(self, points: np.ndarray) -> tuple[Any, Any]:
        """Both, with gradients and Hessians."""
        deviation = self.moments(points)[1]
        one = np.array([1.0, 0.0])
        return self.curved(points), (
            deviation,
            deviation[:, None] * one,
            deviation[:, None, None] * np.outer(one, one),
        )


OUTCOMES: Any = [Plane([1, 0], -0.5), Plane([-1, 0.4], 0.2)]


def assert_slopes(function: Any, at: np.ndarray) -> None:
    """Gradients and Hessians are those of differences."""
    value, rise, bend = function.curved(at)
    h = 1e-6
    steps = h * np.eye(2)
    slopes = [(function.values(at + s) - function.values(at - s))[0] / (2 * h) for s in steps]
    bends = [(function.curved(at + s)[1] - function.curved(at - s)[1])[0] / (2 * h) for s in steps]
    assert value == pytest.approx(function.values(at))
    assert rise[0] == pytest.approx(slopes, rel=1e-5, abs=1e-7)
    assert bend[0] == pytest.approx(np.array(bends), rel=1e-4, abs=1e-4)


def test_slopes_of_the_weighted_number() -> None:
    units = Units(np.array([-1.0, -2.0]), np.array([1.0, 3.0]))
    weighted = Scalarised(OUTCOMES, [2.0, 1.0], [0.1, 0.2], units, np.array([0.6, 0.7]))
    assert_slopes(weighted, np.array([[0.1, 0.2]]))


@pytest.mark.parametrize("price", [None, -1.0])
@pytest.mark.parametrize("far", [0.0, -40.0])  # where nothing is hoped for there are slopes, too
def test_slopes_of_what_is_gained(price: float | None, far: float) -> None:
    k = 2 if price is None else 3
    units = Units(np.array([-1.0, -2.0, -2.0])[:k], np.array([1.0, 3.0, 0.0])[:k])
    plays = np.array([[0.5, 0.5, -1.0], [0.0, 2.0, -0.5]])[:, :k]
    gained = VolumeGained(OUTCOMES, [2.0, 1.0], [0.1 + far, 0.2], units, plays, price)
    assert_slopes(gained, np.array([[0.1, 0.2]]))


def test_what_is_gained_is_the_expected_improvement_of_the_area() -> None:
    """Against areas of drawn outcomes, summed step by step; weights and draws are few, so within a twelfth."""

    class Known:
        """One outcome of known mean and deviation."""

        def __init__(self, mean: float) -> None:
            self.mean = mean

        def moments(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """The same everywhere."""
            return np.full(len(points), self.mean), np.full(len(points), 0.3)

    units = Units(np.zeros(2), np.ones(2))
    plays = np.array([[0.2, 0.9], [0.6, 0.6], [0.9, 0.1]])
    outcomes: Any = [Known(0.7), Known(0.5)]
    gained = VolumeGained(outcomes, [1.0, 1.0], [0.0, 0.0], units, plays)

    def area(rows: np.ndarray) -> float:
        """Area between the origin and rows."""
        found, highest = 0.0, 0.0
        for first, second in sorted(map(tuple, np.maximum(rows, 0.0)), reverse=True):
            found += first * max(second - highest, 0.0)
            highest = max(highest, second)
        return found

    draws = np.array([0.7, 0.5]) + 0.3 * np.random.default_rng(0).standard_normal((4000, 2))
    truth = np.mean([area(np.vstack([plays, draw])) for draw in draws]) - area(plays)
    # (2 / π) ∫ s² dλ over a quarter of the circle is 4 / π times the area
    assert gained.dominated == pytest.approx(4 / np.pi * area(plays), rel=1 / 12)
    assert np.exp(gained.values(np.zeros((1, 1)))[0]) == pytest.approx(4 / np.pi * truth, rel=1 / 12)
