"""Transforms of outcomes (standardisation, Yeo-Johnson) and of input columns (Kumaraswamy warp).

A warp is a learned monotone function, for objectives that change fast at one end of a column and slowly at the
other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from .._arrays import Float
from ..errors import InvalidOption
from ._parameters import Parameter

Transform = Literal["yeo-johnson"]
_EPS, _LARGEST = np.finfo(np.float64).eps, np.finfo(np.float64).max
_FARTHEST = 1e100
_ELSEWHERE = 4.0  # outcomes that those of elsewhere count as, together


@dataclass(frozen=True)
class OutcomeTransform:
    """`z = (ψ_λ((y − offset) / scale) − centre) / spread`, with ψ the transform of Yeo & Johnson (2000, equation 2.1).

    At λ = 1 it is affine, and centre and spread are 0 and 1. λ stays in [0, 2], where ψ maps onto the whole line.

    >>> output = OutcomeTransform.fitted(np.array([10.0, 20.0, 30.0]))
    >>> output.forward(np.array([20.0])), output.backward(np.array([0.0]))
    (array([0.]), array([20.]))
    """

    offset: float = 0.0
    scale: float = 1.0
    power: float = 1.0
    centre: float = 0.0
    spread: float = 1.0

    @classmethod
    def fitted(
        cls,
        y: Float[np.ndarray, " n"],
        transform: Transform | None = None,
        elsewhere: Float[np.ndarray, " m"] | None = None,
    ) -> OutcomeTransform:
        """Fit mean, standard deviation and λ (maximum likelihood, with a weak pull towards 1) to outcomes y (n,).

        Outcomes that are constant, or differ by rounding errors only, get scale 1 (more, where rounding errors are).
        Works from 1e-300 to 1e300. Outcomes of the same quantity `elsewhere` count as a few more, with the mean and the
        deviation that they have: two that happen to be alike tell no scale.

        >>> OutcomeTransform.fitted(np.array([5.0, 5.1]), elsewhere=np.array([0.0, 4.0, 10.0, 6.0])).scale.__round__(1)
        2.9
        """
        if not len(y):
            return cls()
        offset, scale = _mean_and_deviation(y)
        bent = transform is not None and scale > 0.0  # outcomes that are all alike have no shape
        if elsewhere is not None and len(elsewhere):
            there, wide = _mean_and_deviation(elsewhere)
            more = min(_ELSEWHERE, len(elsewhere))
            share = more / (len(y) + more)
            if wide > 0.0:
                apart = 0.5 * there - 0.5 * offset
                size = max(scale, wide, abs(apart))
                parts = (1.0 - share) * (scale / size) ** 2 + share * (wide / size) ** 2
                scale = size * float(np.sqrt(parts + share * (1.0 - share) * (2.0 * apart / size) ** 2))
                offset += 2.0 * share * apart
        if not scale > 0.0:
            return cls(offset, max(1.0, 1e4 * _EPS * float(np.abs(y).max())))
        affine = cls(offset, min(scale, float(_LARGEST)))
        return affine._with_power(affine.forward(y)) if bent else affine

    def _with_power(self, u: Float[np.ndarray, " n"]) -> OutcomeTransform:
        from scipy.optimize import minimize_scalar

        stretch = float(np.sum(np.sign(u) * np.log1p(np.abs(u))))  # of the Jacobian

        def loss(power: float) -> float:
            likelihood = -0.5 * len(u) * np.log(np.var(_yeo_johnson(u, power))) + (power - 1.0) * stretch
            return float(-likelihood + 2.0 * (power - 1.0) ** 2)

        power = float(minimize_scalar(loss, bounds=(0.0, 2.0), method="bounded", options={"xatol": 1e-4}).x)
        powered = _yeo_johnson(u, power)
        return OutcomeTransform(self.offset, self.scale, power, float(powered.mean()), float(powered.std()))

    @property
    def affine(self) -> bool:
        """Whether the transform only shifts and scales."""
        return self.power == 1.0

    def forward(self, y: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """Convert the user's units to standardised ones, at most ±1e100."""
        with np.errstate(over="ignore"):
            u: np.ndarray = np.clip((0.5 * y - 0.5 * self.offset) / (0.5 * self.scale), -_FARTHEST, _FARTHEST)
        if self.affine:
            return u
        return np.clip((_yeo_johnson(u, self.power) - self.centre) / self.spread, -_FARTHEST, _FARTHEST)

    def backward(self, z: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """Convert standardised units to the user's; quantiles map to quantiles."""
        u = z if self.affine else _inverse_yeo_johnson(self.centre + self.spread * z, self.power)
        with np.errstate(over="ignore"):
            y: np.ndarray = np.clip(self.offset + self.scale * u, -_LARGEST, _LARGEST)
        return y

    def moments(
        self, mean: Float[np.ndarray, " n"], sd: Float[np.ndarray, " n"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Mean and standard deviation in the user's units, (n,) each, of normal variables in standardised ones.

        Exact if affine, else by Gauss-Hermite quadrature with 32 nodes.
        """
        if self.affine:
            with np.errstate(over="ignore"):
                return self.backward(mean), np.minimum(self.scale * sd, _LARGEST)
        nodes, weights = np.polynomial.hermite_e.hermegauss(32)
        weights /= weights.sum()
        # halves of values, in units of the largest: neither differences nor squares may then leave the range of floats
        values = 0.5 * self.backward(mean + sd * nodes[:, None]) - 0.5 * self.offset
        size = np.maximum(np.abs(values).max(axis=0), 1e-300)
        values /= size
        centre = weights @ values
        deviation = np.sqrt(weights @ (values - centre) ** 2)
        total = np.clip(0.5 * self.offset + size * centre, -0.5 * _LARGEST, 0.5 * _LARGEST)
        return 2.0 * total, 2.0 * np.minimum(size * deviation, 0.5 * _LARGEST)


def _branch(a: Float[np.ndarray, " *s"], power: float) -> Float[np.ndarray, " *s"]:
    """`((1 + a)^p − 1) / p` for a ≥ 0."""
    logs: np.ndarray = np.log1p(a)
    return logs if power < 1e-9 else np.expm1(np.minimum(power * logs, 700.0)) / power


def _inverse_branch(t: Float[np.ndarray, " *s"], power: float) -> Float[np.ndarray, " *s"]:
    logs = t if power < 1e-9 else np.log1p(power * t) / power
    a: np.ndarray = np.expm1(np.minimum(logs, 700.0))
    return a


def _yeo_johnson(u: Float[np.ndarray, " *s"], power: float) -> Float[np.ndarray, " *s"]:
    size = np.abs(u)
    return np.where(u >= 0, _branch(size, power), -_branch(size, 2.0 - power))


def _inverse_yeo_johnson(t: Float[np.ndarray, " *s"], power: float) -> Float[np.ndarray, " *s"]:
    size = np.abs(t)
    return np.where(t >= 0, _inverse_branch(size, power), -_inverse_branch(size, 2.0 - power))


def _mean_and_deviation(y: Float[np.ndarray, " n"]) -> tuple[float, float]:
    """Mean and root mean square deviation; 0 where outcomes differ by no more than rounding."""
    size = float(np.abs(y).max()) or 1.0
    mean = float(np.mean(y / size)) * size
    away = 0.5 * y - 0.5 * mean  # halves: the difference itself may not fit into a float
    largest = float(np.abs(away).max())
    if len(y) < 2 or largest <= 4.0 * _EPS * size or largest < 1e-300:
        return mean, 0.0
    return mean, 2.0 * largest * float(np.sqrt(np.mean((away / largest) ** 2)))


_EDGE = 1e-9


@dataclass(frozen=True)
class KumaraswamyWarp:
    """Warp `w(x) = 1 − (1 − x^a)^b` of columns, Kumaraswamy's distribution function (Snoek et al. 2014, section 3).

    Outside [0, 1] a column stays as it is. `a = b = 1` changes nothing.

    Args:
        columns: the columns to bend; those of categories make no sense.
        shapes: (a, b) for each of them; None: 1.

    Raises:
        InvalidOption: a column twice or below zero, or not as many shapes as columns, above zero.

    >>> KumaraswamyWarp((1,), ((2.0, 1.0),))(np.array([[0.5, 0.5], [0.5, 1.5]]))
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
        """Replace the hyperparameters."""
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
