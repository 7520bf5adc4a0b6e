"""The methods of causal problems: the first is the default, with prices the second."""

from __future__ import annotations

from .baselines import CaBO, CoBO, CoCaBOWithoutContext, Random
from .cheap_first import CheapFirst
from .coca_bo import CoCaBO
from .random_weights import RandomWeights

METHODS = (CoCaBO, CheapFirst, CaBO, CoBO, CoCaBOWithoutContext, Random, RandomWeights)
