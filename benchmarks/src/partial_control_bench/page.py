"""A page of anybody's results: for each problem a picture, a table, and the long table as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from . import picture
from .problem import Problem
from .record import Result
from .registry import problem
from .statistics import TAIL, by_entrant, by_seed, paired, shown, summary

_HEAD = (
    "entrant",
    "seeds",
    "mean ± standard error",
    "median",
    f"one in {1 / (1 - TAIL):.0f} exceeds",
    "less the best",
)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table."""
    written = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in written) + "\n"


def shared_mark(runs: Mapping[str, Sequence[Result]], measure: str) -> float | None:
    """The last mark that all runs have."""
    marks = [
        {m for m in r.curve.at if r.at(measure, m) is not None}
        for results in runs.values()
        for r in results
    ]
    shared = set.intersection(*marks) if marks else set()
    return max(shared, default=None)


def table(runs: Mapping[str, Sequence[Result]], measure: str, mark: float, about: Problem) -> str:
    """Entrants from the best mean on; differences are paired by seed."""
    values = {name: by_seed(results, measure, mark) for name, results in runs.items()}
    order = sorted(values, key=lambda name: summary([*values[name].values()]).mean)
    rows = []
    for name in order:
        found, away = summary([*values[name].values()]), paired(values[name], values[order[0]])
        mean = str(found) if about.seed_moves != "the start" else shown(found.mean)
        less = (
            ""
            if name == order[0]
            else "no seed in common"
            if away is None
            else f"{away} ({away.runs} seeds)"
        )
        rows.append((name, found.runs, mean, shown(found.median), shown(found.tail), less))
    return markdown(_HEAD, rows)


def section(about: Problem, results: Sequence[Result], folder: Path) -> str:
    """One problem: its title, picture and table; the picture goes into the folder."""
    runs, measure = by_entrant(results, about.name), about.compared
    mark = shared_mark(runs, measure)
    head = f"## {about.name}\n\n{about.title} ({about.source}). Version {about.version}.\n\n"
    if mark is None:
        return head + "The runs have no mark in common.\n"
    figure, (ax,) = picture.axes()
    picture.curves(ax, runs, measure, about.budget.unit)
    ax.set_title(about.title, fontsize=9)
    picture.save(figure, folder / f"{about.name}.png")
    alt = f"Line chart: {picture.WORDS[measure]} against {about.budget.unit} for {', '.join(runs)} on {about.name}"
    note = (
        ""
        if about.seed_moves != "the start"
        else "Seeds move nothing but the start here: there are no errors.\n\n"
    )
    measured = picture.WORDS[measure].capitalize()
    words = f"{measured}, at {mark:g} {about.budget.unit}, without noise; less is better.\n\n"
    return f"{head}![{alt}]({about.name}.png)\n\n{words}{note}{table(runs, measure, mark, about)}"


def write(results: Sequence[Result], folder: Path, title: str = "Results") -> Path:
    """The page, its pictures, and `runs.csv`."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(r.problem for r in results))
    body = [section(problem(name), results, folder) for name in names]
    file = folder / "index.md"
    about = f"{len(results)} runs; all of them, mark by mark, are in [runs.csv](runs.csv)."
    file.write_text(f"# {title}\n\n{about}\n\n" + "\n".join(body), encoding="utf-8")
    write_csv(results, folder / "runs.csv")
    return file


def write_csv(results: Iterable[Result], file: Path) -> None:
    """One line for each run and mark."""
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(
            (
                "problem",
                "entrant",
                "options",
                "seed",
                "mark",
                "simple",
                "cumulative",
                "cpu_ms_per_ask",
            )
        )
        for r in results:
            options = " ".join(f"{k}={v}" for k, v in sorted(r.options.items()))
            for mark in r.curve.at:
                cells = [r.at("simple", mark), r.at("cumulative", mark), r.cpu_ms_per_ask]
                shown_cells = ["" if cell is None else f"{cell:.6g}" for cell in cells]
                rows.writerow((r.problem, r.entrant, options, r.seed, f"{mark:g}", *shown_cells))
