"""Which of more outcomes than fit into a factor are counted: those that have most to say about what comes next."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float, Int

from .conditioned import Conditioned
from .process import GaussianProcess

MOST = 5000
"""Outcomes that a posterior counts: with so many a suggestion takes ten seconds and a gigabyte."""
_FEW = 500  # that say where the best place is
_LATEST, _NEAREST = 0.2, 0.4  # shares of those counted; the others are spread over all that are left


def counted(
    process: GaussianProcess[Any],
    X: Float[np.ndarray, "n d"],
    z: Float[np.ndarray, " n"],
    most: int = MOST,
) -> Int[np.ndarray, " m"]:
    """Indices of the outcomes that count, ascending: all of them, or `most`.

    A fifth of those are the latest, for the objective may drift and a study goes on where it was; two fifths are the
    nearest, in covariance, to the place that is best as far as some outcomes say; the others are spread evenly over
    what is left, so that nothing that is known to be poor is taken for unknown.

    Args:
        process: says what near is.
        X: (n, d) where outcomes are.
        z: (n,) standardised outcomes, larger is better.
        most: so many at most, at least 5.

    >>> from steerbo.gp import SquaredExponentialKernel, Warp
    >>> process = GaussianProcess(SquaredExponentialKernel([0.1]), 0.01, Warp())
    >>> X = np.linspace(0, 1, 100)[:, None]
    >>> counted(process, X, -((X[:, 0] - 0.3) ** 2), most=10).tolist()
    [0, 27, 28, 29, 30, 35, 66, 97, 98, 99]
    """
    n = len(z)
    if n <= most:
        return np.arange(n)
    bent = process.warp(X)
    some = np.linspace(0, n - 1, min(_FEW, n)).astype(np.intp)
    residuals = (z[some] - process.mean)[:, None]
    rough = Conditioned(process.kernel, bent[some], residuals, np.full(len(some), process.noise))
    best = int(rough.means(bent)[0].argmax())
    return chosen(process.kernel(bent, bent[best : best + 1])[:, 0], most)


def chosen(nearness: Float[np.ndarray, " n"], most: int = MOST) -> Int[np.ndarray, " m"]:
    """The same by how near every outcome is to the best place.

    >>> chosen(np.array([0.0, 0.9, 0.8, 0.1, 0.2, 0.0, 0.0]), most=5).tolist()
    [0, 1, 2, 5, 6]
    """
    n = len(nearness)
    if n <= most:
        return np.arange(n)
    latest, nearest = int(_LATEST * most), int(_NEAREST * most)
    taken = np.zeros(n, dtype=bool)
    taken[n - latest :] = True
    near = np.where(taken, -np.inf, nearness)
    taken[np.argsort(-near, kind="stable")[:nearest]] = True
    left = np.flatnonzero(~taken)
    taken[left[np.linspace(0, len(left) - 1, most - latest - nearest).astype(np.intp)]] = True
    return np.flatnonzero(taken)


def counted_of(all_of_them: int, most: int) -> str:
    """In words, how many outcomes are counted; empty where all are.

    >>> counted_of(10000, 5000)[:40]
    'Of 10000 outcomes 5000 are counted: the '
    """
    if all_of_them <= most:
        return ""
    which = "the latest, those nearest to the best place that is known, and others spread over the rest"
    return f"Of {all_of_them} outcomes {most} are counted: {which}."
