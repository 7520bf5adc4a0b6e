"""Problems with what real systems have beside prices: what is told, what it costs, what is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from partial_control_bench.costvarying.sets import set_of
from partial_control_bench.costvarying.waves import Waves, largest, nature
from partial_control_bench.entrants.columns import Columns
from partial_control_bench.entrants.told import problem_of
from partial_control_bench.errors import BenchError
from partial_control_bench.playing import run
from partial_control_bench.registry import contender, problem
from tests.sizes import FULL


def world(name: str) -> Any:
    return problem(name).make(0)


def test_averages_over_nature_are_those_of_draws() -> None:
    waves = Waves.draw(3, [0.4, 0.5, 0.9])
    x = nature(np.random.default_rng(0).random((100_000, 3)))
    x[:, 1] = 0.3
    values = waves.value(x)
    assert waves.expected({1: 0.3}) == pytest.approx(values.mean(), abs=5 * values.std() / len(x) ** 0.5)
    assert waves.expected({0: 0.1, 1: 0.3, 2: 0.8}) == pytest.approx(waves.value(np.array([[0.1, 0.3, 0.8]]))[0])


def test_a_function_moves_as_a_whole_and_its_largest_value_is_found() -> None:
    waves = Waves.draw(3, [0.4, 0.5])
    x = np.array([[0.2, 0.7]])
    assert waves.moved([0.1, 0.0]).value(x + np.array([0.1, 0.0])) == pytest.approx(waves.value(x))
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 201)] * 2), axis=-1).reshape(-1, 2)
    assert largest(waves.value, 2) == pytest.approx(waves.value(grid).max(), abs=1e-3)


def test_control_sets_are_told_apart() -> None:
    assert set_of({"b": 1.0}, [["a"], ["b"]]) == 1
    with pytest.raises(BenchError, match="one of the control sets"):
        set_of({"c": 0.5}, [["a"], ["b"]])
    with pytest.raises(BenchError, match="outside"):
        set_of({"a": 1.5}, [["a"]])


def test_what_is_seen_is_told_before_and_decides_what_is_lost() -> None:
    it = world("seen-first")
    seen = it.now(7)["context"]["z"]
    assert 0 < seen < 1
    outcome = it.play(7, {"x1": 0.5}, {})
    assert (outcome.cost, outcome.realised["z"], outcome.realised["x1"]) == (0.1, seen, 0.5)
    points = {f"x{d}": np.linspace(0, 1, 21) for d in (1, 2, 3)}
    lost = [it.regret(7, dict(zip(points, row, strict=True)), {}) for row in np.random.default_rng(0).random((30, 3))]
    assert min(lost) >= 0.0 < max(lost)
    columns = Columns({**it.known, "budget": {"rounds": 9}}, 0)
    columns.begin({"round": 7, **it.now(7)})
    assert dict(columns.fixed())[2] == {3: pytest.approx(seen)}, "who can fix a feature fixes what is seen"


def test_a_change_costs_and_staying_is_free() -> None:
    it = world("change-way")
    at = {"x1": 0.5, "x2": 0.5, "x3": 0.5}
    costs = [
        it.play(k, {**at, **more}, {}).cost for k, more in enumerate(({}, {"x2": 0.9}, {"x1": 0.6}, {"x1": 0.6}), 1)
    ]
    assert costs == pytest.approx([1.0, 1.0, 1 + 1 + 20 * 0.1, 1.0])
    assert problem_of(it.known).variables[0].change.fixed == 1.0


def test_weather_comes_in_days_and_its_log_is_given() -> None:
    it = world("weather-against")
    rows = np.array(it.known["nature"]["rows"])
    assert rows.shape == (365, 2)
    assert np.corrcoef(rows.T)[0, 1] < -0.8
    days = [it.play(k, {"x1": 0.5}, {}).realised for k in range(1, 60)]
    assert np.corrcoef([[day["x2"], day["x3"]] for day in days], rowvar=False)[0, 1] < -0.7
    held = it.play(1, {"x1": 0.5, "x2": 0.9}, {}).realised
    assert (held["x2"], held["x3"]) == (0.9, days[0]["x3"])


def test_a_switch_is_half_way_and_a_slide_goes_all_the_way() -> None:
    switch, slide = world("drift-switch"), world("drift-slides")
    at = {"x1": 0.5, "x2": 0.5, "x3": 0.5}
    lost = [switch.regret(k, at, {}) for k in (1, 50, 51, 100)]
    assert lost[0] == lost[1] != lost[2] == lost[3]
    shifted = {**at, "x1": 0.5 + 0.006}
    _, (first, _), (second, _) = None, slide._function(1), slide._function(2)
    assert second.expected({0: shifted["x1"]}) == pytest.approx(first.expected({0: 0.5}))


def test_looks_and_settings_are_paid_for() -> None:
    it = world("priced-chain")
    assert it.play(1, {"x": 0.5}, {}).cost == 2.0
    told = it.play(1, {"x": 0.5, "z": 0.5}, {"c": 0.1})
    assert told.cost == 8.0
    assert set(told.realised) == {"c"}
    assert it.regret(1, {"z": 0.51}, {"c": 0.1}) == 0.0, "within tolerance"
    assert it.regret(1, {"z": 1.0}, {"c": 0.1}) == pytest.approx(0.49**2 - 0.05)
    assert world("forgotten-dose-0").play(1, {"x": 0.1}, {}).realised == {}


@pytest.mark.parametrize(("name", "actions", "seen"), [
    ("priced-looks", {"x": 0.2}, {}), ("priced-chain", {"x": 0.4}, {}), ("priced-chain", {"z": 0.4}, {}),
])  # fmt: skip
def test_what_a_policy_is_worth_is_that_of_draws(name: str, actions: dict[str, float], seen: dict[str, float]) -> None:
    """Less the contexts' own part, whose average is none."""
    it = world(name)
    drawn = it.system.model.sample(100_000, np.random.default_rng(1), do=actions)["y"]
    assert it.system.mean(actions, seen) == pytest.approx(drawn.mean(), abs=5 * drawn.std() / len(drawn) ** 0.5 + 0.01)


@pytest.mark.few_draws
@pytest.mark.parametrize("name", ["seen-first", "change-oven", "weather-together", "drift-slides", "priced-looks"])
def test_ours_is_told_the_trait_and_plays(name: str) -> None:
    about = problem(name)
    about = about.until(15.0 if FULL else 6.0) if about.budget.money else about.until(4)
    who = contender("cheap-first")
    assert run(about, who.name, who.load(), 0).rounds >= 4
