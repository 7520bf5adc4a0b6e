"""The methods for causal problems: the first is the default, with prices the second."""

from __future__ import annotations

from ._baselines import CaBO, CoBO, CoCaBOWithoutContext, Random
from .cheap_first import CheapFirst
from .coca_bo import CoCaBO

METHODS = (CoCaBO, CheapFirst, CaBO, CoBO, CoCaBOWithoutContext, Random)
