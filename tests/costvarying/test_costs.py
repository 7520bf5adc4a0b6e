"""What plays cost where moving variables from where they are has a price."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Event, Suggestion
from steerbo.errors import InvalidOutcome, InvalidProblem
from steerbo.plots import costvarying
from steerbo.records import to_dict
from steerbo.testing import Case, TraitContract
from tests.costvarying.worlds import OVEN, PROBLEM, Scripted, evaluate, prices_of, value_of

pytestmark = pytest.mark.few_draws

HARD = {"temperature": sb.SwitchingCost(fixed=2, per_unit=0.1), "line": sb.SwitchingCost(fixed=1)}
CHANGING = sb.CostVarying(
    tuple(replace(v, change=HARD[v.name]) if v.name in HARD else v for v in PROBLEM.variables),
    (("temperature", "ph", "line"), ("temperature", "ph", "plants", "line")),
)
"""The greenhouse in which heating up and moving to the other line cost something."""


def test_a_budget_that_buys_no_play_is_refused() -> None:
    with pytest.raises(sb.errors.InvalidOption, match=r"budget: 0.5 .*at least one round.*no control set fits"):
        sb.Optimizer(OVEN, budget=0.5)
    sb.Optimizer(OVEN, budget=1)


class TestCheapFirst(TraitContract):
    @staticmethod
    def case() -> Case:
        added = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a"}
        return Case(CHANGING, "cheap-first", evaluate, added=added)


def test_money_by_hand() -> None:
    ovens = (100, 100, 120, 150, 150, None, 150, 160)
    plays = tuple({"speed": 0.5, "feed": 0.5} if oven is None else {"oven": oven, "speed": 0.5} for oven in ovens)
    optimizer = sb.Optimizer(OVEN, Scripted, budget=100, plays=plays)
    expected = [2, 2, 2 + 5 + 2, 2 + 5 + 3, 2, 1, 2 + 5, 2 + 5 + 1]
    for number, price in enumerate(expected, 1):
        suggestion = optimizer.ask()
        assert suggestion is not None
        assert optimizer.status.reserved == price
        if number == 4:
            optimizer.fail(suggestion, "the oven tripped")  # and is at 150 now
        elif number == 8:
            optimizer.tell(suggestion, 0.0, cost=3.5, realised={"feed": 0.1})  # what somebody says goes before
        else:
            optimizer.tell(suggestion, 0.0, realised={"oven": 170.0, "feed": 0.1, **suggestion.values})
    assert [played.paid for played in optimizer.history] == [*expected[:-1], 3.5]
    assert [played.suggestion.change_cost for played in optimizer.history] == [0, 0, 7, 8, 0, 0, 5, 6]
    assert optimizer.status.spent == math.fsum(expected[:-1]) + 3.5


def _play(optimizer: sb.Optimizer, rounds: int = 1000) -> None:
    for _ in range(rounds):
        if (suggestion := optimizer.ask()) is None:
            return
        chance = np.random.default_rng(suggestion.round)
        x = {
            "oven": 100 + 100 * chance.random(),
            "feed": chance.random(),
            "speed": chance.random(),
            **suggestion.values,
        }
        optimizer.tell(suggestion, value_of(x), realised=x)


@pytest.mark.parametrize(
    "method",
    ["cheap-first", "explore-then-commit", "etc-groups", "random", "ts-psq", "ucb-cvs", "ucb-psq"],
)
def test_every_method_is_charged_rightly_and_stays_within_its_budget(method: str) -> None:
    optimizer = sb.Optimizer(OVEN, method, budget=45, seed=2)
    _play(optimizer)
    assert [played.paid for played in optimizer.history] == pytest.approx(prices_of(optimizer))
    assert optimizer.status.spent <= 45 + 1e-9
    assert optimizer.status.finished
    assert any(played.suggestion.change_cost for played in optimizer.history)


def test_what_stays_is_named_and_free_and_still_set() -> None:
    optimizer = sb.Optimizer(OVEN, budget=70, seed=0)
    _play(optimizer)
    rounds = list(optimizer.history)
    stayed = [k for k, played in enumerate(rounds) if "oven" in played.suggestion.scope.keep]
    assert stayed
    for k in stayed:
        suggestion, before = rounds[k].suggestion, rounds[k - 1].suggestion
        assert suggestion.values["oven"] == before.values["oven"]
        assert suggestion.change_cost == 0
        assert f"leave oven = {suggestion.values['oven']:.4g}" in str(suggestion)
    assert sum(bool(played.suggestion.change_cost) for played in rounds) < len(rounds) / 3


def test_the_first_points_come_in_plots_while_the_money_allows() -> None:
    """Two plays at each position, as two variables are easy to change; of 60 three tenths pay for one move of two."""
    everything = replace(OVEN, control_sets=[["oven", "speed", "feed"]], costs=[1])
    for budget, moves in ((None, [0, 1, 0, 1]), (60, [0, 1, 0, 0])):
        optimizer = sb.Optimizer(everything, seed=3, budget=budget)
        out = [optimizer.ask() for _ in range(5)]
        gaps = np.diff([suggestion.values["oven"] for suggestion in out if suggestion])
        assert (gaps != 0).astype(int).tolist() == moves
        assert optimizer.history.reserved == pytest.approx(5 + 5 * sum(moves) + 0.1 * np.abs(gaps).sum())


def test_replay_continues_bit_for_bit() -> None:
    whole = sb.Optimizer(OVEN, seed=4)
    _play(whole, 12)
    for cut in (1, 9, len(whole.events) - 1):
        events: list[Event] = list(whole.events[:cut])
        again = sb.Optimizer.replay(OVEN, events)
        assert [to_dict(event) for event in again.events] == [to_dict(event) for event in events]
    again = sb.Optimizer.replay(OVEN, list(whole.events))
    assert again.ask() == whole.ask()


def test_what_is_hard_to_change_goes_with_what_is_seen() -> None:
    """Which day it is decides on staying too, and the picture has the rounds in which something stayed."""
    pytest.importorskip("matplotlib")
    problem = replace(OVEN, variables=(*OVEN.variables, sb.Float("rain", 0, 1, seen=True)))
    optimizer = sb.Optimizer(problem, budget=100, seed=1)
    while (suggestion := optimizer.ask(context={"rain": len(optimizer.history) * 0.37 % 1})) is not None:
        x = {"oven": 170.0, "speed": 0.5, "feed": 0.5, **suggestion.context, **suggestion.values}
        optimizer.tell(suggestion, value_of(x) - x["rain"] * x["speed"], realised=x)
    assert any(played.suggestion.scope.keep for played in optimizer.history)
    again = sb.Optimizer.replay(problem, list(optimizer.events))
    assert again.recommend() == optimizer.recommend()
    lines = costvarying.figure(optimizer).axes[1].get_lines()
    drawn = sum(len(line.get_xdata()) for line in lines[: len(problem.scopes)])
    assert drawn == optimizer.history.n_completed


def test_with_unknown_costs_what_holding_costs_is_learned_without_the_changes() -> None:
    optimizer = sb.Optimizer(replace(OVEN, costs=None), "random", seed=0)
    for _ in range(25):
        suggestion = optimizer.ask()
        assert isinstance(suggestion, Suggestion)
        x = {"oven": 150.0, "speed": 0.5, "feed": 0.5, **suggestion.values}
        cost = len(suggestion.values) + (suggestion.change_cost or 0.0)
        optimizer.tell(suggestion, value_of(x), cost=cost, realised=x)
    (table,) = optimizer.explain().tables
    assert [row[2] for row in table.rows] == pytest.approx([2, 2, 3])


def test_other_kinds_refuse_it_by_name() -> None:
    graph = sb.CausalGraph([("oven", "y")], target="y", intervenable=["oven"])
    with pytest.raises(InvalidProblem, match=r"oven\.change: .*A causal problem has no costs of changes"):
        sb.Optimizer(sb.Causal(graph, [OVEN.variables[0]]))


def test_where_it_makes_no_sense_it_is_refused_by_name() -> None:
    with pytest.raises(InvalidProblem, match=r"variables\.oven\.change: .*No control set holds it"):
        replace(OVEN, control_sets=[["speed"]], costs=[1])
    many = [sb.Float(f"x{k}", 0, 1, change=sb.SwitchingCost(1)) for k in range(7)]
    with pytest.raises(InvalidProblem, match=r"control_sets\.0: .*at most 6 variables with a price of changing"):
        sb.CostVarying(many, [[v.name for v in many]])


def test_past_costs_teach_and_are_not_charged() -> None:
    law = sb.Uniform()
    problem = sb.CostVarying([sb.Float("t", 0, 1, law=law), sb.Float("ph", 0, 1, law=law)], [["t"], ["ph", "t"]])
    optimizer = sb.Optimizer(problem, "random", budget=30)
    for cost in (4.0, 6.0):
        optimizer.add(1.0, {"t": 0.5, "ph": 0.5}, cost=cost, scope=("t", "ph"))
    optimizer.add(1.0, {"t": 0.5, "ph": 0.5}, cost=99.0)
    assert str(optimizer.status) == "0 rounds, 3 rows of past data, 0 of 30 spent"
    assert {choice.cost for choice in (optimizer.recommend(), *optimizer.recommend().alternatives)} == {None, 5.0}
    with pytest.raises(InvalidOutcome, match=r"scope: \['t', 'p'\] .* one of t, ph \+ t"):
        optimizer.add(1.0, {"t": 0.5, "ph": 0.5}, scope=["t", "p"])
    while (suggestion := optimizer.ask()) is not None and suggestion.scope.set != ("ph", "t"):
        optimizer.tell(suggestion, 1.0, cost=1.0, realised={"t": 0.5, "ph": 0.5})
    assert optimizer.status.reserved == 5.0


def test_an_unknown_cost_does_not_make_a_set_cheap() -> None:
    """A broken play of unknown cost once counted as a play for nothing."""
    law = sb.Uniform()
    problem = sb.CostVarying([sb.Float("t", 0, 1, law=law)], [["t"]])
    optimizer = sb.Optimizer(problem, "random")
    for i in range(4):
        suggestion = optimizer.ask()
        assert suggestion is not None
        if i % 2:
            optimizer.fail(suggestion, "the pump broke")
        else:
            optimizer.tell(suggestion, 1.0, cost=4.0)
    assert optimizer.recommend().cost == 4.0
    assert str(optimizer.status) == "4 rounds, 8 spent and 2 rounds of unknown cost, 2 failed"
    optimizer.amend(list(optimizer.history)[1].suggestion, cost=7.0)
    assert optimizer.recommend().cost == 5.0


def test_failures_that_end_early_do_not_make_a_set_cheap() -> None:
    """What failed every other time, for nothing, once was the cheapest set: half of what a play of it costs."""
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "xz"]
    problem = sb.CostVarying(variables, [["x"], ["x", "z"]], tolerance=sb.Absolute(1.5))
    optimizer = sb.Optimizer(problem, seed=2, rounds=30)
    played = 0
    while (asked := optimizer.ask()) is not None:
        if "z" not in asked.values:
            optimizer.tell(asked, 1.0, cost=1.0, realised={"x": 0.5, "z": 0.5, **asked.values})
        elif (played := played + 1) % 2:
            optimizer.fail(asked, "it stopped at once", cost=0.0)
        else:
            optimizer.tell(asked, 1.0, cost=1.6)
    answer = optimizer.recommend()
    costs = {each.scope.set: each.cost for each in (answer, *answer.alternatives)}
    assert answer.scope.set == ("x",)
    assert costs == {("x",): 1.0, ("x", "z"): pytest.approx(1.6)}
    failed = [each for each in optimizer.history if each.state == "failed"]
    optimizer.amend(failed[0].suggestion, cost=400.0)
    dear = {each.scope.set: each.cost for each in (optimizer.recommend(), *optimizer.recommend().alternatives)}
    assert (dear["x", "z"] or 0.0) > 100, "a failure that is dear does count"


def test_costs_that_are_not_the_stated_ones_are_said() -> None:
    """Choices go by what is stated; a table had called that the mean cost."""
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "xz"]
    problem = sb.CostVarying(variables, [["x"], ["x", "z"]], costs=[1, 3])
    optimizer = sb.Optimizer(problem, "random", seed=0)
    for _ in range(24):
        asked = optimizer.ask()
        cheap = len(asked.values) == 1
        optimizer.tell(asked, 1.0, cost=5.0 if cheap else 3.1, realised={"x": 0.5, "z": 0.5, **asked.values})
    said = optimizer.explain()
    assert "x is stated to cost 1, and" in said.text
    assert "rounds cost 5 on average: choices and answers use the stated costs" in said.text
    assert "x + z is stated" not in said.text, "3.1 is near enough to 3"
    assert said.tables[0].columns[2] == "stated cost"


@pytest.mark.parametrize("times", [2.0, 3.0, 4.0])
def test_costs_of_another_size_are_said_long_before_the_budget_is_spent(times: float) -> None:
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "xz"]
    problem = sb.CostVarying(variables, [["x"], ["x", "z"]], costs=[1, 2])
    optimizer = sb.Optimizer(problem, "random", budget=40, seed=0)
    for number in range(1, 4):
        asked = optimizer.ask()
        price = problem.price(asked)
        assert price is not None
        optimizer.tell(asked, float(number), cost=times * price, realised={"x": 0.5, "z": 0.5, **asked.values})
        said = [found for found in optimizer.status.findings if found.kind == "costs-contradicted"]
        assert bool(said) == (number == 3)
