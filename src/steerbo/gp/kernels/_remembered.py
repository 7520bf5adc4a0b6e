"""A kernel without hyperparameters, whose values at the points of a fit are computed once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._arrays import Float
from .base import Kernel, Product, Pull, Sum


def remembering(kernel: Kernel) -> Kernel:
    """The same kernel for a fit: those of its members that learn nothing are computed once.

    >>> from steerbo.gp.kernels import AnovaKernel, UnseenKernel
    >>> kernel = AnovaKernel([0.5]) + UnseenKernel(np.array([False]))
    >>> [type(each).__name__ for each in remembering(kernel).members]
    ['AnovaKernel', 'Remembered']
    """
    if isinstance(kernel, Sum | Product):
        return type(kernel)(tuple(remembering(member) for member in kernel.members))
    return kernel if kernel.parameters else Remembered(kernel)


class Remembered(Kernel):
    """`inner`, which learns nothing: what it gave at the latest points is kept, as long as they are the same array.

    A fit tries hundreds of hyperparameters at the same points. Who has changed an array that was
    passed in must pass another one.
    """

    def __init__(self, inner: Kernel) -> None:
        self.inner = inner
        self._points: tuple[np.ndarray | None, np.ndarray] = None, np.empty((0, 0))
        self._pairs: tuple[Sequence[np.ndarray] | None, np.ndarray | None] = None, None

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """See `Kernel`."""
        return self.inner(X, Z)

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), which is not to be changed, and the pull-back to no hyperparameters."""
        if self._points[0] is not X:
            self._points = X, self.inner(X, X)
        return self._points[1], lambda W: np.zeros(0)

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """See `Kernel`; the array is not to be changed."""
        if self._pairs[0] is not apart:
            self._pairs = apart, self.inner.of_differences(apart)
        return self._pairs[1]

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """See `Kernel`."""
        return self.inner.diagonal(X)

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """See `Kernel`."""
        return self.inner.input_gradient(X, Z, W)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return self.inner.columns

    @property
    def is_one(self) -> bool:
        """Whether it is one for all pairs of points."""
        return self.inner.is_one
