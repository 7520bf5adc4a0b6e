"""Several graphs, of which one is right: what they have in common, and by which of them a scope is played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core import Scope
from ..errors import InvalidProblem
from .graph import CausalGraph
from .scope_graph import Scoped
from .scopes import stages

MOST_GRAPHS = 64
"""Graphs of a problem: each is searched for scopes, and asked whether an observation may count."""


def check_alike(graphs: Sequence[CausalGraph]) -> None:
    """Refuse graphs that differ in more than edges.

    Raises:
        InvalidProblem: naming the graph and what differs.
    """
    if not 1 <= len(graphs) <= MOST_GRAPHS:
        raise InvalidProblem("graphs", f"{len(graphs)} graphs", f"from 1 to {MOST_GRAPHS}")
    first = graphs[0]
    for i, graph in enumerate(graphs[1:], 1):
        for role in ("target", "intervenable", "contexts"):
            said, wanted = getattr(graph, role), getattr(first, role)
            if (said != wanted) if role == "target" else (set(said) != set(wanted)):
                hint = "Graphs may differ in their edges only."
                raise InvalidProblem(f"graphs.{i}.{role}", said, f"as in the first graph, {wanted}", hint)
        if graph in graphs[:i]:
            raise InvalidProblem(f"graphs.{i}", graph.to_text(), "every graph once")


def united(scopes: Iterable[Iterable[Scope]]) -> tuple[Scope, ...]:
    """The scopes of all graphs, each once."""
    return tuple(dict.fromkeys(scope for some in scopes for scope in some))


def played_by(scope: Scope, graphs: Sequence[CausalGraph]) -> CausalGraph:
    """The graph whose order of looking and setting a scope keeps: the one with most stages, which suits all.

    A context that is seen after an action where no graph says that it must be is the same context. Graphs in which an
    action of the scope affects what it looks at say nothing of its order.
    """
    able = [graph for graph in graphs if Scoped.of(graph, scope.actions).acyclic]
    return max(able, key=lambda graph: len(stages(scope, graph))) if able else graphs[0]
