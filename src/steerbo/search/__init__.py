"""Maximisers: boxes with whole numbers and categories, and products of simplices; restarts on the leading axis."""

from .ascent import climb, differences
from .batched import Values, maximise_together
from .box import maximise_box
from .domain import Box, box_of
from .guarded import UNLIKELY, Guarded, Margin
from .lattice import lattice
from .limited import Combination, Row, clashing, corners, in_units, limited, refuse_conflict, remaining
from .maximum import Maximum, Value, ValueAndGradient, best_first
from .newton import Curved, climb_curved
from .programme import Forbidden, Programme
from .region import Region
from .simplex import maximise_simplex, simplex_starts
from .sobol import sobol_in, sobol_points
from .within import climb_within

__all__ = [
    "UNLIKELY",
    "Box",
    "Combination",
    "Curved",
    "Forbidden",
    "Guarded",
    "Margin",
    "Maximum",
    "Programme",
    "Region",
    "Row",
    "Value",
    "ValueAndGradient",
    "Values",
    "best_first",
    "box_of",
    "clashing",
    "climb",
    "climb_curved",
    "climb_within",
    "corners",
    "differences",
    "in_units",
    "lattice",
    "limited",
    "maximise_box",
    "maximise_simplex",
    "maximise_together",
    "refuse_conflict",
    "remaining",
    "simplex_starts",
    "sobol_in",
    "sobol_points",
]
