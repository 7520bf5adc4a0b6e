"""How every paper's page is laid out: claims, picture, ours, peers, costs; the appendix is a table for each problem."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import picture
from ..costs import PROBLEMS, SIZES, too_slow
from ..entrants import PEERS
from ..kept import text_of, there
from ..page import markdown, shared_mark
from ..record import Result
from ..registry import problem
from ..statistics import Summary, by_entrant, by_seed, paired, shown, summary
from .claim import RULE, Claim, table

_INVENTED = ("cheap-first", "tempered-elimination", "switching-elimination", "coca-bo-on-botorch")
"""Methods that no paper has; the last is BoTorch's model in arms that our rule chooses."""
_ONE_RUN = ("cost-varying",)
"""Wings whose costs at all sizes were taken in one run."""
_FEWEST = 3  # seeds of who is shown beside others
COMMAND = "python -m partial_control_bench.papers evidence"
PEERS_PAGE = "../../benchmarks/README.md#peers-and-what-they-cannot-be-told"
HERE = "papers"
"""The folder of these pages in that of all results."""


@dataclass(frozen=True)
class Paper:
    """One page.

    Attributes:
        file: its name, without ".md".
        title: as a heading.
        wing: whose problems it has.
        about: a sentence or two.
        claims: from all results to rows.
        drawn: the picture's panels: a problem each, and labels of entrants; those that have not
            played are left out.
        read: how the paper had to be read, as items of a list.
        ours: labels of methods that no paper has; the first alone stands beside the published ones.
        problems: those that are shown beside each other; the appendix has all.
        cannot: what peers cannot be told here.
        names: pairs of a label and what it is called on the page.
        elsewhere: where the default is another method, and where that is shown.
        more: from all results to a section of its own, after the picture.
    """

    file: str
    title: str
    wing: str
    about: str
    claims: Callable[[Sequence[Result]], list[Claim]]
    drawn: tuple[tuple[str, tuple[str, ...]], ...]
    read: tuple[str, ...]
    ours: tuple[str, ...]
    problems: tuple[str, ...]
    cannot: str
    names: tuple[tuple[str, str], ...] = ()
    elsewhere: str = ""
    more: Callable[[Sequence[Result]], str] | None = None

    def runs(self, results: Sequence[Result], name: str) -> dict[str, list[Result]]:
        """Those of a problem, by label, or by what the label is called here."""
        called = dict(self.names)
        return {
            called.get(label, label): those for label, those in by_entrant(results, name).items()
        }


def write(paper: Paper, results: Sequence[Result], folder: Path) -> tuple[list[Claim], str]:
    """The page, its picture and its CSV; returns the claims, and the picture in words, for the front page."""
    own = [r for r in results if problem(r.problem).wing == paper.wing]
    claims = paper.claims(own)
    alt = draw(paper, own, folder)
    read = "\n".join(f"* {item}" for item in paper.read)
    more = [paper.more(own)] if paper.more else []
    parts = [
        f"# {paper.title}\n\n{paper.about} [All pages](../index.md).\n",
        f"## Claims\n\n{RULE} Regret is without noise; less is better.\n\n{table(claims)}",
        f"![{alt}]({paper.file}.png)\n\nPicture and tables: `{COMMAND}`. Bands are two standard errors.\n",
        *more,
        f"## Ours\n\n{beside(paper, own)}",
        f"## Peers\n\n{peers(paper, own)}",
        f"## What it costs\n\n{spent(paper.wing, folder.parent / 'runs' / 'costs.jsonl')}",
        f"## How it was read\n\n{read}\n",
        f"## Appendix\n\nEvery entrant on every problem: [{paper.file}.csv]({paper.file}.csv).\n",
    ]
    (folder / f"{paper.file}.md").write_text("\n".join(parts), encoding="utf-8")
    appendix(own, folder / f"{paper.file}.csv")
    return claims, alt


def draw(paper: Paper, results: Sequence[Result], folder: Path) -> str:
    """The picture, and what it shows in words."""
    told = []
    figure, panels = picture.axes(7.0 if len(paper.drawn) == 1 else 10.0, columns=len(paper.drawn))
    for (name, entrants), ax in zip(paper.drawn, panels, strict=True):
        about, found = problem(name), paper.runs(results, name)
        measure = about.compared
        runs = {who: found[who] for who in entrants if who in found}
        picture.curves(
            ax, runs, measure, about.budget.unit, styles={who: k for k, who in enumerate(entrants)}
        )
        ax.set_title(textwrap.fill(about.title, 56), fontsize=9)
        told.append(
            f"{picture.WORDS[measure]} on {name} against {about.budget.unit}{_ends(runs, measure)}"
        )
    picture.save(figure, folder / f"{paper.file}.png")
    return f"Lines of {'; '.join(told)}"


def _ends(runs: Mapping[str, Sequence[Result]], measure: str) -> str:
    if (mark := shared_mark(runs, measure)) is None:
        return ""
    ends = {
        name: summary([*by_seed(those, measure, mark).values()]).mean
        for name, those in runs.items()
    }
    told = ", ".join(
        f"{name} {shown(mean)}" for name, mean in sorted(ends.items(), key=lambda pair: pair[1])
    )
    return f", at {mark:g}: {told}"


