"""Climb: a Gaussian process, and its upper bound among what can be reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from steerbo.extending import (
    Choice,
    Explanation,
    GPRegression,
    Hyperparameters,
    Method,
    Recommendation,
    Scope,
    SquaredExponentialKernel,
    Table,
    record,
)

from .problem import Furnace


@record
class ClimbOptions:
    """Options of `climb`: how many standard deviations the bound is above the mean."""

    width: float = 2.0


class Climb(Method[Furnace, ClimbOptions]):
    """The largest upper bound of a Gaussian process among what can be reached (Srinivas et al. 2010)."""

    name: ClassVar[str] = "climb"
    solves = Furnace
    Options: ClassVar[type[Any]] = ClimbOptions

    @property
    def model(self) -> GPRegression[Any]:
        """The outcomes as they stand, with the hyperparameters that were logged last."""
        model = GPRegression(SquaredExponentialKernel([0.3]))
        outcomes = [each.outcome for each in self.history.results if each.outcome is not None]
        model.replace(
            self.problem.space.encode([o.realised for o in outcomes]), [o.value for o in outcomes]
        )
        if (fit := self.history.fit()) is not None:
            model.set(Hyperparameters.from_dict(fit.hyperparameters))
        return model

    def refit(self) -> Mapping[str, Any] | None:
        """After every outcome."""
        fit = self.history.fit()
        return (
            None
            if fit is not None and fit.results == self.history.results
            else self.model.fit().to_dict()
        )

    def check_fit(self) -> None:
        """See `Method.check_fit`."""
        _ = self.model

    def predict(self, temperatures: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation at temperatures."""
        return self.model.predict(self.rows(temperatures))

    def rows(self, temperatures: Any) -> np.ndarray:
        """Temperatures as the model sees them."""
        return self.problem.space.encode(
            [{self.problem.temperature.name: float(t)} for t in temperatures]
        )

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """`argmax μ + width · σ` on a grid; what is out, or has failed, is not tried again."""
        name, sign = self.problem.temperature.name, self.problem.sign
        tried = [played.suggestion.values[name] for played in self.history.unresolved]
        grid = np.linspace(*self.problem.reach(self.history), 201)
        grid = grid[~np.isin(grid, tried)]
        model = self.model
        with model.with_fantasies(self.rows(tried)):
            mean, sd = model.predict(self.rows(grid))
        upper = sign * mean + self.options.width * sd
        best = int(upper.argmax())
        return Choice(
            Scope([name]), {name: float(grid[best])}, note={"upper": float(sign * upper[best])}
        )

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """The largest mean anywhere: in the end everything can be reached."""
        setting = self.problem.temperature
        grid = np.linspace(setting.low, setting.high, 401)
        mean, sd = self.predict(grid)
        best = int((self.problem.sign * mean).argmax())
        lower, upper = mean[best] - 2 * sd[best], mean[best] + 2 * sd[best]
        return Recommendation(
            Scope([setting.name]),
            {setting.name: float(grid[best])},
            float(mean[best]),
            float(lower),
            float(upper),
        )

    def explain(self) -> Explanation:
        """What is expected where."""
        grid = np.linspace(self.problem.temperature.low, self.problem.temperature.high, 9)
        rows = tuple(
            (float(t), float(m), float(s))
            for t, m, s in zip(grid, *self.predict(grid), strict=True)
        )
        table = Table("Expected", (self.problem.temperature.name, "mean", "sd"), rows)
        return Explanation(
            "the next setting is where mean and spread together are largest", (table,)
        )
