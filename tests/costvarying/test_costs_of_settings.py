"""Costs that hang on the settings: learned where they surely do, and used for net value, answers and predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core.events import Refitted
from steerbo.costvarying._stated_costs import StatedCosts
from steerbo.errors import InvalidContext, InvalidProblem
from steerbo.space import Space
from steerbo.surrogate import Controlled, LawOf, Observed, Part, Uncontrolled

Cost = Callable[[Mapping[str, float]], float]


def rises(x: Mapping[str, float]) -> float:
    return 1 + x["heat"]


def even(x: Mapping[str, float]) -> float:
    return 3.0


def value(x: Mapping[str, float]) -> float:
    """It is best at a heat of 8, by little."""
    return 20 - 0.02 * (x["heat"] - 8) ** 2 - (x["mix"] - 0.5) ** 2


@cache
def played(cost: Cost, seed: int, rounds: int = 11, worth: float | None = 1.0) -> sb.Optimizer:
    variables = [sb.Float("heat", 0, 10, law=sb.Uniform()), sb.Float("mix", 0, 1, law=sb.Uniform())]
    problem = sb.CostVarying(variables, [["heat"], ["heat", "mix"]], value_of_one=worth)
    study, random = sb.Optimizer(problem, seed=seed, rounds=rounds), np.random.default_rng(seed)
    while (suggestion := study.ask()) is not None:
        x = {"heat": 10 * random.random(), "mix": random.random(), **suggestion.values}
        study.tell(suggestion, value(x) + 0.1 * random.standard_normal(), cost=cost(x), realised=x)
    return study


def refits(study: sb.Optimizer) -> list[Mapping[str, Any]]:
    return [event.hyperparameters for event in study.events if isinstance(event, Refitted)]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_answer_is_where_net_value_is_largest(seed: int) -> None:
    """By the mean cost of each set the heat of the answer was 8 to 9, and its net value about 10.6 of 17.7."""
    study = played(rises, seed)
    advice = study.recommend()
    at = {"mix": 0.5, **advice.values}
    assert value(at) - rises(at) > 17
    assert advice.cost == pytest.approx(rises(at), abs=0.7)
    assert study.history.last(1)[0].suggestion.values["heat"] < 2, "plays go there, too"
    assert study.history.last(1)[0].expected_cost == pytest.approx(rises(at), abs=1.5)
    assert not [each for each in study.status.findings if each.kind == "costs-hang"]


def test_a_prediction_says_what_a_play_costs_there() -> None:
    study = played(rises, 0)
    for heat in (2.0, 9.0):
        assert study.predict({"heat": heat}).cost == pytest.approx(1 + heat, abs=0.7)
    again = sb.load(study.to_json())
    assert again.recommend() == study.recommend()
    assert again.predict({"heat": 9.0}) == study.predict({"heat": 9.0})


def test_costs_that_are_even_are_not_learned_over_settings() -> None:
    study = played(even, 0)
    assert not any("cost" in each for each in refits(study))
    assert study.recommend().cost == 3.0


def test_costs_by_luck_are_luck() -> None:
    """A false alarm in fewer than one of a hundred such studies; of 30 there was none."""
    random = np.random.default_rng(7)
    study = sb.Optimizer(played(even, 0).problem, seed=0)
    for _ in range(20):
        x = {"heat": 10 * random.random(), "mix": random.random()}
        study.add(value(x), x, cost=float(np.exp(0.5 * random.standard_normal())), scope=["heat"])
    study.refit()
    assert refits(study)
    assert not any("cost" in each for each in refits(study))


def test_where_they_are_not_used_it_is_said() -> None:
    study, random = sb.Optimizer(sb.TimeVarying([sb.Float("heat", 0, 10)]), "random", seed=0), np.random.default_rng(0)
    for k in range(20):
        heat = 10 * random.random()
        study.add(heat, {"heat": heat}, cost=1 + heat + (heat > 9) * k)
    (found,) = [each for each in study.status.findings if each.kind == "costs-hang"]
    assert found.values == {"names": ["heat"], "rising": [True], "plays": 20}
    assert "rise with heat" in found.text


# -- formulas ----------------------------------------------------------------------------------------------------------


def stated(*costs: Any, worth: float | None = 1.0, **changes: Any) -> sb.CostVarying:
    variables = [sb.Float("heat", 0, 10, law=sb.Uniform(), **changes), sb.Float("mix", 0, 1, law=sb.Uniform())]
    return sb.CostVarying(variables, [["heat"], ["heat", "mix"]], costs=costs, value_of_one=worth)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_by_a_formula_the_answer_is_where_net_value_is_largest(seed: int) -> None:
    study, random = sb.Optimizer(stated("1 + heat", "1.2 + heat"), seed=seed, rounds=12), np.random.default_rng(seed)
    while (suggestion := study.ask()) is not None:
        x = {"heat": 5.0, "mix": random.random(), **suggestion.values}
        study.tell(suggestion, value(x) + 0.1 * random.standard_normal(), realised=x)
    advice = study.recommend()
    at = {"mix": 0.5, **advice.values}
    assert value(at) - rises(at) > 17.3
    more = 0.2 * ("mix" in advice.values)
    assert advice.cost == pytest.approx(rises(at) + more)
    paid = [played.paid for played in study.history]
    sets = [0.2 * ("mix" in played.suggestion.values) for played in study.history]
    heats = [played.suggestion.values["heat"] for played in study.history]
    assert paid == pytest.approx([1 + heat + more for heat, more in zip(heats, sets, strict=True)])
    again = sb.load(study.to_json())
    assert again.recommend() == advice


@pytest.mark.parametrize("method", ["cheap-first", "ucb-psq", "random"])
def test_no_more_is_spent_than_is_left_though_some_settings_cost_more(method: str) -> None:
    study = sb.Optimizer(stated("1 + heat", 4), method, seed=0, budget=30)
    while (suggestion := study.ask()) is not None:
        x = {"heat": 5.0, "mix": 0.5, **suggestion.values}
        study.tell(suggestion, value(x), realised=x)
    assert study.status.spent <= 30
    assert study.history.remaining < 1
    assert study.problem.affordable(study.history) == ()


def test_a_formula_may_read_what_is_seen() -> None:
    variables = [sb.Float("heat", 0, 10), sb.Float("frost", 0, 20, seen=True)]
    problem = sb.CostVarying(variables, [["heat"]], costs=["1 + 0.1 * heat * frost"], value_of_one=1.0)
    study = sb.Optimizer(problem, seed=0)
    for frost in (0.0, 20.0) * 6:
        suggestion = study.ask(context={"frost": frost})
        heat = suggestion.values["heat"]
        assert problem.price(suggestion) == pytest.approx(1 + 0.1 * heat * frost)
        study.tell(suggestion, 20 - 0.2 * (heat - 8) ** 2)
    mild, hard = (study.policy(context={"frost": frost}) for frost in (0.0, 20.0))
    assert mild.values["heat"] > hard.values["heat"] + 2  # 8 and 3


def test_money_may_do_for_a_round_in_mild_weather_only() -> None:
    variables = [sb.Float("heat", 1, 10), sb.Float("frost", 0, 20, seen=True)]
    problem = sb.CostVarying(variables, [["heat"]], costs=["1 + 0.5 * heat * frost"], value_of_one=1.0)
    study = sb.Optimizer(problem, seed=0, budget=5)
    with pytest.raises(InvalidContext, match=r"one in which a round fits into 5.*any settings here"):
        study.ask(context={"frost": 20.0})
    suggestion = study.ask(context={"frost": 4.0})
    assert suggestion.values["heat"] <= 2


def frosty(formula: str, **changes: Any) -> sb.CostVarying:
    variables = [sb.Float("heat", 20, 60), sb.Float("out", -10, 30, seen=True)]
    return sb.CostVarying(variables, [["heat"]], costs=[formula], value_of_one=2.5, **changes)


@pytest.mark.parametrize("out", [-14.0, -30.0, 33.0])
def test_a_day_beyond_the_range_costs_what_the_formula_says_there(out: float) -> None:
    """Choice, card, prediction, charge and budget go by the same number."""
    problem = frosty("1 + 0.1 * (heat - 20) * (1.5 - out / 40)")
    study = sb.Optimizer(problem, budget=20, seed=0)
    for _ in range(3):
        suggestion = study.ask(context={"out": out})
        heat = suggestion.values["heat"]
        true = 1 + 0.1 * (heat - 20) * (1.5 - out / 40)
        assert problem.price(suggestion) == pytest.approx(true)
        assert study.card(suggestion).cost == pytest.approx(true)
        study.tell(suggestion, 10 - 0.01 * (heat - 40) ** 2)
        assert study.history.latest is not None
        assert study.history.latest.paid == pytest.approx(true)
    assert study.predict({"heat": 40.0}, context={"out": out}).cost == pytest.approx(1 + 2 * (1.5 - out / 40))
    assert study.status.spent <= 20


def test_no_cost_is_below_zero_and_where_a_formula_gives_none_it_is_unknown() -> None:
    study = sb.Optimizer(frosty("1 + 0.1 * (heat - 20) * (1.5 - out / 40)"), budget=20, seed=0)
    with pytest.warns(sb.errors.OutOfRangeWarning, match="out = 300 is far outside"):
        mistyped = study.ask(context={"out": 300.0})
    study.tell(mistyped, 5.0)
    assert 0.0 <= study.status.spent <= 1.0
    study = sb.Optimizer(frosty("1 + 0.1 * (heat - 20) * (30 - out) ** 0.5"), seed=0)
    suggestion = study.ask(context={"out": 31.0})
    study.tell(suggestion, 5.0, realised={"out": 31.0})
    assert study.card(suggestion).cost is None


def test_settings_that_were_reached_are_paid_for() -> None:
    study = sb.Optimizer(stated("1 + heat", 4), seed=0)
    suggestion = study.attach({"heat": 6.0})
    study.tell(suggestion, 1.0, realised={"heat": 5.0, "mix": 0.5})
    assert study.history.latest is not None
    assert study.history.latest.paid == 6.0


def test_told_costs_that_are_not_those_of_the_formula_are_said() -> None:
    for times, said in ((1.0, False), (1.5, True)):
        study, random = sb.Optimizer(stated("1 + heat", 4), seed=0), np.random.default_rng(0)
        for _ in range(8):
            suggestion = study.ask()
            x = {"heat": 10 * random.random(), "mix": random.random(), **suggestion.values}
            cost = study.problem.price(suggestion)
            study.tell(suggestion, value(x), cost=times * (cost or 0.0), realised=x)
        kinds = [each.kind for each in study.status.findings]
        assert ("costs-contradicted" in kinds) == said
        assert "costs-hang" not in kinds


def test_a_formula_of_very_many_variables_is_checked_at_some_combinations() -> None:
    names = [f"x{k}" for k in range(40)]
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in names]
    problem = sb.CostVarying(variables, [names], costs=[f"1 + {' + '.join(names)}"], value_of_one=2.0)
    assert problem.cost_formulas is not None
    assert problem.cost_formulas.least.tolist() == [1.0]
    with pytest.raises(InvalidProblem, match="a cost above 0"):
        sb.CostVarying(variables, [names], costs=[f"39 - {' - '.join(names)}"], value_of_one=2.0)


@pytest.mark.parametrize(
    ("names", "formula", "said"),
    [
        (["pump", "speed", "pump-speed"], "30 + pump-speed", "It cannot name 'pump-speed'"),
        (["lambda"], "1 + lambda", "It cannot name 'lambda'"),
        (["pump speed"], "1 + pump speed", "It cannot name 'pump speed'"),
        (["True"], "1 + True", "It cannot name 'True'"),
        (["heat"], "1 + 0,05 * heat", "Write 0.5 with a point"),
        (["heat"], "1 + heat^2", "Write \\*\\* for a power"),
    ],
)
def test_what_cannot_be_written_in_a_formula_is_said(names: list[str], formula: str, said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        sb.CostVarying([sb.Float(name, 0, 9) for name in names], [names], costs=[formula], value_of_one=1.0)


def test_letters_that_look_alike_are_one_and_lines_may_be_broken() -> None:
    problem = sb.CostVarying([sb.Float("µ", 0, 9)], [["µ"]], costs=["1 +\n 2 * µ"], value_of_one=1.0)
    assert problem.cost_formulas is not None
    assert problem.cost_formulas.of(0, {"µ": 2.0}) == 5.0


def test_slopes_of_a_formula_by_differences() -> None:
    space = Space(
        [sb.Float("a", 1, 3), sb.Integer("n", 0, 4), sb.Float("b", 0, 2), sb.Float("c", 0, 1, law=sb.Uniform())]
    )
    costs = StatedCosts(["1 + a**2 * b + 3 * n + c"], [["a", "n", "b", "c"]], space)
    parts: list[Part] = [Controlled(), Controlled(), Controlled(), Observed(0.5)]
    point = np.array([[0.25, 0.5, 0.75]])  # a = 1.5, n = 2, b = 1.5
    found, rise, bend = costs.along(0, parts).curved(point)
    assert found == pytest.approx([1 + 1.5**2 * 1.5 + 6 + 0.5])
    assert rise[0] == pytest.approx([2 * 2 * 1.5 * 1.5, 4 * 3, 2 * 1.5**2], abs=1e-4)
    assert bend[0] == pytest.approx(np.array([[4 * 2 * 1.5, 0, 4 * 2 * 1.5], [0, 0, 0], [4 * 2 * 1.5, 0, 0]]), abs=1e-3)
    unseen: list[Part] = [*parts[:3], Uncontrolled(LawOf(space["c"]))]
    assert costs.along(0, unseen).values(point) == pytest.approx(found)  # the mean of a uniform law


def test_many_values_that_are_not_seen_are_drawn_together() -> None:
    names = [f"s{k}" for k in range(12)]
    space = Space([sb.Float("a", 0, 1), *(sb.Float(name, 0, 1, law=sb.Uniform()) for name in names)])
    costs = StatedCosts([f"1 + a + {' + '.join(names)} + s0 * s1"], [["a", *names]], space)
    parts: list[Part] = [Controlled(), *(Uncontrolled(LawOf(space[name])) for name in names)]
    assert costs.along(0, parts).values(np.array([[0.5]])) == pytest.approx([1.5 + 6 + 0.25], abs=0.05)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (lambda: stated("1 + mix", 2), "costs.0.*a formula that reads one of heat"),
        (lambda: stated("heat", 2), r"costs.0.*a cost above 0.*At \{'heat': 0.0\} it gives 0"),
        (lambda: stated("1 + heat", 2, worth=None), "costs.0.*a number, where value has no price.*value_of_one"),
        (lambda: stated("1 + heat", 2, change=sb.SwitchingCost(fixed=1)), "costs.0.*hard to change"),
        (lambda: stated("1 + heat"), "costs.*2 costs, one for each control set"),
        (lambda: stated("1 + heat", -2), "costs.1.*above 0"),
        (lambda: stated("1 +", 2), "costs.0.*a formula of numbers, names"),
        (lambda: stated([1], 2), "costs.0.*"),
    ],
)
def test_formulas_that_are_none_are_refused(problem: Callable[[], Any], said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        problem()


def test_before_anything_is_told_the_cheapest_settings_are_the_answer() -> None:
    """The cost alone is a straight line, without curvature."""
    for problem in (stated("1 + heat", 9), stated("9", "1 + heat + mix")):
        study = sb.Optimizer(problem, seed=0)
        study.ask()
        advice = study.recommend()
        assert advice.cost == pytest.approx(1.0, abs=0.1)


def test_a_formula_is_said() -> None:
    assert ("control set", "heat; 1 + heat a round") in stated("1 + heat", 2).describe()


def test_a_text_that_is_a_number_is_one() -> None:
    assert stated("3", 2, worth=None).scopes[0].price == 3.0
