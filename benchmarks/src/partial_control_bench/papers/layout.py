"""How every paper's page is laid out: claims, picture, ours, peers, costs; the appendix is a table for each problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import picture
from ..entrants import PEERS
from ..page import markdown, shared_mark
from ..record import Result
from ..registry import problem
from ..statistics import MEASURES, Summary, by_entrant, by_seed, shown, summary
from .claim import RULE, Claim, table

_INVENTED = ("cheap-first", "tempered-elimination", "switching-elimination")
"""Methods that no paper has."""


@dataclass(frozen=True)
class Paper:
    """One page.

    Attributes:
        file: its name, without ".md".
        title: as a heading.
        wing: whose problems it has.
        about: a sentence or two.
        claims: from all results to rows.
        shown: the problem of the picture.
        drawn: labels of the entrants in the picture; those that have not played are left out.
        read: how the paper had to be read, as items of a list.
        ours: labels of methods that no paper has.
        problems: those that are shown beside each other; the appendix has all.
        names: pairs of a label and what it is called on the page.
    """

    file: str
    title: str
    wing: str
    about: str
    claims: Callable[[Sequence[Result]], list[Claim]]
    shown: str
    drawn: tuple[str, ...]
    read: tuple[str, ...]
    ours: tuple[str, ...]
    problems: tuple[str, ...]
    names: tuple[tuple[str, str], ...] = ()

    def runs(self, results: Sequence[Result], name: str) -> dict[str, list[Result]]:
        """Those of a problem, by label, or by what the label is called here."""
        called = dict(self.names)
        return {called.get(label, label): those for label, those in by_entrant(results, name).items()}


def write(paper: Paper, results: Sequence[Result], folder: Path) -> list[Claim]:
    """The page, its picture and its CSV; returns the claims, for the front page."""
    own = [r for r in results if problem(r.problem).wing == paper.wing]
    claims = paper.claims(own)
    alt = draw(paper, own, folder)
    command = "python -m partial_control_bench.papers docs/results/papers"
    read = "\n".join(f"* {item}" for item in paper.read)
    parts = [
        f"# {paper.title}\n\n{paper.about} [All pages](index.md).\n",
        f"## Claims\n\n{RULE} Regret is without noise; less is better.\n\n{table(claims)}",
        f"![{alt}]({paper.file}.png)\n\nPicture and tables: `{command}`. Bands are two standard errors.\n",
        f"## Beside each other\n\n{beside(paper, own)}",
        f"## Time\n\n{times(own)}",
        f"## How it was read\n\n{read}\n",
        f"## Appendix\n\nEvery entrant on every problem: [{paper.file}.csv]({paper.file}.csv).\n",
    ]
    (folder / f"{paper.file}.md").write_text("\n".join(parts), encoding="utf-8")
    appendix(own, folder / f"{paper.file}.csv")
    return claims


def draw(paper: Paper, results: Sequence[Result], folder: Path) -> str:
    """The picture, and what it shows in words."""
    runs = {name: those for name, those in paper.runs(results, paper.shown).items() if name in paper.drawn}
    about, measure = problem(paper.shown), MEASURES[paper.wing]
    figure, ax = picture.axes()
    if all(len(r.curve.at) == 1 for those in runs.values() for r in those):
        picture.bars(ax, runs, measure, about.budget.unit)
    else:
        picture.curves(ax, {name: runs[name] for name in paper.drawn if name in runs}, measure, about.budget.unit)
    ax.set_title(about.title, fontsize=9)
    picture.save(figure, folder / f"{paper.file}.png")
    mark = shared_mark(runs, measure)
    ends = (
        {name: summary([*by_seed(those, measure, mark).values()]).mean for name, those in runs.items()} if mark else {}
    )
    told = ", ".join(f"{name} {shown(mean)}" for name, mean in sorted(ends.items(), key=lambda pair: pair[1]))
    return f"{picture.WORDS[measure]} on {paper.shown} against {about.budget.unit}; at {mark or 0:g}: {told}"


def beside(paper: Paper, results: Sequence[Result]) -> str:
    """For each of the paper's problems that are shown: ours by default, the best published method, the best peer."""
    rows, measure = [], MEASURES[paper.wing]
    for name in paper.problems:
        runs = paper.runs(results, name)
        mark = shared_mark(runs, measure)
        if mark is None:
            continue
        means = {who: summary([*by_seed(those, measure, mark).values()]) for who, those in runs.items()}
        peers = [who for who, those in runs.items() if those[0].entrant in PEERS]
        others = [who for who in means if who not in (*peers, *paper.ours) and not _left_out(runs[who][0].entrant)]
        fixed = problem(name).seed_moves == "the start"
        cells = [_best(means, side, fixed) for side in (paper.ours, others, peers)]
        rows.append((name, f"{mark:g}", *cells))
    unit = "money" if paper.wing == "cost-varying" else "rounds"
    note = (
        "Mean ± standard error (seeds) at the last mark that all runs of the problem share. Ours is as it comes; of the others the "
        "best is shown, options included, which flatters them.\n\n"
    )
    columns = ("problem", unit, "ours", "the best of the published methods", "the best peer")
    return note + markdown(columns, rows)


def _left_out(entrant: str) -> bool:
    """Ours with other options, and what is chosen in hindsight."""
    return entrant in _INVENTED or "hindsight" in entrant


def _best(means: Mapping[str, Summary], side: Sequence[str], fixed: bool) -> str:
    there = [who for who in side if who in means]
    if not there:
        return "not run"
    best = min(there, key=lambda who: means[who].mean)
    return f"{best} {_told(means[best], fixed)}"


def _told(found: Summary, fixed: bool) -> str:
    return f"{shown(found.mean)} ({found.runs})" if fixed else f"{found} ({found.runs})"


def times(results: Sequence[Result]) -> str:
    """Median over runs of the CPU milliseconds of a round, by entrant; machines differ, and were busy."""
    found: dict[str, list[float]] = {}
    for r in results:
        spent = r.cpu_ms_per_ask or (1e3 * r.cpu_seconds / r.rounds if r.cpu_seconds and r.rounds else None)
        if spent is not None:
            found.setdefault(r.entrant, []).append(spent)
    if not found:
        return "No times were kept.\n"
    rows = [
        (who, shown(float(np.median(ms))), len(ms)) for who, ms in sorted(found.items(), key=lambda p: np.median(p[1]))
    ]
    return "CPU milliseconds of a round, median over runs.\n\n" + markdown(("entrant", "ms", "runs"), rows)


def appendix(results: Sequence[Result], file: Path) -> None:
    """For each problem and entrant, and each mark: seeds, mean, standard error, median and tail of both measures."""
    lines = ["problem,entrant,mark,measure,seeds,mean,standard error,median,one in ten exceeds"]
    for name in dict.fromkeys(r.problem for r in results):
        for who, those in by_entrant(results, name).items():
            for mark in sorted({m for r in those for m in r.curve.at}):
                for measure in ("simple", "cumulative"):
                    values = [*by_seed(those, measure, mark).values()]
                    if values:
                        s = summary(values)
                        cells = (s.mean, s.error, s.median, s.tail)
                        told = ",".join("" if math.isnan(c) else f"{c:.5g}" for c in cells)
                        lines.append(f'{name},"{who}",{mark:g},{measure},{s.runs},{told}')
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
