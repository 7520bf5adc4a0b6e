"""Causal problems that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.causal.problems import FIGURE_1
from steerbo.causal import Causal, CausalGraph
from steerbo.errors import InvalidProblem
from steerbo.space import Float


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ([Float("x1", 0, 1), Float("c", 0, 1)], "variables.*a variable for 'x2'"),
        ([Float("x1", 0, 1), Float("x2", 0, 1)], "a variable for 'c'.*list the graph's contexts without it"),
        ([Float(n, 0, 1) for n in ("x1", "x2", "c", "y")], "variables: 'y'.*what the graph has beside its target"),
        ([Float(n, 0, 1) for n in ("x1", "x2", "x2", "c")], "every name once"),
    ],
)
def test_problems_that_are_refused(variables: list[Any], message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        Causal(FIGURE_1, variables)


def test_nothing_to_set_is_refused() -> None:
    graph = CausalGraph([("c", "y")], target="y", intervenable=[])
    with pytest.raises(InvalidProblem, match="at least one variable that can be set"):
        Causal(graph, [Float("c", 0, 1)])
