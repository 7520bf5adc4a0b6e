"""Covariance functions with analytic gradients."""

from .base import Kernel, Product, Sum
from .elementary import Constant, Decay, Linear
from .stationary import Matern32, Matern52, SquaredExponential

__all__ = ["Constant", "Decay", "Kernel", "Linear", "Matern32", "Matern52", "Product", "SquaredExponential", "Sum"]
