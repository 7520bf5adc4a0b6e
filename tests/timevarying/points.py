"""Points at which kernels are compared."""

from __future__ import annotations

import numpy as np

RANDOM = np.random.default_rng(0)
X, Z = RANDOM.random((5, 2)), RANDOM.random((4, 2))
