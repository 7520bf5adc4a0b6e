"""Mean-field optimisation: how should many agents, all alike, spread over their actions?"""

from .problem import MeanField

__all__ = ["MeanField"]
