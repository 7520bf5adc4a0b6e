"""Maximisers: boxes with whole numbers and categories, and products of simplices; restarts on the leading axis."""

from ._box import maximise, may_reach
from ._constrained import maximise_constrained
from ._domain import (
    ROUNDING,
    Box,
    Maximum,
    Screen,
    ValueAndGradient,
    best_first,
    box_of,
    covering,
    kronecker,
    sobol_in_box,
    sobol_points,
    with_corners,
)
from ._linear import (
    LinearRow,
    corners,
    limited,
    minimal_conflict,
    on_steps,
    refuse_conflict,
    step_of,
    substitute_known,
)
from ._newton import TOP, Curved, Values, maximise_many
from ._polytope import FeasibleRegion, Margin, MarginGradients, MarginsAndGradients
from ._simplex import maximise_simplex, simplex_starts

__all__ = [
    "ROUNDING", "TOP", "Box", "Curved", "FeasibleRegion", "LinearRow", "Margin", "MarginGradients",
    "MarginsAndGradients", "Maximum", "Screen", "ValueAndGradient", "Values", "best_first",
    "box_of", "corners", "covering", "kronecker", "limited", "maximise",
    "maximise_constrained", "maximise_many", "maximise_simplex", "may_reach", "minimal_conflict", "on_steps",
    "refuse_conflict", "simplex_starts", "sobol_in_box", "sobol_points", "step_of",
    "substitute_known", "with_corners",
]  # fmt: skip
