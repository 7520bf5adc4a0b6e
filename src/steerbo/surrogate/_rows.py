"""A regression as a function of rows: of results as they stand, and of the latest fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Float
from ..core import Fit, Result
from ..errors import InvalidStudy
from ..gp import DriftModel, GPRegression, replace_outcomes
from ._model import DriftTracker

Data = tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]]
"""Points and outcomes."""


class RowsModel:
    """Regression given results as they stand, with the hyperparameters and doubts of the latest fit.

    It is conditioned when it is read: extended where rows begin with those that it has, else made as it once grew,
    from the rows at the fit. So it does not depend on the way there: an outcome that was doubted, corrected, and
    corrected back is doubted again.

    Args:
        drift: how outcomes change with time, and when hyperparameters are due.
        fresh: makes a regression without data for a drift.
        tells: whether a result is a row of it.
        rows: from such results to points and outcomes.
    """

    def __init__(
        self,
        drift: DriftTracker,
        fresh: Callable[[DriftModel | None], GPRegression[Any]],
        tells: Callable[[Result], bool],
        rows: Callable[[Sequence[Result]], Data],
    ) -> None:
        self.drift, self._fresh, self._tells, self._rows = drift, fresh, tells, rows
        self._model = fresh(drift.model)
        self._results: tuple[Result, ...] = ()
        self._told: tuple[Result, ...] = ()  # those that are rows
        self._fit: Fit | None = None
        self._learned: tuple[Result, ...] = ()  # the rows at the fit

    def given(self, results: tuple[Result, ...], fit: Fit | None) -> GPRegression[Any]:
        """Regression given all results, and the latest fit of it.

        Raises:
            InvalidStudy: the fit is not one of such a model; then it stays as it was.
        """
        if fit is not self._fit:
            self._take(fit)
        if results is not self._results:
            self._condition(tuple(filter(self._tells, results)))
            self._results = results
        return self._model

    @property
    def fitted_at(self) -> int:
        """Number of rows that the hyperparameters were learned from."""
        return len(self._learned)

    def fit(self, until: Callable[[float], float]) -> dict[str, Any]:
        """Learn hyperparameters anew, as plain data, in which doubted rows have names; see `DriftTracker.fit`."""
        plain = self.drift.fit(self._fresh, self._model, until)
        if "doubted" in plain:
            names = [each.name for each in self._told]
            plain["doubted"] = {names[int(i)]: variance for i, variance in plain["doubted"].items()}
        return plain

    def _take(self, fit: Fit | None) -> None:
        """Put a fit to use, given the rows that taught it."""
        learned = () if fit is None else tuple(filter(self._tells, fit.results))
        m = len(self._told)
        if learned[:m] == self._told:
            self._extend(learned[m:])
        elif learned:
            self._make(learned)
        self._told, self._results = learned, ()
        if fit is not None:
            self._use(fit.hyperparameters, learned)
        self._fit, self._learned = fit, learned

    def _condition(self, told: tuple[Result, ...]) -> None:
        m = len(self._told)
        if told[:m] != self._told:  # something was corrected
            self._begin_from_fit()
            m = len(self._told)
        if told[:m] == self._told:
            self._extend(told[m:])
        else:
            replace_outcomes(self._model, *self._rows(told))
            self.drift.correct()
        self._told = told

    def _begin_from_fit(self) -> None:
        if self._fit is not None:
            self._make(self._learned)
            self._use(self._fit.hyperparameters, self._learned)
            self._told = self._learned

    def _make(self, told: Sequence[Result]) -> None:
        """Make the model anew, without hyperparameters."""
        self._model = self._fresh(self.drift.model)
        self._model.replace(*self._rows(told))

    def _extend(self, more: Sequence[Result]) -> None:
        if more:
            self._model.extend(*self._rows(more))

    def _use(self, plain: Mapping[str, Any], learned: Sequence[Result]) -> None:
        """Put hyperparameters to use; doubted rows are numbered as they were learned from."""
        if "doubted" in plain:
            numbers = {each.name: str(i) for i, each in enumerate(learned)}
            if not plain["doubted"].keys() <= numbers.keys():
                allowed = "names of outcomes that there were then"
                raise InvalidStudy("hyperparameters.doubted", [*plain["doubted"]], allowed)
            plain = {**plain, "doubted": {numbers[name]: v for name, v in plain["doubted"].items()}}
        self._model = self.drift.set_hyperparameters(self._fresh, self._model, plain)
