"""Do prices on scopes pay? `python -m benchmarks.traits.prices` plays what is missing and prints the table.

What is run and what is wanted was written down before: `docs/results/traits-registered.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import steerbo as sb
from steerbo.causal.cheap_first import CheapFirst

from ..runs import command, finished
from .priced_worlds import World, world

KEPT = "runs/traits-prices.jsonl"
FIRST = "runs/traits-prices-first.jsonl"
"""Of the first registration."""
MONEY = (300.0, 700.0)
SEEDS = range(22, 40)
WORLDS = ("chain", "looks", "figure 1")
SHARED, ALONE, BLIND = "shared", "alone", "blind"
Run = Mapping[str, Any]
Job = tuple[str, str, int]


class Alone(CheapFirst):
    """The same choice, each scope with a model of its own: what it does not look at is noise to it."""

    name: ClassVar[str] = "cheap-first-alone"

    def _arrange(self) -> bool:
        return False


METHODS: dict[str, Any] = {SHARED: "cheap-first", BLIND: "coca-bo", ALONE: Alone}
PLAYED = (SHARED, BLIND)
"""By the second registration."""


def jobs() -> Iterator[Job]:
    """World, method and seed: seed by seed, so that whatever the time allows is balanced."""
    for seed in SEEDS:
        for name in WORLDS:
            yield from ((name, method, seed) for method in PLAYED)


def run(job: Job) -> dict[str, Any]:
    """One run: the answer at each amount of money, and how many rounds that was."""
    name, method, seed = job
    of = world(name)
    optimizer = sb.Optimizer(of.problem, METHODS[method], budget=MONEY[-1], seed=seed)
    answers: list[dict[str, float]] = []
    while (suggestion := optimizer.ask()) is not None:
        if not answers and optimizer.status.spent + (suggestion.scope.price or 0.0) > MONEY[0]:
            answers.append(_answer(of, optimizer))
        _play(of, optimizer, suggestion, 2000 + seed)
    answers.append(_answer(of, optimizer))
    return {"key": "/".join(map(str, job)), "world": name, "method": method, "seed": seed, "answers": answers}


def _play(of: World, optimizer: sb.Optimizer, suggestion: sb.core.Suggestion, seed: int) -> None:
    unit, noise = of.unit(seed, suggestion.round)
    natural = of.nature(unit, {})
    while suggestion.observe:
        suggestion = optimizer.decide(suggestion, {name: float(natural[name][0]) for name in suggestion.observe})
    happened = of.nature(unit, {name: np.array([value]) for name, value in suggestion.values.items()})
    contexts = {name: float(happened[name][0]) for name in of.problem.graph.contexts or ()}
    optimizer.tell(suggestion, float(happened["y"][0]) + noise, realised=contexts)


def _answer(of: World, optimizer: sb.Optimizer) -> dict[str, float]:
    advice: Any = optimizer.recommend()
    regret = of.best - of.worth(advice.scope, advice.act)
    return {
        "price": advice.scope.price,
        "regret": round(regret, 5),
        "within": float(regret <= of.tolerance),
        "rounds": len(optimizer.history),
    }


# -- the table ---------------------------------------------------------------------------------------------------------


def grouped(file: Path) -> dict[tuple[str, str], list[Run]]:
    """Runs by world and method, of the seeds that all methods have."""
    runs: Sequence[Run] = list(finished(file).values())
    found = {(name, m): [r for r in runs if (r["world"], r["method"]) == (name, m)] for name in WORLDS for m in METHODS}
    return {key: those for key, those in found.items() if those}


def section(file: Path) -> str:
    """Means over the runs with their standard errors, as Markdown."""
    lines = ["| world | method | runs | " + " | ".join(f"{what}, money {m:g}" for m in MONEY for what in _WHAT) + " |"]
    lines.append("| --- | --- | --- |" + " --- |" * (len(MONEY) * len(_WHAT)))
    for (name, method), runs in grouped(file).items():
        cells = [
            _mean([run["answers"][k][key] for run in runs], key == "within")
            for k in range(len(MONEY))
            for key in _WHAT.values()
        ]
        lines.append(f"| {name} | {method} | {len(runs)} | {' | '.join(cells)} |")
    return "\n".join(lines)


_WHAT = {"within tolerance": "within", "price of the answer": "price", "regret": "regret"}


def _mean(values: Sequence[float], share: bool) -> str:
    if share:
        return f"{int(sum(values))} of {len(values)}"
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return f"{np.mean(values):.3f} ± {error:.3f}"


if __name__ == "__main__":
    command(__doc__, KEPT, jobs(), run, section)
