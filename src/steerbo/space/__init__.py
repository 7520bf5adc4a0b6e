"""Variables, laws of the values that nature draws, constraints on settings, and simplices."""

from __future__ import annotations

from ._constraints import (
    RESERVED_NAMES,
    ForbiddenCombination,
    Limit,
    Limits,
    LinearConstraint,
    OutcomeConstraint,
    check_limits,
    outcomes_of,
    refuse_averages,
    violated,
)
from ._placed import Atoms, Distribution
from ._scipy_law import Scipy
from ._simplex import Simplex, largest_remainders, multinomial
from ._space import Space, refuse_laws_of_seen
from .distributions import (
    Beta,
    Discrete,
    Empirical,
    JointRows,
    Law,
    Learned,
    LogNormal,
    Normal,
    TruncatedNormal,
    Uniform,
)
from .policy import CurrentPolicy
from .variables import (
    FINEST_DIGITS,
    Categorical,
    Float,
    Integer,
    SwitchingCost,
    Variable,
    Variables,
    refuse_far_law,
    truncation_said,
)

__all__ = [
    "FINEST_DIGITS", "RESERVED_NAMES",
    "Atoms", "Beta", "Categorical", "CurrentPolicy", "Discrete", "Distribution", "Empirical", "Float",
    "ForbiddenCombination", "Integer", "JointRows", "Law", "Learned", "Limit", "Limits", "LinearConstraint",
    "LogNormal", "Normal", "OutcomeConstraint", "Scipy", "Simplex", "Space", "SwitchingCost", "TruncatedNormal",
    "Uniform", "Variable", "Variables", "check_limits", "largest_remainders", "multinomial", "outcomes_of",
    "refuse_averages", "refuse_far_law", "refuse_laws_of_seen", "truncation_said", "violated",
]  # fmt: skip
