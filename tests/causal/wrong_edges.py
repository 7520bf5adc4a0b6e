"""What one wrong edge costs: ``python -m tests.causal.wrong_edges [models]`` for each kind of mistake.

A random graph with two actions is right, one edge of it is drawn wrongly, and the best of the scopes that the wrong
graph keeps is compared with the best of those that the right one keeps, in a random binary model, exactly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations

import numpy as np

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.identification.scopes import ScopedGraph
from steerbo.errors import InvalidProblem
from tests.causal.exact import BinaryModel, random_graph

_LOSES = 0.001
Change = Callable[[CausalGraph, np.random.Generator], CausalGraph | None]


def _with(graph: CausalGraph, directed: list[tuple[str, str]], bidirected: list[tuple[str, str]]) -> CausalGraph | None:
    roles = {"target": graph.target, "intervenable": graph.intervenable, "contexts": graph.contexts}
    try:
        return CausalGraph(directed, bidirected, variables=graph.names, **roles)  # type: ignore[arg-type]
    except InvalidProblem:  # a cycle
        return None


def drop_arrow(graph: CausalGraph, random: np.random.Generator) -> CausalGraph | None:
    """Without a directed edge."""
    if not graph.directed:
        return None
    gone = int(random.integers(len(graph.directed)))
    return _with(graph, [e for i, e in enumerate(graph.directed) if i != gone], list(graph.bidirected))


def flip_arrow(graph: CausalGraph, random: np.random.Generator) -> CausalGraph | None:
    """A directed edge the other way."""
    if not graph.directed:
        return None
    turned = int(random.integers(len(graph.directed)))
    return _with(graph, [e[::-1] if i == turned else e for i, e in enumerate(graph.directed)], list(graph.bidirected))


def drop_confounder(graph: CausalGraph, random: np.random.Generator) -> CausalGraph | None:
    """Without a hidden common cause."""
    if not graph.bidirected:
        return None
    gone = int(random.integers(len(graph.bidirected)))
    return _with(graph, list(graph.directed), [e for i, e in enumerate(graph.bidirected) if i != gone])


def add_arrow(graph: CausalGraph, random: np.random.Generator) -> CausalGraph | None:
    """With a directed edge that is none."""
    near = {frozenset(edge) for edge in graph.directed}
    free = [pair for pair in combinations(graph.names, 2) if frozenset(pair) not in near]
    if not free:
        return None
    return _with(graph, [*graph.directed, free[int(random.integers(len(free)))]], list(graph.bidirected))


def add_confounder(graph: CausalGraph, random: np.random.Generator) -> CausalGraph | None:
    """With a hidden common cause that is none."""
    near = {frozenset(edge) for edge in graph.bidirected}
    free = [pair for pair in combinations(graph.names, 2) if frozenset(pair) not in near]
    return _with(graph, list(graph.directed), [*graph.bidirected, free[int(random.integers(len(free)))]])


MISTAKES: dict[str, Change] = {
    "an arrow is turned round": flip_arrow,
    "an arrow is forgotten": drop_arrow,
    "a hidden common cause is forgotten": drop_confounder,
    "an arrow too many": add_arrow,
    "a hidden common cause too many": add_confounder,
}


def loss(graph: CausalGraph, wrong: CausalGraph, model: BinaryModel) -> float:
    """How much less the best scope of the wrong graph gives; one that makes no sense in the right graph is left out."""

    def best(drawn: CausalGraph) -> float:
        scopes = [scope for scope in policy_scopes(drawn) if ScopedGraph.of(graph, scope.actions).acyclic]
        return max(
            [model.value({x: tuple(seen) for x, seen in scope.actions}) for scope in scopes] or [model.value({})]
        )

    return best(graph) - best(wrong)


def losses(change: Change, models: int) -> np.ndarray:
    """Of one kind of mistake in so many random graphs and models, (models,)."""
    found: list[float] = []
    seed = 0
    while len(found) < models:
        random = np.random.default_rng(40_000 + seed)
        seed += 1
        graph = random_graph(random, int(random.integers(4, 7)), 2, 0.5, 0.25)
        if len(graph.contexts or ()) > 3 or len(graph.bidirected) > 5:
            continue
        if (wrong := change(graph, random)) is not None:
            found.append(loss(graph, wrong, BinaryModel.draw(graph, random)))
    return np.array(found)


def main() -> None:
    """Print the table."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| what is wrong | loses something | mean loss |\n|---|---|---|")
    for mistake, change in MISTAKES.items():
        found = losses(change, models)
        print(f"| {mistake} | {100 * float((found > _LOSES).mean()):.1f} % | {found.mean():.4f} |", flush=True)


if __name__ == "__main__":
    main()
