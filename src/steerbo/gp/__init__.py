"""Exact Gaussian processes in numpy: kernels, a growing factor, evidence and fits, and the regression on top."""

from ._changepoint import changepoint_densities, changepoint_gains
from ._draws import mixture_moments, mixture_quantile, posterior_draws
from ._factor import Factor
from ._fit import Fit, maximum_a_posteriori, refit_due
from ._hyperparameters import Hyperparameters, from_hex, to_hex
from ._likelihood import MarginalLikelihood, ProfiledMean, evidence, inverted, profiled_log_density
from ._parameters import Parameter, log_prior
from ._posterior import GPPosterior
from ._process import GPPrior
from ._regression import Averaged, GPRegression, MomentsAndGradients, noise_lines, replace_outcomes
from ._standardisation import Standardisation
from ._subset import MANY, MOST, choose_subset, describe_subset, evenly, refine_on_all
from .drift import (
    AnyDrift,
    Decay,
    Drift,
    DriftModel,
    MaternInTime,
    Periodic,
    Sliding,
    correlation,
    drift_over,
    fit_drift,
)
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

__all__ = [
    "MANY", "MOST", "AnovaKernel", "AnyDrift", "Averaged", "Called", "Constant", "Decay", "DecayKernel", "Drift",
    "DriftModel", "EpochsKernel", "Factor", "Fit", "Fixed", "GPPosterior", "GPPrior", "GPRegression", "Hyperparameters",
    "InUnitsKernel", "Kernel", "Linear", "MarginalLikelihood", "Matern12", "Matern32", "Matern52", "MaternInTime",
    "MomentsAndGradients", "Parameter", "Periodic", "PeriodicKernel", "Product", "ProfiledMean", "Sliding",
    "SlidingKernel", "SquaredExponentialKernel", "Standardisation", "Stationary", "Sum", "called",
    "changepoint_densities", "changepoint_gains", "choose_subset", "correlation", "describe_subset", "drift_over",
    "evenly", "evidence", "fit_drift", "from_hex", "inverted", "log_prior", "maximum_a_posteriori", "mixture_moments",
    "mixture_quantile", "noise_lines", "posterior_draws", "profiled_log_density", "refine_on_all", "refit_due",
    "replace_outcomes", "to_hex",
]  # fmt: skip
