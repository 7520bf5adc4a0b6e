"""Laws of the variables that a control set leaves to nature: stated, by rows of data, or learned."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..core import Fold, History, LawTest, Result, StatedLaw
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


def describe_law(variable: Variable, nature: JointRows | None) -> str:
    """Describe in words how nature draws a variable that has no stated law of its own; else an empty string."""
    if isinstance(variable.law, Learned):
        first = "" if variable.law.prior is None else f"; at first {variable.law.prior}"
        return f"left to itself, as learned from each round{first}"
    if nature is not None and variable.name in nature.columns:
        return (
            f"{'seen before choosing, else' if variable.seen else 'left to itself'} as in {nature}"
        )
    return ""


def stated_laws_of_rows(nature: JointRows | None, space: Space) -> dict[str, StatedLaw]:
    """Law that rows of data state for each of their columns, given the columns that are seen before choosing."""
    if nature is None:
        return {}
    seen = tuple(name for name in nature.columns if space[name].seen)
    return {
        name: StatedLaw(space[name], nature.column(name), "nature", () if name in seen else seen)
        for name in nature.columns
    }


class JointLaw:
    """Rows of data as the joint law of their columns, conditional on the columns that are seen before choosing."""

    def __init__(self, nature: JointRows, space: Space) -> None:
        self.names = nature.columns
        self._rows = np.column_stack(
            [space[name].encode(list(nature.column(name))) for name in self.names]
        )
        self._variables = [space[name] for name in self.names]
        self._categorical = np.array(
            [isinstance(v, Categorical) for v in self._variables], dtype=bool
        )
        self._unconditional = self._columns(kernel_herding(self._rows, self._categorical))

    def _columns(self, rows: Rows) -> dict[str, Uncontrolled]:
        return {name: Uncontrolled(rows, j) for j, name in enumerate(self.names)}

    def at(self, known: Mapping[str, float]) -> dict[str, Uncontrolled]:
        """Laws of the columns, given encoded values of those that were seen, by name.

        Bounds count the uncertainty that finitely many rows leave.
        """
        values = np.array([known.get(name, np.nan) for name in self.names])
        if np.isnan(values).all():
            return self._unconditional
        return self._columns(self._conditional(values))

    def as_if_known(self, laws: Mapping[str, Uncontrolled]) -> dict[str, Uncontrolled]:
        """Laws of the columns without their uncertainty.

        No play reduces it, so a choice that counted it would explore for ever.
        """
        law = laws[self.names[0]].law
        assert isinstance(law, Rows)
        return self._columns(replace(law, count=None))

    def _conditional(self, values: np.ndarray) -> Rows:
        law = conditional_rows(self._rows, values, self._categorical)
        points = law.points.copy()
        for j, variable in enumerate(self._variables):
            if isinstance(variable, Integer):  # the local shift leads between whole numbers
                points[:, j] = variable.encode(variable.decode(points[:, j]))
        return replace(law, points=points)


class NatureModel:
    """Laws of a problem's variables as they are known by now; `nature` are rows for variables drawn together.

    A learned law is conditional on the values seen before choosing, by regression. So it stays
    right where a variable is left to nature only in some contexts.
    """

    def __init__(
        self, space: Space, nature: JointRows | None, history: History | None = None
    ) -> None:
        self.space, self._history = space, history
        self._joint = None if nature is None else JointLaw(nature, space)
        self._stated = {
            v.name: Uncontrolled(LawOf(v))
            for v in space
            if v.law and not isinstance(v.law, Learned)
        }
        self.learns = any(isinstance(v.law, Learned) for v in space)
        self._drawn = Fold(_Drawn.take, self._nothing_drawn)

    def _nothing_drawn(self) -> _Drawn:
        learned = [v for v in self.space if isinstance(v.law, Learned)]
        return _Drawn({v.name: _Draws.of(v, self.space) for v in learned})

    def at(self, known: Mapping[str, float], before: int | None = None) -> dict[str, Uncontrolled]:
        """Laws to choose by, given encoded values; `before`: as they were before that result."""
        laws = self.for_answers(known, before)
        return laws if self._joint is None else {**laws, **self._joint.as_if_known(laws)}

    def for_answers(
        self, known: Mapping[str, float], before: int | None = None
    ) -> dict[str, Uncontrolled]:
        """The same, with the uncertainty that finitely many rows of data leave."""
        seen = {name: value for name, value in known.items() if name in self.space.seen}
        results = self._history.results if self.learns and self._history is not None else ()
        drawn = self._drawn.of(results).by_name
        unknown = {name: draws for name, draws in drawn.items() if name not in known}
        learned = {name: Uncontrolled(draws.law(seen, before)) for name, draws in unknown.items()}
        joint = {} if self._joint is None else self._joint.at(seen)
        return {**self._stated, **joint, **learned}


@dataclass(eq=False)
class _Drawn:
    """Draws by nature in the first `results` results, by variable."""

    by_name: dict[str, _Draws]
    results: int = 0

    def take(self, result: Result) -> _Drawn:
        """Add nature's draws in one evaluation, in data too where their scope is stated."""
        number, self.results = self.results, self.results + 1
        if result.scope is None or not (result.outcome or result.failed):
            return self
        asked = None if result.played is None else result.played.suggestion
        settled = set(result.scope.set) if asked is None else {*asked.values, *asked.context}
        for name, draws in self.by_name.items():
            if name in result.shown and name not in settled:
                draws.take(number, result.shown[name], result.shown)
        return self


