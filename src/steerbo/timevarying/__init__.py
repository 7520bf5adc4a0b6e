"""Time-varying objectives with several candidate priors: where is the optimum now, and which prior holds?

`problem.py` has the data, `_priors.py` the candidate priors. `method.py` is the base of all
methods, and turns outcomes into data; `surrogates.py` has the posteriors of all priors. A rule that
chooses is listed in `methods.py`.
"""

from ..gp.drift import Decay, MaternInTime, Periodic
from ._priors import Bumps, Covariance, Matern, Prior, PriorWarning, SquaredExponential
from .problem import TimeVarying

__all__ = [
    "Bumps", "Covariance", "Decay", "Matern", "MaternInTime", "Periodic", "Prior", "PriorWarning", "SquaredExponential",
    "TimeVarying",
]  # fmt: skip
