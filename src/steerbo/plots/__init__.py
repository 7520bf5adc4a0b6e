"""Pictures of studies; needs matplotlib (`pip install 'steerbo[plots]'`).

Each is one call, takes a study or an optimizer, and draws on the axes that it is given (`ax=`), or
on new ones one column of a journal wide; it returns the axes. Of every kind: `progress` and
`settings`; with several outcomes `tradeoff`; where the model is over variables also `known` and
`slices` (the posterior along variables), `contour` (a map of two) and `importance` (which variables
matter); where settings follow seen values `response` (dose curves); where the optimum moves
`over_time` (time against position). `cross_validation` and `residuals` show how far the model is to
be trusted. `costvarying`, `timevarying`, `causal` and `meanfield` have more of their kind, and
`figure` of each puts the most important ones side by side, for `save` to write to a file.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .drawing import Picture, save
from .rounds import pictures, progress

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
    from .policies import response, settings
    from .traded import tradeoff

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
    "response",
    "save",
    "settings",
    "slices",
    "tradeoff",
]
_PLACES = {
    "contour": ".model",
    "cross_validation": ".model",
    "importance": ".model",
    "known": ".model",
    "over_time": ".model",
    "residuals": ".model",
    "response": ".policies",
    "settings": ".policies",
    "slices": ".model",
    "tradeoff": ".traded",
}


def __getattr__(name: str) -> Any:
    """Pictures of models need every kind of problem: these are imported where one is first used."""
    if name not in _PLACES:
        raise AttributeError(f"module 'steerbo.plots' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name], __name__), name)
