"""W-DBO by `wdbo-algo`: an optimum that moves, outcomes that say nothing any more are thrown away."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import gpytorch
import numpy as np
import torch
from wdbo_algo.optimizer import WDBOOptimizer

from ..errors import BenchError
from ..protocol import Outcome, Values
from .cube import Cube


class WDBO:
    """Set up as its documentation's example: Matérn-5/2 in space and time, 15 first points. Time runs from 0 to 1."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        if known["wing"] != "time-varying" and not known.get("drift"):
            raise BenchError("wdbo: plays problems that drift alone")
        torch.set_default_dtype(torch.float64)  # as it needs
        torch.manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002  it draws its first points from there
        self.cube, self.rounds, self.time = Cube(known), float(known["budget"]["rounds"]), 0.0
        matern = gpytorch.kernels.MaternKernel
        domain = np.array([[0.0, 1.0]] * self.cube.dimension)
        self.optimizer = WDBOOptimizer(
            domain, matern, matern, [2.5], [2.5], n_initial_observations=15
        )

    def ask(self, now: Mapping[str, Any]) -> Values:
        """The next query; where it is not available, the nearest point that is."""
        self.time = float(now["time"] if "time" in now else now["round"]) / self.rounds
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.cube.values(np.asarray(self.optimizer.next_query(self.time)), now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """Where it was, when, and what came; then a clean-up."""
        self.cube.learn(values, outcome)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.optimizer.tell(self.cube.X[-1], self.time, self.cube.y[-1])
            self.optimizer.clean(self.time)
