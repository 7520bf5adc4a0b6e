"""Exact Gaussian processes in numpy: kernels, a growing factor, likelihood, fits, and the regression on top."""

from .factor import Factor, cholesky
from .fit import Fit, maximum_a_posteriori, refit_due
from .hyperparameters import Hyperparameters, from_hex, to_hex
from .kernels import Constant, Decay, Kernel, Linear, Matern32, Matern52, Product, SquaredExponential, Sum
from .likelihood import Evidence, Level, evidence, inverted
from .means import ConstantMean, LinearMean
from .parameters import Parameter
from .prior import Prior
from .regression import Regression
from .transforms import Output
from .warp import Warp

__all__ = [
    "Constant",
    "ConstantMean",
    "Decay",
    "Evidence",
    "Factor",
    "Fit",
    "Hyperparameters",
    "Kernel",
    "Level",
    "Linear",
    "LinearMean",
    "Matern32",
    "Matern52",
    "Output",
    "Parameter",
    "Prior",
    "Product",
    "Regression",
    "SquaredExponential",
    "Sum",
    "Warp",
    "cholesky",
    "evidence",
    "from_hex",
    "inverted",
    "maximum_a_posteriori",
    "refit_due",
    "to_hex",
]
