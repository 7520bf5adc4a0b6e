"""How nature draws what a control set leaves to it: as laws say, as rows of data say, or as was learned so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..core import Event, History, LawTest, NatureDraws, StatedLaw
from ..space import Categorical, Integer, JointRows, Learned, Space, Variable
from ..surrogate import (
    DirichletProcessLaw,
    LawOf,
    Regressed,
    Rows,
    Uncontrolled,
    conditional_rows,
    kernel_herding,
    learned_law,
    similarity_weights,
)
from .nature import encoded_rows
from .problem import CostVarying


class JointLaw:
    """Rows of data as the law of their columns, and given those of them that are seen before choosing."""

    def __init__(self, nature: JointRows, space: Space) -> None:
        self.names, self._rows = nature.columns, encoded_rows(nature, space)
        self._variables = [space[name] for name in self.names]
        self._codes = np.array([isinstance(v, Categorical) for v in self._variables], dtype=bool)
        self._unseen = self.drawn(kernel_herding(self._rows, self._codes))

    def drawn(self, rows: Rows) -> dict[str, Uncontrolled]:
        """Each column of rows."""
        return {name: Uncontrolled(rows, j) for j, name in enumerate(self.names)}

    def at(self, known: Mapping[str, float], answering: bool) -> dict[str, Uncontrolled]:
        """How nature draws the columns where some may be known, encoded.

        What rows leave open no play teaches: who chooses by it would wait for ever to know. Answers count it.
        """
        values = np.array([known.get(name, np.nan) for name in self.names])
        found = self._unseen if np.isnan(values).all() else self.drawn(self._given(values))
        return found if answering else self._taken_for_sure(found)

    def _given(self, values: np.ndarray) -> Rows:
        law = conditional_rows(self._rows, values, self._codes)
        points = law.points.copy()
        for j, variable in enumerate(self._variables):
            if isinstance(variable, Integer):  # no more between whole numbers than before
                points[:, j] = variable.encode(variable.decode(points[:, j]))
        return replace(law, points=points)

    def _taken_for_sure(self, drawn: Mapping[str, Uncontrolled]) -> dict[str, Uncontrolled]:
        law = drawn[self.names[0]].law
        assert isinstance(law, Rows)
        return self.drawn(replace(law, count=None))


class NatureLaws:
    """The laws of a problem's variables as they are known by now.

    Laws that are learned are learned given what is seen before choosing, by regression on it. So it does no harm that a
    variable may be left to nature only when this is so and so.
    """

    def __init__(self, problem: CostVarying) -> None:
        self.space = problem.space
        self._joint = None if problem.nature is None else JointLaw(problem.nature, problem.space)
        self._own = {
            v.name: Uncontrolled(LawOf(v)) for v in problem.variables if v.law and not isinstance(v.law, Learned)
        }
        self._shown = NatureDraws()
        self._begin()

    def _begin(self) -> None:
        self._learned = {v.name: _Draws.of(v, self.space) for v in self.space if isinstance(v.law, Learned)}

    def learn(self, event: Event, history: History) -> None:
        """Take one event in; `history` has it already."""
        if not self._learned:
            return
        anew, rounds = self._shown.take(event, history)
        if anew:
            self._begin()
        for held, known, realised in rounds:
            for name, draws in self._learned.items():
                if name in realised and name not in held and name not in known:
                    draws.take(realised[name], realised)

    def at(self, known: Mapping[str, float], answering: bool = False) -> dict[str, Uncontrolled]:
        """The laws where this is known, encoded; `answering`: with what rows of data leave open."""
        seen = {name: value for name, value in known.items() if name in self.space.seen}
        learned = {name: Uncontrolled(draws.law(seen)) for name, draws in self._learned.items() if name not in known}
        joint = {} if self._joint is None else self._joint.at(seen, answering)
        return {**self._own, **joint, **learned}


@dataclass(eq=False)
class _Draws:
    """Draws of one variable by nature, and what was seen before each."""

    variable: Variable
    seen: Sequence[Variable]
    codes: list[float]
    contexts: list[list[float]]  # encoded; NaN where nobody knows
    evidence: LawTest | None  # against the law at first; None: it was not stated
    _regressed: dict[tuple[int, ...], tuple[int, Regressed | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, variable: Variable, space: Space) -> _Draws:
        law = variable.law
        stated = isinstance(law, Learned) and law.prior is not None
        evidence = LawTest(StatedLaw.of(variable)) if stated else None
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

    def law(self, known: Mapping[str, float]) -> DirichletProcessLaw:
        """The law where this is seen: by regression on it, or of draws under like circumstances for a category."""
        trust = 0.0 if self.evidence is None else 1.0 / (1.0 + self.evidence.value)
        here = tuple(k for k, z in enumerate(self.seen) if z.name in known)
        values = np.array([known[self.seen[k].name] for k in here])
        contexts = np.array(self.contexts).reshape(len(self.codes), len(self.seen))[:, list(here)]
        categorical = np.array([isinstance(self.seen[k], Categorical) for k in here], dtype=bool)
        n, regressed = self._regressed.get(here, (-1, None))
        if n != len(self.codes):
            regressed = learned_law(self.variable, np.array(self.codes), contexts, categorical)
            self._regressed[here] = len(self.codes), regressed
        if regressed is not None:
            return regressed.law(values, trust)
        return DirichletProcessLaw(
            self.variable, np.array(self.codes), similarity_weights(contexts, values, categorical), trust
        )
