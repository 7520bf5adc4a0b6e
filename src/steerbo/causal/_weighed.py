"""Several outcomes as one: the posterior of their weighted sum, and each further outcome's part of a history."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Float
from ..core import Fit, History, Result
from ..gp import Averaged, GPRegression, MomentsAndGradients, Standardisation
from ..surrogate import LEAST_SD, OUTCOMES_FIT, Rising, Scalarised, Units


class Weighed:
    """Posterior of the weighted sum of outcomes, each with a model of its own, independent of the others.

    It has the methods of a regression that choices and policies use.

    Args:
        models: of the outcomes k, of the same columns.
        weights: (k,) of one unit of each.
    """

    def __init__(
        self,
        models: Sequence[GPRegression[Any] | Averaged[Any]],
        weights: Float[np.ndarray, " k"],
    ) -> None:
        self._models = models
        units = weights * [model.scale for model in models]
        offset = float(weights @ [model.output.offset for model in models])
        self.output = Standardisation(offset, math.sqrt(float(units @ units)) or 1.0)
        self._shares = units / self.output.scale

    def __len__(self) -> int:
        return min(map(len, self._models))

    @property
    def inputs(self) -> Float[np.ndarray, "n d"]:
        """The observed points of the first model."""
        return self._models[0].inputs

    @property
    def scale(self) -> float:
        """Unit of standardised sums."""
        return self.output.scale

    def unstandardise(self, z: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """Convert standardised sums to sums."""
        return self.output.backward(np.asarray(z))

    @contextmanager
    def with_fantasies(self, X: Float[np.ndarray, "p d"]) -> Iterator[None]:
        """Context in which pending points shrink the variances of all: see `GPRegression.with_fantasies`."""
        with ExitStack() as stack:
            for model in self._models:
                stack.enter_context(model.with_fantasies(X))
            yield

    def predict(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and standard deviation of the sum at Z, (m,) each."""
        mean, variance = self.marginals(Z)
        return self.unstandardise(mean), self.scale * np.sqrt(variance)

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance at Z, standardised, (m,) each."""
        means, variances = zip(*(model.marginals(Z) for model in self._models), strict=True)
        return self._shares @ np.array(means), self._shares**2 @ np.array(variances)

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Mean at Z, standardised, (m,)."""
        return np.asarray(self._shares @ np.array([model.means(Z) for model in self._models]))

    def average(self, Z: Float[np.ndarray, "m d"]) -> tuple[float, float]:
        """Mean and variance of the average over the rows of Z, standardised."""
        found = [model.average(Z) for model in self._models if isinstance(model, GPRegression)]
        means, variances = np.array(found).T
        return float(self._shares @ means), float(self._shares**2 @ variances)

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> MomentsAndGradients:
        """Mean and variance at every row, standardised (r,), and their gradients (r, d)."""
        found = [model.moments_and_gradients(Z) for model in self._models]
        means, variances, rises, widenings = map(np.array, zip(*found, strict=True))
        of, of_variance = self._shares, self._shares**2
        return (
            of @ means,
            of_variance @ variances,
            np.tensordot(of, rises, axes=1),
            np.tensordot(of_variance, widenings, axes=1),
        )


class _Bound:
    """Upper bound `μ + root · σ` of an outcome, as `surrogate.Rises` has it."""

    def __init__(self, model: GPRegression[Any] | Averaged[Any], root: float) -> None:
        self._model, self._root = model, root

    def values(self, points: Float[np.ndarray, "r d"]) -> Float[np.ndarray, " r"]:
        """Bound, standardised (r,)."""
        if not self._root:
            return self._model.means(points)
        mean, variance = self._model.marginals(points)
        return mean + self._root * np.sqrt(variance)

    def rising_moments(self, points: Float[np.ndarray, "r d"]) -> tuple[Rising, Rising]:
        """Bound with its gradients (r, d), and nothing."""
        mean, variance, rise, widening = self._model.moments_and_gradients(points)
        sd = np.sqrt(variance)
        steep = widening / (2.0 * np.maximum(sd, LEAST_SD))[:, None]
        none = np.zeros(len(points)), np.zeros(points.shape)
        return (mean + self._root * sd, rise + self._root * steep), none


class Least(Weighed):
    """The least of the bounds of outcomes, each as a weighed share of its unit: see `surrogate.Scalarised`.

    It is taken for known: it has no deviation.

    Args:
        models: of the outcomes k, of the same columns.
        units: of the outcomes.
        weights: (k,) λ of each.
        root: of β, deviations by which bounds lie above means.
    """

    def __init__(
        self,
        models: Sequence[GPRegression[Any] | Averaged[Any]],
        units: Units,
        weights: Float[np.ndarray, " k"],
        root: float,
    ) -> None:
        super().__init__(models, weights)
        scales, offsets = zip(*((m.scale, m.output.offset) for m in models), strict=True)
        bounds = [_Bound(model, root) for model in models]
        self._least = Scalarised(bounds, scales, offsets, units, weights)
        self.output = Standardisation()

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """The least at Z, and no variance."""
        return self.means(Z), np.zeros(len(Z))

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """The least at Z, (m,)."""
        return self._least.values(Z)

    def average(self, Z: Float[np.ndarray, "m d"]) -> tuple[float, float]:
        """Average over the rows of Z, and no variance."""
        return float(self.means(Z).mean()), 0.0

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> MomentsAndGradients:
        """The least at every row with its gradient, and no variance."""
        values, rise = self._least.rising(Z)
        return values, np.zeros(len(Z)), rise, np.zeros(Z.shape)


class OfOutcome:
    """A history in which one further outcome is the value, where it was measured.

    Args:
        history: of the study, whatever it is by then.
        name: of the outcome. Its hyperparameters stand under `OUTCOMES_FIT` and its name.
    """

    def __init__(self, history: History, name: str) -> None:
        self._history, self._name = history, name
        self._of: tuple[tuple[Result, ...], tuple[Result, ...]] = (), ()
        self._as_value = dict[int, tuple[Result, Result]]()  # by identity, with the original
        self._fits = dict[Any, tuple[Fit, Fit]]()  # the latest by their keys

    def __len__(self) -> int:
        return len(self._history)

    @property
    def fits(self) -> tuple[Fit, ...]:
        """All fits of the study."""
        return self._history.fits

    @property
    def results(self) -> tuple[Result, ...]:
        """All results in which it was measured, and failures; the same objects for the same results."""
        every = self._history.results
        if self._of[0] is not every:
            self._of = every, self._read(every)
        return self._of[1]

    def fit(self, *keys: str, since: int = 0) -> Fit | None:
        """See `History.fit`; of the models of this outcome."""
        found = self._history.fit(OUTCOMES_FIT, self._name, *keys, since=since)
        if found is None:
            return None
        known = self._fits.get((since, *keys))
        if known is None or known[0] is not found:
            known = self._fits[since, *keys] = (
                found,
                replace(found, results=self._read(found.results)),
            )
        return known[1]

    def _read(self, results: tuple[Result, ...]) -> tuple[Result, ...]:
        return tuple(
            self._one(each)
            for each in results
            if each.outcome is None or self._name in each.realised
        )

    def _one(self, result: Result) -> Result:
        if result.outcome is None:
            return result
        known = self._as_value.get(id(result))
        if known is None:
            measured = float(result.realised[self._name])
            outcome = replace(result.outcome, value=measured, sem=None)
            known = self._as_value[id(result)] = result, replace(result, outcome=outcome)
        return known[1]
