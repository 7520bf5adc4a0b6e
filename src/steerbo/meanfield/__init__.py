"""Mean-field optimisation: how should many agents, all alike, spread over their actions?"""

from ._constraints import Headcount, Share
from .problem import MeanField

__all__ = ["Headcount", "MeanField", "Share"]
