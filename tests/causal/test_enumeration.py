"""Enumerations that are large, too long, or of no known mode."""

from __future__ import annotations

from typing import get_args

import pytest

from benchmarks.causal.enumeration import sparse
from benchmarks.causal.problems import FIGURE_1
from steerbo.causal import policy_scopes
from steerbo.causal.enumeration import Mode
from steerbo.causal.rules import fault
from steerbo.errors import InvalidOption, InvalidProblem


def test_sparse_graphs_of_sixty_variables_and_a_dozen_actions() -> None:
    """Where nine or ten actions can matter. What is kept keeps the published rules."""
    for seed, count in ((0, 3), (4, 6), (14, 5)):
        graph = sparse(seed)
        scopes = policy_scopes(graph)
        assert len(scopes) == count
        assert not any(fault(graph, scope) for scope in scopes)


@pytest.mark.parametrize("mode", get_args(Mode))
def test_an_enumeration_that_takes_too_long_is_given_up(mode: Mode) -> None:
    with pytest.raises(InvalidProblem, match=r"List fewer .* or raise .limit"):
        policy_scopes(sparse(14), mode, limit=50)
    with pytest.raises(InvalidOption, match="limit"):
        policy_scopes(FIGURE_1, mode, limit=0)


def test_unknown_mode() -> None:
    with pytest.raises(InvalidOption, match="did you mean 'pruned'"):
        policy_scopes(FIGURE_1, "prune")  # type: ignore[arg-type]
