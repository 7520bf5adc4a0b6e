"""The tables and the picture of what was covered: `python -m benchmarks.calibration.page`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.fresh import coverage
from partial_control_bench.page import markdown
from partial_control_bench.picture import save
from steerbo.plots.drawing import BLUE, GREEN, ORANGE, PURPLE, bare, new_figure

from ..front import Claim, claims, judged
from ..runs import as_csv, fill, finished, page
from .wings import HORIZONS, KEPT, WINGS

SHIPPED = ("twelfth",)
"""Runs of the version that is shipped, or of one that does the same."""
Row = Mapping[str, Any]
_LOOKS = dict(zip(WINGS, ((BLUE, "o"), (ORANGE, "s"), (GREEN, "D"), (PURPLE, "^")), strict=True))
_WANTED, _LOW = 90.0, 80.0
_HEAD = ["| problem | rounds | covered, % | width | widened | bounds |", "| --- | --- | --- | --- | --- | --- |"]


def covered(row: Row) -> bool:
    """Whether the truth is within the bounds."""
    return bool(row["lower"] <= row["truth"] <= row["upper"])


def share(rows: Sequence[Row]) -> tuple[float, float]:
    """Percent that cover the truth, of those that have bounds, with the standard error."""
    found = float(np.mean([covered(row) for row in rows if row["lower"] is not None]))
    count = sum(row["lower"] is not None for row in rows)
    return 100 * found, 100 * float(np.sqrt(found * (1 - found) / count))


def cells(rows: Iterable[Row]) -> tuple[str, str, str, str]:
    """Coverage with its standard error, median width in deviations of the outcomes, how often there were bounds."""
    every = list(rows)
    bounded = [row for row in every if row["lower"] is not None]
    if not bounded:
        return "–", "–", "–", f"{len(bounded)} of {len(every)}"
    percent, error = share(bounded)
    widths = [(row["upper"] - row["lower"]) / row["spread"] for row in bounded if row["spread"] > 0]
    wider = float(np.median([row["times"] for row in bounded]))
    return f"{percent:.1f} ± {error:.1f}", f"{np.median(widths):.2f}", f"{wider:.2f}", f"{len(bounded)} of {len(every)}"


def _groups(runs: Sequence[Mapping[str, Any]], wing: str) -> dict[str, list[Mapping[str, Any]]]:
    """Runs of a wing by problem, and all of them together."""
    own = [run for run in runs if run["wing"] == wing]
    found = {name: [run for run in own if run["problem"] == name] for name in WINGS[wing].PROBLEMS}
    return {name: some for name, some in found.items() if some} | {"**all**": own}


def lines(runs: Sequence[Mapping[str, Any]], wing: str) -> list[str]:
    """One wing: a line for each problem and horizon, and one for all together."""
    found = []
    for name, some in _groups(runs, wing).items():
        for h, number in enumerate(HORIZONS):
            told = cells(run["rows"][h] for run in some)
            shown = f"{name} *" if name in WINGS[wing].DRAWN else name
            found.append(f"| {shown} | {number} | {' | '.join(told)} |")
    return found


def section(file: Path) -> str:
    """All wings that have runs."""
    runs = list(finished(file).values())
    wings = [wing for wing in WINGS if any(run["wing"] == wing for run in runs)]
    return "\n".join(f"## {wing.capitalize()}\n\n" + "\n".join([*_HEAD, *lines(runs, wing)]) + "\n" for wing in wings)


def in_short(runs: Sequence[Mapping[str, Any]]) -> str:
    """Each kind at each horizon, and its worst problem at any of them."""
    head = "| kind | " + " | ".join(f"{number} rounds" for number in HORIZONS) + " | at worst |"
    rows = [head, "|" + " --- |" * (len(HORIZONS) + 2)]
    for wing in WINGS:
        every = _groups(runs, wing).pop("**all**")
        told = [cells(run["rows"][h] for run in every)[0] for h in range(len(HORIZONS))]
        least, name, number = min((percent, name, number) for name, number, percent in _single(runs, wing))
        rows.append(f"| {wing} | {' | '.join(told)} | {least:.0f}: {name}, {number} rounds |")
    return "\n".join(rows) + "\n"


def _single(runs: Sequence[Mapping[str, Any]], wing: str) -> list[tuple[str, int, float]]:
    """Problem, horizon, percent."""
    groups = _groups(runs, wing)
    groups.pop("**all**")
    return [
        (name, number, share([run["rows"][h] for run in some])[0])
        for name, some in groups.items()
        for h, number in enumerate(HORIZONS)
    ]


def rows(runs: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """What was wanted of bounds, and what came."""
    kinds = {wing: [run["rows"] for run in runs if run["wing"] == wing] for wing in WINGS}
    held = {(wing, n): share([each[h] for each in of]) for wing, of in kinds.items() for h, n in enumerate(HORIZONS)}
    (wing, number), (least, error) = min(held.items(), key=lambda item: item[1][0])
    program = "python -m benchmarks.calibration"
    yield Claim(
        f"bounds of every kind hold at least {_WANTED:g} times in a hundred, after 8, 16 and 32 rounds",
        judged(least >= _WANTED), f"the least: {wing} after {number} rounds, {least:.1f} ± {error:.1f} %",
        f"{len(runs)}", program,
    )  # fmt: skip
    single = sorted((percent, kind, name, n) for kind in WINGS for name, n, percent in _single(runs, kind))
    low = [f"{kind}, {name}: {percent:.0f} % after {n}" for percent, kind, name, n in single if percent < _LOW]
    below = sum(percent < _WANTED for percent, *_ in single)
    yield Claim(
        "… on every single problem, too", judged(not below),
        f"{below} of {len(single)} are below; under {_LOW:g}: {'; '.join(low)}", "29 a problem", program,
    )  # fmt: skip
    widths = {kind: [_width([each[h] for each in of]) for h in (0, -1)] for kind, of in kinds.items()}
    yield Claim(
        "they are at most half as wide after 32 rounds as after 8",
        judged(*(last <= first / 2 for first, last in widths.values())),
        "in deviations of the outcomes: " + "; ".join(f"{kind} {a:.2f} and {b:.2f}" for kind, (a, b) in widths.items())
        + "; what moves is not known for long", f"{len(runs)}", program,
    )  # fmt: skip


def _width(rows: Sequence[Row]) -> float:
    """The median width in deviations of the outcomes."""
    return float(cells(rows)[1])


def picture(runs: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Each kind with two standard errors, and its problems as small marks beside it."""
    shown = new_figure((9, 4), dpi=110)
    axes = shown.subplots()
    for k, wing in enumerate(WINGS):
        colour, shape = _LOOKS[wing]
        every = _groups(runs, wing)["**all**"]
        at = np.arange(len(HORIZONS)) + 0.2 * (k - 1.5)
        percent, error = np.array([share([run["rows"][h] for run in every]) for h in range(len(HORIZONS))]).T
        axes.errorbar(at, percent, 2 * error, fmt=shape, color=colour, ms=8, capsize=3, label=wing)
        for _, number, single in _single(runs, wing):
            axes.plot(at[HORIZONS.index(number)] + 0.06, single, shape, color=colour, ms=4, alpha=0.4)
    axes.axhline(_WANTED, color="grey", ls="--", lw=1, label="wanted")
    axes.set(xlabel="rounds played", ylabel="bounds that cover the truth, %", ylim=(60, 101))
    axes.set_xticks(range(len(HORIZONS)), [str(number) for number in HORIZONS])
    axes.legend(fontsize=8, loc="lower right", ncols=5, frameon=False)
    bare(axes)
    save(shown, file)


