"""A value that was mistyped is named by `explain` and `status` of every kind of study, until it is put right."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Problem
from steerbo.core._implausible import outliers_found

WRONG = 12
"""Round whose value is told a hundred times too large."""


def hill(x: float, z: float = 0.5) -> float:
    """A hill of height 3 over a plain of 5."""
    return 5.0 + 3.0 * exp(-8 * ((x - 0.6) ** 2 + (z - 0.4) ** 2))


def cost_varying() -> Problem:
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "xz"]
    return sb.CostVarying(variables, [["x"], ["x", "z"]], costs=[1, 2])


def drifting_costs() -> Problem:
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "xz"]
    return sb.CostVarying(variables, [["x"], ["x", "z"]], costs=[1, 2], drift="learned")


def causal() -> Problem:
    graph = sb.CausalGraph.from_text("z -> x; z -> y; x -> y", target="y", intervenable=["x"])
    return sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("z", 0, 1)])


def drifting() -> Problem:
    return sb.TimeVarying([sb.Float("x", 0, 1), sb.Float("z", 0, 1)])


@pytest.mark.parametrize("problem", [cost_varying, drifting_costs, causal, drifting])
def test_a_mistyped_value_is_named_until_it_is_put_right(problem: Callable[[], Problem]) -> None:
    optimizer, random = Optimizer(problem(), seed=1), np.random.default_rng(3)
    for number in range(1, 23):
        asked = optimizer.ask()
        if asked.observe:
            asked = optimizer.decide(asked, {name: float(random.random()) for name in asked.observe})
        known = {**{name: float(random.random()) for name in "xz"}, **asked.context, **asked.values}
        value = hill(**known) + 0.05 * random.standard_normal()
        optimizer.tell(asked, 100 * value if number == WRONG else value, realised=known)
        if number == WRONG:
            wrong, right = asked, value
    named = f"in round {WRONG} ({wrong.token})."
    said = optimizer.explain().text
    assert "1 outcome is probably wrong and counts for little" in said
    assert named in said
    optimizer.ask()
    assert named in str(optimizer.status)
    assert Optimizer.replay(optimizer.problem, optimizer.events).explain() == optimizer.explain()
    optimizer.amend(wrong, value=right)
    assert "probably wrong" not in optimizer.explain().text


def test_of_many_outliers_the_latest_are_named() -> None:
    """The rest are counted."""
    optimizer = Optimizer(cost_varying(), seed=0)
    told = [optimizer.ask() for _ in range(8)]
    for asked in told:
        optimizer.tell(asked, 1.0, realised={"x": 0.5, "z": 0.5, **asked.values})
    (found,) = outliers_found(optimizer.history, [asked.token for asked in told])
    said = str(found)
    assert "8 outcomes are probably wrong and count for little until others agree" in said
    assert told[-1].token in said
    assert said.endswith(" and 3 earlier ones.")
    assert told[2].token not in said
    assert not [*outliers_found(optimizer.history, [])]
