"""Cost-varying variable subsets: which variables are worth holding, and where?"""

from .problem import CostVarying
from .tolerance import Absolute, Fraction, Threshold, Tolerance

__all__ = ["Absolute", "CostVarying", "Fraction", "Threshold", "Tolerance"]
