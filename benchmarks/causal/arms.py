"""What many arms cost: `python -m benchmarks.causal.arms`.

Random graphs with 20 variables and 5 actions that want at least 150 first plays, with random mechanisms: sines and
products of causes, and hidden common causes. 150 rounds with every arm's own first plays, and with at most 50 of all
arms together. What is run and what is wanted was written down before: `docs/results/causal-registered.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.causal import Causal, CausalGraph, policy_scopes
from steerbo.core import Optimizer
from steerbo.space import Float

from ..runs import command, finished
from .scm import Mechanism, StructuralCausalModel, Values

KEPT = "runs/causal-arms.jsonl"
HOW: dict[str, dict[str, Any]] = {"each its own": {"first_plays": 10_000}, "at most 50": {}}
FIRST, SEEDS = 500, 12
ROUNDS = 150
_MOST_ARMS, _WANTED = 45, 150


def graph_of(seed: int, nodes: int = 20, actions: int = 5) -> CausalGraph:
    """The first random graph, drawn from this seed on, with enough scopes to choose among."""
    random = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(nodes)]
    while True:
        directed = [pair for pair in combinations(names, 2) if random.random() < 0.25]
        hidden = [pair for pair in combinations(names, 2) if random.random() < 0.1]
        chosen = [str(name) for name in random.choice(names[:-1], actions, replace=False)]
        graph = CausalGraph(directed, hidden, target=names[-1], intervenable=chosen, variables=names)
        scopes = policy_scopes(graph)
        if len(scopes) <= _MOST_ARMS and sum(1 + len(s.set) + len(s.contexts) for s in scopes) >= _WANTED:
            return graph


def model_of(graph: CausalGraph, seed: int) -> StructuralCausalModel:
    """Every variable lies within (−1, 1): a squashed sum of sines of its causes, products of two, and noise."""
    random = np.random.default_rng((seed, 1))
    mechanisms: dict[str, Mechanism] = {}
    for a, b in graph.bidirected:
        mechanisms[f"{a} <-> {b}"] = lambda v, r, n: r.uniform(-1, 1, n)
    for name in graph.names:
        above = [*graph.parents(name), *(edge for edge in mechanisms if name in edge.split(" <-> "))]
        sines = [(p, *random.uniform(-2, 2, 2)) for p in above]
        products = [(a, b, random.uniform(-2, 2)) for a, b in combinations(above, 2) if random.random() < 0.5]

        def mechanism(
            v: Values, r: np.random.Generator, n: int, sines: Any = sines, products: Any = products
        ) -> np.ndarray:
            total = r.normal(0, 0.3, n)
            for p, rate, phase in sines:
                total = total + np.sin(2 * rate * v[p] + phase)
            for a, b, weight in products:
                total = total + weight * v[a] * v[b]
            return np.asarray(np.tanh(total / np.sqrt(1 + len(sines) + len(products))))

        mechanisms[name] = mechanism
    return StructuralCausalModel(graph, mechanisms)


def jobs() -> Iterator[tuple[int, str]]:
    """Seed and rule of every run."""
    yield from ((seed, how) for seed in range(FIRST, FIRST + SEEDS) for how in HOW)


def run(job: tuple[int, str]) -> dict[str, Any]:
    """One run: measured outcomes, averaged over thirds of the rounds, in standard deviations of what nature gives."""
    seed, how = job
    graph = graph_of(seed)
    model = model_of(graph, seed)
    problem = Causal(graph, [Float(n, -1, 1) for n in graph.names if n != graph.target])
    optimizer = Optimizer(problem, "coca-bo", seed=seed, **HOW[how])
    natural = model.sample(4000, np.random.default_rng(seed))[graph.target]
    outcomes = np.empty(ROUNDS)
    for t in range(ROUNDS):
        suggestion = optimizer.ask()
        assert suggestion is not None
        played = model.play(seed + 1_000_003 * t)
        while suggestion.observe:
            seen = played.look(suggestion.observe, suggestion.values)
            suggestion = optimizer.decide(suggestion, seen)
        outcomes[t] = played.outcome(suggestion.values)
        optimizer.tell(suggestion, float(outcomes[t]))
    gained = (outcomes - natural.mean()) / natural.std()
    thirds = [round(float(part.mean()), 4) for part in np.split(gained, 3)]
    return {"key": f"{seed}/{how}", "arms": len(policy_scopes(graph)), "thirds": thirds}


def section(place: Path) -> str:
    """A table for the page: the gain over nature in each third of the rounds, and the paired difference over all."""
    done = finished(place)
    seeds = [s for s in range(FIRST, FIRST + SEEDS) if all(f"{s}/{how}" in done for how in HOW)]
    lines = ["| first plays | rounds 1 to 50 | 51 to 100 | 101 to 150 | all |", "|---|---|---|---|---|"]
    every = {}
    for how in HOW:
        thirds = np.array([done[f"{s}/{how}"]["thirds"] for s in seeds])
        every[how] = thirds.mean(axis=1)
        lines.append(f"| {how} | " + " | ".join(_mean(part) for part in (*thirds.T, every[how])) + " |")
    first, second = every.values()
    arms = [done[f"{s}/{how}"]["arms"] for s in seeds]
    said = (
        f"{len(seeds)} graphs with {min(arms)} to {max(arms)} arms; paired difference over all {_mean(second - first)}"
    )
    return "\n".join(lines) + f"\n\n{said}.\n"


def _mean(values: np.ndarray) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1) / len(values) ** 0.5:.3f}"


if __name__ == "__main__":
    command(__doc__, KEPT, jobs(), run, section)
