"""Regression in which the best setting may move along a line with something else, where outcomes speak for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from .fit import Fit, maximum_a_posteriori
from .hyperparameters import Hyperparameters
from .kernels import Kernel, Sheared
from .kernels.sheared import SLOPE
from .many import learned
from .parameters import LIKELY_NOISE
from .process import GaussianProcess
from .regression import Regression
from .transforms import Transform

LEAST = 100
"""Outcomes from which on slopes are learned: a few noisy ones lie along some line by chance."""
WORTH = 1.0
"""How much larger the log posterior density must be for each slope."""
_BEGUN = 0.7  # slopes from which a first search begins, up and down


class SlantedRegression(Regression[Kernel]):
    """Regression with a `Sheared` kernel whose slopes are zero until they are worth having.

    A fit first holds all slopes at zero. From `LEAST` outcomes on it then looks for the likeliest ones, and takes them
    if the log posterior density grows by more than `WORTH` for each. That doubles the time of a fit.

    Args:
        base: the kernel without slopes.
        pairs: of columns (i, j): what is best in column i may move with column j.
        more: a kernel to add, which is not sheared; None: none.
        warp, likely_noise: as for `Regression`, and `transform`, too.

    >>> from steerbo.gp import Matern52
    >>> model = SlantedRegression(Matern52([0.3, 0.3]), [(0, 1)])
    >>> [p.name for p in model.process.parameters if "slope" in p.name]
    ['slope[0,1]']
    """

    def __init__(
        self,
        base: Kernel,
        pairs: Sequence[tuple[int, int]],
        more: Kernel | None = None,
        *,
        warp: Sequence[int] = (),
        transform: Transform | None = None,
        likely_noise: float = LIKELY_NOISE,
    ) -> None:
        held = Sheared(base, tuple(pairs), (0.0,) * len(pairs), held=True)
        free = replace(held, held=False)
        super().__init__(
            held if more is None else held + more, warp=warp, transform=transform, likely_noise=likely_noise
        )
        self._free: GaussianProcess[Kernel] = replace(self._initial, kernel=free if more is None else free + more)
        self._slopes = np.array([SLOPE in p.name for p in self._free.parameters])

    def likeliest(self) -> Hyperparameters:
        """See `Regression.likeliest`; and with slopes, where these are worth having."""
        found = super().likeliest()
        held = self.last_fit
        if held is None or len(self) < LEAST or not np.isfinite(held.log_posterior):
            return found
        slanted = self._slanted(held.theta, found.output.forward(self._outcomes))
        if not slanted.log_posterior > held.log_posterior + WORTH * self._slopes.sum():
            return found
        self.last_fit = slanted
        return Hyperparameters(tuple(slanted.theta.tolist()), found.output)

    def _slanted(self, held: Float[np.ndarray, " p"], z: Float[np.ndarray, " n"]) -> Fit:
        """The likeliest hyperparameters with slopes: from those in use, or from slopes up and down."""
        free, used, points = self._free, self.process.theta, self._points
        starts = [used] if used[self._slopes].any() else [held + way * _BEGUN * self._slopes for way in (1, -1)]
        if len(z) > self.very_many:
            return learned(free, starts[0], points, z, (self.many, self.very_many), extra=np.zeros(len(z)))
        return maximum_a_posteriori(
            free.parameters,
            lambda theta: free.with_theta(theta).log_likelihood(points, z),
            starts,
            many=len(z) > self.many,
        )
