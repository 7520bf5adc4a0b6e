"""Cells of a model: the fullest first, in the user's units, and which are still being explored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.meanfield import MeanField
from steerbo.meanfield.method import cell_table, fullest, summary
from steerbo.meanfield.models import Surrogate
from tests.meanfield.worlds import case, crowd

BEST = np.array([[0.5, 0.35, 0.15, 0.0], [0.0, 0.0, 0.1, 0.9]])


class Known:
    """Every cell's payoff is its number, and its deviation a tenth of that."""

    def cell_moments(self, tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        numbers = np.arange(tables[0].size, dtype=float).reshape(tables.shape)
        return numbers, 0.1 * numbers


KNOWN: Any = Known()


def surrogate(offset: float = 0.0, unit: float = 1.0) -> Surrogate:
    return Surrogate(KNOWN, offset, unit)


def rows(problem: MeanField, last: np.ndarray = BEST, **units: float) -> list[dict[str, Any]]:
    table, _ = cell_table(problem, surrogate(**units), KNOWN, BEST, last, times=1.0)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_the_cells_with_most_agents_come_first() -> None:
    """Three quarters of the agents are there by day."""
    found = rows(crowd())
    agents = [crowd().shares[int(row["context"] == "night")] * row["share"] for row in found]
    assert agents == sorted(agents, reverse=True)
    assert [(row["context"], row["action"]) for row in found[:4]] == [
        ("day", "a"),
        ("day", "b"),
        ("night", "d"),
        ("day", "c"),
    ]


@pytest.mark.parametrize(("minimize", "sign"), [(False, 1.0), (True, -1.0)])
def test_payoffs_are_in_the_user_s_units(minimize: bool, sign: float) -> None:
    found = {(r["context"], r["action"]): r for r in rows(crowd(minimize=minimize), offset=2.0, unit=3.0)}
    night = found["night", "d"]
    assert night["expected payoff"] == pytest.approx(sign * (2.0 + 3.0 * 7))
    assert night["deviation"] == pytest.approx(3.0 * 0.7)


def test_a_cell_is_explored_where_the_last_suggestion_had_more_than_rounding_makes() -> None:
    last = BEST.copy()
    last[0, 0] -= 0.2
    last[0, 3] += 0.2
    last[1, 0] += 0.1  # one of ten agents
    last[1, 3] -= 0.1
    table, explored = cell_table(crowd(), surrogate(), KNOWN, BEST, last, times=1.0)
    assert explored == 1
    assert [row[:2] for row in table.rows if row[-1]] == [("day", "d")]


def test_of_many_cells_the_fullest_thirty_are_shown_and_the_others_counted() -> None:
    problem = MeanField(tuple(f"a{i}" for i in range(50)), agents=100)
    table, _ = cell_table(problem, surrogate(), KNOWN, np.full((1, 50), 0.02), np.full((1, 50), 0.02), times=1.0)
    assert len(table.rows) == 30
    assert table.title.endswith("(fullest 30, 20 not shown)")
    assert (
        cell_table(crowd(), surrogate(), KNOWN, BEST, BEST, times=1.0)[0].title
        == "Cells at the recommended distribution"
    )


def test_the_five_fullest_in_words() -> None:
    assert fullest(crowd(), BEST) == "day → a 0.5, day → b 0.35, night → d 0.9, day → c 0.15, night → c 0.1"
    assert fullest(MeanField(("a", "b"), agents=4), np.array([[1.0, 0.0]])) == "a 1", "empty cells are left out"


def test_a_belief_in_words() -> None:
    world = case("mf-gp-ucb", starting_points=3)
    optimizer = world.play(world.start(), 4)
    method: Any = optimizer._method
    problem: Any = world.problem
    found = method.surrogate({})
    said = summary(problem, found, 4, 0)
    assert said.startswith("4 outcomes. None of 8 cells (an action, in a context) is still being explored")
    assert said.endswith("so the figures for single cells are estimates."), "averages alone identify no cell"
    one = summary(problem, found, 1, 1, forgotten=(1, 7))
    assert one.startswith("1 outcome. 1 of 8 cells (an action, in a context) is still being explored")
    assert one.endswith("Payoffs have changed: 1 older outcome is forgotten since round 7.")
    assert "3 older outcomes are forgotten" in summary(problem, found, 9, 2, forgotten=(3, 7))
    assert "identify" not in summary(crowd(feedback="agents"), found, 4, 0)


def test_cells_are_as_unsure_as_the_answer() -> None:
    """The answer's payoff is the average of the cells': two told averages gave it ± 5, and each cell ± 0.4."""
    problem = MeanField(("north", "south", "east"), agents=30)
    optimizer = sb.Optimizer(problem, seed=0)
    for value, shares in ((99.5, (0.3, 0.4, 0.3)), (98.75, (0.25, 0.45, 0.3))):
        optimizer.add(value, {"distribution": dict(zip(problem.actions, shares, strict=True))})
    answer, cells = optimizer.recommend(), optimizer.explain().tables[0]
    share, payoff, deviation = (
        np.array([row[cells.columns.index(name)] for row in cells.rows])
        for name in ("share", "expected payoff", "deviation")
    )
    assert share @ payoff == pytest.approx(answer.mean)
    assert answer.lower is not None
    assert answer.upper is not None
    assert 4 * deviation.max() > 0.9 * (answer.upper - answer.lower)


def test_one_outcome_tells_no_deviation() -> None:
    optimizer = sb.Optimizer(MeanField(("north", "south"), agents=30), seed=0)
    optimizer.add(99.5, {"distribution": {"north": 0.5, "south": 0.5}})
    assert optimizer.recommend().lower is None
    table = optimizer.explain().tables[0]
    assert {row[table.columns.index("deviation")] for row in table.rows} == {None}
