"""BoTorch as its documentation has it: a `SingleTaskGP`, an acquisition function, `optimize_acqf` with what is fixed.

*Control sets*: the model is one over all variables, with what nature drew where it drew; each set is searched with the
others held at their middle, and the best of all sets is played. *Contexts*: everything that no action affects is looked
at, and fixed in the search. *Time* is a column, fixed at now. *Levels*: the nearest one to the point found.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import torch
from botorch.acquisition import UpperConfidenceBound
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from ..protocol import Look, Outcome, Values
from .columns import Columns

_STARTS = 5


class BoTorch:
    """One process over settings and what is seen.

    Args:
        known: of the problem.
        seed: of the first draws and of the search.
        acquisition: "logei", qLogEI, or "ucb", whose β is 4.
        restarts: of `optimize_acqf`, from sixteen times as many draws.
    """

    def __init__(self, known: Mapping[str, Any], seed: int, acquisition: str = "logei", restarts: int = 4) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.columns, self.acquisition, self.restarts = Columns(known, seed), acquisition, restarts

    def ask(self, now: Mapping[str, Any]) -> Values | Look:
        """Looks first, where there is something to look at."""
        return Look(self.columns.looks) if self.columns.begin(now) else self.decide({})

    def decide(self, seen: Values) -> Values:
        """The largest value of the acquisition function, given what was seen."""
        self.columns.see(seen)
        if len(self.columns.y) < _STARTS:
            return self.columns.drawn()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fits that were tried again
            model = self._model()
            function = self._function(model)
            bounds = torch.tensor([[0.0] * self.columns.width, [1.0] * self.columns.width], dtype=torch.double)
            found = [
                (optimize_acqf(function, bounds, q=1, num_restarts=self.restarts, raw_samples=16 * self.restarts,
                               fixed_features=fixed or None), chosen)
                for chosen, fixed in self.columns.fixed()
            ]  # fmt: skip
        (point, _), chosen = max(found, key=lambda each: float(each[0][1]))
        return self.columns.values(chosen, point[0].detach().numpy())

    def _model(self) -> Any:
        X, y = self.columns.data()
        scaled = (y - y.mean()) / (y.std() or 1.0)
        model = SingleTaskGP(torch.tensor(X), torch.tensor(scaled)[:, None], outcome_transform=None)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    def _function(self, model: Any) -> Any:
        if self.acquisition == "ucb":
            return UpperConfidenceBound(model, beta=4.0)
        return qLogExpectedImprovement(model, best_f=model.train_targets.max())

    def tell(self, values: Values, outcome: Outcome) -> None:
        """What was played, seen, and what came."""
        self.columns.learn(values, outcome)


def logei(known: Mapping[str, Any], seed: int) -> BoTorch:
    """With qLogEI."""
    return BoTorch(known, seed, "logei")


def ucb(known: Mapping[str, Any], seed: int) -> BoTorch:
    """With an upper confidence bound."""
    return BoTorch(known, seed, "ucb")
