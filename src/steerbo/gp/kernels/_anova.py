"""The ANOVA kernel: a product over variables in which each has a weight of its own.

    k(x, z) = s² Π_d (1 − w_d + w_d e_d),  e_d = exp(−(x_d − z_d)²/2ℓ_d²),  for a category 1[x_d = z_d]

Multiplied out it is a sum over all sets of variables, each with a product of its own: a constant,
main effects, interactions (Durrande et al. 2013; Duvenaud et al. 2011). A plain product (all w = 1)
has one variance for all of them: there a variable that matters little can only be taken for one
that matters *slowly*, with a lengthscale so long that all values between two plays at its ends seem
known. Here it may matter little and still be of any shape. Of a category the weight says all there
is to say: a lengthscale beside it would be a second name for the same number. As a product of
factors of one variable each, every integral over nature's draws stays a product of one-dimensional
ones.

At a peak bounds by bells are one-sidedly low, and a rougher kernel makes them wide where a function
is smooth. So how smooth it is may be learned, as one `tail` a of all variables:

    e_d = (1 + (x_d − z_d)²/2aℓ_d²)^−a

This is the rational quadratic (Rasmussen & Williams 2006, eq. 4.19); as a grows it becomes the bell.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ..._arrays import Bool, Float, Int
from ...errors import InvalidProblem
from .._hyperparameters import USUAL_TAIL, Parameter, lengthscale, tail, variance, weight
from .base import Kernel, Pull, Terms

_KEPT = 2**18  # numbers in arrays of all columns that a pull-back uses again
_LEAST = 1e-300  # of a factor whose root is taken
_ROWS = 64  # of a matrix of which half is worked on at a time: n may be thousands


@dataclass(frozen=True, eq=False, init=False)
class AnovaKernel(Kernel):
    """`s² Π_d (1 − w_d + w_d e_d)` with squared exponentials e_d; a fit learns every ℓ_d and w_d, and s².

    With a finite `tail` they are rational quadratics, and it is learned, too.

    Args:
        lengthscales: (k,) ℓ; those of categories are not read.
        weights: (k,) w, from 0 (the variable does nothing) to 1 (nothing is left without it). None:
            one half each, of c > 1 categories 1/c; a single variable has weight 1, and learns none,
            since the mean is its constant.
        variance: s².
        dimensions: (k,) the columns it reads; None: the first k.
        categorical: (k,) which of them hold categories; None: none.
        tail: a; infinite: squared exponentials.

    Raises:
        InvalidProblem: a lengthscale, a tail or a variance that is no number above zero, a weight
            outside [0, 1], or shapes that do not fit.

    >>> kernel = AnovaKernel([0.5, 2.0], [1.0, 0.5])
    >>> kernel(np.zeros((1, 2)), np.array([[0.5, 0.0], [0.5, 99.0]])).round(3)
    array([[0.607, 0.303]])
    """

    lengthscales: Float[np.ndarray, " k"]
    weights: Float[np.ndarray, " k"]
    variance: float
    dimensions: Int[np.ndarray, " k"]
    categorical: Bool[np.ndarray, " k"]
    tail: float

    def __init__(
        self,
        lengthscales: ArrayLike,
        weights: ArrayLike | None = None,
        variance: float = 1.0,
        dimensions: Sequence[int] | None = None,
        categorical: Sequence[bool] | None = None,
        *,
        tail: float = math.inf,
    ) -> None:
        scales = np.atleast_1d(np.asarray(lengthscales, dtype=np.float64))
        k = len(scales)
        columns = np.arange(k) if dimensions is None else np.asarray(dimensions, dtype=np.intp)
        mask = np.zeros(k, bool) if categorical is None else np.asarray(categorical, dtype=bool)
        if not k or columns.shape != (k,) or len(set(columns.tolist())) < k or columns.min() < 0:
            raise InvalidProblem(
                "kernel.dimensions", dimensions, f"{max(k, 1)} different columns, counted from 0"
            )
        if mask.shape != (k,):
            raise InvalidProblem("kernel.categorical", categorical, f"{k} truth values")
        shares = np.asarray(_usual(mask) if weights is None else weights, dtype=np.float64)
        vars(self).update(dimensions=columns, categorical=mask)
        self._set_learned(scales, shares, float(variance), float(tail))

    def _set_learned(
        self,
        scales: Float[np.ndarray, " k"],
        shares: Float[np.ndarray, " k"],
        variance: float,
        tail: float,
    ) -> None:
        """Check and keep all that a fit learns, which makes thousands of kernels over the same columns."""
        k = len(self.dimensions)
        if scales.ndim != 1 or not all(0.0 < scale < math.inf for scale in scales.tolist()):
            raise InvalidProblem(
                "kernel.lengthscales",
                scales.tolist(),
                "finite numbers above 0, one for each column",
            )
        if shares.shape != (k,) or not all(0.0 <= share <= 1.0 for share in shares.tolist()):
            raise InvalidProblem("kernel.weights", shares.tolist(), f"{k} numbers from 0 to 1")
        if not 0 < variance < math.inf:
            raise InvalidProblem("kernel.variance", variance, "a finite number above 0")
        if not tail > 0:
            raise InvalidProblem("kernel.tail", tail, "a number above 0")
        vars(self).update(lengthscales=scales, weights=shares, variance=variance, tail=tail)

    @classmethod
    def over(cls, categorical: Sequence[bool] | Bool[np.ndarray, " d"]) -> Self:
        """Build the kernel over d columns at its prior's mode; `categorical` (d,) marks the columns of categories.

        >>> AnovaKernel.over([False, True]).lengthscales.round(2)
        array([0.29, 0.29])
        """
        d = len(categorical)
        return cls(
            np.full(d, math.exp(lengthscale(1.0, d, "").centre)), categorical=list(categorical)
        )

    def with_tail(self) -> Self:
        """The same with a tail that is learned."""
        return replace(self, tail=USUAL_TAIL)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return tuple(self.dimensions.tolist())

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Logarithms of numbers' lengthscales, log odds of weights where there are several, ln a if finite, ln s²."""
        k, names = len(self.dimensions), self.dimensions.tolist()
        scales = [
            lengthscale(float(self.lengthscales[j]), k, f"lengthscale[{names[j]}]")
            for j in np.flatnonzero(~self.categorical)
        ]
        each = zip(self.weights, names, _usual(self.categorical), strict=True)
        shares = [weight(w, f"weight[{d}]", usual) for w, d, usual in each] if k > 1 else []
        tails = [tail(self.tail, "tail")] if self.tail < math.inf else []
        return (*scales, *shares, *tails, variance(self.variance, "variance"))

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters (p,)."""
        k, numbers = len(self.dimensions), ~self.categorical
        scales, count = self.lengthscales.copy(), int(numbers.sum())
        scales[numbers] = np.exp(theta[:count])
        weights = 1.0 / (1.0 + np.exp(-theta[count : count + k])) if k > 1 else self.weights
        made = object.__new__(type(self))
        vars(made).update(dimensions=self.dimensions, categorical=self.categorical)
        a = float(np.exp(theta[-2])) if self.tail < math.inf else math.inf
        made._set_learned(scales, weights, float(np.exp(theta[-1])), a)
        return made

    def _bell(
        self, j: int, a: Float[np.ndarray, " n"], b: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, "n m"]:
        """e_d for all pairs, (n, m), where d is the j-th column that is read."""
        if self.categorical[j]:
            return np.asarray(a[:, None] == b, dtype=np.float64)
        first = a / self.lengthscales[j]
        gap: np.ndarray = first[:, None] - (first if b is a else b / self.lengthscales[j])
        return rational(np.multiply(gap, gap, out=gap), self.tail)

    def _mixed(self, j: int, bell: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        """`1 − w + w e`, in the place of e."""
        w = float(self.weights[j])
        if w < 1.0:
            bell *= w
            bell += 1.0 - w
        return bell

    def share(self, j: int, bell: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        """Share `w e / (1 − w + w e)` of the j-th column's factor that depends on the variable."""
        w = float(self.weights[j])
        if w == 1.0:
            return np.ones_like(bell)
        part = w * bell
        part /= part + (1.0 - w)
        return part

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        value = np.full((len(X), len(Z)), self.variance)
        for j, d in enumerate(self.columns):
            value *= self._mixed(j, self._bell(j, X[:, d], Z[:, d]))
        return value

    def separated(self, held: Collection[int]) -> Terms | None:
        """One term, the factors of `held` columns and those of the others."""
        own = np.isin(self.dimensions, [*held])
        if own.all() or not own.any():
            return super().separated(held)
        return ((self._factors_of(own, 1.0), self._factors_of(~own, self.variance)),)

    def _factors_of(self, some: Bool[np.ndarray, " k"], variance: float) -> Self:
        made = object.__new__(type(self))
        vars(made).update(dimensions=self.dimensions[some], categorical=self.categorical[some])
        made._set_learned(self.lengthscales[some], self.weights[some], variance, self.tail)
        return made

    def of_differences(self, apart: Sequence[Float[np.ndarray, " m"]]) -> Float[np.ndarray, " m"]:
        """k(x, z) of m pairs by their differences, (m,)."""
        value = np.full(len(apart[self.dimensions[0]]), self.variance)
        for j, d in enumerate(self.dimensions.tolist()):
            if self.categorical[j]:
                bell = np.asarray(apart[d] == 0.0, dtype=np.float64)
            else:
                r2 = apart[d] * apart[d] * (1.0 / float(self.lengthscales[j]) ** 2)
                bell = rational(r2, self.tail)
            value *= self._mixed(j, bell)
        return value

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) = s², (n,)."""
        return np.full(len(X), self.variance)

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back, by `∂ ln k/∂ ln ℓ_d = p_d r_d²` and `∂ ln k/∂ logit w_d = (1 − w_d)(p_d − q_d)`.

        Here `p_d = w_d e_d / f_d` is the share of the factor `f_d = 1 − w_d + w_d e_d`, and
        `q_d = w_d / f_d`. With a tail, `h_d = 1/(1 + r_d²/2a)` is one more factor of the first, and
        `∂ ln k/∂ ln a = a Σ_d p_d (ln h_d + 1 − h_d)`.
        """
        k, n = len(self.dimensions), len(X)
        columns = X[:, self.dimensions].T.copy()
        if k * n * n > _KEPT:  # one (n, n) array at a time: n may be thousands
            gram, bells = self._gram(columns), None
        else:
            bells = self._bells(columns)
            gram = np.full((n, n), self.variance)
            for j, bell in enumerate(bells):
                gram *= self._mixed(j, bell.copy())

        def pull(W: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
            by_scale, by_share, by_tail, total = np.zeros(k), np.zeros(k), 0.0, 0.0
            for rows, onwards in _triangle(n, _ROWS if bells is None else n):
                M = W[rows, onwards] * gram[rows, onwards]
                M[:, len(M) :] *= 2.0  # pairs that stand below the diagonal, too
                total += M.sum()
                for j, x in enumerate(columns):
                    known = None if bells is None else bells[j][rows, onwards]
                    slopes = self._slopes(j, M, x[rows], x[onwards], known)
                    by_scale[j] += slopes[0]
                    by_share[j] += slopes[1]
                    by_tail += slopes[2]
            numbers, several, tailed = ~self.categorical, int(k > 1), int(self.tail < math.inf)
            shares, tails = by_share[: k * several], [by_tail] * tailed
            return np.concatenate([by_scale[numbers], shares, tails, [total]])

        return gram, pull

    def _slopes(
        self,
        j: int,
        M: Float[np.ndarray, "r m"],
        a: Float[np.ndarray, " r"],
        b: Float[np.ndarray, " m"],
        bell: Float[np.ndarray, "r m"] | None,
    ) -> tuple[float, float, float]:
        """Part of the j-th column in `Σ M ∂ ln k` by its ln ℓ, by its logit w, and by ln a; `b` begins with `a`.

        Args:
            j: the column.
            M: weights times covariances.
            a: values in its rows.
            b: values in its columns.
            bell: e_d; None: it is not known yet.
        """
        ell, tailed = float(self.lengthscales[j]), self.tail < math.inf and not self.categorical[j]
        if tailed:
            q = a[:, None] - b
            q *= math.sqrt(0.5 / self.tail) / ell
            q *= q
            log = np.log1p(q)  # −ln h
            bell = np.exp(-self.tail * log) if bell is None else bell
        shared, by_share = self._share_slope(j, M, self._bell(j, a, b) if bell is None else bell)
        if self.categorical[j]:
            return 0.0, by_share, 0.0
        if tailed:
            q /= 1.0 + q  # 1 − h, and h r² is 2a times that
            far = float(np.vdot(shared, q))
            by_tail = self.tail * (far - float(np.vdot(shared, log)))
            return 2.0 * self.tail * far, by_share, by_tail
        # Σ M p (a − b)² by sums of rows and columns; centred, so that the terms do not cancel
        c, sums = b - b.mean(), shared.sum(axis=0)
        sums[: len(a)] += shared.sum(axis=1)
        return float(sums @ c**2 - 2.0 * c[: len(a)] @ shared @ c) / (ell * ell), by_share, 0.0

    def _share_slope(
        self, j: int, M: Float[np.ndarray, "r m"], bell: Float[np.ndarray, "r m"]
    ) -> tuple[Float[np.ndarray, "r m"], float]:
        """`M p_d`, and `Σ M (1 − w_d)(p_d − q_d)` with `p_d − q_d = −w_d (1 − e_d) / f_d`."""
        w = float(self.weights[j])
        if w == 1.0:
            return M, 0.0
        shared = bell * w
        factor = shared + (1.0 - w)
        shared /= factor
        shared *= M
        apart = 1.0 - bell
        apart /= factor
        return shared, -w * (1.0 - w) * float(np.vdot(M, apart))

    def _gram(self, columns: Float[np.ndarray, "k n"]) -> Float[np.ndarray, "n n"]:
        """K(X, X) by the columns that are read: half of it is computed, and the other half is alike."""
        n = columns.shape[1]
        gram = np.empty((n, n))
        for rows, onwards in _triangle(n, _ROWS):
            block = gram[rows, onwards]
            block[:] = self.variance
            for j, x in enumerate(columns):
                block *= self._mixed(j, self._bell(j, x[rows], x[onwards]))
            gram[onwards, rows] = block.T
        return gram

    def _bells(self, columns: Float[np.ndarray, "k n"]) -> Float[np.ndarray, "k n n"]:
        """e_d for all pairs of the values in each column that is read."""
        scaled = columns / self.lengthscales[:, None]
        bells: np.ndarray = scaled[:, :, None] - scaled[:, None, :]
        rational(np.multiply(bells, bells, out=bells), self.tail)
        for j in np.flatnonzero(self.categorical).tolist():
            bells[j] = self._bell(j, columns[j], columns[j])
        return bells

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); zero along a category."""
        gradient, bells = np.zeros(X.shape), []
        M = self.variance * W
        for j, d in enumerate(self.dimensions):
            bells.append(self._bell(j, X[:, d], Z[:, d]))
            M *= self._mixed(j, bells[-1].copy())
        for j, column in enumerate(self.dimensions):
            if self.categorical[j]:
                continue
            part = M * self.share(j, bells[j])
            if self.tail < math.inf:
                part *= np.maximum(bells[j], _LEAST) ** (1.0 / self.tail)  # h
            gradient[:, column] = (
                part @ Z[:, column] - X[:, column] * part.sum(axis=1)
            ) / self.lengthscales[j] ** 2
        return gradient


def _triangle(n: int, most: int) -> Iterator[tuple[slice, slice]]:
    """Blocks of at most so many rows of a symmetric (n, n) matrix, each with the columns from its diagonal on."""
    for first in range(0, n, max(most, 1)):
        yield slice(first, min(first + most, n)), slice(first, n)


def rational(
    r2: Float[np.ndarray, " *s"], tail: float | Float[np.ndarray, " *s"]
) -> Float[np.ndarray, " *s"]:
    """`(1 + r²/2a)^−a`, in the place of r²; of infinite a's `exp(−r²/2)`.

    >>> rational(np.array([2.0]), 1.0), rational(np.array([2.0]), math.inf).round(3)
    (array([0.5]), array([0.368]))
    """
    if np.isinf(tail).all():
        r2 *= -0.5
        return np.exp(r2, out=r2)
    r2 *= 0.5 / tail
    np.log1p(r2, out=r2)
    r2 *= -tail
    return np.exp(r2, out=r2)


def _usual(categorical: Bool[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
    """Weights in the middle of what is believed beforehand.

    That of each of c > 1 categories is 1/c: multiplied out, products of their effects would else be
    believed to matter more than the effects themselves, the more so the larger c is.
    """
    if len(categorical) == 1:
        return np.ones(1)
    return np.where(categorical, 1.0 / max(int(categorical.sum()), 2), 0.5)
