"""Pictures of studies; needs matplotlib (`pip install 'steerbo[plots]'`).

Each is one call, takes a study or an optimizer, and draws on the axes that it is given (`ax=`), or
on new ones one column of a journal wide; it returns the axes. Of every kind: `progress` and
`settings`; where the model is over variables also `known` and `slices` (the posterior along
variables), `contour` (a map of two) and `importance` (which variables matter); where the optimum
moves `over_time` (time against position). `cross_validation` and `residuals` show how far the model
is to be trusted. `costvarying`, `timevarying`, `causal` and `meanfield` have more of their kind,
and `figure` of each puts the most important ones side by side, for `save` to write to a file.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .drawing import Picture, save
from .rounds import pictures, progress, settings

if TYPE_CHECKING:
    from .model import (
        contour,
        cross_validation,
        importance,
        known,
        over_time,
        residuals,
        slices,
    )

__all__ = [
    "Picture",
    "contour",
    "cross_validation",
    "importance",
    "known",
    "over_time",
    "pictures",
    "progress",
    "residuals",
    "save",
    "settings",
    "slices",
]
_OF_MODELS = (
    "contour",
    "cross_validation",
    "importance",
    "known",
    "over_time",
    "residuals",
    "slices",
)


def __getattr__(name: str) -> Any:
    """Pictures of models need every kind of problem: these are imported where one is first used."""
    if name not in _OF_MODELS:
        raise AttributeError(f"module 'steerbo.plots' has no attribute {name!r}")
    return getattr(import_module(".model", __name__), name)
