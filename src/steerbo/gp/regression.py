"""Exact Gaussian process regression: the surrogate that all wings use."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from ..errors import InvalidOption, InvalidOutcome, InvalidStudy
from .factor import Factor
from .fit import Fit, maximum_a_posteriori, refit_due
from .hyperparameters import Hyperparameters
from .kernels import Kernel
from .means import ConstantMean, KnownMean, LinearMean, Mean, MeanFunction
from .parameters import LITTLE_NOISE
from .prior import Prior
from .transforms import Output, Transform
from .warp import Warp

K = TypeVar("K", bound=Kernel)
Moments = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Mean (r,), variance (r,) and their gradients, (r, d) each."""

_BLOCK = 2**22  # entries of a kernel matrix that `predict` holds at a time
_FARTHEST = 1e100  # squares of coordinates beyond may not fit into a float
_MANY = 400  # observations from which on a fit saves time


class Regression(Generic[K]):
    """A Gaussian process, conditioned on outcomes at points.

    Points are encoded, rows of (n, d). Outcomes are in the user's units; inside, they are standardised. `predict`,
    `sample` and `raw` answer in the user's units, everything else in standardised ones: the way back, `raw`, is
    monotone, so that it carries bounds over and leaves maximisers where they are.

    Before the first `set` the kernel is taken as it is, in the user's units: offset 0, scale 1. Learning is in two
    steps, because a log may stand between them: `fit` finds hyperparameters and changes nothing, `set` takes them
    over. Offset and scale stay as they are until the next `set`, so that appending an observation costs O(n²).

    Args:
        kernel: the covariance function, with the hyperparameters to begin with.
        mean: a `ConstantMean` (None: this) or a `LinearMean`, which are learned, or a function from points (n, d) to
            prior means (n,) in the user's units, which is taken as known.
        noise: noise variance to begin with, in standardised units.
        warp: columns to bend by a learned `Warp`; they should hold numbers in [0, 1].
        transform: "yeo-johnson" for outcomes that are skewed; None for none.
        likely_noise: noise variance, in standardised units, that is believed before anything is seen, give or take a
            factor of 7. Where it is much too small, a few noisy outcomes are taken for a rough function.

    Raises:
        InvalidOption: noise or transform not allowed.

    >>> from steerbo.gp import SquaredExponential
    >>> model = Regression(SquaredExponential([0.3]), noise=1e-6)
    >>> model.add([0.2], 1.0)
    >>> mean, sd = model.predict([[0.2], [0.9]])
    >>> mean.round(2), sd.round(2)
    (array([1.  , 0.07]), array([0., 1.]))
    """

    def __init__(
        self,
        kernel: K,
        mean: Mean | MeanFunction | None = None,
        noise: float = 1e-2,
        warp: Sequence[int] = (),
        transform: Transform | None = None,
        *,
        likely_noise: float = LITTLE_NOISE,
    ) -> None:
        for field, variance in (("noise", noise), ("likely_noise", likely_noise)):
            if not 0 < variance < math.inf:
                raise InvalidOption(field, variance, "a finite variance above 0", "For noise-free outcomes take 1e-6.")
        if transform not in {None, "yeo-johnson"}:
            raise InvalidOption("transform", transform, "None or 'yeo-johnson'")
        learned = ConstantMean() if mean is None else mean
        self._known: KnownMean | None = None
        if not isinstance(learned, ConstantMean | LinearMean):
            self._known, learned = KnownMean(learned), ConstantMean(learned=False)
        self._transform = transform
        self._weights: np.ndarray | None = None
        self._initial = self._prior = Prior(kernel, learned, float(noise), Warp(tuple(warp)), float(likely_noise))
        self.output = Output()
        self.last_fit: Fit | None = None
        self._points = np.zeros((0, self._prior.width))
        self._outcomes = np.zeros(0)
        self._pending: tuple[np.ndarray, ...] = ()
        self._bent = self._points
        self._factor: Factor | None = Factor()
        self._built = 0  # the points that were there when the factor was last to be built anew

    # -- data ----------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._outcomes)

    @property
    def inputs(self) -> Float[np.ndarray, "n d"]:
        """The observed points, as they were given."""
        return self._points

    @property
    def outcomes(self) -> Float[np.ndarray, " n"]:
        """The outcomes, in the user's units."""
        return self._outcomes

    def add(self, x: ArrayLike, y: float) -> None:
        """One more observation: y, in the user's units, at x (d,). O(n²) when it is used.

        Raises:
            InvalidOutcome: values that are not finite numbers, or a point of another length.
        """
        point, outcome = self._checked([x], [y])
        assert not self._pending, "observations are added outside hallucinated()"
        bent = self._prior.warp(point)
        self._bent = np.concatenate([self._bent, bent]) if len(self) else bent
        self._points = np.concatenate([self._points, point]) if len(self) else point
        self._outcomes = np.append(self._outcomes, outcome)
        self._weights = None

    def replace(self, X: ArrayLike, y: ArrayLike) -> None:
        """Other observations instead of all there are: y (n,) at X (n, d). O(n³).

        Raises:
            InvalidOutcome: values that are not finite numbers, or shapes that do not fit.
        """
        self._points, self._outcomes = self._checked(X, y)
        self._condition()

    def _checked(self, X: object, y: object) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]]:
        outcomes = _numbers(y, "value")
        points = self._read(X) if outcomes.size else np.zeros((0, self._points.shape[1]))
        if outcomes.shape != (len(points),):
            raise InvalidOutcome("value", y, f"{len(points)} numbers, one for each point")
        if not np.isfinite(outcomes).all():
            raise InvalidOutcome("value", y, "a finite number", "If the evaluation broke, call fail().")
        return points, outcomes

    def _read(self, X: object) -> Float[np.ndarray, "n d"]:
        points = _numbers(X, "points")
        width = self._points.shape[1]
        fits = points.ndim == 2 and (points.shape[1] >= width if not len(self) else points.shape[1] == width)
        if not fits:
            raise InvalidOutcome("points", X, f"rows of {width} numbers")
        if not (np.abs(points) <= _FARTHEST).all():
            raise InvalidOutcome("points", X, f"finite numbers, not beyond {_FARTHEST:g}")
        return points

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Those in use."""
        return Hyperparameters(tuple(self._prior.theta.tolist()), self.output)

    def refit_due(self, last: int) -> bool:
        """Whether hyperparameters learned at `last` observations should be learned anew: see `steerbo.gp.refit_due`."""
        return refit_due(last, len(self))

    def fit(self, previous: Hyperparameters | None = None) -> Hyperparameters:
        """Hyperparameters learned from all observations by maximum a posteriori; `set` takes them over. O(n³).

        The search starts from `previous` (None: those in use) and from two fixed points. It never fails for what the
        data are: with fewer than two different outcomes there is nothing to learn but offset and scale. `last_fit`
        tells what happened.
        """
        known = None if self._known is None else self._known(self._points)
        output = Output.fitted(self._outcomes, self._transform, known)
        before = self._prior.theta if previous is None else self._theta(previous)
        z = output.forward(self._outcomes)
        if known is not None:
            z = z - output.forward(known)
        if len(z) < 2 or np.abs(z).max() < 0.01:  # else their root mean square is 1
            self.last_fit = Fit(before, math.nan, True, 0, 0.0, ("outcomes do not differ: hyperparameters were kept",))
        else:
            fixed = self._initial.theta
            short = fixed - np.log(3.0) * np.array(["lengthscale" in p.name for p in self._initial.parameters])
            self.last_fit = maximum_a_posteriori(
                self._initial.parameters,
                lambda theta: self._initial.with_theta(theta).log_likelihood(self._points, z),
                [before, fixed, short],
                many=len(z) > _MANY,
            )
        return Hyperparameters(tuple(self.last_fit.theta.tolist()), output)

    def set(self, hyperparameters: Hyperparameters) -> None:
        """Take hyperparameters over. O(n³).

        Raises:
            InvalidStudy: they belong to another kernel, mean or warp.
        """
        self._prior = self._initial.with_theta(self._theta(hyperparameters))
        self.output = hyperparameters.output
        self._condition()

    def _theta(self, hyperparameters: Hyperparameters) -> Float[np.ndarray, " p"]:
        names = [parameter.name for parameter in self._initial.parameters]
        if len(hyperparameters.theta) != len(names) or np.abs(hyperparameters.theta).max() > 100:
            allowed = f"{len(names)} numbers from -100 to 100 ({', '.join(names)})"
            raise InvalidStudy("hyperparameters.theta", hyperparameters.theta, allowed)
        return np.array(hyperparameters.theta)

    # -- the pieces ----------------------------------------------------------------------------------------------------

    def _condition(self) -> None:
        assert not self._pending, "observations and hyperparameters change outside hallucinated()"
        self._bent = self._prior.warp(self._points)
        self._factor, self._built = None, len(self)
        self._weights = None

    @property
    def factor(self) -> Factor:
        """The Cholesky factor of the covariances among the observed points, noise included.

        It is computed when it is first asked for, in the steps in which the points came: so its bits do not depend on
        when that is, and a replay computes nothing that a later refit makes void.

        Raises:
            ModelFailure: covariances that are not finite, or that no jitter mends.
        """
        if self._factor is None:
            self._factor = Factor(self._noisy(self._bent[: self._built]))
        for n in range(len(self._factor), len(self)):
            bent = self._bent[n : n + 1]
            self._factor.append(self.kernel(bent, self._bent[:n]) if n else np.zeros((1, 0)), self._noisy(bent))
        return self._factor

    def _noisy(self, bent: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "k k"]:
        """Covariances among bent points, noise on the diagonal."""
        gram = self.kernel(bent, bent)
        gram.flat[:: len(bent) + 1] += self.noise
        return gram

    @property
    def kernel(self) -> K:
        """The kernel with the hyperparameters in use; with a warp, of bent points (`bent`)."""
        return self._prior.kernel  # type: ignore[return-value]

    @property
    def noise(self) -> float:
        """Noise variance, standardised."""
        return self._prior.noise

    @property
    def offset(self) -> float:
        """`y = offset + scale · z`, if there is no transform."""
        return self.output.offset

    @property
    def scale(self) -> float:
        """`y = offset + scale · z`, if there is no transform."""
        return self.output.scale

    @property
    def mean(self) -> float:
        """The prior mean, standardised, where it is constant.

        Raises:
            InvalidOption: it is not.
        """
        if self._known is not None or not isinstance(self._prior.mean, ConstantMean):
            raise InvalidOption("mean", self._known or self._prior.mean, "a constant mean")
        return self._prior.mean.level

    @property
    def weights(self) -> Float[np.ndarray, " n"]:
        """`α = (K + λ1)⁻¹ (z − m)` over the observed points, standardised."""
        if self._weights is None:
            z = self.output.forward(self._outcomes)
            self._weights = self.factor.solve(z - self.prior_mean(self._points))
        return self._weights

    def bent(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m d"]:
        """Points as the kernel sees them."""
        return self._prior.warp(Z)

    def raw(self, z: ArrayLike) -> Float[np.ndarray, " *s"]:
        """From standardised units to the user's: monotone, so that bounds go to bounds."""
        return self.output.backward(np.asarray(z, dtype=np.float64))

    def prior_mean(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """m(x) for every row, standardised, (m,)."""
        if self._known is not None:
            return self.output.forward(self._known(Z))
        return self._prior.mean(self._prior.warp(Z))

    @property
    def _conditioned(self) -> Float[np.ndarray, "q d"]:
        """Bent points that shrink the variance: observed ones, then pending ones."""
        parts = [part for part in (self._bent, *self._pending) if len(part)]
        return np.concatenate(parts) if parts else self._bent

    def _covariances(self, bent: Float[np.ndarray, "k d"]) -> tuple[Float[np.ndarray, "k q"], Float[np.ndarray, "k k"]]:
        rows = self._conditioned
        return self.kernel(bent, rows) if len(rows) else np.zeros((len(bent), 0)), self._noisy(bent)

    @contextmanager
    def hallucinated(self, X: ArrayLike) -> Iterator[Factor]:
        """Inside the context pending points X (p, d) shrink the variance, not the mean (Desautels et al. 2014).

        Gives the factor, with rows of the observed points first and of the pending ones after them. Contexts may be
        nested; afterwards there is no trace, to the last bit.
        """
        points = _numbers(X, "points")
        bent = self._prior.warp(self._read(points)) if len(points) else np.zeros((0, self._points.shape[1]))
        _ = self.weights  # of the observed points alone, and kept
        outside = self._pending
        with self.factor.extended(*self._covariances(bent)):
            self._pending = (*outside, bent)
            try:
                yield self.factor
            finally:
                self._pending = outside

    # -- the posterior -------------------------------------------------------------------------------------------------

    def predict(self, Z: ArrayLike) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and standard deviation of f, without noise, at Z (m, d), in the user's units, (m,) each. O(n²) a point.

        Without observations that is the prior.
        """
        points = self._read(Z)
        blocks = np.array_split(points, 1 + points.shape[0] * (len(self) + 1) // _BLOCK)
        parts = [self._marginals(block) for block in blocks]
        mean, variance = (np.concatenate(column) for column in zip(*parts, strict=True))
        return self.output.moments(mean, np.sqrt(variance))

    def marginals(self, Z: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of f at Z (m, d), standardised, (m,) each, all rows at once. O(n²) a point."""
        return self._marginals(Z)

    def _marginals(self, Z: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        bent = self._prior.warp(Z)
        cross = self.kernel(bent, self._conditioned)
        half = self.factor.half_solve(cross.T)
        variance = self.kernel.diagonal(bent) - np.einsum("nm,nm->m", half, half)
        return self.prior_mean(Z) + cross[:, : len(self)] @ self.weights, np.maximum(variance, 0.0)

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Mean of f at Z (m, d), standardised, (m,). O(n) a point."""
        return self.prior_mean(Z) + self.kernel(self._prior.warp(Z), self._bent) @ self.weights

    @property
    def fitted(self) -> Float[np.ndarray, " n"]:
        """Posterior mean of f at the observed points, standardised, (n,): `z − λα`."""
        return self.output.forward(self._outcomes) - (self.noise + self.factor.jitter) * self.weights

    def average(self, Z: Float[np.ndarray, "m d"]) -> tuple[float, float]:
        """Mean and variance of the average of f over the rows of Z (m, d), standardised. O(n²) in all."""
        bent = self._prior.warp(Z)
        cross = self.kernel(bent, self._conditioned).mean(axis=0)
        half = self.factor.half_solve(cross)
        variance = float(self.kernel(bent, bent).mean() - half @ half)
        return float(self.prior_mean(Z).mean() + cross[: len(self)] @ self.weights), max(variance, 0.0)

    def mean_and_gradient(
        self, Z: Float[np.ndarray, "r d"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """Posterior mean at every row, standardised (r,), and its gradient (r, d). O(n d) a point."""
        bent, observed = self._prior.warp(Z), self._bent
        value = self.prior_mean(Z) + self.kernel(bent, observed) @ self.weights
        pull = np.broadcast_to(self.weights, (len(Z), len(self)))
        slope = self.kernel.input_gradient(bent, observed, pull) + self._prior.mean.input_gradient(bent)
        gradient = slope * self._prior.warp.slope(Z)
        return value, gradient if self._known is None else gradient + self._known.input_gradient(Z, self.output)

    def variance_and_gradient(
        self, Z: Float[np.ndarray, "r d"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """Posterior variance of f at every row, standardised (r,), and its gradient (r, d). O(n²) a point."""
        bent, rows = self._prior.warp(Z), self._conditioned
        cross = self.kernel(bent, rows)
        pull = self.factor.solve(cross.T).T
        variance = self.kernel.diagonal(bent) - np.einsum("rn,rn->r", cross, pull)
        slope = self.kernel.diagonal_gradient(bent) - 2.0 * self.kernel.input_gradient(bent, rows, pull)
        return np.maximum(variance, 0.0), slope * self._prior.warp.slope(Z)

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> Moments:
        """What `mean_and_gradient` and `variance_and_gradient` answer, in half the time."""
        bent, rows = self._prior.warp(Z), self._conditioned
        cross = self.kernel(bent, rows)
        pull = self.factor.solve(cross.T).T
        variance = self.kernel.diagonal(bent) - np.einsum("rn,rn->r", cross, pull)
        weights = np.zeros((len(bent), len(rows)))  # pending points pull at the variance only
        weights[:, : len(self)] = self.weights
        mean = self.prior_mean(Z) + cross[:, : len(self)] @ self.weights
        both = self.kernel.input_gradient(np.tile(bent, (2, 1)), rows, np.concatenate([weights, pull]))
        bend = self._prior.warp.slope(Z)
        rise = (both[: len(Z)] + self._prior.mean.input_gradient(bent)) * bend
        if self._known is not None:
            rise = rise + self._known.input_gradient(Z, self.output)
        fall = (self.kernel.diagonal_gradient(bent) - 2.0 * both[len(Z) :]) * bend
        return mean, np.maximum(variance, 0.0), rise, fall

    def covariance(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m m"]:
        """Posterior covariance of f among the rows of Z, standardised, (m, m)."""
        bent = self._prior.warp(Z)
        half = self.factor.half_solve(self.kernel(self._conditioned, bent))
        covariance: np.ndarray = self.kernel(bent, bent) - half.T @ half
        return covariance

    def sample(self, Z: ArrayLike, random: np.random.Generator, count: int = 1) -> Float[np.ndarray, "count m"]:
        """Draws of f at the rows of Z (m, d) jointly, in the user's units, (count, m). O(m³)."""
        points = self._read(Z)
        values, vectors = np.linalg.eigh(self.covariance(points))  # at observed points it is singular
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        mean = self._marginals(points)[0]
        return self.output.backward(mean + random.standard_normal((count, len(points))) @ root.T)

    def log_likelihood(self) -> float:
        """Log marginal likelihood of the standardised outcomes (Rasmussen & Williams 2006, equation 5.8)."""
        z = self.output.forward(self._outcomes) - self.prior_mean(self._points)
        quadratic = float(z @ self.weights)
        return -0.5 * (quadratic + self.factor.log_determinant + len(self) * math.log(2.0 * math.pi))


def _numbers(values: object, field: str) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidOutcome(field, values, "numbers") from None
