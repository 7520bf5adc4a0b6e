"""Finished runs picked out, and figures of them as cells of a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Runs = list[dict[str, Any]]


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def pick(rows: Runs, experiment: str, method: str, **setting: Any) -> Runs:
    """Runs of one experiment and method with these settings, by seed."""
    found = [
        r
        for r in rows
        if r["experiment"] == experiment
        and r["method"] == method
        and all(r["setting"].get(name) == value for name, value in setting.items())
    ]
    return sorted(found, key=lambda r: int(r["seed"]))


def figure(values: Sequence[float], digits: int = 0) -> str:
    """Mean and standard error."""
    if not len(values):
        return "–"
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.{digits}f} ({error:.{digits}f})"


def totals(rows: Runs) -> list[float]:
    """Cumulative regrets."""
    return [r["total"] for r in rows]


def shares(method: str, found: Runs) -> tuple[str, ...]:
    """A method's name and the share of rounds behind each prior."""
    if not found:
        return ()
    plays = np.sum([r["plays"] for r in found], axis=0)
    return (method, *(f"{100 * share:.0f} %" for share in plays / plays.sum()))


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Ratio of means of paired runs and its standard error, by linearisation."""
    a, b = np.array(ours), np.array(theirs)
    r = a.mean() / b.mean()
    return float(r), float(np.std(a - r * b, ddof=1) / np.sqrt(len(a)) / b.mean())
