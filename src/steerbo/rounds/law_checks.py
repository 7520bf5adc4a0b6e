"""Stated laws, and that variables go by themselves, are held against what nature was seen to do.

Every variable that a round leaves to nature shows what its law is worth, and every two of them whether they go
together. All checks share `ALPHA`: the chance that a study in which every law holds is ever warned is no larger,
however long it goes on (see `space.evidence`). Which rounds leave what to nature may hang on all that was known
before; what a round shows is then still as its law says, whatever was seen before choosing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from ..space import Categorical
from ..space.evidence import Evidence, Interval, PairEvidence, Ranks
from .events import Added, Amended, Event, Failed, Told
from .history import History
from .law_findings import alone_in_words, pair_in_words
from .problem import Problem
from .stated_law import StatedLaw

ALPHA = 0.01
"""The chance of a false alarm in a whole study, at most."""
MOST_PAIRED = 40
"""Variables that are checked for going together, two at a time: the first so many."""
_ROUNDED = 6  # decimals from which on a number is taken as exact


class LawChecks:
    """What was realised so far, and what of it speaks against the laws that a problem states.

    Attributes:
        findings: in words, what was found to be otherwise than stated, in order; each stays as it was found.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._begin()

    def _begin(self) -> None:
        self.findings: tuple[str, ...] = ()
        laws = self.problem.stated_laws
        self._alone = {name: _Alone(law) for name, law in laws.items()}
        names = list(laws)[:MOST_PAIRED]
        pairs = [(a, b) for a, b in combinations(names, 2) if laws[a].group is None or laws[a].group != laws[b].group]
        pairs = [(b, a) if self.problem.space[a].seen else (a, b) for a, b in pairs]
        seen = [name for name in self.problem.space.seen if name not in laws]
        pairs += [(a, z) for a in names for z in seen if z not in laws[a].given]
        self._pairs = {pair: _Pair() for pair in pairs if not self.problem.space[pair[0]].seen}
        self._ranks = {name: Ranks() for name in (*names, *seen)}
        singles = sum(each.checked for each in self._alone.values())
        shares = 1 + bool(self._pairs and singles)
        self._alone_from, self._pair_from = shares * singles / ALPHA, shares * len(self._pairs) / ALPHA

    def learn(self, event: Event, history: History) -> None:
        """Take one event in; `history` has it already."""
        if not self._alone:
            return
        match event:
            case Told() | Failed():
                played = history[event.token]
                self._take(played.suggestion.values, played.realised)
            case Added() if event.scope is not None:
                self._take(event.scope.set, event.outcome.realised)
            case Amended():
                self._begin()
                for past in history.data.values():
                    if past.scope is not None:
                        self._take(past.scope.set, past.outcome.realised)
                for played in history:
                    if played.state in ("told", "failed"):
                        self._take(played.suggestion.values, played.realised)
            case _:
                pass

    def _take(self, held: Collection[str], realised: Mapping[str, Any]) -> None:
        """What a round that set `held` shows."""
        there = {name: value for name, value in realised.items() if name not in held}
        codes = {
            name: float(self.problem.space[name].encode([there[name]])[0]) for name in self._ranks if name in there
        }
        ranks = {name: self._ranks[name].take(code) for name, code in codes.items()}
        for name, alone in self._alone.items():
            if name in there and alone.take(there[name]) >= self._alone_from and not alone.found:
                alone.found = True
                self._find(alone_in_words(self.problem, alone.law, alone.values))
        for (a, b), pair in self._pairs.items():
            if a in there and b in there:
                evidence = pair.take((codes[a], codes[b]), ranks[a], ranks[b])
                if evidence >= self._pair_from and not pair.found:
                    pair.found = True
                    self._find(pair_in_words(self.problem, a, b, pair.values))

    def _find(self, finding: str) -> None:
        self.findings = (*self.findings, finding)


class _Alone:
    """The check of one variable's law."""

    def __init__(self, law: StatedLaw) -> None:
        self.law, self.values, self.found = law, [], False
        self.checked = not (law.given or law.learned)
        self._evidence, self._decimals = Evidence(), 0
        variable = law.variable
        self._ranks = Ranks(variable.encode(list(law.sample)).tolist()) if law.sample is not None else None

    law: StatedLaw
    values: list[Any]

    def take(self, value: Any) -> float:
        """One more value; the evidence against the law by now."""
        self.values.append(value)
        if not self.checked:
            return 0.0
        self._evidence.take(self._interval(value))
        return self._evidence.value

    def _interval(self, value: Any) -> Interval:
        """Where a value stands in its law: between the probabilities of less, and of no more."""
        variable = self.law.variable
        if self._ranks is not None:
            return self._ranks.take(float(variable.encode([value])[0]))
        law = variable.distribution
        if law.atoms is not None:
            values, weights = law.atoms
            code = float(variable.encode([value])[0]) if isinstance(variable, Categorical) else float(value)
            nearest = int(np.abs(values - code).argmin())
            return float(weights[:nearest].sum()), min(float(weights[: nearest + 1].sum()), 1.0)
        self._decimals = max(self._decimals, _decimals(value))
        half = 0.5 * 10.0**-self._decimals if self._decimals < _ROUNDED else 0.0
        low, high = np.clip(np.nan_to_num([law.cdf(value - half), law.cdf(value + half)]), 0.0, 1.0)
        return float(low), float(max(low, high))


@dataclass
class _Pair:
    """The check of two variables."""

    values: list[tuple[float, float]] = field(default_factory=list)
    evidence: PairEvidence = field(default_factory=PairEvidence)
    found: bool = False

    def take(self, values: tuple[float, float], first: Interval, second: Interval) -> float:
        """What a round that left the first to nature shows, and the evidence by now."""
        self.values.append(values)
        self.evidence.take(first, second)
        return self.evidence.value


def _decimals(value: float) -> int:
    """To how many decimals a number was written down, at most `_ROUNDED`."""
    return next((k for k in range(_ROUNDED) if round(value, k) == value), _ROUNDED)


__all__ = ["ALPHA", "MOST_PAIRED", "LawChecks"]
