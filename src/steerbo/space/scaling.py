"""Numbers to the unit interval and back, by a linear or a logarithmic scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import jaxtyping as jt
import numpy as np


@dataclass(frozen=True)
class Scaling:
    """[low, high] onto [0, 1]; values outside go outside, on a log scale as long as they are positive."""

    low: float
    high: float
    log: bool

    def forward(self, x: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        """To the unit interval.

        >>> Scaling(1, 100, log=True).forward(np.array([1.0, 10.0, 1000.0]))
        array([0. , 0.5, 1.5])
        """
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if self.log:
                return (
                    np.log(x / self.low) / self._logs if self._narrow else (np.log(x) - math.log(self.low)) / self._logs
                )
            return (x - self.low) / (self.high - self.low)

    def backward(self, z: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        """To user units, clipped to the bounds.

        >>> Scaling(1, 100, log=True).backward(np.array([0.0, 0.5, 1.5]))
        array([  1.,  10., 100.])
        """
        z = np.clip(z, 0.0, 1.0)
        if self.log:
            inside = np.exp(math.log(self.low) + z * self._logs)
        else:
            inside = self.low + z * (self.high - self.low)
        return np.where(z == 1, self.high, np.where(z == 0, self.low, np.clip(inside, self.low, self.high)))

    @property
    def _narrow(self) -> bool:
        return self.high / 2 < self.low

    @property
    def _logs(self) -> float:
        return (
            math.log1p((self.high - self.low) / self.low) if self._narrow else math.log(self.high) - math.log(self.low)
        )
