"""Ax by its `Client`, asked and told: levels are whole numbers, control sets a choice."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from typing import Any

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.utils.common.logger import ROOT_STREAM_HANDLER

from ..protocol import Outcome, Values
from ..space import Parameter, space_of


class Ax:
    """Its own choice of method ("fast"): Sobol points, then a Gaussian process. It takes no contexts and no time.

    In cost-varying problems it is asked for all variables and a control set, and those outside the set do not count.
    """

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        ROOT_STREAM_HANDLER.setLevel(logging.ERROR)
        self.space = space_of(known)
        self.client = Client(random_seed=seed)
        self.client.configure_experiment(parameters=[_parameter(p) for p in self.space.parameters])
        self.client.configure_optimization("-y" if self.space.sign < 0 else "y")
        self.trial: int | None = None

    def ask(self, now: Mapping[str, Any]) -> Values:
        """One trial; where its point is not available, the nearest that is."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ((self.trial, point),) = self.client.get_next_trials(max_trials=1).items()
        return self.space.values(point, now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """The trial's value; what was not asked for is attached, where it says every parameter."""
        if self.trial is None and (point := self.space.point(values)) is not None:
            told = {**outcome.realised, **point}
            if all(p.name in told for p in self.space.parameters):
                self.trial = self.client.attach_trial({p.name: told[p.name] for p in self.space.parameters})
        if self.trial is not None:
            self.client.complete_trial(self.trial, raw_data={"y": outcome.value})
            self.trial = None


def _parameter(p: Parameter) -> Any:
    if p.categorical:
        values = list(range(p.size or 1))
        return ChoiceParameterConfig(name=p.name, parameter_type="int", values=values, is_ordered=False)
    if p.size:
        return RangeParameterConfig(name=p.name, parameter_type="int", bounds=(0, p.size - 1))
    return RangeParameterConfig(name=p.name, parameter_type="float", bounds=(p.low, p.high))
