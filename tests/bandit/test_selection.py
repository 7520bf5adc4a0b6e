"""Laws of the choosers that see prices."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.bandit import ArmBounds, cheapest, cheapest_near, cheapest_sufficient, cost_tiers
from steerbo.errors import InvalidOption


class Scene(NamedTuple):
    """Arms with different bounds; prices of a few eighths, so that a power of two moves no digit."""

    upper: np.ndarray
    widths: np.ndarray
    prices: np.ndarray
    patience: float
    alike: float

    @property
    def chosen(self) -> int:
        return self.at(float(self.upper.max()))

    def at(self, least: float) -> int:
        widths = self.widths
        return cheapest_sufficient(
            ArmBounds(self.upper), self.prices, least, lambda k: widths[k], self.patience, alike=self.alike
        ).arm


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    m = draw(st.integers(1, 7))
    numbers = st.integers(-40, 40).map(lambda k: k / 8)
    upper = draw(st.lists(numbers, min_size=m, max_size=m, unique=True))
    widths = draw(st.lists(st.integers(0, 40).map(lambda k: k / 8), min_size=m, max_size=m))
    prices = draw(st.lists(st.integers(1, 80).map(lambda k: k / 8), min_size=m, max_size=m, unique=True))
    patience, alike = draw(st.sampled_from([0.0, 0.5, 1.0, 2.0])), draw(st.sampled_from([1.0, 1.5]))
    return Scene(np.array(upper), np.array(widths), np.array(prices), patience, alike)


@given(scenes(), st.randoms())
def test_arms_have_no_names(scene: Scene, random: object) -> None:
    order = list(range(len(scene.upper)))
    random.shuffle(order)  # type: ignore[attr-defined]
    other = scene._replace(upper=scene.upper[order], widths=scene.widths[order], prices=scene.prices[order])
    assert order[other.chosen] == scene.chosen
    slack = float(scene.widths.max())
    assert order[cheapest_near(other.upper, other.prices, slack)] == cheapest_near(scene.upper, scene.prices, slack)


@given(scenes(), st.sampled_from([0.125, 0.5, 2.0, 64.0]))
def test_the_currency_means_nothing(scene: Scene, rate: float) -> None:
    assert scene._replace(prices=scene.prices * rate).chosen == scene.chosen


@given(scenes(), st.floats(0, 1))
def test_what_is_played_is_played_also_for_less(scene: Scene, share: float) -> None:
    """So no arm is ever played because it has become dearer."""
    prices, slack = scene.prices.copy(), float(scene.widths.max())
    prices[scene.chosen] *= share
    assert scene._replace(prices=prices).chosen == scene.chosen
    near = cheapest_near(scene.upper, scene.prices, slack)
    prices = scene.prices.copy()
    prices[near] *= share
    assert cheapest_near(scene.upper, prices, slack) == near


@given(scenes())
def test_what_is_played_is_enough_and_nothing_much_cheaper_is(scene: Scene) -> None:
    enough = scene.upper + scene.patience * scene.widths >= scene.upper.max()
    assert enough[scene.chosen]
    assert scene.prices[scene.chosen] <= scene.alike * scene.prices[enough].min() * (1 + 1e-8)
    alike = next(rung for rung in cost_tiers(scene.prices, scene.alike) if scene.chosen in rung)
    assert all(scene.upper[i] <= scene.upper[scene.chosen] for i in alike if enough[i])


@given(scenes())
def test_widths_are_asked_for_no_further_than_needed(scene: Scene) -> None:
    asked: list[int] = []

    def widths(some: Sequence[int]) -> np.ndarray:
        asked.extend(some)
        return scene.widths[some]

    best = cheapest_sufficient(
        ArmBounds(scene.upper), scene.prices, float(scene.upper.max()), widths, scene.patience, alike=scene.alike
    )
    assert best.width == (None if scene.upper[best.arm] == scene.upper.max() else scene.widths[best.arm])
    assert len(set(asked)) == len(asked)
    assert scene.prices[asked].max(initial=0.0) <= scene.alike * scene.prices[best.arm] * (1 + 1e-8)


@given(scenes(), st.integers(8, 40))
def test_arms_that_cannot_be_enough_are_not_asked(scene: Scene, eighths: int) -> None:
    asked: list[int] = []
    most, highest = scene.widths * (eighths / 8), float(scene.upper.max())

    def widths(some: Sequence[int]) -> np.ndarray:
        asked.extend(some)
        return scene.widths[some]

    best = cheapest_sufficient(
        ArmBounds(scene.upper),
        scene.prices,
        highest,
        widths,
        scene.patience,
        alike=scene.alike,
        at_most=lambda some: most[some],
    )
    whatever = scene.upper[scene.chosen] >= highest
    assert (best.arm, best.width) == (scene.chosen, None if whatever else scene.widths[scene.chosen])
    assert (scene.upper[asked] + scene.patience * most[asked] >= highest).all()
    surely = [i for i in asked if scene.upper[i] >= highest]
    assert not surely, "of a tier with an arm that is enough whatever its width none is asked"


@given(scenes(), st.lists(st.integers(0, 40), min_size=7, max_size=7))
def test_arms_are_judged_only_where_the_choice_hangs_on_them(scene: Scene, above: list[int]) -> None:
    """Numbers not below the bounds, nearer ones and bounds where they are asked for lead to the same choice."""
    nearer, judged = list[int](), list[int]()
    loose = scene.upper + np.array(above[: len(scene.upper)]) / 8

    def judge(arm: int) -> Generator[float, None, float]:
        nearer.append(arm)
        yield float(scene.upper[arm] + loose[arm]) / 2
        judged.append(arm)
        return float(scene.upper[arm])

    bounds = ArmBounds(loose, judge)
    bounds.at_most([0], float(scene.upper[0] + loose[0]) / 2)
    highest, most = bounds.highest(range(len(loose))), scene.upper.max()
    bounds.at_most([highest], float(most) - 1.0)
    assert bounds.upper[highest] == most, "what is exact stays"
    assert (loose[nearer] >= most).all(), "none below the best needs to be judged"
    assert (scene.upper + loose)[judged].min() >= 2 * most, "nor one that is known to be below it"

    least = float(most)
    best = cheapest_sufficient(
        bounds, scene.prices, least, lambda some: scene.widths[some], scene.patience, alike=scene.alike
    )
    assert scene.upper[best.arm] == scene.upper[scene.chosen]
    assert scene.prices[best.arm] == scene.prices[scene.chosen] or scene.alike > 1
    assert len(set(judged)) == len(judged)
    assert len(set(nearer)) == len(nearer)


@given(scenes())
def test_less_asked_for_is_never_dearer_by_more_than_counts_as_equal(scene: Scene) -> None:
    lenient = scene.at(float(scene.upper.max()) - 1.0)
    assert scene.prices[lenient] <= scene.alike * scene.prices[scene.chosen] * (1 + 1e-8)


@given(scenes())
def test_without_slack_the_highest_bound_is_played_and_with_enough_of_it_the_cheapest(scene: Scene) -> None:
    assert cheapest_near(scene.upper, scene.prices, 0.0) == int(scene.upper.argmax())
    assert cheapest_near(scene.upper, scene.prices, np.inf) == int(scene.prices.argmin())


def test_arms_whose_price_nobody_knows_count_as_free() -> None:
    prices = np.array([1.0, np.nan, 0.5])
    assert cost_tiers(prices) == [[1], [2], [0]]
    assert cheapest(np.ones(3, dtype=bool), prices, np.zeros(3)) == 1


def test_more_than_any_arm_may_reach_is_refused() -> None:
    with pytest.raises(InvalidOption, match=r"least: 3\.0 is not allowed; expected at most 2"):
        cheapest_sufficient(ArmBounds(np.array([1.0, 2.0])), np.ones(2), 3.0, lambda some: np.zeros(len(some)))
