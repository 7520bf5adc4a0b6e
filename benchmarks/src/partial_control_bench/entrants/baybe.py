"""BayBE by a `Campaign`, asked and told: levels are discrete numbers, control sets a category."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd
import torch
from baybe import Campaign
from baybe.parameters import CategoricalParameter, NumericalContinuousParameter, NumericalDiscreteParameter
from baybe.searchspace import SearchSpace
from baybe.targets import NumericalTarget

from ..protocol import Outcome, Values
from ..space import Parameter, space_of


class BayBE:
    """Its default recommender: a random point, then a Gaussian process. It takes no contexts and no time of its own."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        torch.manual_seed(seed)
        self.space = space_of(known)
        searched = SearchSpace.from_product([_parameter(p) for p in self.space.parameters])
        target = NumericalTarget("y", minimize=self.space.sign < 0)
        self.campaign = Campaign(searched, target.to_objective())
        self.asked: pd.DataFrame | None = None

    def ask(self, now: Mapping[str, Any]) -> Values:
        """One recommendation; where its point is not available, the nearest that is."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.asked = self.campaign.recommend(batch_size=1)
        row = self.asked.iloc[0]
        point = {p.name: int(row[p.name]) if p.size else float(row[p.name]) for p in self.space.parameters}
        return self.space.values(point, now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """Its value; what was not asked for is a measurement, too, where it says every parameter."""
        if self.asked is None and (point := self.space.point(values)) is not None:
            told = {**outcome.realised, **point}
            if all(p.name in told for p in self.space.parameters):
                row = {p.name: str(told[p.name]) if p.categorical else told[p.name] for p in self.space.parameters}
                self.asked = pd.DataFrame([row])
        if self.asked is not None:
            self.campaign.add_measurements(self.asked.assign(y=outcome.value))
            self.asked = None


def _parameter(p: Parameter) -> Any:
    if p.categorical:
        return CategoricalParameter(p.name, [str(k) for k in range(p.size or 1)], encoding="OHE")
    if p.size:
        return NumericalDiscreteParameter(p.name, range(p.size))
    return NumericalContinuousParameter(p.name, (p.low, p.high))
