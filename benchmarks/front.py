"""What stands before the appendix of a page of our own figures: claims with verdicts, and a picture of spots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.page import markdown
from partial_control_bench.picture import COLOURS, save
from steerbo.plots.drawing import bare, new_figure

from .runs import fill

HOLDS, NOT, DEPENDS = "holds", "does not hold", "depends"
_SHAPES = "osD^vPX*"
_PLAYED = "python -m benchmarks."


@dataclass(frozen=True)
class Claim:
    """What was wanted, what came, in numbers, of how many runs, and the command that plays them."""

    words: str
    verdict: str
    numbers: str
    runs: str
    command: str


def judged(*came: bool) -> str:
    """Of all parts of what was wanted.

    >>> judged(True, True), judged(True, False), judged(False)
    ('holds', 'depends', 'does not hold')
    """
    return HOLDS if all(came) else DEPENDS if any(came) else NOT


def claims(rows: Iterable[Claim]) -> str:
    """As a Markdown table; a command is named once where several rows share it."""
    lines, before = [], ""
    for row in rows:
        command = "as above" if row.command == before else f"`{row.command.removeprefix(_PLAYED)}`"
        lines.append((row.words, f"**{row.verdict}**", row.numbers, row.runs, command))
        before = row.command
    return markdown(("claim, in our words", "", "numbers", "runs", f"played by `{_PLAYED}…`"), lines)


def put(folder: Path, name: str, rows: Iterable[Claim]) -> str:
    """Claims where they stand on the page of this name; returns them."""
    fill(folder / name, "claims", found := claims(rows))
    return found


def mean(values: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """With its standard error; NaN of one value."""
    found = np.asarray(values, dtype=float)
    error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.nan
    return float(found.mean()), float(error)


def told(values: Sequence[float] | np.ndarray, digits: int = 3, sign: str = "") -> str:
    """The same in words.

    >>> told([1.0, 3.0], 1)
    '2.0 ± 1.0'
    """
    middle, error = mean(values)
    return f"{middle:{sign}.{digits}f}" + ("" if np.isnan(error) else f" ± {error:.{digits}f}")


@dataclass(frozen=True)
class Panel:
    """For each case and each series a mean and its standard error.

    Attributes:
        label: of the axis, with its unit.
        spots: by series, then case.
    """

    label: str
    spots: Mapping[str, Mapping[str, tuple[float, float]]]

    @property
    def cases(self) -> list[str]:
        """In the order of the series."""
        return list(dict.fromkeys(case for of in self.spots.values() for case in of))


def spots(panels: Sequence[Panel], file: Path, width: float = 7.0) -> None:
    """Cases from top to bottom, a mark of its own shape for each series, with two standard errors."""
    row = max(0.28, 0.12 + 0.07 * max(len(panel.spots) for panel in panels))
    tall = row * max(len(panel.cases) for panel in panels)
    shown = new_figure((width, 1.6 + max(tall, 1.6)), dpi=110)
    for axes, panel in zip(np.ravel(shown.subplots(1, len(panels))), panels, strict=True):
        _draw(axes, panel)
    names = list(dict.fromkeys(name for panel in panels for name in panel.spots))
    handles = {h.get_label(): h for axes in shown.axes for h in axes.get_legend_handles_labels()[0]}
    shown.legend(
        handles=[handles[name] for name in names],
        loc="outside lower center", ncols=2 if width < 8 else 3, frameon=False, fontsize=9,
    )  # fmt: skip
    save(shown, file)


def _draw(axes: Any, panel: Panel) -> None:
    cases = panel.cases
    for k, (name, of) in enumerate(panel.spots.items()):
        at = [cases.index(case) + 0.16 * (k - (len(panel.spots) - 1) / 2) for case in of]
        middle, error = np.array(list(of.values())).T
        colour, shape = COLOURS[k % len(COLOURS)], _SHAPES[k % len(_SHAPES)]
        axes.errorbar(middle, at, xerr=2 * error, fmt=shape, color=colour, ms=5, capsize=2, lw=1, label=name)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    axes.set_yticks(range(len(cases)), cases)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(panel.label)
    bare(axes)
