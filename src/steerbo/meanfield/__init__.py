"""Mean-field optimisation: how should many agents, all alike, spread over their actions?

`problem.py` has the data, `_region.py` the distributions that are feasible. `method.py` is the base
of all methods; `models.py` and `_gp.py` learn from averages over agents; `acquisition.py` bounds
the average payoff of a distribution. A rule that chooses is listed in `methods.py`.
"""

from ._constraints import Headcount, Share
from .problem import MeanField

__all__ = ["Headcount", "MeanField", "Share"]
