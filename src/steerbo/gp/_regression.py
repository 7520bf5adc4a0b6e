"""Exact Gaussian process regression: observations, hyperparameters, and the posterior that follows from both.

Hyperparameters are learned by `Learner`, from the observations alone. Corrected outcomes are
replaced without a new factor where points are unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Bool, Float, Int
from ..errors import InvalidOption, InvalidStudy
from ._crossed import CrossedOutcomes
from ._dataset import Dataset, read_errors, read_outcomes, read_points
from ._factor import Factor
from ._fit import Hasty
from ._hyperparameters import LIKELY_NOISE, Hyperparameters
from ._learning import PLAIN_BELOW, Learner, MapEstimate, PriorKnowledge
from ._posterior import GPPosterior, subset_of_data
from ._process import GPPrior
from ._standardisation import Standardisation
from ._unseen import Unseen, aging, variance_after_steps, variance_shown
from .kernels import Kernel, SourcesKernel, UnseenKernel

K = TypeVar("K", bound=Kernel)
# (r,), (r,), (r, d), (r, d)
MomentsAndGradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
# share of the signal's variance that is the noise of an outcome which is still pending, at most
_EXPECTED = 1e-2
_BLOCK = 2**22  # entries of a kernel matrix that `predict` holds at a time


class GPRegression(Generic[K]):
    """A Gaussian process, conditioned on outcomes at points.

    Points are encoded, rows of (n, d). Outcomes are in the user's units; inside, they are
    standardised. `predict` and `raw` answer in the user's units, everything else in standardised
    ones.

    An outcome may come with a standard error that is known. Its noise variance is then the sum of
    two: the square of that error, and the noise that is learned, by which repetitions differ beyond
    it. Such stated errors are kept apart from the extra variance of an outcome that is doubted.

    Before the first `set`, offset and scale are 0 and 1. Learning has two steps, a log may stand
    between: `fit` finds hyperparameters and changes nothing, `set` takes them over. Till then
    offset and scale stay, and a row costs O(n²).

    Args:
        kernel: the covariance function, with the hyperparameters to begin with.
        noise: noise variance to begin with, in standardised units.
        likely_noise: noise variance believed beforehand, within a factor of 7; too small, noise is
            taken for roughness.
        seed: of draws of hyperparameters from their posterior; None: a fit finds the likeliest
            alone.
        uneven: columns in [0, 1] along which the noise may grow or shrink; a fit to enough outcomes
            learns how much.
        detailed: a kernel with parameters more, that a fit to enough outcomes learns in the place
            of `kernel`.
        known: people's knowledge of the outcomes.
        unseen: kernel of what a fit does not learn: see `gp._unseen`; None: nothing.

    Raises:
        InvalidOption: noise not allowed.

    Attributes:
        elsewhere: outcomes of the same quantity that other models have: a fit learns the units of
            outcomes from these, too, where it has few of its own.
        known: as above.
        last: the latest fit's hyperparameters; None: there was no fit.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = GPRegression(SquaredExponentialKernel([0.3]), noise=1e-6)
    >>> model.add([0.2], 1.0)
    >>> mean, sd = model.predict([[0.2], [0.9]])
    >>> mean.round(2), sd.round(2)
    (array([1.  , 0.07]), array([0., 1.]))
    """

    def __init__(
        self,
        kernel: K,
        noise: float = 1e-2,
        *,
        likely_noise: float = LIKELY_NOISE,
        seed: int | None = None,
        uneven: Sequence[int] = (),
        detailed: K | None = None,
        known: PriorKnowledge | None = None,
        unseen: UnseenKernel | None = None,
    ) -> None:
        for field, variance in (("noise", noise), ("likely_noise", likely_noise)):
            if not 0 < variance < math.inf:
                raise InvalidOption(
                    field,
                    variance,
                    "a finite variance above 0",
                    "For noise-free outcomes take 1e-6.",
                )
        self.output = Standardisation()
        self._initial = GPPrior(
            kernel, float(noise), likely_noise=float(likely_noise), uneven=tuple(uneven)
        )
        self._forms = (
            () if detailed is None else (self._initial, replace(self._initial, kernel=detailed))
        )
        self.prior = self._initial
        # the members' too
        self._data = Dataset(np.zeros((0, self._initial.width)), *(np.zeros(0),) * 3)
        self._seed, self.elsewhere = seed, np.zeros(0)
        self.known = PriorKnowledge() if known is None else known
        self.draws: tuple[tuple[float, ...], ...] = ()
        self.members: tuple[GPRegression[K], ...] = ()
        self.last: MapEstimate | None = None
        self._unseen = unseen
        self._shown: UnseenKernel | None = None
        self._condition()

    def __len__(self) -> int:
        return len(self._data)

    @property
    def kernel(self) -> K:
        """The kernel with the hyperparameters in use."""
        return self.prior.kernel

    @property
    def noise(self) -> float:
        """Noise variance, standardised, in the middle of columns along which it changes."""
        return self.prior.noise

    def noise_at(self, X: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Noise variance of an outcome at points X (m, d), standardised, (m,)."""
        return self.prior.noise_at(X)

    @property
    def mean(self) -> float:
        """The prior mean, standardised, the same everywhere."""
        return self.prior.mean

    @property
    def scale(self) -> float:
        """`y = offset + scale · z`."""
        return self.output.scale

    def unstandardise(self, z: ArrayLike) -> Float[np.ndarray, " *s"]:
        """Convert standardised values to the user's units. Monotone: bounds map to bounds, maximisers to maximisers."""
        return self.output.backward(np.asarray(z, dtype=np.float64))

    # -- data --------------------------------------------------------------------------------------

    @property
    def inputs(self) -> Float[np.ndarray, "n d"]:
        """The observed points, as they were given."""
        return self._data.points

    @property
    def outcomes(self) -> Float[np.ndarray, " n"]:
        """The outcomes, in the user's units."""
        return self._data.outcomes

    @property
    def errors(self) -> Float[np.ndarray, " n"]:
        """Stated standard errors of the outcomes, in the user's units, (n,); 0 where nothing is stated."""
        return self._data.errors

    @property
    def counted(self) -> Int[np.ndarray, " m"]:
        """Indices of the observations the posterior uses, ascending: all, or a subset of many."""
        return np.append(self._counted, np.arange(self._chosen, len(self)))

    def add(self, x: ArrayLike, y: float, error: float = 0.0) -> None:
        """One more observation: y, in the user's units, at x (d,). O(n²) when it is used.

        Args:
            x: the point.
            y: the outcome.
            error: its standard error, where that is known, in the user's units.

        Raises:
            InvalidOutcome: values that are not finite numbers, or a point of another length.
        """
        self.extend(self._read([x]), [y], [error])

    def extend(self, X: ArrayLike, y: ArrayLike, errors: ArrayLike | None = None) -> None:
        """Append observations y (m,) at X (m, d), with stated `errors` (m,), as `add` takes them one by one.

        Raises:
            InvalidOutcome: values that are not finite numbers, or shapes that do not fit.
        """
        extended = (each._posterior.is_extended for each in (self, *self.members))
        assert not any(extended), "outcomes are added outside with_fantasies()"
        points = self._read(X)
        n = len(points)
        data = self._data.extended(points, read_outcomes(y, n), read_errors(errors, n))
        for each in (self, *self.members):
            each._data = data

    def replace(self, X: ArrayLike, y: ArrayLike, errors: ArrayLike | None = None) -> None:
        """Replace all observations by y (n,) at X (n, d), with stated `errors` (n,). O(n³).

        Dataset that were there before, and were doubted, still are.

        Raises:
            InvalidOutcome: values that are not finite numbers, or shapes that do not fit.
        """
        points = self._read(X)
        outcomes, stated = read_outcomes(y, len(points)), read_errors(errors, len(points))
        doubted = {
            (tuple(self.inputs[i].tolist()), self.outcomes[i]): self._data.extra[i]
            for i in self.doubted
        }
        some = [
            doubted.get((tuple(x), value), 0.0)
            for x, value in zip(points.tolist(), outcomes.tolist(), strict=True)
        ]
        self._data = Dataset(points, outcomes, stated, np.array(some, dtype=np.float64))
        self._condition()
        self._draw()

    def revise(self, y: ArrayLike) -> None:
        """Replace the outcomes (n,) at the same points: the factor stays, and the subset that counts. O(n²).

        Their stated errors stay. One that was doubted and is another now is so no longer: then all
        is factorised anew.
        """
        outcomes = read_outcomes(y, len(self))
        if self._data.extra[outcomes != self.outcomes].any():
            self.replace(self.inputs, outcomes, self.errors)
            return
        data = Dataset(self.inputs, outcomes, self.errors, self._data.extra)
        for each in (self, *self.members):
            given, each._data = each._given, data
            given.revise(each._residuals(data.outcomes)[each.counted])

    def _read(self, X: object) -> Float[np.ndarray, "n d"]:
        # a kernel may leave the last columns unread
        width = self._data.points.shape[1]
        if isinstance(self.kernel, SourcesKernel):
            points = read_points(X, width - 1, more=True)
            return read_points(self.kernel.completed(points), width, more=False)
        return read_points(X, width, more=not len(self))

    # -- hyperparameters ---------------------------------------------------------------------------

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Hyperparameters in use."""
        doubted = tuple((i, float(self._data.extra[i])) for i in self.doubted)
        return Hyperparameters(tuple(self.prior.theta.tolist()), self.output, self.draws, doubted)

    @property
    def doubted(self) -> list[int]:
        """Numbers of the outcomes that are probably wrong and count for little, ascending."""
        return self._data.doubted

    @property
    def _learner(self) -> Learner[K]:
        initial, begin = self._initial, self.prior.theta
        if self._forms:
            initial = self._forms[len(self) >= PLAIN_BELOW]
            known = {each.name: each.value for each in self.prior.parameters}
            begin = np.array([known.get(each.name, each.value) for each in initial.parameters])
        return Learner(initial, begin, self.kernel, self._data, self.known, self.elsewhere)

    def fit(self) -> Hyperparameters:
        """Fit hyperparameters to all observations and sample their posterior; `set` puts them to use."""
        return self.drawn(self.likeliest())

    def likeliest(self, hasty: Hasty | None = None) -> Hyperparameters:
        """Hyperparameters learned from all observations, without draws: see `Learner.likeliest`."""
        self.last = self._learner.likeliest(hasty)
        return self.last.hyperparameters

    def compared(self, outliers: Sequence[Bool[np.ndarray, " n"]], hasty: Hasty) -> Hyperparameters:
        """Likeliest hyperparameters over several sets of doubted outcomes. O(n³)."""
        self.last = self._learner.compared(outliers, hasty)
        return self.last.hyperparameters

    def drawn(self, found: Hyperparameters) -> Hyperparameters:
        """Add samples of the posterior to the latest fit, where the regression has a seed."""
        if self._seed is None or self.last is None:
            return found
        return self._learner.drawn(found, self.last.fit, self._seed)

    def set(
        self, hyperparameters: Hyperparameters, chosen: Bool[np.ndarray, " n"] | None = None
    ) -> None:
        """Take hyperparameters over. O(n³).

        Args:
            hyperparameters: of a `fit`.
            chosen: marks the rows that plays chose, (n,), for a part that no row has shown: see
                `variance_after_steps`. None: none of them.

        Raises:
            InvalidStudy: they belong to another kernel, and nothing has changed.
        """
        length = len(hyperparameters.theta)
        forms = (form for form in self._forms if len(form.parameters) == length)
        initial = next(forms, self._initial)
        hyperparameters = hyperparameters.check([p.name for p in initial.parameters])
        extra = np.zeros(len(self))
        for i, variance in hyperparameters.doubted:
            if i >= len(self):
                raise InvalidStudy(
                    "hyperparameters.doubted", i, f"numbers of outcomes, below {len(self)}"
                )
            extra[i] = variance
        self.draws = hyperparameters.draws
        self._data = Dataset(self.inputs, self.outcomes, self.errors, extra)
        theta, self.output = np.array(hyperparameters.theta), hyperparameters.output
        self._initial, self.prior = initial, initial.with_theta(theta)
        if self._unseen is not None:
            seeing = self._unseen.seeing(self.inputs).times(1.0)
            rows = self.inputs, self.output.forward(self.outcomes), self._beside
            self._shown = variance_shown(seeing, self.prior, *rows)
            if chosen is not None:
                seeing = variance_after_steps(seeing, self.prior, *rows, chosen=chosen)
            self._unseen = seeing.without(self._shown)
        made = None
        if self.last is not None:
            as_learned = self._shown is None
            made = self.last.made_at(hyperparameters, self.inputs) if as_learned else None
            self.last = self.last.without_factor  # it grows from here on
        self._condition(made)
        self._draw()

    def _draw(self) -> None:
        """Make the members: the same outcomes, seen with each draw of the hyperparameters."""
        self.members = ()
        found: list[GPRegression[K]] = []
        for theta in self.draws:
            member = copy(self)
            member.draws, member.prior = (), self._initial.with_theta(np.array(theta))
            member._condition()
            member._beyond = self._beyond
            found.append(member)
        self.members = tuple(found)

    def member(self, k: int) -> GPRegression[K]:
        """The regression with the k-th draw of the hyperparameters, counted on from the first; itself without draws."""
        return self.members[k % len(self.members)] if self.members else self

    def _condition(self, made: Factor | None = None) -> None:
        some = subset_of_data(self.prior, self.inputs, self.output.forward(self.outcomes))
        self._counted, self._chosen = some, len(self)  # of so many; later ones all count
        points = self.inputs[some]
        noise = self.prior.noise_at(points) + self._beside[some]
        kernel: Kernel = self.kernel
        if self._shown is not None:
            kernel = kernel + aging(self._shown, kernel)
        self._posterior = GPPosterior(
            kernel, points, self._residuals(self.outcomes[some]), noise, made
        )
        self._beyond: Unseen | None = None
        if self._unseen is not None:
            self._beyond = Unseen(self._unseen, self.prior, points, self._beside[some])

    @property
    def _widening(self) -> Unseen | None:
        """Variance that no row has shown, given all observations; None: the model has no such part."""
        if self._beyond is not None and len(rest := self.counted[len(self._beyond) :]):
            self._beyond.append(self.inputs[rest], self._beside[rest])
        return self._beyond

    @property
    def _given(self) -> GPPosterior[Kernel]:
        """Posterior given all observations; later ones are taken in here, since a refit may make it void unused."""
        rest = slice(self._chosen + len(self._posterior) - len(self._counted), None)
        if rest.start < len(self):
            points = self.inputs[rest]
            noise = self.prior.noise_at_each(points) + self._beside[rest]
            self._posterior.append(points, self._residuals(self.outcomes[rest]), noise)
        return self._posterior

    @property
    def outgrown(self) -> bool:
        """Whether the rows span more than they did at the latest `set`: see `UnseenKernel`."""
        return self._unseen is not None and self._unseen.seeing(self.inputs) is not self._unseen

    @property
    def _beside(self) -> Float[np.ndarray, " n"]:
        """Noise variances beside the common one, standardised, (n,): of doubted outcomes, and by stated errors."""
        return self._data.extra + self._data.stated(self.output.scale)

    def _residuals(self, outcomes: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 1"]:
        """Outcomes less their prior mean, standardised, as one column."""
        return (self.output.forward(outcomes) - self.mean)[:, None]

    @property
    def factor(self) -> Factor:
        """The Cholesky factor of the covariances among observed and pending points: see `GPPosterior.factor`."""
        return self._given.factor

    @property
    def weights(self) -> Float[np.ndarray, " n"]:
        """`α = (K + λ1)⁻¹ (z − m)` over the observed points that count, standardised."""
        return self._given.weights[:, 0]

    @contextmanager
    def with_fantasies(self, X: ArrayLike) -> Iterator[Factor]:
        """Context in which pending points X (p, d) shrink the variance, not the mean: see `GPPosterior.extended`.

        They have the noise of `noise_of_fantasies`. The variance that no row has shown stays.
        """
        points = self._read(X)
        with self._given.extended(points, self.noise_of_fantasies(points)) as factor:
            yield factor

    def noise_of_fantasies(self, X: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
        """Noise variances of pending points X (p, d), standardised, (p,).

        They are hardly any: with much of it a pending point would be suggested again.
        """
        return np.minimum(self.noise_at(X), _EXPECTED * self.kernel.diagonal(X))

    def predict(self, Z: ArrayLike) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and standard deviation of f at Z (m, d), in the user's units, (m,) each. O(n²) a point."""
        blocks = np.array_split(
            points := self._read(Z), 1 + len(points) * (len(self) + 1) // _BLOCK
        )
        mean, variance = (
            np.concatenate(column) for column in zip(*map(self.marginals, blocks), strict=True)
        )
        return self.output.moments(mean, np.sqrt(variance))

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of f at Z (m, d), standardised, (m,) each, all rows at once. O(n²) a point."""
        found = self._given.solve(Z)
        variance = found.variance
        if (unseen := self._widening) is not None:
            variance = variance + unseen.posterior.solve(Z).variance
        return self.mean + found.mean[0], variance

    @staticmethod
    def crossed(
        members: Sequence[GPRegression[Any]], W: Float[np.ndarray, "s d"], held: Sequence[int]
    ) -> CrossedOutcomes:
        """Outcomes by each member at rows that have `held` columns from one table and the others from W (s, d)."""
        unseen = members[0]._widening
        return CrossedOutcomes(
            [(each._given, replace(each.prior, kernel=each._given.kernel)) for each in members],
            W,
            held,
            None if unseen is None else (unseen.posterior, unseen.prior),
        )

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Mean of f at Z (m, d), standardised, (m,). O(n) a point."""
        return self.mean + self._given.means(Z)[0]

    def means_and_gradients(
        self, Z: Float[np.ndarray, "r d"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """Mean of f at every row, standardised (r,), and its gradients (r, d). O(n) a point."""
        rows = self._given.points
        weights = np.broadcast_to(self.weights, (len(Z), len(rows)))
        slope = (
            self._given.kernel.input_gradient(Z, rows, weights) if len(rows) else np.zeros(Z.shape)
        )
        return self.mean + self._given.means(Z)[0], slope

    @property
    def points(self) -> Float[np.ndarray, "m d"]:
        """Observed points that count."""
        return self._given.points

    @property
    def fitted(self) -> Float[np.ndarray, " n"]:
        """Posterior mean of f at the observed points that count, standardised, (m,): `z − λα`."""
        noise = self.noises + self.factor.jitter
        return self.output.forward(self.outcomes[self.counted]) - noise * self.weights

    @property
    def noises(self) -> Float[np.ndarray, " m"]:
        """Noise variances of the outcomes in use, standardised: more where one is doubted, or states an error."""
        return self.prior.noise_at(self.inputs[self.counted]) + self._beside[self.counted]

    def predictive(self, x: Float[np.ndarray, " d"]) -> tuple[float, float]:
        """Mean and standard deviation of one more outcome at x (d,), noise included, in the user's units.

        They are those of the mixture over draws of the hyperparameters, where there are any.
        """
        means, variances = [], []
        for member in self.members or (self,):
            mean, deviation = member.predict(x[None])
            means.append(float(mean[0]))
            variances.append(
                float(deviation[0]) ** 2 + member.scale**2 * float(member.noise_at(x[None])[0])
            )
        spread = np.mean(variances) + np.var(means)
        return float(np.mean(means)), math.sqrt(float(spread))

    def left_out(self, latest: int) -> Float[np.ndarray, " k"]:
        """Leave-one-out residuals of the latest k outcomes in predictive deviations, (k,). O(n²).

        `α_i / √(K⁻¹)_ii` (Rasmussen & Williams 2006, 5.10 to 5.12); one that is doubted has more
        noise.

        >>> from .kernels import SquaredExponentialKernel
        >>> model = GPRegression(SquaredExponentialKernel([0.3]), noise=0.25)
        >>> model.replace([[0.2], [5.0]], [0.0, 1.0])
        >>> model.left_out(1).round(2)
        array([0.89])
        """
        m = len(self.factor)
        k = min(latest, m)
        ends = np.eye(m)[:, m - k :]
        precision = np.square(self.factor.half_solve(ends)).sum(axis=0)
        return np.asarray(self.weights[m - k :] / np.sqrt(precision))

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> MomentsAndGradients:
        """Mean and variance of f at every row, standardised (r,), and their gradients (r, d). O(n²) a point."""
        found = self._given.solve(Z)
        rise = self._given.slope(found, np.ones(found.mean.shape), None)
        fall = self._given.slope(found, None, np.ones(len(Z)))
        variance = found.variance
        if (unseen := self._widening) is not None:
            more = unseen.posterior.solve(Z)
            variance = variance + more.variance
            fall += unseen.posterior.slope(more, None, np.ones(len(Z)))
        return self.mean + found.mean[0], variance, rise, fall


def replace_outcomes(
    model: GPRegression[Any], X: ArrayLike, y: ArrayLike, errors: ArrayLike | None = None
) -> None:
    """Replace the outcomes of a model by y (n,) at X (n, d), some corrected, with stated `errors` (n,).

    O(n²) where all points and errors are as before: its factor stays then. It does not where only
    some outcomes count and another one is the best now.

    Raises:
        InvalidOutcome: values that are not finite numbers, or shapes that do not fit.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = GPRegression(SquaredExponentialKernel([0.3]), noise=1e-6)
    >>> model.add([0.2], 10.0)
    >>> replace_outcomes(model, [[0.2]], [1.0])
    >>> model.outcomes
    array([1.])
    """
    outcomes = np.asarray(y)
    stated = read_errors(errors, len(outcomes))
    same = 0 < len(model) == len(outcomes) and np.array_equal(X, model.inputs)
    same = same and np.array_equal(stated, model.errors)
    if same and (len(model.counted) == len(model) or outcomes.argmax() == model.outcomes.argmax()):
        model.revise(outcomes)
    else:
        model.replace(X, outcomes, stated)


def noise_lines(noise: float | None) -> tuple[tuple[str, str], ...]:
    """Describe a known noise: a heading and a text; nothing where it is learned."""
    return (
        ()
        if noise is None
        else (("noise", f"a measurement is off by {noise:g} (standard deviation)"),)
    )
