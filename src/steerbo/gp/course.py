"""How what is optimised changes with time, as a factor of its kernel: as somebody knows, or as outcomes tell.

What is learned is one of four: nothing changes; it changes smoothly, `exp(−Δ²/2ℓ²)`; what was seen fades,
`exp(−|Δ|/τ)`; the whole slides at a steady velocity, and what slides changes smoothly: so that where it is now is the
less known the longer it was not seen. Each is fitted by maximum a posteriori, and one that drifts has to
be likelier than none by a factor e, and by √n for its scale of time and for each velocity (Schwarz 1978): where nothing
moves, next to nothing is then lost. Beside these there are cuts: at a moment everything began anew. One has to be
likelier than all else by e·n²: it may be at any of n moments, and is looked for n times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ..errors import InvalidStudy
from .cut import cut_gains
from .drift import Drift, Sliding, in_words
from .hyperparameters import Hyperparameters, from_hex, to_hex
from .kernels import (
    AnovaKernel,
    EpochsKernel,
    Fixed,
    InUnitsKernel,
    Kernel,
    Matern12,
    Product,
    SlidingKernel,
    SquaredExponentialKernel,
    Stationary,
    Sum,
)
from .regression import Regression

Kind = Literal["steady", "smooth", "fading", "sliding"]
KINDS: tuple[Kind, ...] = ("steady", "smooth", "fading", "sliding")
ODDS = 1.0
"""By how much in log posterior a drift has to be likelier than none."""
ENOUGH, ENOUGH_TO_CUT = 10, 20
"""Outcomes from which on a drift is looked for, and a cut among those since the last one."""
BEFORE, AFTER = 4, 8
"""Outcomes on both sides of a cut, at least."""


@dataclass(frozen=True)
class Course:
    """How what is optimised changes with time.

    Attributes:
        given: a drift that is known; None: it is learned.
        kind: what was learned.
        unit: how much time counts as one where ℓ and τ are judged: what was learned is as likely on any clock.
        cuts: when everything began anew, ascending, in units of time.
    """

    given: Drift | Sliding | None = None
    kind: Kind = "steady"
    unit: float = 1.0
    cuts: tuple[float, ...] = ()

    @classmethod
    def of(cls, drift: Drift | Sliding | Literal["learned"]) -> Self:
        """Of a problem that says how it drifts, or that this is to be learned."""
        if isinstance(drift, Sliding):
            return cls(drift, "sliding", drift.within)
        return cls(None if isinstance(drift, str) else drift)

    @property
    def drifts(self) -> bool:
        """Whether what is known now is the less true the later it is."""
        return self.given is not None or self.kind != "steady"

    def over(self, space: Kernel, column: int) -> Product:
        """The kernel of points in space and time, with time in a column of its own after the others."""
        if self.given is not None and not isinstance(self.given, Sliding):
            return Product((space, Fixed(self.given.over(column))))
        if self.kind == "sliding":
            moved = _numbers(space)
            space = SlidingKernel(space, column, self.unit, moved, (0.0,) * len(moved))
        return Product((space, EpochsKernel(column, self.cuts), *self._changes(column)))

    def _changes(self, column: int) -> tuple[Kernel, ...]:
        if self.kind == "steady":
            return ()
        start, family = (1.0, Matern12) if self.kind == "fading" else (0.5, SquaredExponentialKernel)
        return (InUnitsKernel(family([start], dimensions=[column], learn_variance=False), column, self.unit),)

    def to_plain(self) -> dict[str, Any]:
        """What was learned, in a JSON form with floats as hexadecimal text."""
        return {"kind": self.kind, "unit": to_hex(self.unit), "cuts": to_hex(self.cuts)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """The inverse of `to_plain`.

        Raises:
            InvalidStudy: it is not what `to_plain` gives.
        """
        if not isinstance(plain, Mapping) or plain.keys() != {"kind", "unit", "cuts"} or plain["kind"] not in KINDS:
            raise InvalidStudy("hyperparameters.drift", plain, f"a kind ({', '.join(KINDS)}), a unit and cuts")
        return cls(None, plain["kind"], from_hex(plain["unit"]), from_hex(plain["cuts"]))

    def said(self, kernel: Product) -> str:
        """In words, where the kernel is the one in use."""
        if self.given is not None and not isinstance(self.given, Sliding):
            return f"it drifts as given: {in_words(self.given)}"
        words = [f"all began anew at time {self.cuts[-1]:g}"] if self.cuts else []
        if isinstance(sliding := kernel.members[0], SlidingKernel):
            fastest = max(map(abs, sliding.velocity), default=0.0) / self.unit
            words.append(f"all slides, by up to {fastest:.3g} of a variable's range in one unit of time")
        elif self.kind != "steady":
            (scale,) = np.exp([p.value for p in kernel.members[-1].parameters]) * self.unit
            half = scale * (math.sqrt(2 * math.log(2)) if self.kind == "smooth" else math.log(2))
            words.append(f"what was seen counts half after {half:.3g} of time")
        return " and ".join(words) or "nothing seems to drift"


Empty = Callable[[Course], "Regression[Product]"]
"""Makes a regression without data whose kernel is `Course.over` some kernel in space."""


def learn_course(
    empty: Empty, model: Regression[Product], before: Course, horizon: float
) -> tuple[Course, Hyperparameters]:
    """The course that outcomes speak for, and its hyperparameters. O(n³).

    Args:
        empty: makes a regression for a course.
        model: holds all outcomes; time is the last column. It stays as it is.
        before: the course of the model.
        horizon: how much time the study is about.

    Returns:
        A course that differs from `before` by its kind, its unit and at most one more cut.
    """
    unit = horizon if 0 < horizon < math.inf else 1.0
    steady = replace(before, kind="steady", unit=unit)
    if len(model) < ENOUGH:
        return steady, _fitted(empty, model, before, steady).drawn()
    kinds = KINDS if _can_slide(model) else KINDS[:-1]
    fits = [_fitted(empty, model, before, replace(steady, kind=k)) for k in kinds]
    scores = [fit.score - _asked(fit.course, model) for fit in fits]
    best = int(np.argmax(scores))
    if (cut := _cut(empty, model, steady, fits[0].found)) is not None:
        other = _fitted(empty, model, before, replace(steady, cuts=(*steady.cuts, cut)))
        if other.score > scores[best] + ODDS + 2.0 * math.log(len(model)):
            better = _cut(empty, model, steady, other.found)  # with less noise it is seen more exactly when
            return (other.course if better is None else replace(steady, cuts=(*steady.cuts, better))), other.drawn()
    return fits[best].course, fits[best].drawn()


def _space(kernel: Product) -> Kernel:
    """The kernel in space alone."""
    first = kernel.members[0]
    return first.space if isinstance(first, SlidingKernel) else first


def _numbers(space: Kernel) -> tuple[int, ...]:
    """The columns of numbers that a kernel in space reads, which can slide; categories cannot."""
    members = space.members if isinstance(space, Sum | Product) else (space,)
    known = (k for k in members if isinstance(k, AnovaKernel | Stationary))
    categories = {int(d) for k in known for d in k.dimensions[k.categorical]}
    return tuple(sorted(set(space.columns) - categories))


def _can_slide(model: Regression[Product]) -> bool:
    space = _space(model.kernel)
    return space.gradients and bool(_numbers(space))


def _asked(course: Course, model: Regression[Product]) -> float:
    """By how much in log posterior a course has to be likelier than that nothing changes."""
    if course.kind == "steady":
        return 0.0
    velocities = len(_numbers(_space(model.kernel))) if course.kind == "sliding" else 0
    return ODDS + 0.5 * (1 + velocities) * math.log(len(model))


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A course, the log posterior density of its likeliest hyperparameters, and these."""

    course: Course
    score: float
    found: Hyperparameters
    model: Regression[Product]

    def drawn(self) -> Hyperparameters:
        """The hyperparameters with draws from their posterior."""
        return self.model.drawn(self.found)


