"""Xopt by its generator of upper confidence bounds: what is seen, and the time, are fixed features.

Its contextual variables have the value that was measured last, so that what is seen before this round cannot be said
by them; its time-dependent generator reads the wall clock, so that rounds cannot be said to it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch
from xopt.generators.bayesian import UpperConfidenceBoundGenerator
from xopt.vocs import VOCS

from ..protocol import Look, Outcome, Values
from .columns import Columns

_STARTS = 5


class Xopt:
    """β is 2, its default. Of control sets it can hold one: the last, which on most problems holds everything."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.columns = Columns(known, seed)
        self.sets = known.get("control_sets")
        names = self.sets[-1] if self.sets else [p.name for p in self.columns.settings]
        self.free = [k for k, p in enumerate(self.columns.settings) if p.name in names]
        vocs = VOCS(variables={f"x{k}": [0.0, 1.0] for k in self.free}, objectives={"y": "MAXIMIZE"})
        self.generator = UpperConfidenceBoundGenerator(vocs=vocs)
        self.generator.numerical_optimizer.n_restarts = 4
        self.told = 0

    def ask(self, now: Mapping[str, Any]) -> Values | Look:
        """Looks first, where there is something to look at."""
        return Look(self.columns.looks) if self.columns.begin(now) else self.decide({})

    def decide(self, seen: Values) -> Values:
        """The largest bound, given what was seen."""
        self.columns.see(seen)
        if len(self.columns.y) < _STARTS:
            return self.columns.drawn()
        X, y = self.columns.data()
        rows = pd.DataFrame({f"x{k}": X[self.told :, k] for k in range(X.shape[1])}).assign(y=y[self.told :])
        self.told = len(y)
        *_, (chosen, fixed) = self.columns.fixed()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.generator.add_data(rows)
            self.generator.fixed_features = {f"x{k}": value for k, value in fixed.items()} or None
            found = self.generator.generate(1)[0]
        x = np.full(self.columns.width, 0.5)
        for k in self.free:
            x[k] = found[f"x{k}"]
        return self.columns.values(chosen, x)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """What was played, seen, and what came."""
        self.columns.learn(values, outcome)
