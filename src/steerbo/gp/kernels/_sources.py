"""The kernel of data from several sources: here, last year, another plant.

    k((x, s), (z, t)) = k(x, z) · c(s, t) + b_s² 1[s = t],   c(s, s) = 1,   c(s, t) = ρ_s ρ_t,   ρ_0 = 1,   b_0 = 0

Source 0 is here: where plays are made and predictions are for. The function of another source is
`f_s = b_s + ρ_s f + √(1 − ρ_s²) g_s` with a `g_s` of its own, drawn from the same kernel: the
intrinsic coregionalisation model (Bonilla et al. 2008, Multi-task Gaussian process prediction) with
one factor, which is the function here. Of the likeness ρ_s and the offset's variance b_s² a fit
learns. A likeness below zero is not believed: a source that says the opposite is left aside, like
one that says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from ..._arrays import Float, Int
from .._hyperparameters import Parameter, variance, weight
from .base import Kernel, Pull

T = TypeVar("T")


@dataclass(frozen=True)
class SourcesKernel(Kernel):
    """A kernel over points of here and of other sources, whose number stands in a column after the others.

    Args:
        inner: the kernel of the function here, over columns before that one.
        column: the number of the source, 0 for here; points without the column are of here.
        likeness: ρ of each other source, from 0 to 1.
        offsets: b² of each other source.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> kernel = SourcesKernel.of(SquaredExponentialKernel([0.5]), 1, 1)
    >>> kernel(np.array([[0.0]]), np.array([[0.0, 0.0], [0.0, 1.0]]))
    array([[1. , 0.5]])
    >>> kernel.diagonal(np.array([[0.0, 0.0], [0.0, 1.0]]))
    array([1., 2.])
    """

    inner: Kernel
    column: int
    likeness: tuple[float, ...]
    offsets: tuple[float, ...]

    @classmethod
    def of(cls, inner: Kernel, column: int, others: int) -> Self:
        """Build the kernel of so many other sources, at the middle of each one's prior."""
        return cls(inner, column, (0.5,) * others, (1.0,) * others)

    def beginning(self, squares: Sequence[float]) -> Self:
        """Return the kernel whose offsets have these variances, or the prior's middle where that is more."""
        parameters = [self.of_source(s)[1] for s in range(len(squares))]
        offsets = [
            min(max(square, math.exp(each.centre)), math.exp(each.high))
            for square, each in zip(squares, parameters, strict=True)
        ]
        return replace(self, offsets=tuple(offsets))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return (*self.inner.columns, self.column)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of the kernel here; then of each source its likeness (log odds) and the offset's variance."""
        return (
            *self.inner.parameters,
            *(p for s in range(len(self.likeness)) for p in self.of_source(s)),
        )

    def of_source(self, s: int) -> tuple[Parameter, Parameter]:
        """The two parameters of one source, counted from 0 without here.

        Even odds that it is like here, as of a variable that it has an effect; an offset of about
        the spread of outcomes, which may be up to a million times as far: of other units, say.
        """
        offset = variance(self.offsets[s], f"offset[{s + 1}]")
        offset = replace(offset, high=3.0 * offset.high)
        return weight(self.likeness[s], f"likeness[{s + 1}]"), offset

    @cached_property
    def _inner_parameters(self) -> int:
        """Number of the parameters of the kernel here: a fit asks for it thousands of times."""
        return len(self.inner.parameters)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters (p,)."""
        k = self._inner_parameters
        likeness = 1.0 / (1.0 + np.exp(-theta[k::2]))
        offsets = np.exp(theta[k + 1 :: 2])
        inner = self.inner.with_theta(theta[:k])
        return type(self)(inner, self.column, tuple(likeness.tolist()), tuple(offsets.tolist()))

    @property
    def gradients(self) -> bool:
        """Whether the kernel here has gradients."""
        return self.inner.gradients

    # -- sources -----------------------------------------------------------------------------------

    def sources_of(self, X: Float[np.ndarray, "n d"]) -> Int[np.ndarray, " n"]:
        """Numbers of the sources of points, (n,); 0 where the column is missing."""
        if X.shape[1] <= self.column:
            return np.zeros(len(X), dtype=np.intp)
        return X[:, self.column].astype(np.intp)

    def completed(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n e"]:
        """Points with the column: those without it are of here."""
        return X if X.shape[1] > self.column else np.column_stack([X, np.zeros(len(X))])

    def correlations(
        self, some: Int[np.ndarray, " n"], others: Int[np.ndarray, " m"]
    ) -> Float[np.ndarray, "n m"]:
        """c(s, t) of all pairs of sources, (n, m)."""
        to_here = np.array([1.0, *self.likeness])
        return np.where(some[:, None] == others, 1.0, np.outer(to_here[some], to_here[others]))

    def shared_offsets(
        self, some: Int[np.ndarray, " n"], others: Int[np.ndarray, " m"]
    ) -> Float[np.ndarray, "n m"]:
        """b_s² where two sources are the same and not here, (n, m)."""
        variances = np.array([0.0, *self.offsets])
        return np.where(some[:, None] == others, variances[some][:, None], 0.0)

    def rearranged(
        self, theta: Sequence[T], places: Sequence[int | None], new: Callable[[float], T]
    ) -> list[T]:
        """Rearrange hyperparameters learned of other sources, with any that follow them, for this kernel.

        Args:
            theta: as they were learned.
            places: of each source of this kernel, its place among those; None: it was none of them,
                and has its prior's middle.
            new: writes a number as those in `theta` are written.

        >>> from steerbo.gp import SquaredExponentialKernel
        >>> kernel = SourcesKernel.of(SquaredExponentialKernel([0.5], learn_variance=False), 1, 2)
        >>> kernel.rearranged([0.1, 3.0, 4.0, 0.2], [None, 0], float)
        [0.1, 0.0, 0.0, 3.0, 4.0]
        """
        k = self._inner_parameters
        found = list(theta[:k])
        for s, place in enumerate(places):
            if place is None:
                found += [new(parameter.centre) for parameter in self.of_source(s)]
            else:
                found += theta[k + 2 * place : k + 2 * place + 2]
        return found

    # -- covariances -------------------------------------------------------------------------------

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        s, t = self.sources_of(X), self.sources_of(Z)
        return self.inner(X, Z) * self.correlations(s, t) + self.shared_offsets(s, t)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return self.inner.diagonal(X) + np.array([0.0, *self.offsets])[self.sources_of(X)]

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back: `∂K/∂logit ρ_s = (1 − ρ_s) K_inner ∘ c` in pairs of s with another source."""
        s = self.sources_of(X)
        gram, pull_inner = self.inner.linearise(X)
        gram = gram.copy()  # the pull-back may read the kernel's own
        alike = self.correlations(s, s)
        gram *= alike

        def pull(W: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
            found = [pull_inner(W * alike)]
            weighed = W * gram
            for k, (likeness, offset) in enumerate(zip(self.likeness, self.offsets, strict=True)):
                own, rest = s == k + 1, s != k + 1
                across = weighed[np.ix_(own, rest)].sum() + weighed[np.ix_(rest, own)].sum()
                within = W[np.ix_(own, own)].sum()
                found.append(np.array([(1.0 - likeness) * across, offset * within]))
            return np.concatenate(found)

        return gram + self.shared_offsets(s, s), pull

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); zero along the sources."""
        alike = self.correlations(self.sources_of(X), self.sources_of(Z))
        return self.inner.input_gradient(X, Z, W * alike)

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)` for every row, (r, d)."""
        return self.inner.diagonal_gradient(X)
