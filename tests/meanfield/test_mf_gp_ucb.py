"""The default method: choices, answers, possible gain."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Refitted
from steerbo.meanfield import MeanField
from steerbo.meanfield.mf_gp_ucb import MFGPUCB
from steerbo.testing import Case, TraitContract
from tests.meanfield.worlds import average, case, crowd
from tests.sizes import most_losses


def small(**changes: Any) -> MeanField:
    """Twelve agents, three places: 91 tables in all."""
    return MeanField(**{"actions": ("a", "b", "c"), "agents": 12, **changes})


def payoff(table: np.ndarray) -> float:
    return float(table[0] @ (np.array([1.0, 0.6, 0.1]) - table[0]))


def play(optimizer: Optimizer, rounds: int, sign: float = 1.0) -> list[np.ndarray]:
    problem: MeanField = optimizer.problem  # type: ignore[assignment]
    tables = []
    for _ in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        tables.append(problem.table(suggestion.values["distribution"]))
        optimizer.tell(suggestion, sign * payoff(tables[-1]))
    return tables


@pytest.mark.parametrize("kernel", ["additive", "product"])
@pytest.mark.parametrize("acquisition", ["average", "expected"])
def test_the_best_of_all_tables_is_found(kernel: str, acquisition: str) -> None:
    """Against brute force over all 91."""
    tables = play(Optimizer(small(), seed=3, kernel=kernel, acquisition=acquisition), 25)
    ways = [np.array([[i, j, 12 - i - j]]) / 12 for i in range(13) for j in range(13 - i)]
    assert max(map(payoff, tables)) == pytest.approx(max(map(payoff, ways)))


def test_the_best_table_mostly_stays_once_it_is_found_and_not_before() -> None:
    """Without noise: rounding does not freeze the loop at a worse one, and few others follow."""
    ways = [np.array([[i, j, 12 - i - j]]) / 12 for i in range(13) for j in range(13 - i)]
    best = max(map(payoff, ways))
    for seed in range(3):
        tables = play(Optimizer(small(), seed=seed), 40)
        assert np.mean([payoff(table) > best - 1e-9 for table in tables[-20:]]) > 0.5


def test_a_world_that_is_used_up_goes_on_with_its_best_table() -> None:
    """Three tables; without noise all were played in turns for ever."""
    optimizer = Optimizer(small(actions=("a", "b"), agents=2), seed=0)
    shares = []
    for _ in range(16):
        suggestion = optimizer.ask()
        assert suggestion is not None
        shares.append(suggestion.values["distribution"]["everyone"].get("a", 0.0))
        optimizer.tell(suggestion, shares[-1])
    assert shares[-8:] == [1.0] * 8


def test_no_known_disaster_is_played_where_all_near_the_best_was_tried() -> None:
    """Ten agents, three of five places pay -50 each: random distributions followed the best one."""
    problem = small(actions=("a", "b", "c", "d", "e"), agents=10)
    optimizer, found, random = Optimizer(problem, seed=0), [], np.random.default_rng(0)
    for _ in range(30):
        suggestion = optimizer.ask()
        assert suggestion is not None
        table = problem.table(suggestion.values["distribution"])
        found.append(float(table[0] @ np.array([5.0, -50.0, -50.0, -50.0, 4.0])))
        optimizer.tell(suggestion, found[-1] + 0.5 * random.normal())
    assert min(found[15:]) > 0


def test_noise_asks_for_repeats() -> None:
    """Two agents, two places: where outcomes are noisy, the best table comes back more often than all others."""
    problem = small(actions=("a", "b"), agents=2)
    optimizer = Optimizer(problem, seed=0)
    random = np.random.default_rng(0)
    shares = []
    for _ in range(30):
        suggestion = optimizer.ask()
        assert suggestion is not None
        shares.append(suggestion.values["distribution"]["everyone"].get("a", 0.0))
        optimizer.tell(suggestion, shares[-1] + 0.2 * random.normal())
    assert np.mean(np.array(shares[-15:]) == 1.0) > 0.5


def test_minimising_is_maximising_the_opposite() -> None:
    up, down = (Optimizer(small(minimize=flag), seed=1) for flag in (False, True))
    for one, two in zip(play(up, 10), play(down, 10, sign=-1.0), strict=True):
        np.testing.assert_array_equal(one, two)
    best, worst = up.recommend(), down.recommend()
    assert best.mean == pytest.approx(-(worst.mean or 0.0))
    assert best.lower is not None
    assert worst.upper is not None
    assert best.lower <= (best.mean or 0.0)
    assert best.lower == pytest.approx(-worst.upper)


@pytest.mark.parametrize(("few", "many", "apart"), [(10**6, 10**7, 1e-3), (10**12, 10**13, 1e-5)])
def test_the_number_of_agents_costs_nothing(few: int, many: int, apart: float) -> None:
    """What is computed depends on the tables alone: more agents play the same, but for draws of whole agents."""
    one, two = (play(Optimizer(small(agents=agents), seed=2), 6) for agents in (few, many))
    np.testing.assert_allclose(one, two, atol=apart)


def test_who_brings_data_needs_no_random_rounds() -> None:
    optimizer = Optimizer(small(), seed=0)
    for i in range(6):
        shares = np.array([i + 1, 7 - i, 4]) / 12
        optimizer.add(
            payoff(shares[None]), {"distribution": {"everyone": dict(zip("abc", shares.tolist(), strict=True))}}
        )
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert suggestion.note["phase"] == "model"


def test_all_agents_payoffs_teach_more_than_one_of_them() -> None:
    """After as many rounds the cells are known better."""
    spread = {}
    for kind in ("agents", "representative", "population"):
        world = case("mf-gp-ucb", crowd(feedback=kind))
        optimizer = world.play(world.start(), 12)
        table = optimizer.explain().tables[0]
        deviations = [row[table.columns.index("deviation")] for row in table.rows]
        spread[kind] = float(np.mean(deviations))
    assert spread["agents"] < spread["population"]


def test_explanations_name_cells_and_what_is_explored() -> None:
    world = case("mf-gp-ucb")
    optimizer = world.play(world.start(), 10)
    explanation = optimizer.explain()
    assert "still being explored" in explanation.summary
    assert "figures for single cells are estimates" in explanation.summary
    assert explanation.tables[0].columns[:3] == ("context", "action", "share")
    assert len(explanation.tables[0].rows) == 8


def districts(seed: int) -> Callable[[Mapping[str, Any]], float]:
    """Return what 400 vans earn in twelve districts, each with a demand and a price, relative to an even spread."""
    random = np.random.default_rng(seed)
    demand, price = random.gamma(2, 20, 12), random.uniform(0.5, 2, 12)

    def earned(vans: np.ndarray) -> float:
        return float(np.minimum(vans, demand) @ price)

    even = earned(np.full(12, 400 / 12))
    return lambda values: earned(np.array(list(values["counts"]["everyone"].values()))) / even


def test_where_noise_hides_what_is_better_the_answer_is_not_worse_than_an_even_spread() -> None:
    """Of noise at half the payoff.

    If one answer in ten is worse, more than this many of ten are with a probability of 1 in 600. Chosen by the lower
    bound of the average itself, six were.
    """
    names, worse = [f"d{i}" for i in range(12)], 0
    for seed in range(10):
        earned, random = districts(seed), np.random.default_rng(seed)
        optimizer = Optimizer(MeanField(names, 400, counts=True), "mf-gp-ucb", seed=seed)
        for _ in range(20):
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, earned(suggestion.values) + 0.5 * random.normal())
        worse += earned(optimizer.recommend().values) < 0.99
    assert worse <= most_losses(10, 0.1, 1 / 600)


def test_the_first_distribution_is_the_even_spread() -> None:
    """Within the limits; only once, also where something is seen."""
    problem = crowd(capacity={"a": 4}, variables=[sb.Float("wind", 0, 9, seen=True)])
    optimizer = Optimizer(problem, "mf-gp-ucb", seed=0)
    tables = [problem.table(optimizer.ask(context={"wind": wind}).values["distribution"]) for wind in (1, 2, 3)]
    np.testing.assert_array_equal(tables[0] * problem.agents_in[:, None], [[3, 9, 9, 9], [1, 3, 3, 3]])
    assert not any((table == tables[0]).all() for table in tables[1:])


def test_recommendations_beat_spreading_evenly() -> None:
    world = case("mf-gp-ucb")
    problem: MeanField = world.problem  # type: ignore[assignment]
    optimizer = world.play(world.start(), 20)
    answer = problem.table(optimizer.recommend().values["distribution"])
    assert average(problem, answer) > average(problem, np.full((2, 4), 0.25)) + 0.1


class TestLimited(TraitContract):
    """Capacities, closed cells, sampled agents and counts, all at once."""

    @staticmethod
    def case() -> Case:
        limits = {"capacity": {"a": 18, "c": 9}, "allowed": {"night": ("b", "c", "d")}}
        problem = crowd(**limits, rounding="sampled", counts=True)
        world = case("mf-gp-ucb", problem, starting_points=3)
        added = {"distribution": {"day": {"a": 0.5, "b": 0.5}, "night": {"b": 1.0}}}
        return Case(world.problem, world.method, world.evaluate, added=added, options=world.options, rounds=6)


class TestMoving(TraitContract):
    """Moves limited from the present distribution, and paid for."""

    @staticmethod
    def case() -> Case:
        world = case("mf-gp-ucb", crowd(largest_move=0.5, moving_cost=0.1), starting_points=3)
        here = {"day": {"a": 0.5, "b": 0.5}, "night": {"c": 1.0}}
        return Case(
            world.problem,
            world.method,
            world.evaluate,
            request=lambda round: {"current": here},
            added=world.added,
            options=world.options,
            rounds=6,
        )


@pytest.mark.parametrize("caution", [0.0, 0.4])
def test_it_covers_every_distribution_that_would_be_suggested(caution: float) -> None:
    world = case("mf-gp-ucb", caution=caution)
    optimizer = world.play(world.start(), 9)
    method, advice = optimizer._method, optimizer.recommend()
    assert isinstance(method, MFGPUCB)
    gain = method.gain()
    assert advice.lower is not None
    surrogate = method.surrogate({}, pending=False)
    random = np.random.default_rng(0)
    tables = np.array([*method.tables, *random.dirichlet(np.ones(4), (400, 2))])
    mean, deviation = surrogate.ucb.moments(tables)
    width = 2 * method.bound_inflation(advice.scope)
    upper = surrogate.offset + surrogate.unit * (mean + width * deviation)
    found = upper.max() if caution == 0 else upper[: len(method.tables)].max()
    assert gain >= found - advice.lower - 1e-9
    if caution == 0:  # from the lower bound of what is advised, to the largest upper one that a search finds
        best = method.search(lambda some: surrogate.ucb.average(some, width), method.problem.region, 1)
        table = method.problem.table(advice.values["distribution"])
        mean, sd = method.mixture({}, surrogate).moments(np.concatenate([table[None], best]))
        away = surrogate.unit * width * sd[0]
        assert gain == pytest.approx(surrogate.unit * ((mean + width * sd).max() - mean[0]) + away, abs=away / 2)


def test_before_the_first_distributions_are_played_nothing_is_said() -> None:
    world = case("mf-gp-ucb", starting_points=5)
    optimizer = world.play(world.start(), 4)
    assert optimizer._method.gain() == np.inf
    world.play(optimizer, 1)
    assert optimizer._method.gain() < np.inf


# -- many outcomes, and changes of the payoffs -------------------------------------------------------------------------


BEFORE, AFTER = np.array([0.7, 0.1, 0.1, 0.1]), np.array([0.05, 0.05, 0.2, 0.7])


def demand(table: np.ndarray, wanted: np.ndarray) -> float:
    return -float(((np.sqrt(table) - np.sqrt(wanted)) ** 2).sum())


def test_a_study_of_more_outcomes_goes_on_with_some_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = MeanField(tuple("abcd"), 100)
    optimizer, draw = Optimizer(problem, seed=0), np.random.default_rng(0)
    monkeypatch.setattr("steerbo.meanfield._gp.MOST_COUNTED", 20)
    monkeypatch.setattr("steerbo.meanfield.method.MOST_COUNTED", 20)
    for _ in range(30):
        shares = draw.dirichlet(np.ones(4)).tolist()
        optimizer.add(-shares[0], {"distribution": {"everyone": dict(zip("abcd", shares, strict=True))}})
    assert optimizer.ask() is not None
    said = "Of 30 outcomes 20 are counted"
    assert said in optimizer.explain().text
    assert said in str(optimizer.status)
    assert str(optimizer.status.findings[0]).startswith(said)


@cache
def played(notice_changes: bool = True) -> Optimizer:
    """Forty-five rounds, after 25 of which the demand is another."""
    problem = MeanField(("a", "b", "c", "d"), agents=60)
    optimizer = Optimizer(problem, seed=1, notice_changes=notice_changes)
    for _ in range(45):
        suggestion = optimizer.ask()
        assert suggestion is not None
        table = problem.table(suggestion.values["distribution"])[0]
        optimizer.tell(suggestion, demand(table, BEFORE if suggestion.round <= 25 else AFTER))
    return optimizer


def forgotten(optimizer: Optimizer) -> list[list[str]]:
    refits = [event for event in optimizer.events if isinstance(event, Refitted)]
    return [event.hyperparameters["forgotten"] for event in refits if "forgotten" in event.hyperparameters]


def test_a_demand_that_changed_is_followed() -> None:
    noticed, ignored = played(), played(notice_changes=False)
    assert len(forgotten(noticed)) == 1
    assert 23 <= (old := len(forgotten(noticed)[0])) <= 25
    assert forgotten(ignored) == []
    problem: MeanField = noticed.problem  # type: ignore[assignment]
    reached = [demand(problem.table(o.recommend().values["distribution"])[0], AFTER) for o in (noticed, ignored)]
    assert reached[0] > -0.02
    assert reached[0] >= reached[1]
    assert f"{old} older outcomes are forgotten since round" in noticed.explain().text


def test_rounds_after_a_change_begin_at_random() -> None:
    optimizer = played()
    (refit,) = [e for e in optimizer.events if isinstance(e, Refitted) and "forgotten" in e.hyperparameters]
    phases = {r.suggestion.round: r.suggestion.note["phase"] for r in optimizer.history}
    assert [phases[refit.round + k] for k in range(-1, 4)] == ["model", "start", "start", "start", "model"]


def test_what_is_forgotten_stays_so() -> None:
    """Read back from the log, after a correction of a forgotten outcome, and when data from before is added."""
    optimizer = copy.deepcopy(played())
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    one, other = optimizer._state.method, again._state.method
    assert isinstance(one, MFGPUCB)
    assert isinstance(other, MFGPUCB)
    assert one.names == other.names
    assert 20 <= (kept := len(one.names)) <= 22
    assert again.ask() == optimizer.ask()
    first, last = (list(optimizer.history)[i].suggestion for i in (0, 40))
    optimizer.amend(first, value=-0.5)
    assert len(one.names) == kept
    optimizer.amend(last, void=True)
    assert len(one.names) == kept - 1
    optimizer.add(value=-0.4, realised={"distribution": {"everyone": {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}}})
    assert "added-1" not in one.names, "data that were added came before the first round"


def test_what_was_played_before_a_change_may_be_played_again() -> None:
    optimizer = played()
    method = optimizer._method
    assert isinstance(method, MFGPUCB)
    tables = {method.key(method.counts_of(table)) for table in method.tables}
    assert tables <= method.keys
    assert len(method.keys) < 25


def test_where_not_all_outcomes_are_counted_no_change_is_noticed_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("steerbo.meanfield.method.MOST_COUNTED", 6)
    for notices in (True, False):
        optimizer = Optimizer(MeanField(("a", "b"), 10), "mf-gp-ucb", seed=0, notice_changes=notices)
        for _ in range(7):
            suggestion = optimizer.ask()
            assert suggestion is not None
            assert not optimizer.status.findings
            optimizer.tell(suggestion, 1.0)
        assert ("no longer noticed" in str(optimizer.status)) == notices
        assert ("no longer noticed" in str(optimizer.explain())) == notices


def test_a_slip_of_the_pen_counts_for_little_and_is_named() -> None:
    """A payoff told a hundred times too large; corrected, it is doubted no more."""
    optimizer = Optimizer(small(agents=60), seed=0)
    play(optimizer, 12)
    wrong = optimizer.ask()
    assert wrong is not None
    optimizer.tell(wrong, 40.0)
    play(optimizer, 4)
    said = optimizer.explain().text
    assert (
        f"1 outcome is probably wrong and counts for little until others agree with it: 40 in round 13 ({wrong.token})."
        in said
    )
    answer = optimizer.recommend()
    assert answer.upper is not None
    assert answer.upper < 1.0
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask() == optimizer.ask()
    optimizer.amend(wrong, value=0.333)
    assert "probably wrong" not in optimizer.explain().text


@pytest.mark.parametrize("seed", range(3))
def test_two_slips_of_the_pen_do_not_hide_each_other(seed: int) -> None:
    """Each alone explained little beside the other: both counted, and random distributions were played from then on."""
    optimizer = Optimizer(small(agents=60), seed=seed)
    play(optimizer, 11)
    wrong = []
    for _ in range(2):
        suggestion = optimizer.ask()
        assert suggestion is not None
        wrong.append(suggestion.token)
        table = np.array([[*suggestion.values["distribution"]["everyone"].values()]])
        optimizer.tell(suggestion, 100.0 * payoff(table))
        play(optimizer, 1)
    said = optimizer.explain().text
    assert "2 outcomes are probably wrong" in said
    assert all(token in said for token in wrong)
    assert min(payoff(table) for table in play(optimizer, 6)) > 0.2
