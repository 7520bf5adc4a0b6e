"""Prior means: those that are learned live in standardised units; a known one is the user's, in units of outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from ..errors import InvalidOption
from .parameters import Parameter
from .transforms import Output

MeanFunction = Callable[[np.ndarray], np.ndarray]
"""From points (n, d), encoded, to prior means (n,) in units of the outcome."""


@dataclass(frozen=True)
class ConstantMean:
    """`m(x) = c`, in standardised units; `learned=False` keeps it, at zero unless told otherwise."""

    level: float = 0.0
    learned: bool = True

    def __post_init__(self) -> None:
        if not math.isfinite(self.level):
            raise InvalidOption("mean.level", self.level, "a finite number")

    @property
    def width(self) -> int:
        """It reads no column."""
        return 0

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The level: outcomes are standardised, so about zero, give or take one."""
        return (Parameter("mean", self.level, 0.0, 1.0, -10.0, 10.0),) if self.learned else ()

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same mean with another level."""
        return type(self)(float(theta[0])) if self.learned else self

    def __call__(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """m(x) for every row, (n,)."""
        return np.full(len(X), self.level)

    def gradient(self, X: Float[np.ndarray, "n d"], w: Float[np.ndarray, " n"]) -> Float[np.ndarray, " p"]:
        """`Σ_a w_a ∂m(x_a)/∂θ`, (p,)."""
        return np.array([w.sum()]) if self.learned else np.zeros(0)

    def input_gradient(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """`∂m/∂x` for every row, (n, d)."""
        return np.zeros(X.shape)


@dataclass(frozen=True)
class LinearMean:
    """`m(x) = c + Σ_d b_d (x_d − ½)`, in standardised units, over columns that hold numbers.

    Args:
        dimensions: the columns it reads.
        level: c.
        slopes: b, one for each dimension; None: zero.

    Raises:
        InvalidOption: no or negative dimensions, or not as many finite slopes.
    """

    dimensions: tuple[int, ...]
    level: float = 0.0
    slopes: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not self.dimensions or min(self.dimensions) < 0:
            raise InvalidOption("mean.dimensions", self.dimensions, "at least one column, counted from 0")
        slopes = self.slopes or (0.0,) * len(self.dimensions)
        if len(slopes) != len(self.dimensions) or not np.isfinite([self.level, *slopes]).all():
            raise InvalidOption("mean.slopes", self.slopes, f"{len(self.dimensions)} finite numbers and a finite level")

    @property
    def width(self) -> int:
        """The least number of columns that points must have."""
        return max(self.dimensions) + 1

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The level, then the slopes: about zero, give or take one (slopes: two)."""
        slopes = self.slopes or (0.0,) * len(self.dimensions)
        named = zip(self.dimensions, slopes, strict=True)
        level = Parameter("mean", self.level, 0.0, 1.0, -10.0, 10.0)
        return (level, *(Parameter(f"slope[{d}]", b, 0.0, 2.0, -20.0, 20.0) for d, b in named))

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same mean with another level and other slopes."""
        return type(self)(self.dimensions, float(theta[0]), tuple(float(b) for b in theta[1:]))

    def __call__(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """m(x) for every row, (n,)."""
        slope = np.array(self.slopes or (0.0,) * len(self.dimensions))
        rise: np.ndarray = (X[:, list(self.dimensions)] - 0.5) @ slope
        return self.level + rise

    def gradient(self, X: Float[np.ndarray, "n d"], w: Float[np.ndarray, " n"]) -> Float[np.ndarray, " p"]:
        """`Σ_a w_a ∂m(x_a)/∂θ`, (p,)."""
        return np.append(w.sum(), w @ (X[:, list(self.dimensions)] - 0.5))

    def input_gradient(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """`∂m/∂x` for every row, (n, d)."""
        gradient = np.zeros(X.shape)
        gradient[:, list(self.dimensions)] = self.slopes or (0.0,) * len(self.dimensions)
        return gradient


Mean = ConstantMean | LinearMean


@dataclass(frozen=True)
class KnownMean:
    """A mean function of the user's, in the user's units."""

    function: MeanFunction

    def __call__(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """m(x) for every row, in the user's units, (n,).

        Raises:
            InvalidOption: the function gives anything but n finite numbers.
        """
        values = np.asarray(self.function(X), dtype=np.float64)
        if values.shape != (len(X),) or not np.isfinite(values).all():
            raise InvalidOption("mean", values, f"a function that gives {len(X)} finite numbers for {len(X)} points")
        return values

    def input_gradient(self, X: Float[np.ndarray, "n d"], output: Output) -> Float[np.ndarray, "n d"]:
        """Its gradient in standardised units by central differences, (n, d)."""
        n, d = X.shape
        step = 1e-6 * np.maximum(1.0, np.abs(X))
        moves = np.eye(d)[:, None, :] * step
        ahead, behind = (output.forward(self((X + move).reshape(-1, d))).reshape(d, n) for move in (moves, -moves))
        gradient: np.ndarray = (ahead - behind).T / (2.0 * step)
        return gradient
