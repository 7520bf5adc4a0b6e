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
    """Its own choice of method ("fast"): the middle and Sobol points, then a Gaussian process and qLogNEI.

    What is seen before acting, and the time where a problem has one or drifts, are parameters that
    each trial fixes (`fixed_parameters`). In cost-varying problems it is asked for all variables
    and a control set, and those outside the set do not count. Of shares the last is left out, and
    the others sum to at most 1 (`parameter_constraints`).
    """

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        ROOT_STREAM_HANDLER.setLevel(logging.ERROR)
        self.space, self.looks = space_of(known), looked_at(known)
        self.timed = known["wing"] == "time-varying" or bool(known.get("drift"))
        self.each = len(known["actions"]) if known["wing"] == "mean-field" else 0
        given = seen_first(known)
        if self.timed:
            given = [*given, Parameter(_TIME, 0.0, known["budget"]["rounds"] + 1.0)]
        every = [*self.space.parameters, *given]
        kept = (
            range(len(every))
            if not self.each
            else [k for k in range(len(every)) if (k + 1) % self.each]
        )
        # no blanks: constraints are read as formulas
        self.parameters = {f"x{k}": every[k] for k in kept}
        self.client = Client(random_seed=seed)
        self.client.configure_experiment(
            parameters=[_parameter(name, p) for name, p in self.parameters.items()],
            parameter_constraints=self._sums(),
        )
        self.client.configure_optimization("-y" if self.space.sign < 0 else "y")
        self.trial: int | None = None
        self.now: Mapping[str, Any] = {}

    def _sums(self) -> list[str] | None:
        if not self.each:
            return None
        rows: dict[int, list[str]] = {}
        for name in self.parameters:
            rows.setdefault(int(name[1:]) // self.each, []).append(name)
        return [f"{' + '.join(row)} <= 1" for row in rows.values()]

    def ask(self, now: Mapping[str, Any]) -> Values | Look:
        """Looks first, where there is something to look at."""
        self.now = now
        return Look(self.looks) if self.looks else self.decide(now.get("context", {}))

    def decide(self, seen: Values) -> Values:
        """One trial where this was seen; where its point is not available, the nearest that is."""
        told = {**seen, _TIME: self.now["time"] if "time" in self.now else self.now["round"]}
        fixed = {
            name: float(told[p.name])
            for name, p in self.parameters.items()
            if p.name in told and p not in self.space.parameters
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ((self.trial, point),) = self.client.get_next_trials(
                1, fixed_parameters=fixed or None
            ).items()
        found = {p.name: point[name] for name, p in self.parameters.items()}
        if self.each:
            every = self.space.parameters
            for k in range(self.each - 1, len(every), self.each):
                found[every[k].name] = max(
                    1.0 - sum(found[p.name] for p in every[k + 1 - self.each : k]), 0.0
                )
        return self.space.values(found, self.now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """The trial's value; what was not asked for is attached, where it says every parameter."""
        if self.trial is None and (point := self.space.point(values)) is not None:
            told = {**outcome.realised, **point}
            if all(p.name in told for p in self.parameters.values()):
                self.trial = self.client.attach_trial(
                    {name: told[p.name] for name, p in self.parameters.items()}
                )
        if self.trial is not None:
            self.client.complete_trial(self.trial, raw_data={"y": self.space.net(values, outcome)})
            self.trial = None


def _parameter(name: str, p: Parameter) -> Any:
    if p.categorical:
        values = list(range(p.size or 1))
        return ChoiceParameterConfig(
            name=name, parameter_type="int", values=values, is_ordered=False
        )
    if p.size:
        return RangeParameterConfig(name=name, parameter_type="int", bounds=(0, p.size - 1))
    return RangeParameterConfig(name=name, parameter_type="float", bounds=(p.low, p.high))
