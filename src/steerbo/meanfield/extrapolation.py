"""Iterations that come near slowly, sped up: how steps changed says where they lead (Anderson 1965; Walker & Ni 2011).

An iteration x ↦ g(x) has steps f(x) = g(x) − x. Of its last points that combination is taken whose steps cancel best,
and the iteration goes on from the same combination of where they led.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

_KEPT = 6  # points beside the last
_RIDGE = 1e-10  # of their size, added to products of steps: those that hardly differ say nothing


class Extrapolation:
    """The last points of several iterations beside one another; each has its own combination.

    >>> ahead, x = Extrapolation(), np.zeros((1, 2))
    >>> for _ in range(4):
    ...     led = x @ np.array([[0.9, 0.1], [0.0, 0.5]]) + 1.0
    ...     x = ahead.next(x, led, np.ones((1, 2)), np.array([False]))
    >>> x.round(5)
    array([[10.,  4.]])
    """

    def __init__(self) -> None:
        self._steps: list[np.ndarray] = []
        self._led: list[np.ndarray] = []

    def next(
        self,
        points: Float[np.ndarray, "r d"],
        led: Float[np.ndarray, "r d"],
        weights: Float[np.ndarray, "r d"],
        anew: Bool[np.ndarray, " r"],
    ) -> Float[np.ndarray, "r d"]:
        """Where to go on.

        Args:
            points: x of each iteration.
            led: g(x).
            weights: how much the square of a step in each coordinate counts.
            anew: which iterations begin with these points: their earlier ones went too far.
        """
        for kept, last in ((self._steps, led - points), (self._led, led)):
            kept[:] = [np.where(anew[:, None], last, each) for each in kept[-_KEPT:]] + [last]
        if len(self._steps) == 1:
            return led
        steps, ways = (np.diff(np.stack(kept, axis=1), axis=1) for kept in (self._steps, self._led))  # (r, k, d)
        weighted = steps * weights[:, None]
        products = weighted @ steps.transpose(0, 2, 1)
        ridge = _RIDGE * np.trace(products, axis1=1, axis2=2) + np.finfo(float).tiny
        products += ridge[:, None, None] * np.eye(products.shape[1])
        shares = np.linalg.solve(products, weighted @ self._steps[-1][..., None])
        return np.asarray(led - (shares * ways).sum(axis=1))
