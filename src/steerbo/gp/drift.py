"""Drift of an objective as it is stated: correlations over time, as a factor of the kernel.

A drift is a `Decay`, a `MaternInTime`, a `Periodic` or a `Sliding`; `None` is no drift, and the
word "learned" leaves it to the outcomes (`_learned_drift`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from .._arrays import Float as Floats
from ..errors import InvalidProblem
from ..records import record
from ..space.fields import Number, Positive
from .kernels import (
    Constant,
    DecayKernel,
    Kernel,
    Matern12,
    Matern32,
    Matern52,
    PeriodicKernel,
)

_DROPPED = 1e-8  # share of a periodic covariance that the truncated Fourier series may leave out
_WIDEST = 1e6  # lengthscale of a period: beyond it nothing drifts
_MOST_HARMONICS = 60  # of a season: a lengthscale below 0.13 would need more, and is refused


@dataclass(frozen=True, eq=False)
class StateSpaceForm:
    """State-space form of a covariance in time, with a state of size q: `k(t, t + Δ) = hᵀ A(Δ) P h`.

    Args:
        stationary: P, (q, q), the covariance of the state.
        output: h, (q,), the weights with which the state makes the objective.
        generator: F, (q, q), with `A(Δ) = exp(F Δ)`.
    """

    stationary: Floats[np.ndarray, "q q"]
    output: Floats[np.ndarray, " q"]
    generator: Floats[np.ndarray, "q q"]

    def transition(self, elapsed: float) -> Floats[np.ndarray, "q q"]:
        """A(Δ)."""
        from scipy.linalg import expm

        moved: np.ndarray = expm(self.generator * elapsed)
        return moved


@record
class Decay:
    """`(1 − ε)^{|t − t'| / 2}` (Bogunovic et al. 2016): exact at constant cost.

    Args:
        epsilon: ε, from 0 (never changes) to below 1.
        per: the time that ε is for, in units of time; None: one. `Decay(0.01, per=3600)` if time is
            in seconds.

    >>> correlation(Decay(0.19), np.array([2.0])).round(3)
    array([0.81])
    """

    epsilon: Number
    kind: Literal["decay"] = "decay"
    per: Positive | None = None

    @model_validator(mode="after")
    def _check(self) -> Decay:
        if not 0 <= self.epsilon < 1:
            raise InvalidProblem("epsilon", self.epsilon, "a number from 0 to below 1")
        return self

    @property
    def rate(self) -> float:
        """−ln of the correlation over one unit of time."""
        return -0.5 * math.log1p(-self.epsilon) / (self.per or 1.0)

    def over(self, column: int) -> Kernel:
        """The kernel over the column that holds time."""
        if not self.epsilon:
            return Constant()
        if self.per is None:
            return DecayKernel(column, self.epsilon)
        return Matern12(1 / self.rate, dimensions=[column], learn_variance=False)


@record
class MaternInTime:
    """A Matérn correlation of times: smooth drift. Exact at constant cost, with a state of two or three numbers a site.

    Args:
        lengthscale: ℓ, in units of time.
        nu: smoothness, 1.5 or 2.5 (0.5 is `Decay` with `1 − ε = exp(−2/ℓ)`).
    """

    lengthscale: Positive
    nu: Number = 1.5
    kind: Literal["matern"] = "matern"

    @model_validator(mode="after")
    def _check(self) -> MaternInTime:
        if self.nu not in (1.5, 2.5):
            raise InvalidProblem(
                "nu",
                self.nu,
                "1.5 or 2.5",
                "For 0.5 use ‹Decay›, with 1 - epsilon = exp(-2 / lengthscale).",
            )
        return self

    def over(self, column: int) -> Kernel:
        """The kernel over the column that holds time."""
        kind = Matern32 if self.nu == 1.5 else Matern52
        return kind(self.lengthscale, dimensions=[column], learn_variance=False)

    @property
    def motion(self) -> StateSpaceForm:
        """The state: value and derivatives (Hartikainen & Särkkä 2010), in units where its variances are about one."""
        rate = math.sqrt(2 * self.nu) / self.lengthscale
        if self.nu == 1.5:
            F, P = np.array([[0.0, 1.0], [-1.0, -2.0]]), np.eye(2)
        else:
            F = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -3.0, -3.0]])
            P = np.array([[1.0, 0.0, -1 / 3], [0.0, 1 / 3, 0.0], [-1 / 3, 0.0, 1.0]])
        return StateSpaceForm(P, np.eye(len(P))[0], F * rate)


@record
class Periodic:
    """Periodic drift `exp(−2 sin²(π Δ / period) / ℓ²)`, approximated by a Fourier series (Solin & Särkkä 2014).

    On finite domains the series leaves out less than 1e-8 of the variance, at constant cost, with a
    state of some ten to thirty numbers a site; on boxes the covariance is used as it stands.

    Args:
        period: in units of time.
        lengthscale: ℓ, without unit: the smaller, the more wiggles a period has.

    Raises:
        InvalidProblem: a lengthscale so small that sixty harmonics do not suffice.
    """

    period: Positive
    lengthscale: Positive = 1.0
    kind: Literal["periodic"] = "periodic"

    @model_validator(mode="after")
    def _check(self) -> Periodic:
        if not 1e-3 < self.lengthscale <= _WIDEST or len(self._weights()) > _MOST_HARMONICS:
            allowed = f"a number above 0.13, at most {_WIDEST:g}"
            raise InvalidProblem(
                "lengthscale", self.lengthscale, allowed, "Use a Matérn drift instead."
            )
        return self

    def _weights(self) -> np.ndarray:
        from scipy.special import ive

        weights: np.ndarray = 2 * ive(np.arange(_MOST_HARMONICS + 1), 1 / self.lengthscale**2)
        weights[0] /= 2
        enough = int(np.searchsorted(np.cumsum(weights), 1 - _DROPPED)) + 1
        return weights[:enough]

    def over(self, column: int) -> Kernel:
        """The kernel over the column that holds time."""
        return PeriodicKernel(column, self.period, self.lengthscale)

    @property
    def motion(self) -> StateSpaceForm:
        """The state: a level, then a rotating pair for each harmonic."""
        weights = self._weights()
        q = 2 * len(weights) - 1
        F, P, h = np.zeros((q, q)), np.zeros((q, q)), np.zeros(q)
        P[0, 0], h[0] = weights[0], 1.0
        for j in range(1, len(weights)):
            pair, speed = slice(2 * j - 1, 2 * j + 1), 2 * math.pi * j / self.period
            P[pair, pair], h[2 * j - 1] = weights[j] * np.eye(2), 1.0
            F[pair, pair] = [[0.0, -speed], [speed, 0.0]]
        return StateSpaceForm(P, h, F)


Drift = Annotated[Decay | MaternInTime | Periodic, Field(discriminator="kind")]
"""Stated drift of an objective: its correlation over time."""


@record
class Sliding:
    """Translation of the objective at constant velocity, which is learned from the outcomes; its shape stays.

    Args:
        within: the time in which it may well slide by half of a variable's range, in units of time.
    """

    within: Positive
    kind: Literal["sliding"] = "sliding"


def _given(value: object) -> object:
    said = value is None or (isinstance(value, str) and value == "learned")
    if not said and not isinstance(value, Decay | MaternInTime | Periodic | Sliding | Mapping):
        raise PydanticCustomError("drift", "a drift, such as a decay, or the word 'learned'")
    return value


_Said = Annotated[Decay | MaternInTime | Periodic | Sliding, Field(discriminator="kind")]
AnyDrift = Annotated[_Said | Literal["learned"] | None, BeforeValidator(_given)]
"""Drift of the objective, if there is one: stated, or learned from outcomes."""


def in_words(drift: Drift | Sliding) -> str:
    """Describe a drift, as `steerbo check` prints it.

    >>> in_words(Decay(0.05)), in_words(Periodic(24))
    ('decay (epsilon 0.05)', 'periodic (period 24, lengthscale 1)')
    """
    said = ", ".join(
        f"{name} {value:g}"
        for name, value in vars(drift).items()
        if name != "kind" and value is not None
    )
    return f"{drift.kind} ({said})"


def drift_lines(drift: AnyDrift) -> tuple[tuple[str, str], ...]:
    """Describe a problem's drift, as `steerbo check` prints it."""
    if drift is None:
        return ()
    return (("drift", drift if isinstance(drift, str) else in_words(drift)),)


def check_clock(timed: bool, names: Sequence[str]) -> None:
    """Refuse a variable with the name of the time, where rounds have one.

    Raises:
        InvalidProblem: naming it.
    """
    if timed and "time" in names:
        hint = "Here ‹ask› takes the time. Leave the variable out, or give it another name."
        raise InvalidProblem("variables.time", "time", "another name", hint)


def drift_over(drift: AnyDrift, column: int) -> Kernel | None:
    """The kernel of a drift that is given, over the column that holds time; None where there is none."""
    return None if drift is None or isinstance(drift, str | Sliding) else drift.over(column)


def correlation(drift: Drift | None, elapsed: Floats[np.ndarray, " n"]) -> Floats[np.ndarray, " n"]:
    """Correlation of the objective with itself after `elapsed` units of time, (n,)."""
    return (
        np.ones(len(elapsed))
        if drift is None
        else drift.over(0)(elapsed[:, None], np.zeros((1, 1)))[:, 0]
    )
