"""Speed of the enumeration of scopes and of rounds. The rival of a round is BoTorch's, where it is installed."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from steerbo.causal import policy_scopes
from steerbo.core import Optimizer

from ..size import sizes
from ..speed import Cases, Row, cpu_ms, medians, row
from .botorch import suggest
from .enumeration import brute_force, sparse
from .plates import plates_graph
from .problems import FIGURE_1, PSA, figure_1

_XT = ("x1", "x2", "xt0", "xt1")
CASES = {
    "figure 1": FIGURE_1,
    "PSA": PSA,
    "A.3, 7 contexts": plates_graph(0, 0, ("x1", "x2")),
    "A.3, 8 contexts": plates_graph(1, 1, ("x1", "x2")),
    "A.3, 4 actions, c1 c4 c6 ct0": plates_graph(2, 2, _XT, ("c1", "c4", "c6", "ct0")),
    "A.3, 4 actions, c1 c6 ct0 ct1": plates_graph(2, 2, _XT, ("c1", "c6", "ct0", "ct1")),
}
RECORDED = 191_700.0
"""Milliseconds that the authors' program took for the six cases when it was measured; it is not in this project."""
REPEATS, ASKS = 5, 9


def published() -> list[Row]:
    """The six cases: by the published rules and by ours, against brute force."""
    graphs = list(CASES.values())
    policy_scopes(FIGURE_1)  # imports

    def ours(k: int, mode: Any) -> None:
        for graph in graphs:
            policy_scopes(graph, mode)

    def rival(k: int) -> None:
        for graph in graphs:
            list(brute_force(graph))

    sides = partial(ours, mode="published"), partial(ours, mode="pruned"), rival
    all_of_them, pruned, brute = medians(*sides, repeats=REPEATS)
    return [
        row("published scopes, six cases, against brute force", all_of_them, brute, bar=1000.0),
        row("pruned scopes, six cases, against brute force", pruned, brute, bar=1000.0),
        row("published scopes, against the authors' program (recorded)", all_of_them, RECORDED, bar=1000.0),
    ]


def large() -> list[Row]:
    """Graphs that brute force takes for ever on."""
    full = cpu_ms(lambda: policy_scopes(plates_graph()))
    times = sorted(cpu_ms(partial(policy_scopes, sparse(seed))) for seed in range(20))
    name = "random sparse graphs, 60 nodes, 12 actions: the second slowest of 20"
    return [
        row("A.3 in full: 29 actions, 57 contexts", full, bar_ms=1000.0),
        row(name, times[-2], bar_ms=20_000.0),
    ]


def rounds(n: int) -> list[Row]:
    """One ask + decide + tell with n outcomes in the arm; the rival with and without learning hyperparameters anew.

    Ours are learned anew whenever the data have grown by a quarter, the paper's in every round.
    """
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "cobo", seed=0)
    environment.play(optimizer, n, 0)
    model = optimizer._method.models.regressions[0]  # type: ignore[attr-defined]
    points, outcomes = np.clip(model.inputs, 0, 1), model.outcomes

    def ours(k: int) -> None:
        environment.play(optimizer, 1, 0)

    def rival(k: int, fit: bool) -> None:
        suggest(points, outcomes, 2, points[k, 2:], fit=fit)

    sides = (partial(rival, fit=True), partial(rival, fit=False)) if find_spec("botorch") else ()
    fast, *slow = medians(ours, *sides, repeats=ASKS if not sides else REPEATS)
    names = [f"one round at n = {n}, {learned} by the rival" for learned in ("fit", "no fit")]
    return [row(name, fast, ms, bar=30.0) for name, ms in zip(names, slow or (None, None), strict=True)]


def whole_run() -> list[Row]:
    """700 rounds of Figure 1."""
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=0)
    return [row("700 rounds of figure 1", cpu_ms(lambda: environment.play(optimizer, 700, 0)), bar_ms=20_000.0)]


TABLES: dict[str, Cases] = {
    "rows": {
        "scopes": published,
        "large-graphs": large,
        **{f"round-{n}": partial(rounds, n) for n in (100, 500)},
        "run": whole_run,
    },
    "sizes": sizes("causal"),
}
