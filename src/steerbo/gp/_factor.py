"""A Cholesky factor that grows: new rows in O(n²), rows on approval, a lazy inverse, jitter that is never silent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import scipy

from .._arrays import Float
from ..errors import ModelFailure

# jitter, as shares of the diagonal: the first one that makes a factor is taken, and said
_LADDER = tuple(10.0**power for power in range(-13, 0))
# of a diagonal entry that is explained by its own variable
_LEAST_DIAGONAL = 4.0 * float(np.finfo(np.float64).eps)


def packed_cholesky(
    gram: Float[np.ndarray, "n n"], overwrite: bool = False
) -> tuple[Float[np.ndarray, "n n"], float]:
    """The lower factor L of `gram + jitter·1`, with `gram` itself left above the diagonal; and the jitter.

    With `overwrite` that may be in the place of `gram`: of thousands of rows each copy counts.

    The jitter is zero, or the first step of a ladder that makes it work: from 1e-13 to 0.1 of the
    mean diagonal entry in powers of ten.

    Raises:
        ModelFailure: `gram` holds values that are not finite, or is so indefinite that no step
            helps.

    >>> packed_cholesky(np.array([[4.0, 2.0], [2.0, 1.0]]))[1] > 0
    True
    """
    if not (n := len(gram)):
        return np.zeros((0, 0)), 0.0
    if not np.isfinite(gram).all():
        raise ModelFailure(
            "covariances that are not finite: look for inputs or kernel parameters of an absurd size"
        )
    diagonal = gram.diagonal().copy()
    for share in (0.0, *_LADDER):
        jitter = 0.0
        trial = gram.T if overwrite else gram.T.copy(order="F")
        if share:
            jitter = share * float(np.abs(diagonal).mean())
            if overwrite:  # LAPACK overwrites its lower triangle and leaves the upper one alone
                trial[...] = np.triu(trial, 1) + np.triu(trial, 1).T
            trial.flat[:: n + 1] = diagonal + jitter
        packed, info = scipy.linalg.lapack.dpotrf(trial, lower=1, clean=0, overwrite_a=1)
        if info == 0 and sound(packed, diagonal):
            return packed, jitter
    raise ModelFailure(
        f"covariances of {n} points that are not positive definite, even with a tenth of their diagonal added"
    )


def sound(factor: Float[np.ndarray, "n n"], diagonal: Float[np.ndarray, " n"]) -> bool:
    """Whether no pivot is all rounding error: nothing can be built on such a one."""
    return bool((factor.diagonal() ** 2 >= _LEAST_DIAGONAL * diagonal).all())


REBUILD, SHARE = 64, 8
"""After this many appended rows, or an eighth of those there were, the factor is computed from scratch.

