"""Variables, the laws nature draws them from, and simplices."""

from __future__ import annotations

from .atoms import Atoms
from .change import Change
from .discrete import Discrete, Empirical
from .distribution import Distribution
from .joint_rows import JointRows
from .laws import Beta, Law, Learned, LogNormal, Normal, TruncatedNormal, Uniform
from .limit_checks import check_limits, refuse_averages
from .limits import Forbid, Limit, Limits, Linear, Measured, broken, outcomes_of
from .scipy_law import Scipy
from .simplex import Simplex, from_logits, largest_remainders, multinomial, project, to_logits
from .space import Space
from .variables import Categorical, Float, Integer, Variable, Variables

__all__ = [
    "Atoms",
    "Beta",
    "Categorical",
    "Change",
    "Discrete",
    "Distribution",
    "Empirical",
    "Float",
    "Forbid",
    "Integer",
    "JointRows",
    "Law",
    "Learned",
    "Limit",
    "Limits",
    "Linear",
    "LogNormal",
    "Measured",
    "Normal",
    "Scipy",
    "Simplex",
    "Space",
    "TruncatedNormal",
    "Uniform",
    "Variable",
    "Variables",
    "broken",
    "check_limits",
    "from_logits",
    "largest_remainders",
    "multinomial",
    "outcomes_of",
    "project",
    "refuse_averages",
    "to_logits",
]
