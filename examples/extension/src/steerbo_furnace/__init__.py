"""A furnace that heats and cools slowly: a kind of problem and methods for steerbo, from outside."""

from .climb import Climb
from .problem import Furnace
from .sweep import Sweep

METHODS = (Climb,)
"""For furnaces; the first is the default."""

__all__ = ["METHODS", "Climb", "Furnace", "Sweep"]
