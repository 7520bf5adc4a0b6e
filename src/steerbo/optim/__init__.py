"""Maximisers: boxes with whole numbers and categories, and products of simplices; restarts on the leading axis."""

from ._box import maximise
from ._constrained import maximise_constrained
from ._domain import Box, Maximum, Value, ValueAndGradient, best_first, box_of, kronecker, sobol_in_box, sobol_points
from ._lbfgs import differences, maximise_batched
from ._linear import (
    Combination,
    LinearRow,
    corners,
    in_units,
    limited,
    minimal_conflict,
    refuse_conflict,
    substitute_known,
)
from ._newton import TOP, Curved, Values, maximise_many, maximise_newton
from ._polytope import UNLIKELY, FeasibleRegion, Forbidden, Margin, MixedIntegerProgram, Polytope
from ._simplex import maximise_simplex, simplex_starts

__all__ = [
    "TOP", "UNLIKELY", "Box", "Combination", "Curved", "FeasibleRegion", "Forbidden", "LinearRow", "Margin", "Maximum",
    "MixedIntegerProgram", "Polytope", "Value", "ValueAndGradient", "Values", "best_first", "box_of", "corners",
    "differences", "in_units", "kronecker", "limited", "maximise", "maximise_batched", "maximise_constrained",
    "maximise_many", "maximise_newton", "maximise_simplex", "minimal_conflict", "refuse_conflict", "simplex_starts",
    "sobol_in_box", "sobol_points", "substitute_known",
]  # fmt: skip
