"""Stated laws, and that variables go by themselves, are held against what nature was seen to do.

Every variable that a round leaves to nature shows what its law is worth, and every two of them whether they go
together. All checks share `ALPHA`: the chance that a study in which every law holds is ever warned is no larger,
however long it goes on (see `space.evidence`). Which rounds leave what to nature may hang on all that was known
before; what a round shows is then still as its law says, whatever was seen before choosing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from ..space.evidence import PAIR_BINS, Interval, PairEvidence, Ranks, shares
from .events import Event
from .history import History
from .law_evidence import LawEvidence, Shown, ShownSoFar
from .law_findings import alone_in_words, pair_in_words
from .problem import Problem
from .stated_law import StatedLaw

ALPHA = 0.01
"""The chance of a false alarm in a whole study, at most."""
MOST_PAIRED = 40
"""Variables that are checked for going together, two at a time: the first so many."""


class LawChecks:
    """What was realised so far, and what of it speaks against the laws that a problem states."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._shown = ShownSoFar()
        self._begin()

    def _begin(self) -> None:
        self._findings: tuple[str, ...] = ()
        self._late: list[Shown] = []
        laws = self.problem.stated_laws
        checked = {name: law for name, law in laws.items() if not (law.given or law.learned)}
        self._alone = {name: LawEvidence(law) for name, law in checked.items()}
        self._found: set[Any] = set()
        self._pairs = _pairs(self.problem, laws)
        self._together = PairEvidence(len(self._pairs))
        self._rows: list[dict[str, float]] = []  # of every round what it showed of variables that are paired, encoded
        self._ranks = {name: Ranks() for pair in self._pairs for name in pair}
        kinds = bool(self._alone) + bool(self._pairs)
        self._alone_from, self._pair_from = kinds * len(self._alone) / ALPHA, kinds * len(self._pairs) / ALPHA

    def learn(self, event: Event, history: History) -> None:
        """Take one event in; `history` has it already."""
        anew, rounds = self._shown.take(event, history) if self._alone or self._pairs else (False, [])
        if anew:
            self._begin()
        self._late += rounds  # a log that is read back is asked once, in the end

    @property
    def findings(self) -> tuple[str, ...]:
        """In words, what was found to be otherwise than stated, in order; each stays as it was found."""
        late, self._late = self._late, []
        for held, known, realised in late:
            self.shown(held, known, realised)
        return self._findings

    def shown(self, held: Collection[str], known: Collection[str], realised: Mapping[str, Any]) -> None:
        """What a round shows that set `held` and before knew `known`, whose laws then did not matter."""
        there = {name: value for name, value in realised.items() if name not in held}
        codes = {
            name: float(self.problem.space[name].encode([there[name]])[0]) for name in self._ranks if name in there
        }
        ranks = {name: self._ranks[name].take(code) for name, code in codes.items()}
        for name, alone in self._alone.items():
            if name not in there or name in known:
                continue
            if alone.take(there[name]) >= self._alone_from and name not in self._found:
                self._find(name, alone_in_words(self.problem, alone.law, alone.values))
        if self._pairs:
            self._rows.append(codes)
            self._pair_up(ranks)

    def _pair_up(self, ranks: Mapping[str, Interval]) -> None:
        """Whether variables go together, by where they stand among what they were before."""
        nothing = np.zeros(PAIR_BINS)
        bins = {name: shares(ranks[name], (PAIR_BINS,)) if name in ranks else nothing for name in self._ranks}
        first, second = (np.array([bins[pair[k]] for pair in self._pairs]) for k in (0, 1))
        self._together.take(first, second)
        for k in np.flatnonzero(self._together.values >= self._pair_from).tolist():
            a, b = pair = self._pairs[k]
            if pair not in self._found:
                both = [(row[a], row[b]) for row in self._rows if a in row and b in row]
                self._find(pair, pair_in_words(self.problem, a, b, both))

    def _find(self, about: Any, finding: str) -> None:
        self._found.add(about)
        self._findings = (*self._findings, finding)


def _pairs(problem: Problem, laws: Mapping[str, StatedLaw]) -> list[tuple[str, str]]:
    """A variable whose law is the same in every round, and another that must not matter for it: drawn, too, or seen.

    A law given what is seen changes with that. So of two such laws, as of one and what is seen, nothing can be said;
    where the other law is the same in every round, it is that one which is held against this variable.
    """
    named = [*list(laws)[:MOST_PAIRED], *(name for name in problem.space.seen if name not in laws)]
    steady = {name for name in named if name in laws and not problem.space[name].seen and not laws[name].given}
    pairs = [(a, b) if a in steady else (b, a) for a, b in combinations(named, 2) if a in steady or b in steady]
    groups = {name: law.group for name, law in laws.items()}
    return [(a, b) for a, b in pairs if groups[a] is None or groups[a] != groups.get(b)]


__all__ = ["ALPHA", "MOST_PAIRED", "LawChecks"]
