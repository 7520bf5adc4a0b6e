"""Exact Gaussian processes in numpy: kernels, a growing factor, evidence and fits, and the regression on top."""

from .conditioned import Conditioned
from .corrected import put_right
from .counted import MOST, chosen, counted_of
from .course import Course, learn_course
from .cut import changepoint_densities, cut_gains
from .draws import mixture_quantile
from .drift import AnyDrift, Decay, Drift, MaternInTime, Periodic, Sliding, correlation, drift_over
from .factor import Factor
from .fit import Fit, maximum_a_posteriori, refit_due
from .hyperparameters import Hyperparameters, from_hex, to_hex
from .kernels import (
    AnovaKernel,
    Called,
    Constant,
    DecayKernel,
    EpochsKernel,
    Fixed,
    InUnitsKernel,
    Kernel,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    PeriodicKernel,
    Product,
    SlidingKernel,
    SquaredExponentialKernel,
    Stationary,
    Sum,
    called,
)
from .likelihood import Evidence, Level, evidence, inverted, profiled_log_density
from .many import MANY, corrected_by_all, evenly
from .parameters import Parameter, log_prior
from .process import GaussianProcess
from .regression import Averaged, MomentsAndGradients, Regression
from .transforms import Output
from .warp import Warp

__all__ = [
    "MANY",
    "MOST",
    "AnovaKernel",
    "AnyDrift",
    "Averaged",
    "Called",
    "Conditioned",
    "Constant",
    "Course",
    "Decay",
    "DecayKernel",
    "Drift",
    "EpochsKernel",
    "Evidence",
    "Factor",
    "Fit",
    "Fixed",
    "GaussianProcess",
    "Hyperparameters",
    "InUnitsKernel",
    "Kernel",
    "Level",
    "Linear",
    "Matern12",
    "Matern32",
    "Matern52",
    "MaternInTime",
    "MomentsAndGradients",
    "Output",
    "Parameter",
    "Periodic",
    "PeriodicKernel",
    "Product",
    "Regression",
    "Sliding",
    "SlidingKernel",
    "SquaredExponentialKernel",
    "Stationary",
    "Sum",
    "Warp",
    "called",
    "changepoint_densities",
    "chosen",
    "corrected_by_all",
    "correlation",
    "counted_of",
    "cut_gains",
    "drift_over",
    "evenly",
    "evidence",
    "from_hex",
    "inverted",
    "learn_course",
    "log_prior",
    "maximum_a_posteriori",
    "mixture_quantile",
    "profiled_log_density",
    "put_right",
    "refit_due",
    "to_hex",
]
