"""Covariance functions with analytic gradients.

Those that users declare by the same word, as data, carry `Kernel` in their names.
"""

from .anova import AnovaKernel
from .base import Kernel, Product, Sum
from .elementary import Constant, Fixed, Linear
from .external import Called, called
from .stationary import Matern12, Matern32, Matern52, SquaredExponentialKernel, Stationary
from .temporal import DecayKernel, EpochsKernel, InUnitsKernel, PeriodicKernel, SlidingKernel

__all__ = [
    "AnovaKernel",
    "Called",
    "Constant",
    "DecayKernel",
    "EpochsKernel",
    "Fixed",
    "InUnitsKernel",
    "Kernel",
    "Linear",
    "Matern12",
    "Matern32",
    "Matern52",
    "PeriodicKernel",
    "Product",
    "SlidingKernel",
    "SquaredExponentialKernel",
    "Stationary",
    "Sum",
    "called",
]