def shipped(lines: Sequence[Mapping[str, Any]]) -> str:
    """Coverage by kind of problem and horizon, with standard errors between functions."""
    horizons = sorted({row["rounds"] for line in lines for row in line["rows"]})
    table = []
    for wing in dict.fromkeys(line["wing"] for line in lines):
        own = [line for line in lines if line["wing"] == wing]
        found = [wing]
        for h in horizons:
            by: dict[tuple[str, int], list[bool]] = {}
            for line in own:
                by.setdefault((line["registration"], line["index"]), []).extend(
                    row["covered"] for row in coverage.bounded(line["rows"]) if row["rounds"] == h
                )
            each = [float(np.mean(some)) for some in by.values()]
            found.append(f"{100 * np.mean(each):.0f} ± {100 * np.std(each, ddof=1) / len(each) ** 0.5:.0f}")
        whole = np.mean([row["covered"] for line in own for row in coverage.bounded(line["rows"])])
        table.append((*found, f"{100 * whole:.0f}"))
    return markdown(("kind", *(f"{h} rounds" for h in horizons), "all"), table)


def write(folder: Path) -> str:
    """The picture and the table of all problems beside the runs; returns the short one."""
    runs = list(finished(folder / KEPT).values())
    picture(runs, folder / "calibration.png")
    every = [f"| {wing} {line}" for wing in WINGS for line in lines(runs, wing)]
    as_csv("\n".join([f"| kind {_HEAD[0]}", _HEAD[1], *every]), folder / "calibration.csv")
    fill(folder / "calibration.md", "claims", claims(rows(runs)))
    fill(folder / "calibration.md", "kinds", short := in_short(runs))
    played = {name: coverage.read(folder / "runs" / f"coverage-{name}.jsonl") for name in SHIPPED}
    every_kind = sorted(
        (line for some in played.values() for line in some), key=lambda line: [*WINGS].index(line["wing"])
    )
    fill(folder / "calibration.md", "shipped", shipped(every_kind))
    return short


if __name__ == "__main__":
    page(__doc__, write)
