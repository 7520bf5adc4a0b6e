"""scikit-learn's Gaussian process with expected improvement: what is written where no optimiser is installed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from ..protocol import Outcome, Values
from ..randomness import keyed
from .cube import Cube

_STARTS, _CANDIDATES, _FROM_BEST = 5, 2000, 200


class GPEI:
    """Matérn-5/2 with a lengthscale for each variable and learned noise; the largest improvement of 2200 draws."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        self.cube, self.seed = Cube(known), seed

    def ask(self, now: Mapping[str, Any]) -> Values:
        """Five draws first."""
        random = keyed(self.seed, now["round"], "scikit-learn")
        d = self.cube.dimension
        if len(self.cube.y) < _STARTS:
            return self.cube.values(random.random(d), now)
        X, y = self.cube.data()
        kernel = ConstantKernel() * Matern(np.ones(d), nu=2.5) + WhiteKernel(0.01)
        model = GaussianProcessRegressor(
            kernel, normalize_y=True, random_state=int(random.integers(2**31))
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # lengthscales at their bounds
            model.fit(X, y)
        near = np.clip(X[y.argmax()] + 0.05 * random.normal(size=(_FROM_BEST, d)), 0, 1)
        candidates = np.concatenate([random.random((_CANDIDATES, d)), near])
        mean, sd = model.predict(candidates, return_std=True)
        z = (mean - y.max()) / np.maximum(sd, 1e-12)
        improvement = (mean - y.max()) * norm.cdf(z) + sd * norm.pdf(z)
        return self.cube.values(candidates[int(improvement.argmax())], now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """What was played, and what came."""
        self.cube.learn(values, outcome)
