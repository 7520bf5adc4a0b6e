"""Bayesian optimisation of systems that one can only partly steer.

One protocol for all: `Optimizer(problem, method).ask()`, do what it says, `tell` it what happened.
A problem is one of the wings' (`CostVarying`, `TimeVarying`, `Causal`, `MeanField`);
`methods(problem)` lists the methods that can solve it. The rarer names stand in submodules: laws in
`steerbo.space`, other tolerances in `steerbo.costvarying`, kernels in time in `steerbo.gp`, types
of answers in `steerbo.core`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import causal as causal
    from . import core as core
    from . import costvarying as costvarying
    from . import errors as errors
    from . import extending as extending
    from . import gp as gp
    from . import meanfield as meanfield
    from . import plots as plots
    from . import space as space
    from . import study as study
    from . import testing as testing
    from . import timevarying as timevarying
    from .causal import Causal, CausalGraph
    from .core import Optimizer, load, methods
    from .costvarying import Absolute, CostVarying
    from .errors import SteerboError
    from .gp import Decay
    from .meanfield import MeanField, Share
    from .space import (
        Categorical,
        Float,
        Integer,
        LinearConstraint,
        Normal,
        OutcomeConstraint,
        SwitchingCost,
        TruncatedNormal,
        Uniform,
    )
    from .study import Study
    from .timevarying import Prior, TimeVarying

_NAMES = {
    "causal": ("Causal", "CausalGraph"),
    "core": ("Optimizer", "load", "methods"),
    "costvarying": ("Absolute", "CostVarying"),
    "errors": ("SteerboError",),
    "gp": ("Decay",),
    "meanfield": ("MeanField", "Share"),
    "space": (
        "Categorical", "Float", "Integer", "LinearConstraint", "Normal", "OutcomeConstraint", "SwitchingCost",
        "TruncatedNormal", "Uniform",
    ),
    "study": ("Study",),
    "timevarying": ("Prior", "TimeVarying"),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
_SUBMODULES = (
    "causal", "core", "costvarying", "errors", "extending", "gp", "meanfield", "plots", "space", "study", "testing",
    "timevarying",
)  # fmt: skip

__all__ = [
    "Absolute", "Categorical", "Causal", "CausalGraph", "CostVarying", "Decay", "Float", "Integer", "LinearConstraint",
    "MeanField", "Normal", "Optimizer", "OutcomeConstraint", "Prior", "Share", "SteerboError", "Study", "SwitchingCost",
    "TimeVarying", "TruncatedNormal", "Uniform", "__version__", "load", "methods",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import steerbo` itself costs next to nothing."""
    if name in _SUBMODULES:
        return import_module(f".{name}", __name__)
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'steerbo' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted((*__all__, *_SUBMODULES))
