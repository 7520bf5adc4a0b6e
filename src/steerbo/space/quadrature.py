"""Gauss quadrature for the law of any variable: few nodes, and spectral accuracy for smooth integrands."""

from __future__ import annotations

import functools

import numpy as np
import scipy

from .._arrays import Float
from .variables import Categorical, Variable

_PANELS = 64  # equal panels of probability, the outermost ones halved again and again towards 0 and 1
_HALVINGS = 26  # down to a tail of 2e-10, which is left out
_FAR = 2.0  # encoded values further than this outside the unit interval are moved there: no kernel reaches so far
_SIZES = (16, 24, 32, 48, 64, 96, 128, 192, 256)

Rule = tuple[Float[np.ndarray, " q"], Float[np.ndarray, " q"]]
"""Nodes and weights of a quadrature rule for the law of one variable, in encoded units."""


def gauss_rule(variable: Variable, lengthscale: float) -> Rule:
    """Nodes and weights, (q,) each, that integrate products of two kernels of this lengthscale to about 1e-9.

    It is the Gauss rule of the variable's law in encoded units: Gauss–Legendre for a uniform law, Gauss–Hermite for a
    normal one,
    and so on; a law with few atoms is returned as it is. The law is discretised finely first (its atoms, or a composite
    rule through its quantiles), and the Lanczos process finds the Gauss rule of that sum (Golub and Welsch 1969;
    Gragg and Harrod 1984). Lengthscales below .02 of the law's range are beyond the finest rule of 256 nodes.

    Raises:
        InvalidProblem: the variable has no law.

    >>> from steerbo.space import Float, Uniform
    >>> x, w = gauss_rule(Float("t", 0, 1, law=Uniform()), lengthscale=1.0)
    >>> len(x), abs(float(w @ x**15) - 1 / 16) < 1e-8
    (16, True)
    """
    points, _ = _discretised(variable)
    return _rule(variable, _size(points, lengthscale))


def rule_of_points(
    variable: Variable,
    points: Float[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    lengthscale: float,
) -> Rule:
    """Gauss rule of encoded values of a variable with `weights`, in any order; the weights' sum becomes one.

    >>> from steerbo.space import Float
    >>> rule_of_points(Float("t", 0, 1), np.array([0.5, 0.25, 0.5]), np.ones(3), 1.0)
    (array([0.25, 0.5 ]), array([0.33333333, 0.66666667]))
    """
    if not isinstance(variable, Categorical):
        points = np.clip(points, -_FAR, 1 + _FAR)
    distinct, place = np.unique(points, return_inverse=True)
    shares = np.bincount(place, weights / weights.sum())
    nodes = _size(distinct, lengthscale)
    return (distinct, shares) if len(distinct) <= nodes else _lanczos(distinct, shares, nodes)


def _size(points: Float[np.ndarray, " p"], lengthscale: float) -> int:
    """Number of nodes that a rule over ascending points needs."""
    wanted = 12 + 2.5 * float(points[-1] - points[0]) / lengthscale
    return next((size for size in _SIZES if size >= wanted), _SIZES[-1])


@functools.lru_cache(maxsize=1024)
def _rule(variable: Variable, nodes: int) -> Rule:
    points, weights = _discretised(variable)
    return (points, weights) if len(points) <= nodes else _lanczos(points, weights, nodes)


@functools.lru_cache(maxsize=256)
def _discretised(variable: Variable) -> Rule:
    """The law as a sum over ascending encoded points."""
    atoms = variable.encoded_atoms
    if atoms is None:
        u, weights = _probabilities()
        points = variable.encoded_ppf(u)
    else:
        points, weights = atoms
    if not isinstance(variable, Categorical):
        points = np.clip(points, -_FAR, 1 + _FAR)
    return points, weights / weights.sum()


@functools.cache
def _probabilities() -> Rule:
    """A composite Gauss–Legendre rule on (0, 1) whose panels shrink towards both ends, where `ppf` may be singular."""
    width = 1.0 / _PANELS
    tail = width * 0.5 ** np.arange(_HALVINGS, 0, -1)
    edges = np.concatenate([tail, np.arange(1, _PANELS) * width, 1.0 - tail[::-1]])
    x, w = np.polynomial.legendre.leggauss(16)
    low, high = edges[:-1, None], edges[1:, None]
    u = (low + (high - low) * (x + 1) / 2).ravel()
    return u, ((high - low) * w / 2).ravel()


def _lanczos(points: Float[np.ndarray, " p"], weights: Float[np.ndarray, " p"], nodes: int) -> Rule:
    """The Gauss rule of a discrete measure, by the eigenvectors of its Jacobi matrix."""
    basis = np.empty((nodes, len(points)))
    basis[0] = np.sqrt(weights)
    diagonal, off = np.empty(nodes), np.empty(nodes)
    size = nodes
    for k in range(nodes):
        vector = points * basis[k]
        diagonal[k] = basis[k] @ vector
        for _ in range(2):
            vector -= basis[: k + 1].T @ (basis[: k + 1] @ vector)
        off[k] = np.linalg.norm(vector)
        if k + 1 == nodes or off[k] < 1e-13:
            size = k + 1
            break
        basis[k + 1] = vector / off[k]
    found, vectors = scipy.linalg.eigh_tridiagonal(diagonal[:size], off[: size - 1])
    return found, vectors[0] ** 2
