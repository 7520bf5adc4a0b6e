"""BayBE by a `Campaign`, asked and told: levels are discrete numbers, control sets a category."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch
from baybe import Campaign
from baybe.constraints import ContinuousLinearConstraint
from baybe.parameters import (
    CategoricalParameter,
    NumericalContinuousParameter,
    NumericalDiscreteParameter,
)
from baybe.searchspace import SearchSpace
from baybe.targets import NumericalTarget

from ..protocol import Look, Outcome, Values
from ..space import Parameter, space_of
from .columns import looked_at, seen_first

_TIME = "time"
_LEVELS = 11  # of what is seen: only discrete numbers can be held


class BayBE:
    """Its default recommender: a random point, then a Gaussian process and qLogEI. What was played may be played again.

    What is seen, and the time where a problem has one or drifts, are discrete numbers; all
    candidates elsewhere are excluded (`toggle_discrete_candidates`). Shares sum to 1 by a
    `ContinuousLinearConstraint`.
    """

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        torch.manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002  some of its first points come from there
        self.space, self.looks = space_of(known), looked_at(known)
        seen = {p.name: np.linspace(p.low, p.high, _LEVELS) for p in seen_first(known)}
        if known["wing"] == "time-varying" or known.get("drift"):
            seen[_TIME] = np.arange(1.0, known["budget"]["rounds"] + 1.0)
        self.levels = seen
        parameters = [_parameter(p) for p in self.space.parameters]
        parameters += [NumericalDiscreteParameter(name, levels) for name, levels in seen.items()]
        constraints = []
        if known["wing"] == "mean-field":
            names, each = [p.name for p in self.space.parameters], len(known["actions"])
            rows = [names[k : k + each] for k in range(0, len(names), each)]
            constraints = [ContinuousLinearConstraint(row, "=", [1.0] * each, 1.0) for row in rows]
        target = NumericalTarget("y", minimize=self.space.sign < 0)
        again = {} if all(type(p) is NumericalContinuousParameter for p in parameters) else {
            "allow_recommending_already_recommended": True, "allow_recommending_already_measured": True,
        }  # fmt: skip
        self.campaign = Campaign(
            SearchSpace.from_product(parameters, constraints), target.to_objective(), **again
        )
        self.asked: pd.DataFrame | None = None
        self.now: Mapping[str, Any] = {}

    def ask(self, now: Mapping[str, Any]) -> Values | Look:
        """Looks first, where there is something to look at."""
        self.now = now
        return Look(self.looks) if self.looks else self.decide(now.get("context", {}))

    def decide(self, seen: Values) -> Values:
        """One recommendation where this was seen; where its point is not available, the nearest that is."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.levels:
                told = {
                    **seen,
                    _TIME: self.now["time"] if "time" in self.now else self.now["round"],
                }
                at = pd.DataFrame([{name: self._level(name, told[name]) for name in self.levels}])
                self.campaign.toggle_discrete_candidates(at, exclude=True, complement=True)
                self.campaign.toggle_discrete_candidates(at, exclude=False)
            self.asked = self.campaign.recommend(batch_size=1)
        row = self.asked.iloc[0]
        point = {
            p.name: int(row[p.name]) if p.size else float(row[p.name])
            for p in self.space.parameters
        }
        return self.space.values(point, self.now)

    def _level(self, name: str, value: float) -> float:
        levels = self.levels[name]
        return float(levels[np.argmin(np.abs(levels - float(value)))])

    def tell(self, values: Values, outcome: Outcome) -> None:
        """Its value; what was not asked for is a measurement, too, where it says every parameter."""
        if self.asked is None and (point := self.space.point(values)) is not None:
            told = {**outcome.realised, **point}
            if all(
                name in told for name in (*(p.name for p in self.space.parameters), *self.levels)
            ):
                row = {
                    p.name: str(told[p.name]) if p.categorical else told[p.name]
                    for p in self.space.parameters
                }
                row |= {name: self._level(name, told[name]) for name in self.levels}
                self.asked = pd.DataFrame([row])
        if self.asked is not None:
            self.campaign.add_measurements(self.asked.assign(y=self.space.net(values, outcome)))
            self.asked = None


def _parameter(p: Parameter) -> Any:
    if p.categorical:
        return CategoricalParameter(p.name, [str(k) for k in range(p.size or 1)], encoding="OHE")
    if p.size:
        return NumericalDiscreteParameter(p.name, range(p.size))
    return NumericalContinuousParameter(p.name, (p.low, p.high))
