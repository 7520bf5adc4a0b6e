"""Exact Gaussian processes in numpy: kernels, a growing factor, evidence and fits, and the regression on top."""

from ._averaged import Averaged
from ._crossed import CrossedMoments, CrossedOutcomes, PooledOutcomes
from ._draws import DRAWN_UP_TO, mixture_moments, mixture_quantile, posterior_draws
from ._drift_signs import LATEST, changepoint_densities
from ._factor import Factor
from ._fit import MANY, evenly, maximum_a_posteriori, refine_on_all, refit_due
from ._hyperparameters import Hyperparameters, Parameter, from_hex, log_prior, to_hex
from ._hyperparameters import lengthscale as lengthscale_prior
from ._hyperparameters import noise as noise_prior
from ._hyperparameters import variance as variance_prior
from ._learned_drift import (
    BEFORE,
    MIN_TO_CUT,
    DriftModel,
    abrupt_change,
    fit_drift,
    likely_change,
)
from ._learning import Learner, PriorKnowledge
from ._posterior import MOST_COUNTED, GPPosterior, choose_subset
from ._process import LOG_2PI, GPPrior, Level, evidence, inverted, profiled_log_density
from ._regression import GPRegression, MomentsAndGradients, noise_lines, replace_outcomes
from ._standardisation import Standardisation
from .drift import AnyDrift, Decay, MaternInTime, Periodic, Sliding, correlation, drift_over
from .kernels import (
    AnovaKernel,
    CellKernel,
    Constant,
    DecayKernel,
    Fixed,
    Kernel,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    Product,
    SlidingKernel,
    SourcesKernel,
    SquaredExponentialKernel,
    Stationary,
    UnseenKernel,
    called,
)
from .outliers import OutlierRule

__all__ = [
    "BEFORE",
    "DRAWN_UP_TO",
    "LATEST",
    "LOG_2PI",
    "MANY",
    "MIN_TO_CUT",
    "MOST_COUNTED",
    "AnovaKernel",
    "AnyDrift",
    "Averaged",
    "CellKernel",
    "Constant",
    "CrossedMoments",
    "CrossedOutcomes",
    "Decay",
    "DecayKernel",
    "DriftModel",
    "Factor",
    "Fixed",
    "GPPosterior",
    "GPPrior",
    "GPRegression",
    "Hyperparameters",
    "Kernel",
    "Learner",
    "Level",
    "Linear",
    "Matern12",
    "Matern32",
    "Matern52",
    "MaternInTime",
    "MomentsAndGradients",
    "OutlierRule",
    "Parameter",
    "Periodic",
    "PooledOutcomes",
    "PriorKnowledge",
    "Product",
    "Sliding",
    "SlidingKernel",
    "SourcesKernel",
    "SquaredExponentialKernel",
    "Standardisation",
    "Stationary",
    "UnseenKernel",
    "abrupt_change",
    "called",
    "changepoint_densities",
    "choose_subset",
    "correlation",
    "drift_over",
    "evenly",
    "evidence",
    "fit_drift",
    "from_hex",
    "inverted",
    "lengthscale_prior",
    "likely_change",
    "log_prior",
    "maximum_a_posteriori",
    "mixture_moments",
    "mixture_quantile",
    "noise_lines",
    "noise_prior",
    "posterior_draws",
    "profiled_log_density",
    "refine_on_all",
    "refit_due",
    "replace_outcomes",
    "to_hex",
    "variance_prior",
]  # fmt: skip
