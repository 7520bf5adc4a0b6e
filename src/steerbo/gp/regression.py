"""Exact Gaussian process regression: the surrogate that all wings use."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

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
from .posterior import Posterior
from .prior import Prior
from .transforms import Output, Transform
from .warp import Warp

K = TypeVar("K", bound=Kernel)

_FARTHEST = 1e100  # squares of coordinates beyond may not fit into a float
_MANY = 400  # observations from which on a fit saves time


class Regression(Posterior[K]):
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
            raise InvalidOption("transform", transform, "'yeo-johnson', or none")
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
            raise InvalidOutcome("value", y, "a finite number", "If the evaluation broke, use ‹fail›.")
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

    @property
    def weights(self) -> Float[np.ndarray, " n"]:
        """`α = (K + λ1)⁻¹ (z − m)` over the observed points, standardised."""
        if self._weights is None:
            z = self.output.forward(self._outcomes)
            self._weights = self.factor.solve(z - self.prior_mean(self._points))
        return self._weights

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


def _numbers(values: object, field: str) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidOutcome(field, values, "numbers") from None
