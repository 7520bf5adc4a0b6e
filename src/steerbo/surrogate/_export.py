"""Export of a fitted Gaussian process over a box, for other libraries: joint moments of points, and their slopes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from .._arrays import Float
from ..errors import InvalidRequest
from ..gp import (
    AnovaKernel,
    CellKernel,
    Factor,
    GPRegression,
    Kernel,
    Standardisation,
)
from ..optim import Box, box_of
from ..space import Space
from ._expectation import Expectation, ProductKernelPosterior
from ._parts import Part

_SQUARABLE = 1e150  # numbers beyond have squares that are no float
Points = Float[np.ndarray, "r d"]


@dataclass(frozen=True, eq=False)
class Columns:
    """Names, bounds and encoding of the columns of points.

    Args:
        names: of the variables.
        box: bounds, levels of those that are not continuous, and which are categories; as the
            process reads them.
        encode: values by variable to a point (d,).
        decode: the nearest settable values, by variable, of a point (d,).
    """

    names: tuple[str, ...]
    box: Box
    encode: Callable[[Mapping[str, Any]], Float[np.ndarray, " d"]]
    decode: Callable[[Float[np.ndarray, " d"]], dict[str, Any]]

    @classmethod
    def of(cls, space: Space) -> Self:
        """Build the encoded columns of a space: numbers in [0, 1], and categories by number."""
        return cls(
            space.names,
            box_of(space, range(len(space))),
            lambda values: space.encode([values])[0],
            lambda point: space.decode(point[None])[0],
        )


class Trend(Protocol):
    """A prior mean that is not the same everywhere, in the units of the outcomes."""

    def __call__(self, Z: Points) -> Float[np.ndarray, " r"]:
        """Evaluate at points (r, d), (r,)."""

    def slope(self, Z: Points) -> Points:
        """Gradients at points (r, d)."""


class Origin(Protocol):
    """Points from which a process measures, such as today's settings in each context."""

    def moved(self, Z: Points) -> Points:
        """Points (r, d) as the process reads them, (r, d)."""

    def pulled(self, Z: Points, slope: Points) -> Points:
        """Gradients at points Z, (r, d), of a function whose gradients by `moved(Z)` are `slope`."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """A Gaussian process f over a box, conditioned on n outcomes, as arrays and a kernel k.

    With the covariances `κ(z) = average ∘ k(z, X)` between f and the outcomes,

        mean(z)    = offset + scale (mean + κ(z) weights) + trend(z)
        cov(z, z') = scale² (doubly k(z, z') − κ(z) root rootᵀ κ(z')ᵀ).

    Larger is better: where the problem minimises, f is less the objective.

    Args:
        columns: the columns of points.
        kernel: k.
        inputs: X, (n, d).
        weights: (n,).
        root: (n, n): `root rootᵀ` is the inverse of the outcomes' covariances, noise included.
        average: (n,).
        doubly: one, or the remaining share of the prior variance where f is itself an expectation.
        mean: of the prior, standardised.
        offset, scale: from standardised units to those of the outcomes.
        noise: variance of an outcome's noise at points (r, e), standardised, (r,); None: no single
            outcome is one of f and noise alone.
        trend: the part of the prior mean beside `mean`; None: nothing.
        held: values of columns that the kernel reads after those of points, such as the time.
        origin: what `inputs` are measured from; None: points are read as they are.
        members: the same with draws of the hyperparameters, all as likely; none: these are taken
            for granted.
    """

    columns: Columns
    kernel: Kernel
    inputs: Float[np.ndarray, "n d"]
    weights: Float[np.ndarray, " n"]
    root: Float[np.ndarray, "n n"]
    average: Float[np.ndarray, " n"]
    doubly: float = 1.0
    mean: float = 0.0
    offset: float = 0.0
    scale: float = 1.0
    noise: Callable[[Float[np.ndarray, "r e"]], Float[np.ndarray, " r"]] | None = None
    trend: Trend | None = None
    held: tuple[float, ...] = ()
    origin: Origin | None = None
    members: tuple[Posterior, ...] = ()

    @classmethod
    def of_regression(
        cls,
        model: GPRegression[Any],
        columns: Columns,
        held: tuple[float, ...] = (),
        origin: Origin | None = None,
    ) -> Self:
        """Posterior of a regression; `held` are values of columns after those of points."""
        output = model.output
        members = tuple(
            cls.of_regression(member, columns, held, origin) for member in model.members
        )
        return cls(
            columns, model.kernel, model.inputs[model.counted], model.weights, inverse_root(model.factor),
            np.ones(len(model.counted)), mean=model.mean, offset=output.offset, scale=output.scale,
            noise=model.noise_at, held=held, origin=origin, members=members,
        )  # fmt: skip

    @classmethod
    def of_expectation(
        cls,
        posterior: ProductKernelPosterior,
        parts: Sequence[Part],
        output: Standardisation,
        columns: Columns,
    ) -> Self:
        """Exact posterior of `g(z) = E f` over uncontrolled columns, as a function of the controlled ones."""
        over = Expectation.of_means(posterior, parts)
        held = over.controlled
        variance = posterior.variance * (1.0 + over.cell)
        kernel: Kernel = AnovaKernel(
            posterior.lengthscales[held],
            posterior.shares[held],
            variance,
            categorical=posterior.categorical[held].tolist(),
            tail=posterior.tail,
        )
        if over.cell:
            kernel = kernel * CellKernel(range(len(held)), over.cell / (1.0 + over.cell))
        return cls(
            columns, kernel, posterior.inputs[:, held], posterior.weights,
            _symmetric_root(posterior.inverse), over.average, over.doubly, posterior.mean, output.offset, output.scale,
        )  # fmt: skip

    # -- parts of the formula, each with its pull-back ---------------------------------------------

    def _whole(self, Z: Points) -> Float[np.ndarray, "r e"]:
        """Points as the kernel reads them, with the held values."""
        Z = Z if self.origin is None else self.origin.moved(Z)
        return np.column_stack([Z, np.tile(self.held, (len(Z), 1))]) if self.held else Z

    def _pulled(self, Z: Points, slope: Float[np.ndarray, "r e"]) -> Points:
        """Gradients at points (r, d) of a function whose gradients by `_whole(Z)` are `slope`."""
        slope = slope[:, : Z.shape[1]]
        return slope if self.origin is None else self.origin.pulled(Z, slope)

    def noise_at(self, Z: Points) -> Float[np.ndarray, " r"]:
        """Noise variance of an outcome at points (r, d), in squared units of the outcome, (r,); of members, the mean.

        Raises:
            InvalidRequest: the posterior is of an expected value, which outcomes do not measure.
        """
        if self.members:
            return np.asarray(np.mean([member.noise_at(Z) for member in self.members], axis=0))
        if self.noise is None:
            hint = "For fantasies take the model of the objective: leave ‹scope› out."
            raise InvalidRequest(
                "observation_noise", True, "False: an expected value is not observed", hint
            )
        return self.scale**2 * self.noise(self._whole(Z))

    def cross(self, Z: Points) -> Float[np.ndarray, "r n"]:
        """κ at points (r, d)."""
        return self.kernel(self._whole(Z), self.inputs) * self.average

    def cross_slope(self, Z: Points, W: Float[np.ndarray, "r n"]) -> Points:
        """`∂/∂z_i Σ_j W_ij κ_j(z_i)`, (r, d)."""
        whole = self._whole(Z)
        return self._pulled(Z, self.kernel.input_gradient(whole, self.inputs, W * self.average))

    def prior(self, Z: Float[np.ndarray, "b q d"]) -> Float[np.ndarray, "b q q"]:
        """Prior covariances among the q points of each batch, (b, q, q), standardised."""
        whole = [self._whole(points) for points in Z]
        if Z.shape[1] == 1:
            found = (
                self.kernel.diagonal(np.concatenate(whole))[:, None, None]
                if len(Z)
                else np.zeros((0, 1, 1))
            )
            return self.doubly * found
        return self.doubly * np.array([self.kernel(points, points) for points in whole]).reshape(
            *Z.shape[:2], -1
        )

    def prior_slope(
        self, Z: Float[np.ndarray, "b q d"], W: Float[np.ndarray, "b q q"]
    ) -> Float[np.ndarray, "b q d"]:
        """`∂/∂z Σ_ij W_ij prior_ij` in each batch, (b, q, d)."""
        slope = np.empty(Z.shape)
        for b, (points, weights) in enumerate(zip(Z, W, strict=True)):
            whole = self._whole(points)
            if len(points) == 1:
                rise = weights[0] * self.kernel.diagonal_gradient(whole)
            else:
                rise = self.kernel.input_gradient(whole, whole, weights + weights.T)
            slope[b] = self._pulled(points, rise)
        return self.doubly * slope

    def moments(self, Z: Points) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r r"]]:
        """Means (r,) and covariances (r, r) of f at points (r, d), in the units of the outcomes.

        Where there are members, those of their mixture: `E m` and `E C + E m mᵀ − E m E mᵀ`.
        """
        if self.members:
            means, covariances = zip(*(member.moments(Z) for member in self.members), strict=True)
            away = np.array(means) - np.mean(means, axis=0)
            return np.mean(means, axis=0), np.mean(covariances, axis=0) + away.T @ away / len(away)
        cross = self.cross(Z)
        half = cross @ self.root
        offset, scale = (
            min(max(number, -_SQUARABLE), _SQUARABLE) for number in (self.offset, self.scale)
        )
        mean = offset + scale * (self.mean + cross @ self.weights)
        covariance = scale**2 * (self.prior(Z[None])[0] - half @ half.T)
        return mean + (self.trend(Z) if self.trend is not None else 0.0), covariance


def inverse_root(factor: Factor) -> Float[np.ndarray, "n n"]:
    """`L⁻ᵀ`: a root of the inverse."""
    return factor.half_solve(np.eye(len(factor))).T


def _symmetric_root(inverse: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """A root of a matrix that is positive definite but for rounding: by Cholesky where that goes, which takes less."""
    try:
        return np.linalg.cholesky(inverse)
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh(inverse)
    return vectors * np.sqrt(np.maximum(values, 0.0))
