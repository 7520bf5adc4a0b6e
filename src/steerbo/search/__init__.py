"""Maximisers: boxes with whole numbers and categories, and products of simplices; restarts on the leading axis."""

from .ascent import climb, differences
from .batched import Values, maximise_together
from .box import maximise_box
from .domain import Box
from .lattice import lattice
from .maximum import Maximum, Value, ValueAndGradient
from .newton import Curved, climb_curved
from .simplex import maximise_simplex, simplex_starts
from .sobol import sobol_in, sobol_points

__all__ = [
    "Box",
    "Curved",
    "Maximum",
    "Value",
    "ValueAndGradient",
    "Values",
    "climb",
    "climb_curved",
    "differences",
    "lattice",
    "maximise_box",
    "maximise_simplex",
    "maximise_together",
    "simplex_starts",
    "sobol_in",
    "sobol_points",
]
