"""How nature draws what a control set leaves to it: as laws say, as rows of data say, or as was learned so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..rounds import Event, History, LawEvidence, StatedLaw, shown_by
from ..space import Categorical, Learned, Space, Variable
from ..surrogate import Drawn, LawOf, LearnedLaw, Rows, thinned
from .nature import encoded_rows
from .problem import CostVarying

_APART = 1.06
"""Of Silverman's rule: the width within which circumstances are alike, in standard deviations times n^(−1/(4 + c))."""


def joint_laws(problem: CostVarying) -> dict[str, Drawn]:
    """How nature draws variables together: by rows of data."""
    if problem.nature is None:
        return {}
    names, space = problem.nature.columns, problem.space
    rows = thinned(encoded_rows(problem.nature, space), space.categorical[[space.index(n) for n in names]])
    return {name: Drawn(rows, j) for j, name in enumerate(names)}


def _taken_for_sure(joint: Mapping[str, Drawn]) -> dict[str, Drawn]:
    """The same rows, as if they were all there is."""
    known = {id(drawn.law): replace(drawn.law, count=None) for drawn in joint.values() if isinstance(drawn.law, Rows)}
    return {name: replace(drawn, law=known[id(drawn.law)]) for name, drawn in joint.items()}


class NatureLaws:
    """The laws of a problem's variables as they are known by now.

    Laws that are learned are learned given what is seen before choosing: a draw counts the less, the less alike the
    circumstances were. So it does no harm that a variable may be left to nature only when these are so and so.
    """

    def __init__(self, problem: CostVarying) -> None:
        self.space = problem.space
        joint = joint_laws(problem)
        own = {v.name: Drawn(LawOf(v)) for v in problem.variables if v.law and not isinstance(v.law, Learned)}
        self._answering = {**own, **joint}
        # What rows leave open no play teaches: who chooses by it would wait for ever to know. Answers count it.
        self._choosing = {**own, **_taken_for_sure(joint)}
        self._begin()

    def _begin(self) -> None:
        self._learned = {v.name: _Draws.of(v, self.space) for v in self.space if isinstance(v.law, Learned)}

    def learn(self, event: Event, history: History) -> None:
        """Take one event in; `history` has it already."""
        if not self._learned:
            return
        anew, rounds = shown_by(event, history)
        if anew:
            self._begin()
        for held, realised in rounds:
            for name, draws in self._learned.items():
                if name in realised and name not in held:
                    draws.take(realised[name], realised)

    def at(self, known: Mapping[str, float], answering: bool = False) -> dict[str, Drawn]:
        """The laws where this is known, encoded; `answering`: with what rows of data leave open."""
        learned = {name: Drawn(draws.law(known)) for name, draws in self._learned.items() if name not in known}
        return {**(self._answering if answering else self._choosing), **learned}


@dataclass(frozen=True, eq=False)
class _Draws:
    """What nature did with one variable, and what was seen before."""

    variable: Variable
    seen: Sequence[Variable]
    codes: list[float]
    contexts: list[list[float]]  # encoded; NaN where nobody knows
    evidence: LawEvidence | None  # against the law at first; None: it was not stated

    @classmethod
    def of(cls, variable: Variable, space: Space) -> _Draws:
        law = variable.law
        stated = isinstance(law, Learned) and law.prior is not None
        evidence = LawEvidence(StatedLaw.of(variable)) if stated else None
        return cls(variable, [space[name] for name in space.seen if name != variable.name], [], [], evidence)

    def take(self, value: object, realised: Mapping[str, object]) -> None:
        """One more draw."""
        self.codes.append(float(self.variable.encode([value])[0]))
        known = [realised.get(z.name) for z in self.seen]
        self.contexts.append(
            [np.nan if x is None else float(z.encode([x])[0]) for z, x in zip(self.seen, known, strict=True)]
        )
        if self.evidence is not None:
            self.evidence.take(value)

    def law(self, known: Mapping[str, float]) -> LearnedLaw:
        """As far as it is learned where this is known."""
        trust = 0.0 if self.evidence is None else 1.0 / (1.0 + self.evidence.value)
        return LearnedLaw(self.variable, np.array(self.codes), self._counts(known), trust)

    def _counts(self, known: Mapping[str, float]) -> np.ndarray:
        """What each draw counts, (n,): 1 where what was seen was the same."""
        here = [(k, z) for k, z in enumerate(self.seen) if z.name in known]
        contexts = np.array(self.contexts).reshape(len(self.codes), len(self.seen))
        width = _APART * max(len(self.codes), 1) ** (-1 / (4 + len(here)))
        exponent = np.zeros(len(self.codes))
        for k, z in here:
            away = np.nan_to_num(contexts[:, k] - known[z.name], nan=np.inf)
            if isinstance(z, Categorical):
                exponent += np.where(away == 0.0, 0.0, -2.0 * np.log(min(width, 1.0)))
            elif (spread := float(np.nanstd(contexts[:, k])) if len(self.codes) else 0.0) > 0.0:
                exponent += (away / (width * spread)) ** 2
        return np.exp(-0.5 * np.minimum(exponent, 1400.0))