So rounding errors cannot pile up, and n rows one after the other are O(n³) altogether.
"""
_ROWS = 256  # of a matrix that are worked on at a time


class Factor:
    """The Cholesky factor L of a growing Gram matrix `K = L Lᵀ`, noise on its diagonal included.

    Nothing is known of kernels here: rows may be covariances of points, of averages, of any linear
    functionals. The same calls in the same order give the same bits, and rows on approval leave no
    trace in them. Memory is one n×n matrix (L below the diagonal, K above it), and one more once
    each of `inverse` and `half_inverse` was asked for.

    >>> factor = Factor(np.array([[2.0]]))
    >>> factor.append(np.array([[1.0]]), np.array([[2.0]]))
    >>> factor.half_solve(factor.half_solve(np.array([3.0, 3.0])), transpose=True).round(6)
    array([1., 1.])
    """

    def __init__(self, gram: Float[np.ndarray, "n n"] | None = None) -> None:
        self._settled: int | None = None  # how many rows are not on approval; None: all
        self._build(np.zeros((0, 0)) if gram is None else np.asarray(gram, dtype=np.float64))

    @classmethod
    def of_packed(
        cls, packed: Float[np.ndarray, "n n"], jitter: float, diagonal: Float[np.ndarray, " n"]
    ) -> Factor:
        """Build `Factor(gram)`, to the last bit, from `packed_cholesky(gram)` and the diagonal of `gram`."""
        factor = cls()
        factor._take(packed, jitter, diagonal)
        return factor

    def _build(self, gram: Float[np.ndarray, "n n"], overwrite: bool = False) -> None:
        diagonal = np.diagonal(gram).copy()
        self._take(*packed_cholesky(gram, overwrite), diagonal)

    def _take(
        self, packed: Float[np.ndarray, "n n"], jitter: float, diagonal: Float[np.ndarray, " n"]
    ) -> None:
        self._n = n = len(packed)
        self._jitter = jitter
        # row-major: rows of L are contiguous; K is above them
        self._store = np.zeros((n + REBUILD, n + REBUILD))
        self._store[:n, :n] = packed
        self._diagonal = np.zeros(n + REBUILD)  # of K
        self._diagonal[:n] = diagonal
        # how many rows there were after the build, and after each extension since
        self._steps = [n]
        # of the leading rows; never written to, so that it may be handed out
        self._inverse: np.ndarray | None = None
        self._half_inverse: np.ndarray | None = None  # of all rows
        if self._settled is not None:
            self._settled = n

    def __len__(self) -> int:
        return self._n

    @property
    def built(self) -> int:
        """Number of rows when the factor was last computed from scratch; later rows were appended."""
        return self._steps[0]

    @property
    def jitter(self) -> float:
        """Jitter added to the diagonal, in units of K; zero almost always."""
        return self._jitter

    def _gram(self, out: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
        """K as it was given, without jitter, into the first rows and columns of `out`.

        Block by block: of thousands of rows each copy counts.
        """
        for first in range(0, self._n, _ROWS):
            rows, rest = slice(first, min(first + _ROWS, self._n)), slice(first, self._n)
            out[rows, rest] = self._store[rows, rest]
            out[rest, rows] = self._store[rows, rest].T
            upper = np.triu(self._store[rows, rows], 1)
            out[rows, rows] = upper + upper.T + np.diag(self._diagonal[rows])
        return out

    @property
    def pivots(self) -> Float[np.ndarray, " n"]:
        """The diagonal of L."""
        return np.diagonal(self._store)[: self._n]

    # -- growth ------------------------------------------------------------------------------------

    def append(self, cross: Float[np.ndarray, "k n"], corner: Float[np.ndarray, "k k"]) -> None:
        """Append k rows: `cross` (k, n) with present rows, `corner` (k, k) among them, noise included. O(n² k).

        Raises:
            ModelFailure: covariances that are not finite, or that no jitter mends; the factor is
                then as it was.
        """
        n, k = self._n, len(corner)
        late = n + k - self.built >= max(REBUILD, self.built // SHARE)
        if k and (late or not self._extend(cross, corner)):
            self._build(self._enlarged(cross, corner), overwrite=True)

    def _enlarged(
        self, cross: Float[np.ndarray, "k n"], corner: Float[np.ndarray, "k k"]
    ) -> Float[np.ndarray, "m m"]:
        n, m = self._n, self._n + len(corner)
        gram = self._gram(np.empty((m, m)))
        gram[n:, :n], gram[:n, n:], gram[n:, n:] = cross, cross.T, corner
        return gram

    def _extend(self, cross: Float[np.ndarray, "k n"], corner: Float[np.ndarray, "k k"]) -> bool:
        """Append without a rebuild; False, with nothing changed, if the new rows are no longer positive definite."""
        n, k = self._n, len(corner)
        rows = self.half_solve(cross.T).T
        # the covariance that earlier rows leave unexplained: its L is the new corner
        schur = corner - rows @ rows.T
        schur.flat[:: k + 1] += self._jitter
        if not np.isfinite(schur).all():
            return False
        tip, info = scipy.linalg.lapack.dpotrf(schur.T, lower=1, clean=1)
        if info or not sound(tip, np.diagonal(corner)):
            return False
        self._reserve(n + k)
        self._store[n : n + k, :n] = rows
        # nothing is above one
        self._store[n : n + k, n : n + k] = tip if k == 1 else tip + np.triu(corner, 1)
        self._store[:n, n : n + k] = cross.T
        self._diagonal[n : n + k] = np.diagonal(corner)
        self._n = n + k
        self._half_inverse = None
        self._steps.append(n + k)
        return True

    def _reserve(self, rows: int) -> None:
        if rows > len(self._store):
            n, capacity = self._n, rows + REBUILD
            store, diagonal = np.zeros((capacity, capacity)), np.zeros(capacity)
            store[:n, :n], diagonal[:n] = self._store[:n, :n], self._diagonal[:n]
            self._store, self._diagonal = store, diagonal

    @contextmanager
    def extended(
        self, cross: Float[np.ndarray, "k n"], corner: Float[np.ndarray, "k k"]
    ) -> Iterator[None]:
        """Rows on approval: inside the context they are there, after it they never were. Contexts may be nested.

        Raises:
            ModelFailure: covariances that are not finite, or that no jitter mends.
        """
        before = self._n, self._jitter, self._store, self._diagonal, self._settled, self._steps
        inverse, half_inverse, rebuilt = self._inverse, self._half_inverse, False
        self._steps = self._steps.copy()
        try:
            self._settled = self._n if self._settled is None else self._settled
            if len(corner) and not self._extend(cross, corner):
                rebuilt = True
                self._build(self._enlarged(cross, corner), overwrite=True)
            yield
        finally:
            self._n, self._jitter, self._store, self._diagonal, self._settled, self._steps = before
            self._half_inverse = half_inverse
            if rebuilt:
                self._inverse = inverse

    # -- use ---------------------------------------------------------------------------------------

    def half_solve(
        self, B: Float[np.ndarray, " n *k"], transpose: bool = False
    ) -> Float[np.ndarray, " n *k"]:
        """`L⁻¹ B`, or with `transpose` `L⁻ᵀ B`, for the first n = len(B) rows of the factor. O(n²) a column."""
        if not B.size:
            return np.zeros(B.shape)
        # rows of L are, transposed, columns of an upper factor with leading dimension `capacity`:
        # LAPACK needs no copy
        upper = self._store[: len(B)].T
        columns = B.reshape(len(B), -1)
        solve = scipy.linalg.lapack.dtrtrs
        solved: np.ndarray = solve(
            upper, columns, lower=0, trans=int(not transpose), lda=len(upper)
        )[0]
        return solved.reshape(B.shape)

    def half_inverse(self) -> Float[np.ndarray, "n n"]:
        """`L⁻¹`, read-only: O(n³) for the first time after rows were appended."""
        if self._half_inverse is None:
            self._half_inverse = np.ascontiguousarray(self.half_solve(np.eye(self._n)))
            self._half_inverse.flags.writeable = False
        return self._half_inverse

    def inverse(self) -> Float[np.ndarray, "n n"]:
        """`K⁻¹`, read-only: O(n³) for the first time after a rebuild, then O(n²) for each new row.

        It is extended step by step as the factor was, so that its bits do not depend on when it was
        asked for.
        """
        settled = self._n if self._settled is None else self._settled
        inverse = self._invert() if self._inverse is None else self._inverse
        for rows in self._steps:
            if len(inverse) < rows <= settled:
                inverse = self._extended_inverse(inverse, rows)
        self._inverse = inverse
        for rows in self._steps:
            if len(inverse) < rows:
                inverse = self._extended_inverse(inverse, rows)
        return inverse

    def _invert(self) -> Float[np.ndarray, "n n"]:
        """The inverse of the rows there were after the last build."""
        n = self._steps[0]
        if not n:
            return np.zeros((0, 0))
        upper = self._store[:n, :n].T.copy(order="F")
        inverse: np.ndarray = scipy.linalg.lapack.dpotri(upper, lower=0, overwrite_c=1)[0].T
        for first in range(0, n, _ROWS):  # so far it is there on and below the diagonal
            rows, rest = slice(first, first + _ROWS), slice(first + _ROWS, None)
            inverse[rows, rows] = np.tril(inverse[rows, rows]) + np.tril(inverse[rows, rows], -1).T
            inverse[rows, rest] = inverse[rest, rows].T
        inverse.flags.writeable = False
        return inverse

    def _extended_inverse(
        self, known: Float[np.ndarray, "m m"], n: int
    ) -> Float[np.ndarray, "n n"]:
        """The inverse of n leading rows from that of m, by the block formula."""
        # with L = [[L₁, 0], [R, L₂]]: K⁻¹ = [[K₁⁻¹ + A Aᵀ, −A L₂⁻¹], [·, L₂⁻ᵀ L₂⁻¹]], where A =
        # L₁⁻ᵀ Rᵀ L₂⁻ᵀ
        m = len(known)
        tip = np.tril(scipy.linalg.lapack.dtrtri(self._store[m:n, m:n].T, lower=0)[0].T)  # L₂₂⁻¹
        arm = self.half_solve(self._store[m:n, :m].T, transpose=True) @ tip.T
        inverse = np.empty((n, n))
        np.matmul(arm, arm.T, out=inverse[:m, :m])
        inverse[:m, :m] += known
        inverse[:m, m:] = -arm @ tip
        inverse[m:, :m] = inverse[:m, m:].T
        inverse[m:, m:] = tip.T @ tip
        inverse.flags.writeable = False
        return inverse
