"""Several outcomes as one number, and each further outcome's part of a history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import Float
from ..core import Fit, History, Result
from ..gp import Averaged, GPRegression, MomentsAndGradients, Standardisation
from ..surrogate import LEAST_SD, OUTCOMES_FIT, Rising, Scalarised, Units


class Weighed:
    """Several outcomes as one number that is made of their upper bounds, and taken for known: it has no deviation.

    The number is the sum of the bounds by weights (Paria et al. 2020) or, with `units`, the least of
    them, each as a weighed share of its unit: see `surrogate.Scalarised`. It has the methods of a
    regression that choices and policies use.

    Args:
        models: of the outcomes k, of the same columns.
        weights: (k,) of one unit of each; with `units`, λ of each.
        root: of β, deviations by which bounds lie above means.
        units: of the outcomes; None: the sum.
    """

    def __init__(
        self,
        models: Sequence[GPRegression[Any] | Averaged[Any]],
        weights: Float[np.ndarray, " k"],
        root: float = 0.0,
        units: Units | None = None,
    ) -> None:
        self._models = models
        bounds = [_Bound(model, root) for model in models]
        scales = np.array([model.scale for model in models])
        offsets = np.array([model.output.offset for model in models])
        self._number: _Sum | Scalarised
        if units is None:
            unit = float(np.linalg.norm(weights * scales)) or 1.0
            self.output = Standardisation(float(weights @ offsets), unit)
            self._number = _Sum(bounds, weights * scales / unit)
        else:
            self.output = Standardisation()
            self._number = Scalarised(bounds, [*scales], [*offsets], units, weights)

    def __len__(self) -> int:
        return min(map(len, self._models))

    @property
    def inputs(self) -> Float[np.ndarray, "n d"]:
        """The observed points of the first model."""
        return self._models[0].inputs

    @property
    def scale(self) -> float:
        """Unit of standardised numbers."""
        return self.output.scale

    def unstandardise(self, z: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """Convert standardised numbers to numbers."""
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
        """The number at Z, and no deviation, (m,) each."""
        return self.unstandardise(self.means(Z)), np.zeros(len(Z))

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """The number at Z, standardised, and no variance, (m,) each."""
        return self.means(Z), np.zeros(len(Z))

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """The number at Z, standardised, (m,)."""
        return self._number.values(Z)

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> MomentsAndGradients:
        """The number at every row, standardised (r,), with its gradient (r, d), and no variance."""
        values, rise = self._number.rising(Z)
        return values, np.zeros(len(Z)), rise, np.zeros(Z.shape)


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


@dataclass(frozen=True, eq=False)
class _Sum:
    """Sum of bounds by shares (k,)."""

    bounds: Sequence[_Bound]
    shares: Float[np.ndarray, " k"]

    def values(self, points: Float[np.ndarray, "r d"]) -> Float[np.ndarray, " r"]:
        """Values (r,)."""
        return np.asarray(self.shares @ np.array([each.values(points) for each in self.bounds]))

    def rising(self, points: Float[np.ndarray, "r d"]) -> Rising:
        """Values (r,) and gradients (r, d)."""
        found = [each.rising_moments(points)[0] for each in self.bounds]
        values, rises = map(np.array, zip(*found, strict=True))
        return self.shares @ values, np.tensordot(self.shares, rises, axes=1)


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
