"""Bayesian optimisation of systems that one can only partly steer.

One protocol for all: `Optimizer(problem, method).ask()`, do what it says, `tell` it what happened. A problem is one
of the wings' (`CostVarying`, `TimeVarying`, `Causal`, `MeanField`); `methods(problem)` lists what can solve it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .causal import Causal, CausalGraph, policy_scopes
    from .costvarying import Absolute, CostVarying, Fraction, Threshold
    from .errors import SteerboError
    from .gp import Decay, MaternInTime, Periodic, Sliding
    from .meanfield import Headcount, MeanField, Share
    from .rounds import Explanation, Optimizer, Recommendation, Scope, Status, Suggestion, load, methods
    from .space import (
        Beta,
        Categorical,
        Change,
        Discrete,
        Empirical,
        Float,
        Forbid,
        Integer,
        JointRows,
        Learned,
        Linear,
        LogNormal,
        Measured,
        Normal,
        Scipy,
        TruncatedNormal,
        Uniform,
    )
    from .study import Study
    from .timevarying import Prior, TimeVarying

_HOME = {
    "causal": ("Causal", "CausalGraph", "policy_scopes"),
    "costvarying": ("Absolute", "CostVarying", "Fraction", "Threshold"),
    "errors": ("SteerboError",),
    "gp": ("Decay", "MaternInTime", "Periodic", "Sliding"),
    "meanfield": ("Headcount", "MeanField", "Share"),
    "rounds": ("Explanation", "Optimizer", "Recommendation", "Scope", "Status", "Suggestion", "load", "methods"),
    "space": (
        "Beta",
        "Categorical",
        "Change",
        "Discrete",
        "Empirical",
        "Float",
        "Forbid",
        "Integer",
        "JointRows",
        "Learned",
        "Linear",
        "LogNormal",
        "Measured",
        "Normal",
        "Scipy",
        "TruncatedNormal",
        "Uniform",
    ),
    "study": ("Study",),
    "timevarying": ("Prior", "TimeVarying"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Absolute",
    "Beta",
    "Categorical",
    "Causal",
    "CausalGraph",
    "Change",
    "CostVarying",
    "Decay",
    "Discrete",
    "Empirical",
    "Explanation",
    "Float",
    "Forbid",
    "Fraction",
    "Headcount",
    "Integer",
    "JointRows",
    "Learned",
    "Linear",
    "LogNormal",
    "MaternInTime",
    "MeanField",
    "Measured",
    "Normal",
    "Optimizer",
    "Periodic",
    "Prior",
    "Recommendation",
    "Scipy",
    "Scope",
    "Share",
    "Sliding",
    "Status",
    "SteerboError",
    "Study",
    "Suggestion",
    "Threshold",
    "TimeVarying",
    "TruncatedNormal",
    "Uniform",
    "__version__",
    "load",
    "methods",
    "policy_scopes",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import steerbo` itself costs next to nothing."""
    if name not in _MODULE:
        raise AttributeError(f"module 'steerbo' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_MODULE[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return list(__all__)
