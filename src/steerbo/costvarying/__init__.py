"""Cost-varying variable subsets: which variables are worth holding, and where?

`problem.py` has the data, with the costs that are stated. `method.py` is the base of all methods:
`CostModel` in it decides which sets are affordable. `_surrogate.py` turns outcomes into rows of a
Gaussian process over all variables; `search_space.py` has each control set's box, and
`Candidates`, by which expected values are searched: of all sets at once in a round
(`BatchedBounds`), of one over all draws for the play and for answers (`Mixture`). A rule that
chooses is a class with `choose`, listed in `methods.py`.
"""

from ..core.tolerance import Absolute, Fraction, Threshold, Tolerance
from .problem import CostVarying

__all__ = ["Absolute", "CostVarying", "Fraction", "Threshold", "Tolerance"]
