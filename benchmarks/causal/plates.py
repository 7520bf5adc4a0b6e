"""A.3 of the paper as a problem of ours: `partial_control_bench` has its mechanisms and its truth."""

from __future__ import annotations

from partial_control_bench.causal import plates as published
from steerbo.causal import CausalGraph

from .environment import Environment, graph_of


def plates_graph(
    watched: int = 50,
    idle: int = 27,
    intervenable: tuple[str, ...] | None = None,
    contexts: tuple[str, ...] | None = None,
) -> CausalGraph:
    """A.3's graph with `watched` variables ct and `idle` variables xt; default: all 29 x can be set, all 57 c seen."""
    return graph_of(published.plates_graph(watched, idle, intervenable, contexts))


def plates(watched: int = 50, idle: int = 27) -> Environment:
    """A.3: Figure 1's heart among many variables that do not matter. As in the paper, x1 and x2 can be set."""
    return Environment.of(published.plates(watched, idle))
