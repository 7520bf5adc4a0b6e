"""Bayesian optimisation of systems that one can only partly steer.

One protocol for all: `Optimizer(problem, method).ask()`, do what it says, `tell` it what happened. A problem is one
of the wings' (`CostVarying`); `methods(problem)` lists what can solve it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .costvarying import Absolute, CostVarying, Fraction, Threshold
    from .errors import SteerboError
    from .optimizer import Explanation, Optimizer, Recommendation, Status, Suggestion
    from .space import (
        Beta,
        Categorical,
        Discrete,
        Empirical,
        Float,
        Integer,
        LogNormal,
        Normal,
        Scipy,
        TruncatedNormal,
        Uniform,
    )
    from .study import Study
    from .wings import load, methods

_HOME = {
    "costvarying": ("Absolute", "CostVarying", "Fraction", "Threshold"),
    "errors": ("SteerboError",),
    "optimizer": ("Explanation", "Optimizer", "Recommendation", "Status", "Suggestion"),
    "space": (
        "Beta",
        "Categorical",
        "Discrete",
        "Empirical",
        "Float",
        "Integer",
        "LogNormal",
        "Normal",
        "Scipy",
        "TruncatedNormal",
        "Uniform",
    ),
    "study": ("Study",),
    "wings": ("load", "methods"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Absolute",
    "Beta",
    "Categorical",
    "CostVarying",
    "Discrete",
    "Empirical",
    "Explanation",
    "Float",
    "Fraction",
    "Integer",
    "LogNormal",
    "Normal",
    "Optimizer",
    "Recommendation",
    "Scipy",
    "Status",
    "SteerboError",
    "Study",
    "Suggestion",
    "Threshold",
    "TruncatedNormal",
    "Uniform",
    "__version__",
    "load",
    "methods",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import steerbo` itself costs next to nothing."""
    if name not in _MODULE:
        raise AttributeError(f"module 'steerbo' has no attribute {name!r}")
    return getattr(import_module(f".{_MODULE[name]}", __name__), name)


def __dir__() -> list[str]:
    return list(__all__)
