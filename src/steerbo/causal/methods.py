"""The methods for causal problems; the first is the default."""

from __future__ import annotations

from .cabo import CaBO
from .cobo import CoBO
from .coca_bo import CoCaBO, CoCaBOWithoutContext
from .random import Random

METHODS = (CoCaBO, CaBO, CoBO, CoCaBOWithoutContext, Random)