def _fitted(empty: Empty, model: Regression[Product], before: Course, course: Course) -> _Fitted:
    """Fit a course; the search begins where the present model is."""
    other = empty(course)
    other.replace(model.inputs, model.outcomes)
    theta, p = model.hyperparameters.theta, len(_space(model.kernel).parameters)
    had, wants = (len(each.kernel.parameters) - p for each in (model, other))
    own = theta[p : p + had] if before.kind == course.kind else other.hyperparameters.theta[p : p + wants]
    other.set(Hyperparameters((*theta[:p], *own, *theta[p + had :]), model.output))
    found = other.likeliest()
    score = other.last_fit.log_posterior if other.last_fit is not None else math.nan
    return _Fitted(course, score if math.isfinite(score) else 0.0, found, other)


def _cut(empty: Empty, model: Regression[Product], steady: Course, found: Hyperparameters) -> float | None:
    """The best moment for a cut among the outcomes since the last one; None where there are too few."""
    whole = empty(steady)
    whole.replace(model.inputs, model.outcomes)
    whole.set(found)
    times = model.inputs[:, -1]
    order = np.argsort(times, kind="stable")
    order = order[times[order] >= (steady.cuts[-1] if steady.cuts else -np.inf)]
    if len(order) < ENOUGH_TO_CUT:
        return None
    bent = whole.process.warp(whole.inputs)
    gram, residuals = whole.kernel(bent, bent), whole.output.forward(whole.outcomes) - whole.mean
    gram.flat[:: len(bent) + 1] += whole.noises
    gains = cut_gains(gram[np.ix_(order, order)], residuals[order])
    moments = [k for k in range(BEFORE, len(order) - AFTER + 1) if times[order[k - 1]] < times[order[k]]]
    return float(times[order[max(moments, key=lambda k: gains[k])]]) if moments else None
