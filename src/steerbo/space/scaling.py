"""Numbers to the unit interval and back, by a linear or a logarithmic scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import jaxtyping as jt
import numpy as np
from numpy.typing import ArrayLike


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
        with np.errstate(over="ignore"):
            return np.asarray(self._log_ratio(x) / self._logs if self.log else (x - self.low) / (self.high - self.low))

    def backward(self, z: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        """To user units, clipped to the bounds.

        >>> Scaling(1, 100, log=True).backward(np.array([0.0, 0.5, 1.5]))
        array([  1.,  10., 100.])
        """
        z = np.clip(z, 0.0, 1.0)
        if not self.log:
            inside = self.low + z * (self.high - self.low)
        elif self._logs < 1:  # the more precise form where the bounds are close
            inside = self.low + self.low * np.expm1(z * self._logs)
        else:
            inside = np.exp(math.log(self.low) + z * self._logs)
        return np.where(z == 1, self.high, np.where(z == 0, self.low, np.clip(inside, self.low, self.high)))

    @cached_property
    def _logs(self) -> float:
        return float(self._log_ratio(self.high))

    def _log_ratio(self, x: ArrayLike) -> jt.Float[np.ndarray, " ..."]:
        """log(x / low), without loss of digits near low and without overflow far from it."""
        x = np.asarray(x, dtype=float)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            away = (x - self.low) / self.low
            return np.where(np.abs(away) < 0.5, np.log1p(np.clip(away, -0.5, 0.5)), np.log(x) - math.log(self.low))
