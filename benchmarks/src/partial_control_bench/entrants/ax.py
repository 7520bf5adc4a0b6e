"""Ax by its `Client`, asked and told: levels are whole numbers, control sets a choice, what is seen fixed in trials."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from typing import Any

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.utils.common.logger import ROOT_STREAM_HANDLER

from ..protocol import Look, Outcome, Values
from ..space import Parameter, space_of
from .columns import looked_at, seen_first

_TIME = "time"


class Ax:
    """Its own choice of method ("fast"): Sobol points, then a Gaussian process.

    What is seen before acting, and the time, are parameters that each trial fixes (`fixed_parameters`). In cost-varying
    problems it is asked for all variables and a control set, and those outside the set do not count.
    """

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        ROOT_STREAM_HANDLER.setLevel(logging.ERROR)
        self.space, self.looks = space_of(known), looked_at(known)
        self.timed = known["wing"] == "time-varying"
        given = [Parameter(_TIME, 0.0, known["budget"]["rounds"] + 1.0)] if self.timed else seen_first(known)
        self.parameters = [*self.space.parameters, *given]
        self.client = Client(random_seed=seed)
        self.client.configure_experiment(parameters=[_parameter(p) for p in self.parameters])
        self.client.configure_optimization("-y" if self.space.sign < 0 else "y")
        self.trial: int | None = None
        self.now: Mapping[str, Any] = {}

    def ask(self, now: Mapping[str, Any]) -> Values | Look:
        """Looks first, where there is something to look at."""
        self.now = now
        return Look(self.looks) if self.looks else self.decide(now.get("context", {}))

    def decide(self, seen: Values) -> Values:
        """One trial where this was seen; where its point is not available, the nearest that is."""
        fixed = {_TIME: float(self.now["time"])} if self.timed else {name: float(x) for name, x in seen.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ((self.trial, point),) = self.client.get_next_trials(1, fixed_parameters=fixed or None).items()
        return self.space.values(point, self.now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """The trial's value; what was not asked for is attached, where it says every parameter."""
        if self.trial is None and (point := self.space.point(values)) is not None:
            told = {**outcome.realised, **point}
            if all(p.name in told for p in self.parameters):
                self.trial = self.client.attach_trial({p.name: told[p.name] for p in self.parameters})
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
