"""What the runs say of two claims, by paired differences of simple regret: Algorithm 1's, and that of `cheap-first`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steerbo.optim import sobol_points

from .problems import World
from .runner import SPENDS, simple_regret

MARGIN = 0.005
"""Differences up to this share of what can be gained over leaving everything to nature are ties."""
OURS = "cheap-first tolerance=0"
CLAIMED = (40, 60, 80, 100)
COMPARED = (20, 40, 60, 80, 100)
_SURE = 2.0  # standard errors
_SIGN = {"ahead": "−", "tied": "=", "behind": "+"}
Regrets = Mapping[str, Mapping[int, Sequence[Any]]]
"""By method and seed, simple regret at each of `SPENDS`."""


@dataclass(frozen=True)
class Difference:
    """Mean of paired differences of regret, its standard error (NaN for one seed), and the margin of a tie."""

    mean: float
    error: float
    margin: float

    @property
    def verdict(self) -> str:
        """Whether the first of the two is ahead (less regret), tied or behind."""
        return "tied" if abs(self.mean) <= self.margin else "ahead" if self.mean < 0 else "behind"

    @property
    def sure(self) -> bool:
        """Beyond the margin and two standard errors."""
        return self.verdict != "tied" and abs(self.mean) > _SURE * self.error

    def __str__(self) -> str:
        error = "" if np.isnan(self.error) else f" ({self.error:.1g})"
        return f"{_SIGN[self.verdict]} {self.mean:.2g}{error}{' *' if self.sure else ''}"


def regrets(by_method: Mapping[str, Sequence[dict[str, Any]]], best: np.ndarray) -> Regrets:
    """Simple regrets of finished runs, of the seeds that every method has."""
    found = {
        method: {run["run"]["seed"]: simple_regret(run, best) for run in runs} for method, runs in by_method.items()
    }
    shared = set.intersection(*map(set, found.values()))
    return {method: {seed: runs[seed] for seed in sorted(shared)} for method, runs in found.items()}


def margin(world: World, best: float) -> float:
    """Half a percent of what the best setting gains over controlling nothing."""
    nothing = float(world.objective(world.nature(sobol_points(2**14, world.dimension, seed=0))).mean())
    return MARGIN * (best - nothing)


def difference(all_: Regrets, first: str, second: str, spend: int, tie: float) -> Difference:
    """`first` less `second` at a spend, over the seeds that both have."""
    k = SPENDS.index(spend)
    shared = sorted(set(all_[first]) & set(all_[second]))
    gaps = np.array([all_[first][seed][k] - all_[second][seed][k] for seed in shared])
    error = float(gaps.std(ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else float("nan")
    return Difference(float(gaps.mean()), error, tie)


def strongest(all_: Regrets, but: str, spend: int) -> str:
    """The other method with the least mean regret at a spend."""
    k = SPENDS.index(spend)
    means = {m: float(np.mean([at[k] for at in runs.values()])) for m, runs in all_.items() if m != but and runs}
    return min(means, key=lambda m: means[m])


def page(settings: Mapping[str, tuple[Regrets, float]]) -> str:
    """Both claims as Markdown; `settings`: by name, regrets and the margin of a tie."""
    note = (
        "Differences of simple regret, paired by seed: mean (standard error). −: less regret, by more than the margin; "
        f"=: within it ({MARGIN:.1%} of what the best setting gains over controlling nothing); +: more; "
        f"\\*: by more than {_SURE:g} standard errors as well."
    )
    sections = (_algorithm_1, _cheap_first, _one_by_one, _everybody)
    return "\n".join([note, *(line for section in sections for line in ("", *section(settings)))])


def _algorithm_1(settings: Mapping[str, tuple[Regrets, float]]) -> list[str]:
    ours = "explore-then-commit"
    lines = _head("`explore-then-commit` less each rival", ["setting", "rival", "seeds", *map(str, CLAIMED)])
    for rival in ("ucb-psq", "ts-psq"):
        verdicts: Counter[str] = Counter()
        for name, (all_, tie) in settings.items():
            if not all_.get(ours) or not all_.get(rival):
                continue
            cells = [difference(all_, ours, rival, spend, tie) for spend in CLAIMED]
            verdicts.update(_verdicts(cells))
            seeds = len(set(all_[ours]) & set(all_[rival]))
            lines.append(f"| {name} | {rival} | {seeds} | " + " | ".join(map(str, cells)) + " |")
        lines.append(f"| **all** | {rival} | | {_counted(verdicts)} | | | |")
    return lines


def _cheap_first(settings: Mapping[str, tuple[Regrets, float]]) -> list[str]:
    lines = _head("`cheap-first` less the best other at each spend", ["setting", "seeds", *map(str, COMPARED)])
    verdicts: Counter[str] = Counter()
    by_problem: dict[str, Counter[str]] = {}
    for name, (all_, tie) in settings.items():
        if not all_.get(OURS) or len(all_) == 1:
            continue
        rivals = [strongest(all_, OURS, spend) for spend in COMPARED]
        cells = [difference(all_, OURS, rival, spend, tie) for rival, spend in zip(rivals, COMPARED, strict=True)]
        verdicts.update(_verdicts(cells))
        by_problem.setdefault(name.split(",")[0], Counter()).update(_verdicts(cells))
        shown = [f"{cell}, {rival}" for cell, rival in zip(cells, rivals, strict=True)]
        lines.append(f"| {name} | {len(all_[OURS])} | " + " | ".join(shown) + " |")
    lines.append("")
    lines.append(f"All cells: {_counted(verdicts)}.")
    lines += [f"{problem}: {_counted(counts)}." for problem, counts in by_problem.items()]
    return lines


def _one_by_one(settings: Mapping[str, tuple[Regrets, float]]) -> list[str]:
    lines = _head(f"`{OURS}` less each other method, all settings and spends together", ["rival", "cells"])
    for rival in dict.fromkeys(method for all_, _ in settings.values() for method in all_ if method != OURS):
        verdicts: Counter[str] = Counter()
        for all_, tie in settings.values():
            if all_.get(OURS) and all_.get(rival):
                verdicts.update(_verdicts(difference(all_, OURS, rival, spend, tie) for spend in COMPARED))
        lines.append(f"| {rival} | {_counted(verdicts)} |")
    return lines


def _everybody(settings: Mapping[str, tuple[Regrets, float]]) -> list[str]:
    lines = _head("Every method less the best other at each spend, all settings together", ["method", "cells"])
    for method in dict.fromkeys(method for all_, _ in settings.values() for method in all_):
        lines.append(f"| {method} | {_counted(against_the_best(settings, method))} |")
    return lines


def against_the_best(settings: Mapping[str, tuple[Regrets, float]], method: str) -> Counter[str]:
    """In how many cells a method is ahead of, tied with or behind the best other there, and how often surely."""
    verdicts: Counter[str] = Counter()
    for all_, tie in settings.values():
        if all_.get(method) and len(all_) > 1:
            rivals = [(strongest(all_, method, spend), spend) for spend in COMPARED]
            verdicts.update(_verdicts(difference(all_, method, rival, spend, tie) for rival, spend in rivals))
    return verdicts


def _verdicts(cells: Iterable[Difference]) -> list[str]:
    return [word for cell in cells for word in (cell.verdict, *(["sure " + cell.verdict] if cell.sure else []))]


def _counted(verdicts: Counter[str]) -> str:
    total = verdicts["ahead"] + verdicts["tied"] + verdicts["behind"]
    return (
        f"ahead in {verdicts['ahead']} of {total} ({verdicts['sure ahead']} \\*), tied in {verdicts['tied']}, "
        f"behind in {verdicts['behind']} ({verdicts['sure behind']} \\*)"
    )


def _head(title: str, columns: Sequence[str]) -> list[str]:
    return [f"## {title}", "", "| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