def beside(paper: Paper, results: Sequence[Result]) -> str:
    """For each of the paper's problems that are shown: ours by default, and the best published method."""
    rows = []
    for name in paper.problems:
        measure = problem(name).compared
        runs = {
            who: those
            for who, those in paper.runs(results, name).items()
            if those[0].entrant not in PEERS
        }
        runs = {who: those for who, those in runs.items() if len(those) >= _FEWEST}
        others = [
            who for who in runs if who not in paper.ours and not _left_out(runs[who][0].entrant)
        ]
        runs = {who: those for who, those in runs.items() if who in (*paper.ours, *others)}
        mark = shared_mark(runs, measure)
        if mark is None:
            continue
        means = {
            who: summary([*by_seed(those, measure, mark).values()]) for who, those in runs.items()
        }
        fixed = problem(name).seed_moves == "the start"
        cells = [_best(means, side, fixed) for side in (paper.ours[:1], others)]
        rows.append((name, _at(name, mark), *cells))
    note = (
        f"Mean ± standard error (seeds) at the last mark that all these runs share. Ours is `{paper.ours[0]}` as it comes; of the "
        "published methods the best is shown, options included, which flatters it. Who has fewer than three seeds is in the appendix alone."
        f"{paper.elsewhere}\n\n"
    )
    return note + markdown(("problem", "after", "ours", "the best of the published methods"), rows)


def _at(name: str, mark: float) -> str:
    return f"{mark:g} {problem(name).budget.unit}"


def _paid(runs: Sequence[Result]) -> str:
    """What they paid on average, where rounds are counted and cost more or less than 1."""
    money = [r.money for r in runs]
    same = runs[0].budget.money is not None or all(r.money == r.rounds for r in runs)
    return "" if same else f", paid {shown(sum(money) / len(money))}"


def peers(paper: Paper, results: Sequence[Result]) -> str:
    """All peers, from the best on, at every mark where some of them ended; what they cannot be told."""
    rows, own = [], paper.ours[0]
    for name in paper.problems:
        runs = paper.runs(results, name)
        sides = {
            who: those
            for who, those in runs.items()
            if those[0].entrant in PEERS and who != "random"
        }
        sides = {who: those for who, those in sides.items() if len(those) >= _FEWEST}
        if sides and len(runs.get(own, ())) >= _FEWEST:
            rows += _against(name, own, runs[own], sides)
    if not rows:
        return f"None was run. {paper.cannot}\n"
    note = (
        f"{paper.cannot} Each is played as its documentation has it ([adapters and their limits]({PEERS_PAGE})); which, and on which seeds, was [written down before](../peers-registered.md). "
        "Mean ± standard error (seeds; few where a peer is slow: a run takes TPE and CMA-ES a second, those with a model a minute; who has fewer than three is in the appendix alone; where rounds count, what was paid), and the "
        "difference on the seeds that both have, bold where ours has surely more. A problem has a row for each mark at which some of them ended.\n\n"
    )
    return note + markdown(
        ("problem", "after", own, "peers, from the best on", "ours less the best peer"), rows
    )


def _against(
    name: str, own: str, ours: Sequence[Result], sides: Mapping[str, Sequence[Result]]
) -> list[Sequence[str]]:
    """A problem's rows: at each mark where runs of some peer end, all that come as far."""
    measure, rows = problem(name).compared, list[Sequence[str]]()
    ends = {who: shared_mark({own: ours, who: those}, measure) for who, those in sides.items()}
    for mark in sorted({end for end in ends.values() if end is not None}):
        values = {
            who: by_seed(sides[who], measure, mark)
            for who, end in ends.items()
            if end is not None and end >= mark
        }
        values = {who: of for who, of in values.items() if len(of) >= _FEWEST}
        if not values:
            continue
        means = {who: summary([*of.values()]) for who, of in values.items()}
        order, mine = sorted(means, key=lambda who: means[who].mean), by_seed(ours, measure, mark)
        last = mark == max(end for end in ends.values() if end is not None)
        paid = {who: _paid(sides[who]) if ends[who] == mark else "" for who in order}
        told = "; ".join(f"{who} {means[who]} ({means[who].runs}{paid[who]})" for who in order)
        here = f"{summary([*mine.values()])} ({len(mine)}{_paid(ours) if last else ''})"
        rows.append((name, _at(name, mark), here, told, _less(paired(mine, values[order[0]]))))
    return rows


def _less(away: Summary | None) -> str:
    if away is None:
        return "no seed in common"
    behind = away.mean > 2 * away.error
    return f"**{away}** ({away.runs})" if behind else f"{away} ({away.runs})"


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


def spent(wing: str, file: Path) -> str:
    """What an ask costs in one interleaved run (`partial_control_bench.costs`)."""
    lines = [json.loads(line) for line in text_of(file).splitlines()] if there(file) else []
    found = {(line["entrant"], line["n"]): line for line in lines if line["wing"] == wing}
    if not found:
        return f"Not measured: `python -m partial_control_bench.costs {wing}`.\n"
    rows = []
    for who in dict.fromkeys(entrant for entrant, _ in found):
        of = [found.get((who, n)) for n in SIZES]
        times = [_took(line, of[:k]) for k, line in enumerate(of)]
        rows.append((who, *times, max(line["mb"] or 0 for line in of if line)))
    later = "" if wing in _ONE_RUN else ", the column of 2000 and some rows later than the rest"
    note = (
        f"Median CPU milliseconds of an ask once n outcomes are known, and the process's peak memory, on {PROBLEMS[wing]}: entrants by "
        f"turns on one thread{later} (`python -m partial_control_bench.costs {wing}`). Who takes more than ten seconds is not asked "
        "at the next size; –: not measured, or no answer within 400 seconds of the processor.\n\n"
    )
    columns = ("entrant", *(f"n = {n}, ms" for n in SIZES), "MB at the last")
    return note + markdown(columns, rows)


def _took(line: Mapping[str, Any] | None, before: Sequence[Mapping[str, Any] | None]) -> str:
    if line is not None and line["ms"] is not None:
        return shown(line["ms"]) if line["ms"] else "below the clock's tick"
    return (
        "> 10 000"
        if line is None and any(each and too_slow(each["ms"]) for each in before)
        else "–"
    )


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
