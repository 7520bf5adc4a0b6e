"""A claim, and what runs say of it: a verdict by a rule that is the same for all, the numbers, and the command."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..page import markdown
from ..record import Result
from ..statistics import Summary, by_entrant, by_seed, paired, shown

HOLDS, NOT, DEPENDS, OPEN = "holds", "does not hold", "depends", "not run"
_SURE = 2.0  # standard errors
RULE = (
    "*Holds*: ahead in every case by more than two standard errors of the difference, paired by seed. *Does not hold*: "
    "behind in the same way. *Depends*: anything else; the numbers say on what. Numbers are means, and in brackets the "
    "paired difference with its standard error."
)


@dataclass(frozen=True)
class Claim:
    """One row of a page."""

    words: str
    verdict: str
    number: str
    seeds: str
    command: str

    @property
    def cells(self) -> tuple[str, ...]:
        """As a row."""
        return self.words, f"**{self.verdict}**", self.number, self.seeds, f"`{self.command}`"


def table(claims: Iterable[Claim]) -> str:
    """All rows."""
    rows, before = [], ""
    for claim in claims:
        *cells, command = claim.cells
        rows.append((*cells, "as above" if command == before else command))
        before = command
    return markdown(("claim, in our words", "", "numbers", "seeds", "command"), rows)


@dataclass(frozen=True)
class Compared:
    """One entrant less another on a problem, paired by seed; `first` and `second` are their means.

    Differences up to `margin` are ties.
    """

    problem: str
    away: Summary
    first: float
    second: float
    margin: float = 0.0

    @property
    def verdict(self) -> str:
        """Of "the first loses less"; where seeds move nothing that matters there is no error, and the sign decides."""
        if abs(self.away.mean) <= self.margin:
            return DEPENDS
        sure = abs(self.away.mean) > _SURE * self.away.error or math.isnan(self.away.error)
        return DEPENDS if not sure else HOLDS if self.away.mean < 0 else NOT


def compare(
    results: Sequence[Result],
    problem: str,
    first: str,
    second: str,
    measure: str,
    mark: float,
    margin: float = 0.0,
) -> Compared | None:
    """Two entrants, by label, at a mark; None where there are no seeds that both have."""
    runs = by_entrant(results, problem)
    sides = [by_seed(runs.get(name, []), measure, mark) for name in (first, second)]
    shared = sides[0].keys() & sides[1].keys()
    if (away := paired(*sides)) is None:
        return None
    here, there = (sum(side[seed] for seed in shared) / len(shared) for side in sides)
    return Compared(problem, away, here, there, margin)


def together(words: str, cases: Mapping[str, Compared | None], command: str) -> Claim:
    """A claim over several cases: it holds if it surely does in all of them, and so on.

    >>> together("a beats b", {"x": None}, "pcb run a x").verdict
    'not run'
    """
    there = {name: case for name, case in cases.items() if case is not None}
    if not there:
        return Claim(words, OPEN, "–", "0", command)
    verdicts = {name: case.verdict for name, case in there.items()}
    same = set(verdicts.values())
    verdict = same.pop() if len(same) == 1 else DEPENDS
    parts = [
        f"{name}: {shown(case.first)} against {shown(case.second)} ({shown(case.away.mean)} ± {shown(case.away.error)})"
        for name, case in there.items()
    ]
    counts = sorted({case.away.runs for case in there.values()})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return Claim(words, verdict, "; ".join(parts), seeds, command)


def counted(words: str, cases: Mapping[str, Compared | None], command: str) -> Claim:
    """The same of many cases by group, which is what stands before the comma.

    A group speaks for the claim where at least half its cells are surely ahead and none is surely
    behind, and against it where none is surely ahead and some are surely behind.
    """
    there = {name: case for name, case in cases.items() if case is not None}
    if not there:
        return Claim(words, OPEN, "–", "0", command)
    tally: dict[str, list[int]] = {}
    for name, case in there.items():
        row = tally.setdefault(name.partition(",")[0], [0, 0, 0])
        row[(HOLDS, DEPENDS, NOT).index(case.verdict)] += 1
    groups = {name: _of_group(*row) for name, row in tally.items()}
    same = set(groups.values())
    yes = [name for name, verdict in groups.items() if verdict == HOLDS]
    verdict = (
        same.pop()
        if len(same) == 1
        else f"{DEPENDS}: holds on {', '.join(yes)}"
        if yes
        else DEPENDS
    )
    parts = "; ".join(f"{name} {'/'.join(map(str, row))}" for name, row in tally.items())
    counts = sorted({case.away.runs for case in there.values()})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return Claim(
        words,
        verdict,
        f"cells surely less/neither/surely more: {parts}",
        f"{seeds} a cell",
        command,
    )


def _of_group(ahead: int, neither: int, behind: int) -> str:
    if behind == 0 and 2 * ahead >= ahead + neither:
        return HOLDS
    return NOT if ahead == 0 and behind > 0 else DEPENDS
