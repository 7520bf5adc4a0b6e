"""A learned, monotone bend of input columns: for functions that change fast at one end and slowly at the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from ..errors import InvalidOption
from .parameters import Parameter

_EDGE = 1e-9


@dataclass(frozen=True)
class Warp:
    """`w(x) = 1 − (1 − x^a)^b` on chosen columns, Kumaraswamy's distribution function (Snoek et al. 2014, section 3).

    Outside [0, 1] a column stays as it is. `a = b = 1` changes nothing.

    Args:
        columns: the columns to bend; those of categories make no sense.
        shapes: (a, b) for each of them; None: 1.

    Raises:
        InvalidOption: a column twice or below zero, or not as many shapes as columns, above zero.

    >>> Warp((1,), ((2.0, 1.0),))(np.array([[0.5, 0.5], [0.5, 1.5]]))
    array([[0.5 , 0.25],
           [0.5 , 1.5 ]])
    """

    columns: tuple[int, ...] = ()
    shapes: tuple[tuple[float, float], ...] | None = None

    def __post_init__(self) -> None:
        if len(set(self.columns)) < len(self.columns) or min(self.columns, default=0) < 0:
            raise InvalidOption("warp", self.columns, "different columns, counted from 0")
        ab = self._ab
        if ab.shape[1] != len(self.columns) or not np.all((ab > 0) & np.isfinite(ab)):
            raise InvalidOption("warp.shapes", self.shapes, f"{len(self.columns)} pairs of finite numbers above 0")

    @property
    def width(self) -> int:
        """The least number of columns that points must have."""
        return max(self.columns, default=-1) + 1

    @property
    def _ab(self) -> Float[np.ndarray, "2 k"]:
        return np.ones((2, len(self.columns))) if self.shapes is None else np.array(self.shapes).reshape(-1, 2).T

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Logarithms of all a, then of all b: normal about zero with sd ½, which is log-normal about no bend at all."""
        return tuple(
            Parameter(f"warp.{letter}[{column}]", float(np.log(value)), 0.0, 0.5, -1.5, 1.5)
            for letter, row in zip("ab", self._ab, strict=True)
            for column, value in zip(self.columns, row, strict=True)
        )

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same columns bent otherwise."""
        if not self.columns:
            return self
        return type(self)(self.columns, tuple((float(a), float(b)) for a, b in np.exp(theta).reshape(2, -1).T))

    def __call__(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Bent points, (n, d)."""
        if not self.columns:
            return X
        (a, b), columns = self._ab, list(self.columns)
        bent, x = X.copy(), X[:, columns]
        bent[:, columns] = np.where((x < 0) | (x > 1), x, 1.0 - (1.0 - np.clip(x, 0.0, 1.0) ** a) ** b)
        return bent

    def slope(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """`∂w_d/∂x_d`, (n, d), cut off at a hair's breadth from 0 and 1, where it may be infinite."""
        slope = np.ones(X.shape)
        if self.columns:
            (a, b), columns = self._ab, list(self.columns)
            x = np.clip(X[:, columns], _EDGE, 1.0 - _EDGE)
            inside = (X[:, columns] >= 0) & (X[:, columns] <= 1)
            slope[:, columns] = np.where(inside, a * b * x ** (a - 1.0) * (1.0 - x**a) ** (b - 1.0), 1.0)
        return slope

    def gradient(self, X: Float[np.ndarray, "n d"], G: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " p"]:
        """`Σ_ad G_ad ∂w_d(x_a)/∂θ`, (p,)."""
        (a, b), columns = self._ab, list(self.columns)
        x = np.clip(X[:, columns], _EDGE, 1.0 - _EDGE)
        inside = (X[:, columns] > 0) & (X[:, columns] < 1)
        power = x**a
        rest = 1.0 - power
        of_a = np.where(inside, b * rest ** (b - 1.0) * power * a * np.log(x), 0.0)
        of_b = np.where(inside, -b * rest**b * np.log(rest), 0.0)
        pulled: np.ndarray = np.concatenate([(G[:, columns] * of_a).sum(axis=0), (G[:, columns] * of_b).sum(axis=0)])
        return pulled
