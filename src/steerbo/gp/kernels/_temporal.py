"""Drift as a kernel: correlations over the column that holds time, to multiply a kernel in space with.

A Matérn drift is `Matern32` or `Matern52` over that column, with `learn_variance=False`.

Parts of a learned drift model: epochs that tell nothing of each other, and time in units of its
own.

Kernel of a function that is translated over time at constant velocity and keeps its shape.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..._arrays import Float
from ...errors import InvalidProblem
from .._hyperparameters import Parameter, weight
from .base import Kernel, Pull


@dataclass(frozen=True)
class _Temporal(Kernel):
    """`k = ρ(t − t')` with ρ(0) = 1, over one column."""

    dimension: int

    def __post_init__(self) -> None:
        if self.dimension < 0:
            raise InvalidProblem("kernel.dimension", self.dimension, "a column, counted from 0")

    @abstractmethod
    def _correlation(self, apart: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        """ρ of time differences."""

    @abstractmethod
    def _logarithmic_slope(self, apart: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        """ρ' / ρ."""

    def _apart(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        return X[:, self.dimension, None] - Z[:, self.dimension]

    @property
    def columns(self) -> tuple[int, ...]:
        """The one with time."""
        return (self.dimension,)

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return self._correlation(self._apart(X, Z))

    def of_differences(self, apart: Sequence[Float[np.ndarray, " m"]]) -> Float[np.ndarray, " m"]:
        """ρ of m differences, (m,)."""
        return self._correlation(apart[self.dimension])

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """One for every row, (n,)."""
        return np.ones(len(X))

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); where there is a kink, the mean of both sides."""
        apart, gradient = self._apart(X, Z), np.zeros(X.shape)
        gradient[:, self.dimension] = (
            W * self._correlation(apart) * self._logarithmic_slope(apart)
        ).sum(axis=1)
        return gradient


@dataclass(frozen=True)
class DecayKernel(_Temporal):
    """Decay `k = (1 − ε)^{|t − t'|/2}`, by ε in two units of time (Bogunovic et al. 2016, section 3).

    Args:
        dimension: the column that holds time.
        rate: ε, above zero and below one. For an effect that never fades, leave the factor out.

    Raises:
        InvalidProblem: a rate or dimension that is not allowed.

    >>> DecayKernel(0, 0.19)(np.zeros((1, 1)), np.array([[1.0], [2.0]])).round(2)
    array([[0.9 , 0.81]])
    """

    rate: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.rate < 1:
            raise InvalidProblem(
                "kernel.rate",
                self.rate,
                "a number above 0 and below 1",
                "For what never fades, leave the decay out.",
            )

    @property
    def _speed(self) -> float:
        """κ in `k = exp(−κ |t − t'|)`."""
        return -0.5 * math.log1p(-self.rate)  # log(1 − ε) would lose the digits of a small ε

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The logarithm of −ln(1 − ε), which is ln ε for a small ε; a few per cent, give or take a factor of seven."""
        return (
            Parameter(
                "decay",
                math.log(2.0 * self._speed),
                math.log(0.03),
                2.0,
                math.log(1e-6),
                math.log(10.0),
            ),
        )

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the rate."""
        return type(self)(self.dimension, float(-np.expm1(-np.exp(theta[0]))))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the rate."""
        K, apart = self(X, X), np.abs(self._apart(X, X))
        return K, lambda W: np.array([-self._speed * np.vdot(W, apart * K)])

    def _correlation(self, apart: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        return np.exp(-self._speed * np.abs(apart))

    def _logarithmic_slope(self, apart: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        return -self._speed * np.sign(apart)


@dataclass(frozen=True)
class PeriodicKernel(_Temporal):
    """Periodic `k = exp(−2 sin²(π (t − t') / period) / ℓ²)` (Rasmussen & Williams 2006, equation 4.31).

    Args:
        dimension: the column that holds time.
        period: in units of time.
        lengthscale: ℓ, without unit.

    Raises:
        InvalidProblem: a period, lengthscale or dimension that is not allowed.

    >>> PeriodicKernel(0, 24.0, 1.0)(np.zeros((1, 1)), np.array([[24.0], [12.0]])).round(3)
    array([[1.   , 0.135]])
    """

    period: float
    lengthscale: float

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, value in (("period", self.period), ("lengthscale", self.lengthscale)):
            if not 0 < value < math.inf:
                raise InvalidProblem(f"kernel.{field}", value, "a finite number above 0")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Logarithms of the period, about a fifth of a unit of time, and of ℓ, where a season is about one wave."""
        return (
            Parameter(
                "period", math.log(self.period), math.log(0.2), 1.5, math.log(1e-4), math.log(1e3)
            ),
            Parameter(
                "roundness",
                math.log(self.lengthscale),
                math.log(1.5),
                0.7,
                math.log(0.1),
                math.log(50.0),
            ),
        )

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace period and ℓ."""
        period, lengthscale = np.exp(theta).tolist()
        return type(self)(self.dimension, period, lengthscale)

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the logarithms of period and ℓ."""
        phase = math.pi * self._apart(X, X) / self.period
        sine = np.sin(phase)
        K = np.exp(-2.0 * sine**2 / self.lengthscale**2)

        def pull(W: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
            M = 4.0 / self.lengthscale**2 * W * K * sine
            return np.array([np.vdot(M, phase * np.cos(phase)), np.vdot(M, sine)])

        return K, pull

    def _correlation(self, apart: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        return np.exp(-2.0 * np.sin(math.pi * apart / self.period) ** 2 / self.lengthscale**2)

    def _logarithmic_slope(self, apart: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        speed = 2.0 * math.pi / self.period
        return -speed * np.sin(speed * apart) / self.lengthscale**2


@dataclass(frozen=True)
class EpochsKernel(Kernel):
    """Epochs between change points: 1 within an epoch, 0 across.

    Args:
        dimension: the column that holds time.
        cuts: when epochs begin, ascending; the first one begins at the beginning of time.

    Raises:
        InvalidProblem: a dimension below 0, or cuts that are not ascending numbers.

    >>> EpochsKernel(0, (5.0,))(np.array([[5.0]]), np.array([[4.9], [5.0], [9.0]]))
    array([[0., 1., 1.]])
    """

    dimension: int
    cuts: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.dimension < 0:
            raise InvalidProblem("kernel.dimension", self.dimension, "a column, counted from 0")
        if not all(np.isfinite(self.cuts)) or not all(np.diff(self.cuts) > 0):
            raise InvalidProblem("kernel.cuts", self.cuts, "finite numbers, ascending")

    def _epoch(self, X: Float[np.ndarray, "n d"]) -> np.ndarray:
        return np.searchsorted(self.cuts, X[:, self.dimension], side="right")

    @property
    def columns(self) -> tuple[int, ...]:
        """The one with time."""
        return (self.dimension,)

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return np.equal.outer(self._epoch(X), self._epoch(Z)).astype(np.float64)

    @property
    def is_one(self) -> bool:
        """Whether nothing began anew."""
        return not self.cuts

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """One for every row, (n,)."""
        return np.ones(len(X))

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """Zero, (r, d): within an epoch nothing changes."""
        return np.zeros(X.shape)


@dataclass(frozen=True)
class InUnitsKernel(Kernel):
    """A kernel over time that counts it in other units: `k(t / unit, t' / unit)`, so that its priors suit any clock.

    Args:
        kernel: over the column that holds time, and no other.
        dimension: that column.
        unit: how much time counts as one.
        believed: centre and spread of the prior of every parameter's logarithm; None: the kernel's
            own priors.

    Raises:
        InvalidProblem: a unit that is not a finite number above 0.
    """

    kernel: Kernel
    dimension: int
    unit: float
    believed: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not 0 < self.unit < math.inf:
            raise InvalidProblem("kernel.unit", self.unit, "a finite number above 0")

    def counted(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Rows with time in these units, and nothing else."""
        counted = np.zeros(X.shape)
        counted[:, self.dimension] = X[:, self.dimension] / self.unit
        return counted

    @property
    def columns(self) -> tuple[int, ...]:
        """The one with time."""
        return (self.dimension,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The kernel's, in these units."""
        if self.believed is None:
            return self.kernel.parameters
        centre, spread = self.believed
        return tuple(replace(each, centre=centre, spread=spread) for each in self.kernel.parameters)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters."""
        return replace(self, kernel=self.kernel.with_theta(theta))

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return self.kernel(self.counted(X), self.counted(Z))

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """k(x, z) of m pairs by their differences, (m,)."""
        counted = list(apart)
        counted[self.dimension] = apart[self.dimension] / self.unit
        return self.kernel.of_differences(counted)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return self.kernel.diagonal(self.counted(X))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the hyperparameters."""
        return self.kernel.linearise(self.counted(X))

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        return self.kernel.input_gradient(self.counted(X), self.counted(Z), W) / self.unit


@dataclass(frozen=True)
class LastingKernel(Kernel):
    """`1 − w + w k(t, t')`: a share 1 − w of the function lasts for ever, the rest changes as `k` says.

    Without it all that lies longer back than a time scale is forgotten, the shape of the objective
    included, though often only the place or the height of its best changes.

    Args:
        kernel: k, over the column that holds time, one at one time.
        changing: w, from 0 to 1; a fit learns it.

    >>> from ._stationary import SquaredExponentialKernel
    >>> kernel = LastingKernel(SquaredExponentialKernel([1.0]), 0.25)
    >>> kernel(np.array([[0.0]]), np.array([[0.0], [1.0], [99.0]])).round(2)
    array([[1.  , 0.9 , 0.75]])
    """

    kernel: Kernel
    changing: float = 0.5

    @property
    def columns(self) -> tuple[int, ...]:
        """The one with time."""
        return self.kernel.columns

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The log odds of w, then the parameters of k."""
        return (weight(self.changing, "changing"), *self.kernel.parameters)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters."""
        changing = 1.0 / (1.0 + math.exp(-float(theta[0])))
        return type(self)(self.kernel.with_theta(theta[1:]), changing)

    def _mixed(self, k: np.ndarray) -> np.ndarray:
        return np.asarray(1.0 - self.changing + self.changing * k)

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return self._mixed(self.kernel(X, Z))

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """k(x, z) of m pairs by their differences, (m,)."""
        found = self.kernel.of_differences(apart)
        return None if found is None else self._mixed(found)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """One for every row, (n,)."""
        return self._mixed(self.kernel.diagonal(X))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the hyperparameters."""
        k, pull = self.kernel.linearise(X)
        w = self.changing

        def pull_back(W: np.ndarray) -> np.ndarray:
            by_odds = w * (1.0 - w) * float(np.vdot(W, k - 1.0))
            return np.concatenate([[by_odds], w * pull(W)])

        return self._mixed(k), pull_back

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        return self.changing * self.kernel.input_gradient(X, Z, W)


LIKELY_VELOCITY, LARGEST_VELOCITY = 0.5, 5.0
"""A velocity that is likely beforehand, in either direction, and the largest there is: ranges in one unit of time."""


@dataclass(frozen=True)
class SlidingKernel(Kernel):
    """Translation at constant velocity v: `k(x − v t, x' − v t')` (frozen field; Gneiting 2002, section 4).

    Where time is known it is a kernel of points alone: those that were seen, as far as they have
    moved since.

    Args:
        space: k, over columns other than the time's: a kernel of differences (`of_differences`).
            The covariances of others, such as `Linear`, would depend on the time at which
            positions are reckoned; `DriftModel.over` refuses them.
        dimension: the column that holds time.
        unit: how much time counts as one.
        columns_moved: the columns that slide, which hold numbers.
        velocity: v of each of these, in one unit of time; a fit learns it.

    Raises:
        InvalidProblem: columns, a unit or a velocity that are not allowed.

    >>> from ._stationary import SquaredExponentialKernel
    >>> kernel = SlidingKernel(SquaredExponentialKernel([0.3]), 1, 10.0, (0,), (0.5,))
    >>> kernel(np.array([[0.2, 0.0]]), np.array([[0.2, 10.0], [0.7, 10.0]])).round(2)
    array([[0.25, 1.  ]])
    """

    space: Kernel
    dimension: int
    unit: float
    columns_moved: tuple[int, ...]
    velocity: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 0 < self.unit < math.inf:
            raise InvalidProblem("kernel.unit", self.unit, "a finite number above 0")
        if self.dimension < 0 or self.dimension in self.space.columns:
            raise InvalidProblem(
                "kernel.dimension", self.dimension, "a column that the other kernel does not read"
            )
        if not set(self.columns_moved) <= set(self.space.columns):
            raise InvalidProblem(
                "kernel.columns_moved", self.columns_moved, f"some of {self.space.columns}"
            )
        if len(self.velocity) != len(self.columns_moved) or not all(
            map(math.isfinite, self.velocity)
        ):
            raise InvalidProblem(
                "kernel.velocity", self.velocity, f"{len(self.columns_moved)} finite numbers"
            )

    @property
    def columns(self) -> tuple[int, ...]:
        """Columns of the inner kernel, and the time's."""
        return tuple(sorted((*self.space.columns, self.dimension)))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of the inner kernel, then the velocities."""
        pace = zip(self.columns_moved, self.velocity, strict=True)
        moving = (
            Parameter(
                f"velocity[{d}]", v, 0.0, LIKELY_VELOCITY, -LARGEST_VELOCITY, LARGEST_VELOCITY
            )
            for d, v in pace
        )
        return (*self.space.parameters, *moving)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters."""
        own = len(theta) - len(self.velocity)
        velocity = tuple(np.asarray(theta[own:], dtype=np.float64).tolist())
        return type(self)(
            self.space.with_theta(theta[:own]),
            self.dimension,
            self.unit,
            self.columns_moved,
            velocity,
        )

    def moved(self, X: Float[np.ndarray, "n d"], now: float = 0.0) -> Float[np.ndarray, "n d"]:
        """Move points (n, d) to their positions now; the column of time stays."""
        found = np.array(X, dtype=np.float64)
        found[:, list(self.columns_moved)] += np.outer(
            (now - X[:, self.dimension]) / self.unit, self.velocity
        )
        return found

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        now = self._now(Z)
        return self.space(self.moved(X, now), self.moved(Z, now))

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """k(x, z) of m pairs by their differences, (m,)."""
        moved = list(apart)
        for d, v in zip(self.columns_moved, self.velocity, strict=True):
            moved[d] = apart[d] - apart[self.dimension] * (v / self.unit)
        return self.space.of_differences(moved)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return self.space.diagonal(self.moved(X, self._now(X)))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back: a velocity moves both arguments, each by the time since then."""
        now = self._now(X)
        moved, since = self.moved(X, now), (now - X[:, self.dimension]) / self.unit
        K, pull = self.space.linearise(moved)

        def both(W: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
            slope = self.space.input_gradient(moved, moved, W + W.T)
            return np.concatenate([pull(W), since @ slope[:, list(self.columns_moved)]])

        return K, both

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); along time it is that of going back."""
        now = self._now(Z)
        gradient = self.space.input_gradient(self.moved(X, now), self.moved(Z, now), W)
        gradient[:, self.dimension] = (
            -(gradient[:, list(self.columns_moved)] @ np.array(self.velocity)) / self.unit
        )
        return gradient

    @property
    def gradients(self) -> bool:
        """Whether slopes along inputs are exact."""
        return self.space.gradients

    def _now(self, X: Float[np.ndarray, "n d"]) -> float:
        """A time among these, so that points stay near where they are on any clock."""
        return float(X[:, self.dimension].max()) if len(X) else 0.0