@dataclass(eq=False)
class _Draws:
    """Draws of one variable by nature, and the values seen before each."""

    variable: Variable
    seen: Sequence[Variable]
    codes: list[float]
    contexts: list[list[float]]  # encoded; NaN where the value is unknown
    evidence: LawTest | None  # against the law at first; None: none was stated
    trust: list[float]  # in the law at first, before any draw and after each
    results: list[int] = field(default_factory=list)  # number of the result that showed each draw
    _regressed: dict[tuple[int, ...], tuple[int, Regressed | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, variable: Variable, space: Space) -> _Draws:
        """Start without draws, for a variable of a space."""
        law = variable.law
        stated = isinstance(law, Learned) and law.prior is not None
        evidence = LawTest(StatedLaw.of(variable)) if stated else None
        trust = [0.0 if evidence is None else 1.0 / (1.0 + evidence.value)]
        return cls(
            variable,
            [space[name] for name in space.seen if name != variable.name],
            [],
            [],
            evidence,
            trust,
        )

    def take(self, k: int, value: object, realised: Mapping[str, object]) -> None:
        """Add one draw, which result `k` shows."""
        self.results.append(k)
        self.codes.append(float(self.variable.encode([value])[0]))
        known = [realised.get(z.name) for z in self.seen]
        self.contexts.append(
            [
                np.nan if x is None else float(z.encode([x])[0])
                for z, x in zip(self.seen, known, strict=True)
            ]
        )
        self.trust.append(0.0 if self.evidence is None else 1.0 / (1.0 + self.evidence.take(value)))

    def law(self, known: Mapping[str, float], before: int | None = None) -> DirichletProcessLaw:
        """Learned law in a context: by regression on it, or for a category by draws in similar contexts.

        Args:
            known: encoded values that are seen before choosing.
            before: number of a result, of which and of all later ones nothing is known; None: all
                are known.
        """
        m = len(self.codes) if before is None else bisect_left(self.results, before)
        trust = self.trust[m]
        here = tuple(k for k, z in enumerate(self.seen) if z.name in known)
        values = np.array([known[self.seen[k].name] for k in here])
        codes = np.array(self.codes[:m])
        contexts = np.array(self.contexts[:m]).reshape(m, len(self.seen))[:, list(here)]
        categorical = np.array([isinstance(self.seen[k], Categorical) for k in here], dtype=bool)
        n, regressed = self._regressed.get(here, (-1, None))
        if n != m:
            regressed = learned_law(self.variable, codes, contexts, categorical)
            self._regressed[here] = m, regressed
        if regressed is not None:
            return regressed.law(values, trust)
        return DirichletProcessLaw(
            self.variable, codes, similarity_weights(contexts, values, categorical), trust
        )
