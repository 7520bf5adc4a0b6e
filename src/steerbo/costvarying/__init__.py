"""Cost-varying variable subsets: which variables are worth holding, and where?"""

from ..core.tolerance import Absolute, Fraction, Threshold, Tolerance
from .problem import CostVarying

__all__ = ["Absolute", "CostVarying", "Fraction", "Threshold", "Tolerance"]
