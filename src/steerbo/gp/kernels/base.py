"""Base class of kernels, with sums and products of kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, pairwise, product
from typing import Self

import numpy as np

from ..._arrays import Float
from .._hyperparameters import Parameter

Pull = Callable[[np.ndarray], np.ndarray]
"""From symmetric weights W (n, n) to `Σ_ab W_ab ∂K_ab/∂θ` (p,)."""
Terms = tuple[tuple["Kernel | None", "Kernel | None"], ...]
"""See `Kernel.separated`."""

_WORTH_COMPARING = 32  # rows


class Kernel(ABC):
    """A covariance function of points, frozen, with its hyperparameters inside.

    Points are rows of (n, d) arrays, encoded; a kernel may read some columns only. `+` and `*` make
    sums and products: over chosen dimensions where their members have chosen `dimensions`, over
    space and time where one of them reads the column that holds time.

    >>> from steerbo.gp import DecayKernel, SquaredExponentialKernel
    >>> kernel = SquaredExponentialKernel(0.5, dimensions=[0]) * DecayKernel(1, 0.19)
    >>> kernel(np.array([[0.0, 3.0]]), np.array([[0.0, 1.0], [0.5, 1.0]])).round(3)
    array([[0.81 , 0.491]])
    """

    @abstractmethod
    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m), an array of its own."""

    @abstractmethod
    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """k(x, z) of m pairs by their differences x − z, an array (m,) a column; None: it depends on more than these.

        Of n points each pair is then computed once, and its differences once for all
        hyperparameters.
        """
        return None

    def separated(self, held: Collection[int]) -> Terms | None:
        """Kernels a, b of `k(x, z) = Σ a(x, z) b(x, z)`: a reads `held` columns only, b others, None stands for 1.

        Of rows that combine n settings of the held columns with s of the others, n + s exponentials
        then do for n · s. None in the place of all terms: this kernel has no such form.

        >>> from steerbo.gp import AnovaKernel
        >>> kernel, X = AnovaKernel([0.5, 0.5]), np.array([[0.1, 0.2], [0.6, 0.9]])
        >>> [(a, b)] = kernel.separated([0])
        >>> a.columns, b.columns, np.allclose(a(X, X) * b(X, X), kernel(X, X))
        ((0,), (1,), True)
        """
        if set(self.columns) <= set(held):
            return ((self, None),)
        return ((None, self),) if set(self.columns).isdisjoint(held) else None

    @property
    @abstractmethod
    def columns(self) -> tuple[int, ...]:
        """The columns of points that it reads."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters that a fit may learn; none by default."""
        return ()

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters (p,)."""
        return self

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X) and the pull-back of weights on it to the hyperparameters: p matrices ∂K/∂θ are never formed."""
        return self(X, X), lambda W: np.zeros(0)

    @abstractmethod
    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)` for every row, (r, d); zero along a category."""

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)` for every row, (r, d)."""
        return np.zeros_like(X)

    def split(self, known: Collection[int]) -> tuple[Kernel, Kernel | None]:
        """Factorisation of this kernel, `searched` times `factor`; the factor, if any, reads `known` columns only.

        A known column is fixed before a point is chosen, such as the time: no search moves along
        it, and at one time the factor is one number for each row of data.
        """
        return self, None

    @property
    def is_one(self) -> bool:
        """Whether the kernel is one for all pairs of points, so that a product can do without it."""
        return False

    @property
    def width(self) -> int:
        """The least number of columns d that points must have."""
        return max(self.columns, default=-1) + 1

    @property
    def gradients(self) -> bool:
        """Whether slopes along inputs are exact; else they are differences, and dear."""
        return True

    def __add__(self, other: Kernel) -> Sum:
        return Sum((*_members(self, Sum), *_members(other, Sum)))

    def __mul__(self, other: Kernel) -> Product:
        return Product((*_members(self, Product), *_members(other, Product)))


@dataclass(frozen=True)
class _Compound(Kernel):
    """Several kernels, their hyperparameters one after another."""

    members: tuple[Kernel, ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Hyperparameters of all members, named by their positions."""
        return tuple(
            Parameter(f"{i}.{p.name}", p.value, p.centre, p.spread, p.low, p.high)
            for i, member in enumerate(self.members)
            for p in member.parameters
        )

    @property
    def columns(self) -> tuple[int, ...]:
        """Columns that any member reads, ascending."""
        return tuple(sorted({column for member in self.members for column in member.columns}))

    @property
    def gradients(self) -> bool:
        """Whether all members have gradients."""
        return all(member.gradients for member in self.members)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the members' hyperparameters, (p,), one member after another."""
        values, ends = np.asarray(theta, dtype=np.float64), self._ends
        return type(self)(
            tuple(
                k.with_theta(values[i:j])
                for k, (i, j) in zip(self.members, pairwise(ends), strict=True)
            )
        )

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """Ends of the members' hyperparameters in θ, from 0; kept, since a fit replaces θ thousands of times."""
        return (0, *accumulate(len(member.parameters) for member in self.members))


