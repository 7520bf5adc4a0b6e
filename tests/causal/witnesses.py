"""Whether scopes are kept for nothing: ``python -m tests.causal.witnesses [models [climbs]]`` looks for witnesses.

A witness of a scope is a model in which it is strictly better than every other scope that is kept. Random binary models
are drawn, sharp ones among them, until each scope has one or patience ends; then, for those that are left, models are
made better by changes of single probabilities. A scope without a witness may still have one.
"""

from __future__ import annotations

import sys
from typing import get_args

import numpy as np

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.identification.enumeration import Mode
from tests.causal.exact import BinaryModel, Contexts, climbed, random_graph

_STEPS = 400  # of a climb


def climb_to(graph: CausalGraph, kept: list[Contexts], i: int, random: np.random.Generator, climbs: int) -> bool:
    """Whether climbing comes to a witness of scope `i`."""

    def advantage(model: BinaryModel) -> float:
        return model.value(kept[i]) - max(model.value(other) for other in kept if other is not kept[i])

    starts = (BinaryModel.draw(graph, random) for _ in range(climbs))
    return any(climbed(model, advantage, random, _STEPS)[1] > 1e-9 for model in starts)


def witnessed(graph: CausalGraph, mode: Mode, random: np.random.Generator, models: int, climbs: int) -> list[bool]:
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
    return [known or climb_to(graph, kept, i, random, climbs) for i, known in enumerate(found)]


def main() -> None:
    """Print the share of scopes with a witness, of graphs that keep more than one."""
    models, climbs = (int(n) for n in (*sys.argv[1:], *("60", "20")[len(sys.argv) - 1 :]))
    for mode in get_args(Mode):
        random = np.random.default_rng(0)
        found: list[bool] = []
        for _ in range(100):
            graph = random_graph(random, int(random.integers(4, 7)), 2, 0.5, 0.25)
            if len(graph.contexts or ()) <= 3 and len(graph.bidirected) <= 5:
                answers = witnessed(graph, mode, np.random.default_rng(1), models, climbs)
                found += answers if len(answers) > 1 else []
        print(f"{mode:9s} {sum(found):4d} of {len(found):4d} scopes have a witness", flush=True)


if __name__ == "__main__":
    main()
