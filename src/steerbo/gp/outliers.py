"""Outcomes that are probably wrong: each may have noise of its own, where that explains it far better.

Most noise is taken for normal. A slip of the pen, a sensor that fails, or noise with heavy tails then decides
everything, since a normal law would rather bend the function than believe in a deviation of eight. Here each outcome
has an extra noise variance ρ_i, zero for nearly all (relevance pursuit: Ament et al. 2024). From what all others say of
it, a mean that is off by r_i and a variance σ_i² (noise included), follow the likeliest one and what it gains:

    ρ_i = max(r_i² − σ_i², 0),    gain_i = ½ (r_i²/σ_i² − 1 − ln r_i²/σ_i²)

An outcome is doubted if that is worth `WORTH` nats, also after all hyperparameters are fitted anew, since a function
that is rough, or noise that is larger everywhere, may explain it as well. Where more outcomes of its kind come, these
say that it was right.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

WORTH = 6.0
"""What doubting an outcome must gain, in nats: it is off by four deviations, as one normal outcome of 16 000 is."""
LEAST = 8
"""Outcomes from which on there is something to compare one with."""
MOST = 0.2
"""Share of outcomes that are doubted at most: more of them are what noise is like."""


def gains(
    inverse: Float[np.ndarray, "n n"], alpha: Float[np.ndarray, " n"], extra: Float[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """The likeliest extra noise variance of each outcome by what all others say, and what it gains, (n,) each.

    Args:
        inverse: (n, n) K⁻¹ of the covariances, all noise included.
        alpha: (n,) K⁻¹ r of the residuals.
        extra: (n,) extra variances that are in K.

    >>> gains(np.eye(2), np.array([0.5, 5.0]), np.zeros(2))[1].round(1)
    array([0. , 10.4])
    """
    precision = np.diagonal(inverse)
    spread = np.maximum(1.0 / precision - extra, 1e-300)
    ratio = (alpha / precision) ** 2 / spread
    return spread * np.maximum(ratio - 1.0, 0.0), 0.5 * np.where(ratio > 1.0, ratio - 1.0 - np.log(ratio), 0.0)