@dataclass(frozen=True)
class Sum(_Compound):
    """`k₁ + k₂ + …`: write it with `+`."""

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """Sum of the members', (m,), where all are functions of differences."""
        return _reduced(np.add, [k.of_differences(apart) for k in self.members])

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return reduce(np.add, (k(X, Z) for k in self.members))

    def separated(self, held: Collection[int]) -> Terms | None:
        """Terms of all members."""
        each = [k.separated(held) for k in self.members]
        return None if None in each else tuple(term for terms in each for term in terms or ())

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return reduce(np.add, (k.diagonal(X) for k in self.members))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the hyperparameters."""
        grams, pulls = zip(*(k.linearise(X) for k in self.members), strict=True)
        return reduce(np.add, grams), lambda W: np.concatenate([pull(W) for pull in pulls])

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        return reduce(np.add, (k.input_gradient(X, Z, W) for k in self.members))

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)`, (r, d)."""
        return reduce(np.add, (k.diagonal_gradient(X) for k in self.members))


@dataclass(frozen=True)
class Product(_Compound):
    """`k₁ · k₂ · …`: write it with `*`. One learned variance is enough: give the others `learn_variance=False`."""

    @cached_property
    def _factors(self) -> tuple[Kernel, ...]:
        """Members that count: those that are one everywhere have no hyperparameters."""
        return tuple(k for k in self.members if not k.is_one) or self.members[:1]

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """Product of the members', (m,), where all are functions of differences."""
        return _reduced(np.multiply, [k.of_differences(apart) for k in self._factors])

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        first, *rest = self._factors
        return reduce(np.multiply, (rows_once(k, X, Z) for k in rest), first(X, Z))

    def separated(self, held: Collection[int]) -> Terms | None:
        """Products of the members' terms."""
        each = [k.separated(held) for k in self._factors]
        if None in each:
            return None
        choices = product(*(terms or () for terms in each))
        found = []
        for some in choices:
            first, second = zip(*some, strict=True)
            found.append((_multiplied(first), _multiplied(second)))
        return tuple(found)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return reduce(np.multiply, (k.diagonal(X) for k in self.members))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the hyperparameters."""
        grams, pulls = zip(*(k.linearise(X) for k in self._factors), strict=True)
        return reduce(np.multiply, grams), lambda W: np.concatenate(
            [pull(W * rest) for pull, rest in zip(pulls, without_each(grams), strict=True)]
        )

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        rests = without_each([k(X, Z) for k in self.members])
        return reduce(
            np.add,
            (k.input_gradient(X, Z, W * r) for k, r in zip(self.members, rests, strict=True)),
        )

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)`, (r, d)."""
        rests = without_each([k.diagonal(X) for k in self.members])
        return reduce(
            np.add,
            (k.diagonal_gradient(X) * r[:, None] for k, r in zip(self.members, rests, strict=True)),
        )

    def split(self, known: Collection[int]) -> tuple[Kernel, Kernel | None]:
        """Split the members into those that read other columns and those that read known columns only."""
        others = [k for k in self.members if not set(k.columns) <= set(known)]
        factors = [k for k in self.members if set(k.columns) <= set(known)]
        if not (others and factors):
            return self, None
        searched, factor = (reduce(lambda a, b: a * b, part) for part in (others, factors))
        return searched, factor


def rows_once(
    kernel: Kernel, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
) -> Float[np.ndarray, "k m"]:
    """k(X, Z), or one row of it that stands for all, (1, m), where the rows of X agree in every column that is read.

    In a search at one known time all points share it: n exponentials for each row of Z would be n −
    1 too many. A few rows are computed sooner than compared.
    """
    if len(X) < _WORTH_COMPARING:
        return kernel(X, Z)
    read = X[:, list(kernel.columns)]
    return kernel(X[:1] if bool((read == read[0]).all()) else X, Z)


def _reduced(
    operation: np.ufunc, each: Sequence[Float[np.ndarray, " m"] | None]
) -> Float[np.ndarray, " m"] | None:
    """Sum or product of arrays (m,); None where one is missing."""
    found = [one for one in each if one is not None]
    return reduce(operation, found) if len(found) == len(each) else None


def _multiplied(kernels: Sequence[Kernel | None]) -> Kernel | None:
    """Product of kernels, of which None is 1."""
    some = [k for k in kernels if k is not None]
    return reduce(lambda a, b: a * b, some) if some else None


def _members(kernel: Kernel, kind: type[_Compound]) -> tuple[Kernel, ...]:
    return kernel.members if isinstance(kernel, kind) else (kernel,)


def without_each(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Products of all arrays but one, for each one, without division: kernels may be zero."""
    if len(arrays) == 1:
        return [np.ones_like(arrays[0])]
    before = [*accumulate(arrays[:-1], np.multiply)]
    after = [*accumulate(arrays[:0:-1], np.multiply)][::-1]
    between = [left * right for left, right in zip(before, after[1:], strict=False)]
    return [after[0], *between, before[-1]]
