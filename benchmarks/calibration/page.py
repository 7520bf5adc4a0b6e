"""The tables of what was covered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..runs import finished
from .wings import HORIZONS, WINGS

Row = Mapping[str, Any]


def covered(row: Row) -> bool:
    """Whether the truth is within the bounds."""
    return bool(row["lower"] <= row["truth"] <= row["upper"])


def cells(rows: Iterable[Row]) -> tuple[str, str, str, str]:
    """Coverage with its standard error, median width in deviations of the outcomes, how often there were bounds."""
    every = list(rows)
    bounded = [row for row in every if row["lower"] is not None]
    if not bounded:
        return "–", "–", "–", f"{len(bounded)} of {len(every)}"
    share = float(np.mean([covered(row) for row in bounded]))
    error = np.sqrt(share * (1 - share) / len(bounded))
    widths = [(row["upper"] - row["lower"]) / row["spread"] for row in bounded if row["spread"] > 0]
    wider = float(np.median([row["times"] for row in bounded]))
    return (
        f"{100 * share:.1f} ± {100 * error:.1f}",
        f"{np.median(widths):.2f}",
        f"{wider:.2f}",
        f"{len(bounded)} of {len(every)}",
    )


def table(runs: Sequence[Mapping[str, Any]], wing: str) -> str:
    """One wing: a line for each problem and horizon, and one for all together."""
    lines = ["| problem | rounds | covered, % | width | widened | bounds |", "| --- | --- | --- | --- | --- | --- |"]
    own = [run for run in runs if run["wing"] == wing]
    groups = {name: [run for run in own if run["problem"] == name] for name in WINGS[wing].PROBLEMS}
    for name, some in [*groups.items(), ("**all**", own)]:
        for h, number in enumerate(HORIZONS):
            told = cells(run["rows"][h] for run in some)
            shown = f"{name} *" if name in WINGS[wing].DRAWN else name
            lines.append(f"| {shown} | {number} | {' | '.join(told)} |")
    return "\n".join(lines) + "\n"


def section(file: Path) -> str:
    """All wings that have runs."""
    runs = list(finished(file).values())
    wings = [wing for wing in WINGS if any(run["wing"] == wing for run in runs)]
    return "\n".join(f"## {wing.capitalize()}\n\n{table(runs, wing)}" for wing in wings)
