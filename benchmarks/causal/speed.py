"""How fast: ``python -m benchmarks.causal.speed`` prints the table and writes docs/results/bench-causal.json.

The rival of a round needs torch and botorch; without them its rows are left empty.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.scope_graph import Scoped
from steerbo.causal.separation import bits, mask_of
from steerbo.rounds import Optimizer

from .botorch import suggest
from .problems import FIGURE_1, PSA, figure_1, plates_graph

_XT = ("x1", "x2", "xt0", "xt1")
CASES = {
    "figure 1": FIGURE_1,
    "PSA": PSA,
    "A.3, 7 contexts": plates_graph(0, 0, ("x1", "x2")),
    "A.3, 8 contexts": plates_graph(1, 1, ("x1", "x2")),
    "A.3, 4 actions, c1 c4 c6 ct0": plates_graph(2, 2, _XT, ("c1", "c4", "c6", "ct0")),
    "A.3, 4 actions, c1 c6 ct0 ct1": plates_graph(2, 2, _XT, ("c1", "c6", "ct0", "ct1")),
}


RECORDED = 191.7
"""Seconds that the authors' program took for these six cases when it was measured; it is not part of this project."""


def seconds(work: Callable[[], Any]) -> float:
    """CPU time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def total(work: Callable[[CausalGraph], Any]) -> float:
    """CPU time of one call for every case."""
    return seconds(lambda: [work(graph) for graph in CASES.values()])


def brute_force(graph: CausalGraph) -> Iterator[dict[int, int]]:
    """Every scope tried against rules A, B and C, on the same bit masks as ours."""
    base, target = graph.masks, graph.index(graph.target)
    seen = [graph.index(name) for name in graph.contexts or ()]
    every = mask_of(seen)
    subsets = [mask_of(chosen) for k in range(len(seen) + 1) for chosen in combinations(seen, k)]
    actions = [graph.index(name) for name in graph.intervenable]
    for choice in product([None, *subsets], repeat=len(actions)):
        scope = {x: looked for x, looked in zip(actions, choice, strict=True) if looked is not None}
        scoped = Scoped.by_nodes(base, scope)
        if not scoped.acyclic or mask_of(scope) & ~scoped.graph.ancestors(1 << target):
            continue
        for x, looked in scope.items():
            alone = scoped.without(x)
            if any(alone.separated(c, target, looked & ~(1 << c)) for c in bits(looked)):
                break
            if alone.reached(1 << target, looked) & scoped.admissible(x, every) & ~looked:
                break
        else:
            yield scope


def sparse(seed: int, nodes: int = 60, actions: int = 12, degree: float = 2.0) -> CausalGraph:
    """A random sparse graph: each variable has `degree` neighbours on average, and half as many confounders as that."""
    random = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(nodes)]
    pairs = list(combinations(names, 2))
    directed = [pair for pair in pairs if random.random() < degree / nodes]
    bidirected = [pair for pair in pairs if random.random() < degree / (4 * nodes)]
    chosen = [str(x) for x in random.choice(names[:-1], actions, replace=False)]
    return CausalGraph(directed, bidirected, target=names[-1], intervenable=chosen, variables=names)


def enumeration() -> list[dict[str, Any]]:
    """Rows on scopes."""
    policy_scopes(FIGURE_1)  # imports
    ours = float(np.median([total(lambda g: policy_scopes(g, "published")) for _ in range(15)]))
    rival = float(np.median([total(lambda g: list(brute_force(g))) for _ in range(3)]))
    pruned = float(np.median([total(policy_scopes) for _ in range(15)]))
    full = seconds(lambda: policy_scopes(plates_graph()))
    random = sorted(seconds(partial(policy_scopes, sparse(seed))) for seed in range(20))
    return [
        _row("published scopes, six cases, against brute force", ours, rival, "ratio >= 1000"),
        _row("pruned scopes, six cases, against brute force", pruned, rival, "ratio >= 1000"),
        _row("published scopes, against the authors' program (recorded)", ours, RECORDED, "ratio >= 1000"),
        _row("A.3 in full: 29 actions, 57 contexts", full, None, "1000 ms"),
        _row("random sparse graphs, 60 nodes, 12 actions: the second slowest of 20", random[-2], None, "20000 ms"),
    ]


def rounds(n: int) -> list[dict[str, Any]]:
    """One ask + decide + tell with n outcomes in the arm; the rival with and without learning hyperparameters anew.

    Ours are learned anew whenever the data have grown by a quarter, the paper's in every round.
    """
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "cobo", seed=0)
    environment.play(optimizer, n, 0)
    ours = float(np.median([seconds(lambda: environment.play(optimizer, 1, 0)) for _ in range(9)]))
    model = optimizer._method.models.each[0]  # type: ignore[attr-defined]
    points = np.clip(model.inputs, 0, 1)
    rows = []
    for fit in (True, False):
        name = f"one round at n = {n}, {'fit' if fit else 'no fit'} by the rival"
        try:
            rival = [seconds(partial(suggest, points, model.outcomes, 2, points[k, 2:], fit=fit)) for k in range(3)]
        except ImportError:
            rival = []
        rows.append(_row(name, ours, float(np.median(rival)) if rival else None, "ratio >= 30"))
    return rows


def whole_run() -> dict[str, Any]:
    """700 rounds of Figure 1."""
    environment = figure_1()
    return _row(
        "700 rounds of figure 1",
        seconds(lambda: environment.play(Optimizer(environment.problem, "coca-bo", seed=0), 700, 0)),
        None,
        "20000 ms",
    )


def _row(name: str, ours: float, rival: float | None, bar: str) -> dict[str, Any]:
    return {
        "name": name,
        "ours_ms": 1e3 * ours,
        "rival_ms": None if rival is None else 1e3 * rival,
        "ratio": None if rival is None else rival / ours,
        "bar": bar,
        "value_gap": None,
    }


def main() -> None:
    """Measure, print, write."""
    rows = [*enumeration(), *rounds(100), *rounds(500), whole_run()]
    for row in rows:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.0f}×"
        print(f"{row['name']:72s} {row['ours_ms']:10.2f} ms  {ratio:>8s}   bar: {row['bar']}")
    machine = (
        f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}, numpy {np.__version__}"
    )
    Path("docs/results/bench-causal.json").write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
