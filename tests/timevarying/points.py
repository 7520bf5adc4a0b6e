"""Points at which kernels are compared."""

from __future__ import annotations

import numpy as np

from steerbo import Float
from steerbo.space import Space

LINE, SQUARE = Space([Float("a", 0, 1)]), Space([Float("a", 0, 1), Float("b", 0, 1)])
RANDOM = np.random.default_rng(0)
X, Z = RANDOM.random((5, 2)), RANDOM.random((4, 2))
