"""Pictures of studies; needs matplotlib (`pip install 'steerbo[plots]'`).

Each is one call, takes a study or an optimizer, and draws on the axes that it is given (`ax=`), or on new ones; it
returns the axes. `progress` and `known` are for every kind; `costvarying`, `timevarying`, `causal` and `meanfield` have
three each. `figure` of these puts the most important ones side by side.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .drawing import Picture
from .kinds import pictures
from .rounds import progress

if TYPE_CHECKING:
    from .belief import known

__all__ = ["Picture", "known", "pictures", "progress"]


def __getattr__(name: str) -> Any:
    """`known` needs every kind of problem: they are imported where it is first used."""
    if name != "known":
        raise AttributeError(f"module 'steerbo.plots' has no attribute {name!r}")
    return import_module(".belief", __name__).known
