"""SMAC3 by its black-box facade, asked and told: conditions say which variables a control set holds."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ConfigSpace import Categorical, Configuration, ConfigurationSpace, Float, InCondition, Integer
from smac import BlackBoxFacade, Scenario
from smac.runhistory.dataclasses import TrialInfo, TrialValue

from ..protocol import Outcome, Values
from ..space import Parameter, space_of


class SMAC:
    """A Gaussian process, with its own defaults, told that outcomes are noisy. It takes no contexts and no time.

    Its first points are at most a quarter of the plays that the budget allows (its own default).
    """

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        self.space = space_of(known)
        self.searched = searched = ConfigurationSpace(seed=seed)
        made = {p.name: _parameter(p) for p in self.space.parameters}
        searched.add(list(made.values()))
        for p in self.space.parameters:
            if p.only_in is not None:
                searched.add(InCondition(made[p.name], made["controls"], list(p.only_in)))
        self.folder = tempfile.TemporaryDirectory()
        trials = _most_plays(known["budget"], known.get("costs"))
        scenario = Scenario(
            searched,
            deterministic=False,
            n_trials=trials,
            seed=seed,
            output_directory=Path(self.folder.name),
        )
        self.facade = BlackBoxFacade(scenario, self._never, logging_level=False)
        self.trial: Any = None

    @staticmethod
    def _never(config: Any, seed: int = 0) -> float:
        raise AssertionError("it is asked and told")

    def ask(self, now: Mapping[str, Any]) -> Values:
        """One trial; where its point is not available, the nearest that is."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.trial = self.facade.ask()
        return self.space.values(dict(self.trial.config), now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """Its value, to be made small; what was not asked for is a trial of its own."""
        if self.trial is None and (point := self.space.point(values)) is not None:
            active = {p.name: point[p.name] for p in self.space.parameters if p.active(point)}
            self.trial = TrialInfo(Configuration(self.searched, active), seed=0)
        if self.trial is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.facade.tell(
                    self.trial, TrialValue(cost=-self.space.sign * self.space.net(values, outcome))
                )
            self.trial = None


def _most_plays(budget: Mapping[str, Any], costs: Sequence[float] | None) -> int:
    """Rounds, or as many of the cheapest control set (of unknown price: of 1) as the money buys."""
    return int(
        budget["rounds"] if budget["money"] is None else budget["money"] / min(costs or (1.0,))
    )


def _parameter(p: Parameter) -> Any:
    if p.categorical:
        return Categorical(p.name, list(range(p.size or 1)))
    return Integer(p.name, (0, p.size - 1)) if p.size else Float(p.name, (p.low, p.high))
