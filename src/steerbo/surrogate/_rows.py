"""A regression as a function of rows: of results as they stand, and of the latest fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Float
from ..core import Finding, Fit, Result, finding
from ..errors import InvalidStudy
from ..gp import DriftModel, GPRegression, abrupt_change, replace_outcomes
from ._model import DriftTracker

Data = tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"], Float[np.ndarray, " n"]]
"""Points, outcomes, and the stated standard errors of these: 0 where none is stated."""


def errors_of(told: Sequence[Result]) -> Float[np.ndarray, " n"]:
    """Stated standard errors of the values of results that have an outcome, (n,); 0 where none is stated."""
    return np.array([each.outcome.sem or 0.0 for each in told if each.outcome is not None])


def is_told(result: Result) -> bool:
    """Whether a result has an outcome."""
    return result.outcome is not None


def rows_told(points: Float[np.ndarray, "n d"], told: Sequence[Result], sign: float) -> Data:
    """Points of results that have an outcome, with `sign · value` and the stated errors."""
    values = [sign * each.outcome.value for each in told if each.outcome is not None]
    return points, np.array(values), errors_of(told)


class RowsModel:
    """Regression given results as they stand, with the hyperparameters and doubts of the latest fit.

    It is conditioned when it is read: extended where rows begin with those that it has, else made
    as it once grew, from the rows at the fit. So it does not depend on the way there: an outcome
    that was doubted, corrected, and corrected back is doubted again.

    Args:
        drift: how outcomes change with time, and when hyperparameters are due.
        fresh: makes a regression without data for a drift.
        tells: whether a result is a row of it. Those of other sources than here never are, but with
            `everywhere`.
        rows: from such results to points, outcomes and stated errors.
        everywhere: whether results of other sources are rows, too.
    """

    def __init__(
        self,
        drift: DriftTracker,
        fresh: Callable[[DriftModel | None], GPRegression[Any]],
        tells: Callable[[Result], bool],
        rows: Callable[[Sequence[Result]], Data],
        *,
        everywhere: bool = False,
    ) -> None:
        self.drift, self._fresh, self._rows = drift, fresh, rows
        self._is_row, self._everywhere = tells, everywhere
        self._model = fresh(drift.model)
        self._results: tuple[Result, ...] = ()
        self._told: tuple[Result, ...] = ()  # those that are rows
        self._fit: Fit | None = None
        self._learned: tuple[Result, ...] = ()  # the rows at the fit

    def given(self, results: tuple[Result, ...], fit: Fit | None) -> RowsModel:
        """This model given all results, and the latest fit of it.

        Raises:
            InvalidStudy: the fit is not one of such a model; then it stays as it was.
        """
        if fit is not self._fit:
            self._take(fit)
        if results is not self._results:
            self._condition(tuple(filter(self._tells, results)))
            self._results = results
        return self

    def _tells(self, result: Result) -> bool:
        """Whether a result is a row."""
        return (self._everywhere or result.source is None) and self._is_row(result)

    @property
    def model(self) -> GPRegression[Any]:
        """The regression."""
        return self._model

    @property
    def fitted_at(self) -> int:
        """Number of rows that the hyperparameters were learned from."""
        return len(self._learned)

    @property
    def told(self) -> tuple[Result, ...]:
        """Results that are rows, in their order."""
        return self._told

    @property
    def outliers(self) -> list[str]:
        """Names of the outcomes that count for little, since they are probably wrong."""
        return [self._told[i].name for i in getattr(self._model, "doubted", ())]

    def abrupt_change(self) -> list[Finding]:
        """Name the outcome from which on all seem to be those of another function, if one does.

        The model has no drift, and its outcomes are in order of time.
        """
        first = abrupt_change(self._model) if isinstance(self._model, GPRegression) else None
        if first is None:
            return []
        name = self._told[first].name
        return [finding("abrupt-change", name, name=name)]

    @property
    def corrected(self) -> bool:
        """Whether rows of the latest fit are others now; one that was so for a while is not."""
        m = len(self._learned)
        if self._told[:m] == self._learned or not isinstance(self._model, GPRegression):
            return False
        model = self._model
        now = _counted(model.inputs, model.outcomes, model.errors)
        return bool(_counted(*self._rows(self._learned)) - now)

    def due(self, fitted_at: int | None = None) -> bool:
        """Whether hyperparameters are due again.

        Hyperparameters, units and doubts that a wrong outcome has taught are not those of the right
        one: a correction is learned from at once.

        Args:
            fitted_at: number of rows that they were learned from; None: of this model.
        """
        since = self.fitted_at if fitted_at is None else fitted_at
        return bool(self._told) and (
            self.corrected or self.drift.due(self._model, since, len(self._model)) or self._due_here
        )

    @property
    def _due_here(self) -> bool:
        """Whether they are due by the rows of here, beside many of other sources: how like here these are, few tell."""
        learned, told = _of_here(self._learned), _of_here(self._told)
        elsewhere = told < len(self._told)
        return elsewhere and told > 0 and self.drift.due(self._model, learned, told)

    def fit(
        self, until: Callable[[float], float], elsewhere: Float[np.ndarray, " m"] | None = None
    ) -> dict[str, Any]:
        """Learn hyperparameters anew, as plain data, in which doubted rows have names.

        Args:
            until: see `DriftTracker.fit`.
            elsewhere: outcomes of the same quantity that other models have; None: there are none.
        """

        def fresh(drift_model: DriftModel | None) -> GPRegression[Any]:
            return self._beside(self._fresh(drift_model), elsewhere)

        model = self._beside(self._model, elsewhere)
        return doubts_by_name(
            self.drift.fit(fresh, model, until, corrected=self.corrected), self._told
        )

    @staticmethod
    def _beside(
        model: GPRegression[Any], elsewhere: Float[np.ndarray, " m"] | None
    ) -> GPRegression[Any]:
        if elsewhere is not None:
            model.elsewhere = elsewhere
        return model

    def _take(self, fit: Fit | None) -> None:
        """Put a fit to use, given the rows that taught it."""
        learned = () if fit is None else tuple(filter(self._tells, fit.results))
        m = len(self._told)
        if fit is None:  # the one so far was made for an ask that was lost
            self.drift.begin()
            self._make(learned)
        elif learned[:m] == self._told:
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
        """Put hyperparameters to use."""
        chosen = np.array([each.played is not None for each in learned], dtype=bool)
        self._model = self.drift.set_hyperparameters(
            self._fresh, self._model, doubts_by_number(plain, learned), chosen
        )


def doubts_by_name(plain: dict[str, Any], rows: Sequence[Result]) -> dict[str, Any]:
    """Hyperparameters as plain data, in which doubted rows have the names of their results."""
    if "doubted" not in plain:
        return plain
    return {
        **plain,
        "doubted": {rows[int(i)].name: variance for i, variance in plain["doubted"].items()},
    }


def doubts_by_number(plain: Mapping[str, Any], rows: Sequence[Result]) -> Mapping[str, Any]:
    """Hyperparameters as plain data, in which doubted rows are numbered.

    Raises:
        InvalidStudy: one of them is none of the rows.
    """
    if "doubted" not in plain:
        return plain
    numbers = {each.name: str(i) for i, each in enumerate(rows)}
    if not plain["doubted"].keys() <= numbers.keys():
        raise InvalidStudy(
            "hyperparameters.doubted", [*plain["doubted"]], "names of outcomes that there were then"
        )
    return {
        **plain,
        "doubted": {numbers[name]: variance for name, variance in plain["doubted"].items()},
    }


def _of_here(rows: Sequence[Result]) -> int:
    return sum(each.source is None for each in rows)


def _counted(
    points: Float[np.ndarray, "n d"],
    outcomes: Float[np.ndarray, " n"],
    errors: Float[np.ndarray, " n"],
) -> Counter[bytes]:
    """Rows, in no order."""
    if not len(outcomes):
        return Counter()
    return Counter(row.tobytes() for row in np.column_stack([points, outcomes, errors]))
