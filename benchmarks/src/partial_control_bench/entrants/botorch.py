"""BoTorch as its documentation has it: a `SingleTaskGP`, an acquisition function, `optimize_acqf` with what is fixed.

*Control sets*: the model is one over all variables, with what nature drew where it drew; each set is searched with the
others held at their middle, and the best of all sets is played. *Contexts*: everything that no action affects is looked
at, and fixed in the search. *Time* is a column, fixed at now. *Levels*: the nearest one to the point found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from botorch.acquisition import UpperConfidenceBound
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from .columns import OnColumns


class BoTorch(OnColumns):
    """One process over settings and what is seen.

    Args:
        known: of the problem.
        seed: of the first draws and of the search.
        acquisition: "logei", qLogEI, or "ucb", whose β is 4.
        restarts: of `optimize_acqf`, from sixteen times as many draws.
    """

    def __init__(self, known: Mapping[str, Any], seed: int, acquisition: str = "logei", restarts: int = 4) -> None:
        super().__init__(known, seed)
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.acquisition, self.restarts = acquisition, restarts

    def best(self) -> tuple[int | None, np.ndarray]:
        """The largest value of the acquisition function."""
        function = self._function(self._model())
        bounds = torch.tensor([[0.0] * self.columns.width, [1.0] * self.columns.width], dtype=torch.double)
        found = [
            (optimize_acqf(function, bounds, q=1, num_restarts=self.restarts, raw_samples=16 * self.restarts,
                           fixed_features=fixed or None), chosen)
            for chosen, fixed in self.columns.fixed()
        ]  # fmt: skip
        (point, _), chosen = max(found, key=lambda each: float(each[0][1]))
        return chosen, point[0].detach().numpy()

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


def logei(known: Mapping[str, Any], seed: int) -> BoTorch:
    """With qLogEI."""
    return BoTorch(known, seed, "logei")


def ucb(known: Mapping[str, Any], seed: int) -> BoTorch:
    """With an upper confidence bound."""
    return BoTorch(known, seed, "ucb")
