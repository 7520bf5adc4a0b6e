"""What the method promises beyond the contract."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.meanfield import MeanField
from steerbo.rounds import Optimizer
from steerbo.testing import Case, WingContract
from tests.meanfield.worlds import average, case, crowd


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


@pytest.mark.parametrize("kernel", ["additive", "joint", "product"])
@pytest.mark.parametrize("acquisition", ["average", "expected"])
def test_the_best_of_all_tables_is_found(kernel: str, acquisition: str) -> None:
    """Against brute force over all 91."""
    tables = play(Optimizer(small(), seed=3, kernel=kernel, acquisition=acquisition), 25)
    ways = [np.array([[i, j, 12 - i - j]]) / 12 for i in range(13) for j in range(13 - i)]
    assert max(map(payoff, tables)) == pytest.approx(max(map(payoff, ways)))


def test_rounding_does_not_freeze_the_loop() -> None:
    """A repeat or two happen while the fit takes differences for noise; left alone, most rounds would be repeats."""
    tables = play(Optimizer(small(), seed=0), 40)
    assert len({table.tobytes() for table in tables}) >= 36


def test_a_world_that_is_used_up_goes_on() -> None:
    optimizer = Optimizer(small(actions=("a", "b"), agents=2), seed=0)
    for _ in range(8):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 1.0)


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


def test_the_theorem_has_its_own_width() -> None:
    optimizer = Optimizer(small(), seed=0, confidence="theory", starting_points=2)
    play(optimizer, 4)
    noted = list(optimizer.history)[-1].suggestion.note
    assert noted["beta"] > 30


def test_explanations_name_cells_and_what_is_explored() -> None:
    world = case("mf-gp-ucb")
    optimizer = world.play(world.start(), 10)
    explanation = optimizer.explain()
    assert "still being explored" in explanation.summary
    assert "never identify single payoffs" in explanation.summary
    assert explanation.tables[0].columns[:3] == ("context", "action", "share")
    assert len(explanation.tables[0].rows) == 8


def test_recommendations_beat_spreading_evenly() -> None:
    world = case("mf-gp-ucb")
    problem: MeanField = world.problem  # type: ignore[assignment]
    optimizer = world.play(world.start(), 20)
    answer = problem.table(optimizer.recommend().values["distribution"])
    assert average(problem, answer) > average(problem, np.full((2, 4), 0.25)) + 0.1


class TestLimited(WingContract):
    """Capacities, closed cells, sampled agents and counts, all at once."""

    @staticmethod
    def case() -> Case:
        limits = {"capacity": {"a": 18, "c": 9}, "allowed": {"night": ("b", "c", "d")}}
        problem = crowd(**limits, rounding="sampled", counts=True)
        world = case("mf-gp-ucb", problem, starting_points=3)
        added = {"distribution": {"day": {"a": 0.5, "b": 0.5}, "night": {"b": 1.0}}}
        return Case(world.problem, world.method, world.evaluate, added=added, options=world.options, rounds=6)


class TestMoving(WingContract):
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
