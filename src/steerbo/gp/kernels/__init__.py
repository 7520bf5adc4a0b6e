"""Covariance functions with analytic gradients.

Kernels whose plain name users declare, as data, carry `Kernel` in theirs.
"""

from ._anova import AnovaKernel, rational
from ._cell import CellKernel
from ._elementary import Called, Constant, Fixed, Linear, called
from ._remembered import Remembered, remembering
from ._sources import SourcesKernel
from ._stacked import Slope, stacked
from ._stationary import Matern12, Matern32, Matern52, SquaredExponentialKernel, Stationary
from ._temporal import (
    LARGEST_VELOCITY,
    DecayKernel,
    EpochsKernel,
    InUnitsKernel,
    LastingKernel,
    PeriodicKernel,
    SlidingKernel,
)
from ._unseen import UnseenKernel
from .base import Kernel, Product, Sum

__all__ = [
    "LARGEST_VELOCITY", "AnovaKernel", "Called", "CellKernel", "Constant", "DecayKernel", "EpochsKernel", "Fixed",
    "InUnitsKernel", "Kernel", "LastingKernel", "Linear", "Matern12", "Matern32", "Matern52", "PeriodicKernel",
    "Product", "Remembered", "SlidingKernel", "Slope", "SourcesKernel", "SquaredExponentialKernel", "Stationary", "Sum",
    "UnseenKernel", "called", "rational", "remembering", "stacked",
]  # fmt: skip
