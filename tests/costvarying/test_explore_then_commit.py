"""Algorithm 1 where the paper is silent or wrong: one test for each place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.bandit import hoeffding_radius
from steerbo.core import Optimizer, Refitted, keyed
from steerbo.costvarying._explore_then_commit import ExploreThenCommit
from tests.costvarying.worlds import PROBLEM, evaluate, notes, play_on

pytestmark = pytest.mark.few_draws

METHOD = "explore-then-commit"


def method(optimizer: Optimizer) -> ExploreThenCommit:
    assert isinstance(optimizer._method, ExploreThenCommit)
    return optimizer._method


def test_exploration_takes_the_sets_in_turn() -> None:
    """Line 3: the paper's `t mod m` would give 0."""
    optimizer = play_on(Optimizer(PROBLEM, METHOD, explore_cycles=3), 9)
    assert [note["set"] for note in notes(optimizer)] == [0, 1, 2] * 3
    assert {note["phase"] for note in notes(optimizer)} == {"explore"}
    play_on(optimizer, 1)
    assert notes(optimizer)[-1]["phase"] == "exploit"


def test_exploration_stops_before_the_cycle_that_would_pass_its_share() -> None:
    """τ: the paper gives no rule. A cycle of plays at 1 costs 3: four cycles fit into .6 of 21, a fifth does not."""
    optimizer = play_on(Optimizer(PROBLEM, METHOD, budget=21), 14, cost=1.0)
    assert sum(note["phase"] == "explore" for note in notes(optimizer)) == 12


def test_rounds_limit_exploration_where_there_is_no_budget() -> None:
    optimizer = play_on(Optimizer(PROBLEM, METHOD, rounds=10), 10)
    assert sum(note["phase"] == "explore" for note in notes(optimizer)) == 6


def test_bounds_while_exploring_come_from_the_set_that_is_played() -> None:
    """Lines 10–11: E[l] at the played point raises lcb; a set's ucb falls on its own turns only, between refits."""
    optimizer = play_on(Optimizer(PROBLEM, METHOD, explore_cycles=5), 15)
    refits = {event.round for event in optimizer.events if isinstance(event, Refitted)}
    before: dict[str, Any] | None = None
    for number, note in enumerate(notes(optimizer), 1):
        if before is not None and number not in refits:
            for i, (old, new) in enumerate(zip(before["possible"], note["possible"], strict=True)):
                if i != note["set"]:
                    assert old == new
                elif old is not None:
                    assert new <= old, "intersected"
            if "guaranteed" in before:
                assert note["guaranteed"] >= before["guaranteed"]
        before = note


def test_a_refit_forgets_bounds_of_other_hyperparameters() -> None:
    optimizer = play_on(Optimizer(PROBLEM, METHOD, explore_cycles=2), 12)
    for event in optimizer.events:
        if isinstance(event, Refitted):
            optimizer.history.apply(replace(event, round=len(optimizer.history) + 1))
    assert method(optimizer).bounds.guaranteed == -np.inf
    assert (method(optimizer).bounds.possible == np.inf).all()


def test_amending_recomputes_the_bounds_from_the_data() -> None:
    optimizer = play_on(Optimizer(PROBLEM, METHOD, explore_cycles=2), 12)
    first = next(iter(optimizer.history)).suggestion
    optimizer.amend(first, void=True)
    assert method(optimizer).bounds.guaranteed == -np.inf


def test_hoeffding_keeps_dear_sets_only() -> None:
    """With T = 400 the radius stays above a mean cost of 1 / .2 / .1 / .01 for 12 / 300 / 1199 / 119830 plays."""
    for cost, plays in ((1.0, 12), (0.2, 300), (0.1, 1199), (0.01, 119_830)):
        radius = hoeffding_radius(np.array([plays - 1, plays]), 400)
        assert radius[0] > cost > radius[1]


def test_cost_bounds_lie_below_the_means() -> None:
    optimizer = play_on(Optimizer(PROBLEM, METHOD, explore_cycles=6), 20)
    low = method(optimizer)._cost_bounds()
    means = method(optimizer).costs.means()
    assert (low <= means).all()
    assert (low >= 0).all()


def test_stated_costs_are_their_own_bounds_and_need_not_be_told() -> None:
    known = sb.CostVarying(PROBLEM.variables, PROBLEM.control_sets, costs=(1.0, 2.0, 4.0))
    optimizer = Optimizer(known, METHOD, budget=10.0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    told = evaluate(suggestion, keyed(1, 1, "nature"))
    optimizer.tell(suggestion, told["value"], realised=told["realised"])
    assert optimizer.status.spent == 1.0
    assert method(optimizer)._cost_bounds().tolist() == [1.0, 2.0, 4.0]


def test_the_horizon_is_what_the_cheapest_set_allows() -> None:
    optimizer = play_on(Optimizer(PROBLEM, METHOD, budget=30.0), 4, cost=2.0)
    assert method(optimizer)._horizon() == pytest.approx(5 + (30 - 8) / 2)


def test_alpha_is_halved_every_d_rounds_of_exploitation() -> None:
    optimizer = play_on(Optimizer(PROBLEM, METHOD, explore_cycles=2, alpha=0.2), 6)
    shares = []
    for _ in range(10):
        tolerance = method(optimizer).present_tolerance()
        assert isinstance(tolerance, sb.costvarying.Fraction)
        shares.append(tolerance.share)
        play_on(optimizer, 1)
    assert shares == [0.2] * 4 + [0.1] * 4 + [0.05] * 2


def test_sets_that_no_longer_fit_are_passed_over_and_cheaper_ones_played() -> None:
    """The next cost is unknown: the study goes on with what is likely to fit, and ends when nothing is."""
    optimizer = Optimizer(PROBLEM, METHOD, budget=20.0, explore_fraction=1.0)
    while (suggestion := optimizer.ask()) is not None:
        told = evaluate(suggestion, keyed(1, suggestion.round, "nature"))
        optimizer.tell(suggestion, **{**told, "cost": float(len(suggestion.values))})
    assert optimizer.status.spent == pytest.approx(20.0, abs=1.0)
    assert len(notes(optimizer)) > 3
    assert [len(r.suggestion.values) for r in optimizer.history][-1] < 4


def test_smaller_is_better_mirrors_larger_is_better() -> None:
    """Minimising −f asks the same questions as maximising f."""
    mirrored = sb.CostVarying(PROBLEM.variables, PROBLEM.control_sets, minimize=True)
    up, down = Optimizer(PROBLEM, METHOD, explore_cycles=2), Optimizer(mirrored, METHOD, explore_cycles=2)
    for _ in range(9):
        one, two = up.ask(), down.ask()
        assert one is not None
        assert two is not None
        assert one.values == two.values
        told = evaluate(one, keyed(1, one.round, "nature"))
        up.tell(one, **told)
        down.tell(two, **{**told, "value": -told["value"]})
    best, least = up.recommend(), down.recommend()
    assert best.values == least.values
    assert best.mean == pytest.approx(-(least.mean or 0.0))
    assert (best.lower, best.upper) == pytest.approx((-(least.upper or 0.0), -(least.lower or 0.0)))
