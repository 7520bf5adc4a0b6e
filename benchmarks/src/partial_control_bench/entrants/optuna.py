"""Optuna, asked and told as its documentation has it: control sets are conditional parameters to TPE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import optuna

from ..protocol import Outcome, Values
from ..space import Parameter, Point, space_of

_DIRECTIONS: dict[float, Literal["minimize", "maximize"]] = {-1.0: "minimize", 1.0: "maximize"}


class TPE:
    """The default sampler: a tree of Parzen estimators. It takes no contexts and no time."""

    sampler: ClassVar[Any] = optuna.samplers.TPESampler
    conditional: ClassVar[bool] = True

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.space = space_of(known)
        self.study = optuna.create_study(
            direction=_DIRECTIONS[self.space.sign], sampler=self.sampler(seed=seed)
        )
        self.trial: Any = None

    def ask(self, now: Mapping[str, Any]) -> Values:
        """A trial; where its point is not available, the nearest that is."""
        self.trial = self.study.ask()
        point: dict[str, Any] = {}
        for parameter in self.space.parameters:
            if self._asked(parameter, point):
                point[parameter.name] = self._suggested(parameter)
        return self.space.values(point, now)

    def _asked(self, parameter: Parameter, point: Point) -> bool:
        return not self.conditional or parameter.active(point)

    def _suggested(self, parameter: Parameter) -> Any:
        if parameter.categorical:
            return self.trial.suggest_categorical(parameter.name, list(range(parameter.size or 1)))
        if parameter.size:
            return self.trial.suggest_int(parameter.name, 0, parameter.size - 1)
        return self.trial.suggest_float(parameter.name, parameter.low, parameter.high)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """The trial's value; what was not asked for is added as a trial of its own, where it says every parameter."""
        net = self.space.net(values, outcome)
        if self.trial is not None:
            self.study.tell(self.trial, net)
            self.trial = None
        elif (point := self.space.point(values)) is not None:
            told = {**outcome.realised, **point}
            searched = {
                p.name: _distribution(p) for p in self.space.parameters if self._asked(p, point)
            }
            if searched.keys() <= told.keys():
                params = {name: told[name] for name in searched}
                self.study.add_trial(
                    optuna.trial.create_trial(params=params, distributions=searched, value=net)
                )


def _distribution(parameter: Parameter) -> optuna.distributions.BaseDistribution:
    if parameter.categorical:
        return optuna.distributions.CategoricalDistribution(list(range(parameter.size or 1)))
    if parameter.size:
        return optuna.distributions.IntDistribution(0, parameter.size - 1)
    return optuna.distributions.FloatDistribution(parameter.low, parameter.high)


class GPSampler(TPE):
    """The sampler on a Gaussian process, with noise learned.

    It would draw conditional parameters by chance, so that every trial asks for all of them and for
    a control set; those outside the set do not count.
    """

    sampler: ClassVar[Any] = optuna.samplers.GPSampler
    conditional: ClassVar[bool] = False
