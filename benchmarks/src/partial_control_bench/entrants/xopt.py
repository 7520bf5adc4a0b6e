"""Xopt by its generator of upper confidence bounds: what is seen, and the time, are fixed features.

Its contextual variables have the value that was measured last, so that what is seen before this
round cannot be said by them; its time-dependent generator reads the wall clock, so that rounds
cannot be said to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch
from xopt.generators.bayesian import UpperConfidenceBoundGenerator
from xopt.vocs import VOCS

from .columns import OnColumns


class Xopt(OnColumns):
    """β is 2, its default. Of control sets it can hold one: the last, which on most problems holds everything."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        super().__init__(known, seed, timed=bool(known.get("drift")))
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        sets = known.get("control_sets")
        names = sets[-1] if sets else [p.name for p in self.columns.settings]
        self.free = [k for k, p in enumerate(self.columns.settings) if p.name in names]
        vocs = VOCS(
            variables={f"x{k}": [0.0, 1.0] for k in self.free}, objectives={"y": "MAXIMIZE"}
        )
        self.generator = UpperConfidenceBoundGenerator(vocs=vocs)

    def best(self) -> tuple[int | None, np.ndarray]:
        """The largest bound."""
        X, y = self.columns.data()
        rows = pd.DataFrame({f"x{k}": X[:, k] for k in range(X.shape[1])}).assign(y=y)
        *_, (chosen, fixed) = self.columns.fixed()
        self.generator.data = None  # all of it anew: what is now in time moves
        self.generator.add_data(rows)
        self.generator.fixed_features = {f"x{k}": value for k, value in fixed.items()} or None
        found = self.generator.generate(1)[0]
        x = np.full(self.columns.width, 0.5)
        for k in self.free:
            x[k] = found[f"x{k}"]
        return chosen, x
