"""Whether scopes are kept for nothing: ``python -m tests.causal.witnesses [models]`` looks for witnesses.

A witness of a scope is a model in which it is strictly better than every other scope that is kept. Random binary models
are drawn, sharp ones among them, until each scope has one or patience ends; a scope without may still have one.
"""

from __future__ import annotations

import sys
from typing import get_args

import numpy as np

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.enumeration import Mode

from .exact import BinaryModel, random_graph


def witnessed(graph: CausalGraph, mode: Mode, random: np.random.Generator, models: int) -> list[bool]:
    """For every kept scope of a graph with several, whether one of some random models is a witness."""
    kept = [{x: tuple(seen) for x, seen in scope.actions} for scope in policy_scopes(graph, mode)]
    found = [len(kept) == 1] * len(kept)
    for _ in range(models):
        if all(found):
            break
        model = BinaryModel.draw(graph, random)
        values = np.array([model.value(scope) for scope in kept])
        best = int(np.argmax(values))
        found[best] |= bool(np.delete(values, best).max() < values[best] - 1e-9)
    return found


def main() -> None:
    """Print the share of scopes with a witness, of graphs that keep more than one."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for mode in get_args(Mode):
        random = np.random.default_rng(0)
        found: list[bool] = []
        for _ in range(100):
            graph = random_graph(random, int(random.integers(4, 7)), 2, 0.5, 0.25)
            if len(graph.contexts or ()) <= 3 and len(graph.bidirected) <= 5:
                answers = witnessed(graph, mode, np.random.default_rng(1), models)
                found += answers if len(answers) > 1 else []
        print(f"{mode:9s} {sum(found):4d} of {len(found):4d} scopes have a witness among {models} models")


if __name__ == "__main__":
    main()
