"""Time-varying objectives with several candidate priors: where is the optimum now, and whose opinion holds?"""

from ..gp.drift import Decay, MaternInTime, Periodic
from ._priors import Bumps, Covariance, Matern, Prior, PriorWarning, SquaredExponential
from .problem import TimeVarying

__all__ = [
    "Bumps", "Covariance", "Decay", "Matern", "MaternInTime", "Periodic", "Prior", "PriorWarning", "SquaredExponential",
    "TimeVarying",
]  # fmt: skip
