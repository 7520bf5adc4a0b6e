"""The methods for causal problems; the first is the default, where there are prices the second."""

from __future__ import annotations

from .cabo import CaBO
from .cheap_first import CheapFirst
from .cobo import CoBO
from .coca_bo import CoCaBO, CoCaBOWithoutContext
from .random import Random

METHODS = (CoCaBO, CheapFirst, CaBO, CoBO, CoCaBOWithoutContext, Random)
