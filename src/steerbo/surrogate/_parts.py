"""Parts of columns in a round: every column of a Gaussian process is set, known, or drawn by nature afterwards.

Time is a column too: one that is known. Values are encoded, as in the inputs of the process.
Averages over nature's draws are sums over the nodes of Gauss rules: few of them, and spectral
accuracy for smooth integrands.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from .._arrays import Float
from ..errors import InvalidProblem
from ..space import Categorical, Variable

# equal panels of probability, the outermost ones halved again and again towards 0 and 1
_PANELS = 64
_HALVINGS = 26  # down to a tail of 2e-10, which is left out
_BEYOND_KERNELS = (
    # encoded values further than this outside the unit interval are moved there: no kernel reaches
    # so far
    2.0
)
_SIZES = (16, 24, 32, 48, 64, 96, 128, 192, 256)  # numbers of nodes of a rule

Rule = tuple[Float[np.ndarray, "q k"], Float[np.ndarray, " q"]]
"""Nodes over k columns, and their weights: none negative, with sum 1."""

Uncertainty = Float[np.ndarray, "q r"] | None
"""A root of the covariance of a rule's weights."""


class Law(Protocol):
    """Distribution of an uncontrolled column, or of several dependent ones."""

    def rule(self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " k"]) -> Rule:
        """Nodes and weights for its marginal over k of its dimensions, for kernels of these lengthscales."""

    def uncertainty(
        self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " k"]
    ) -> Uncertainty:
        """Root V of the covariance V Vᵀ of the rule's weights; None for a law that is certain.

        The average of a function over the law then has the variance |Vᵀ h|², h being its values at
        the nodes.
        """

    def draws(
        self, dimensions: Sequence[int], unit: Float[np.ndarray, "s k"]
    ) -> Float[np.ndarray, "s k"]:
        """Draws of its marginal over k of its dimensions, from numbers spread evenly over (0, 1)."""


@dataclass(frozen=True)
class Controlled:
    """We hold it: at which value is searched for."""


@dataclass(frozen=True)
class Observed:
    """Seen before we choose, or as it was last time: a point mass at `value`, encoded."""

    value: float


@dataclass(frozen=True)
class Uncontrolled:
    """Nature draws it afterwards: it is dimension `dimension` of a law. Columns that share a law are drawn together."""

    law: Law
    dimension: int = 0


Part = Controlled | Observed | Uncontrolled


@dataclass(frozen=True, eq=False)
class LawOf:
    """The law that a variable states, of itself alone.

    >>> import steerbo as sb
    >>> LawOf(sb.Float("t", 0, 1, law=sb.Uniform())).draws([0], np.array([[0.25]]))
    array([[0.25]])
    """

    variable: Variable

    def rule(self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " 1"]) -> Rule:
        """The Gauss rule of the law: see `gauss_rule`."""
        nodes, weights = gauss_rule(self.variable, float(lengthscales[0]))
        return nodes[:, None], weights

    def uncertainty(
        self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " 1"]
    ) -> Uncertainty:
        """None: a stated law is certain."""
        return None

    def draws(
        self, dimensions: Sequence[int], unit: Float[np.ndarray, "s 1"]
    ) -> Float[np.ndarray, "s 1"]:
        """Draw by the law's quantiles."""
        return np.asarray(self.variable.encoded_ppf(unit[:, 0]))[:, None]


@dataclass(frozen=True, eq=False)
class Rows:
    """A joint law: rows of data, each with a weight. To set one of its columns does not condition the others.

    Args:
        points: (m, k) encoded rows.
        weights: (m,) none negative, with sum 1.
        count: how many observations the rows stand for, which may be more than there are rows;
            None: the law is known, and not estimated from them.

    >>> weather = Rows(np.array([[0.1, 0.2], [0.8, 0.9]]), np.array([0.5, 0.5]))
    >>> weather.draws([1], np.array([[0.3], [0.7]])).ravel()
    array([0.2, 0.9])
    """

    points: Float[np.ndarray, "m k"]
    weights: Float[np.ndarray, " m"]
    count: float | None = None

    def __post_init__(self) -> None:
        if (
            self.weights.shape != (len(self.points),)
            or (self.weights < 0).any()
            or abs(self.weights.sum() - 1) > 1e-9
        ):
            raise InvalidProblem(
                "weights", self.weights, f"{len(self.points)} numbers not below 0, with sum 1"
            )

    def rule(self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " k"]) -> Rule:
        """The rows themselves."""
        return self.points[:, list(dimensions)], self.weights

    def uncertainty(
        self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " k"]
    ) -> Uncertainty:
        """Root for Dirichlet weights: the variance of an average is Var / (count + 1)."""
        return None if self.count is None else dirichlet_uncertainty(self.weights, self.count)

    def draws(
        self, dimensions: Sequence[int], unit: Float[np.ndarray, "s k"]
    ) -> Float[np.ndarray, "s k"]:
        """Whole rows, chosen by the first number of each draw."""
        edges = np.cumsum(self.weights)
        chosen = np.searchsorted(edges, unit[:, 0] * edges[-1], side="right")
        return self.points[np.minimum(chosen, len(edges) - 1)][:, list(dimensions)]


def dirichlet_uncertainty(
    weights: Float[np.ndarray, " q"], count: float
) -> Float[np.ndarray, "q q"]:
    """Root of the Dirichlet covariance (diag(w) − w wᵀ) / (count + 1) of a law's weights after `count` observations.

    >>> root, h = dirichlet_uncertainty(np.array([0.5, 0.5]), 9.0), np.array([1.0, 3.0])
    >>> round(float(((h @ root) ** 2).sum()), 12)
    0.1
    """
    root = -np.outer(weights, np.sqrt(weights))
    root.flat[:: len(weights) + 1] += np.sqrt(weights)
    return root / np.sqrt(count + 1.0)


def parts_of(
    columns: Sequence[str],
    held: Collection[str],
    known: Mapping[str, float],
    laws: Mapping[str, Uncontrolled],
) -> tuple[Part, ...]:
    """Assign each column its part: `Controlled` if the scope sets it, `Observed` if its value is known, else its law.

    Args:
        columns: names of the columns.
        held: those that the scope sets.
        known: encoded values of those that are seen before, or stay as they were.
        laws: how nature draws the others.

    Raises:
        InvalidProblem: a column that is neither set nor known, and has no law.

    >>> parts_of(["ph", "time"], ["ph"], {"time": 0.3}, {})
    (Controlled(), Observed(value=0.3))
    """

    def part(name: str) -> Part:
        if name in held:
            return Controlled()
        if name in known:
            return Observed(float(known[name]))
        if name in laws:
            return laws[name]
        raise InvalidProblem(
            f"variables.{name}.law", None, f"a law, because {name!r} is neither set nor known"
        )

    return tuple(part(name) for name in columns)


def set_columns(parts: Sequence[Part]) -> list[int]:
    """Indices of the controlled columns."""
    return [d for d, part in enumerate(parts) if isinstance(part, Controlled)]


def drawn_together(parts: Sequence[Part]) -> list[tuple[Law, tuple[int, ...], tuple[int, ...]]]:
    """The laws that nature draws from, each with its columns and its dimensions there, by the first column."""
    found: dict[int, tuple[Law, list[int], list[int]]] = {}
    for d, part in enumerate(parts):
        if isinstance(part, Uncontrolled):
            _, columns, dimensions = found.setdefault(id(part.law), (part.law, [], []))
            columns.append(d)
            dimensions.append(part.dimension)
    return [(law, tuple(columns), tuple(dimensions)) for law, columns, dimensions in found.values()]


def drawn(parts: Sequence[Part], unit: Float[np.ndarray, "s d"]) -> Float[np.ndarray, "s d"]:
    """Draws of all columns, (s, d), from numbers spread evenly over (0, 1): known ones as they are, set ones zero."""
    draws = np.zeros(unit.shape)
    for d, part in enumerate(parts):
        if isinstance(part, Observed):
            draws[:, d] = part.value
    for law, columns, dimensions in drawn_together(parts):
        draws[:, columns] = law.draws(dimensions, unit[:, columns])
    return draws


def row_of(parts: Sequence[Part]) -> Float[np.ndarray, "1 d"]:
    """One row with the observed values, and zeros elsewhere."""
    return np.array([[part.value if isinstance(part, Observed) else 0.0 for part in parts]])


# -- Gauss rules of laws ---------------------------------------------------------------------------

Nodes = tuple[Float[np.ndarray, " q"], Float[np.ndarray, " q"]]
"""Nodes and weights of a quadrature rule for the law of one variable, in encoded units."""


def gauss_rule(variable: Variable, lengthscale: float) -> Nodes:
    """Nodes and weights, (q,) each, that integrate products of two kernels of this lengthscale to about 1e-9.

    It is the Gauss rule of the variable's law in encoded units: Gauss–Legendre for a uniform law,
    Gauss–Hermite for a normal one, and so on; a law with few atoms is returned as it is. The law is
    discretised finely first (its atoms, or a composite rule through its quantiles), and the Lanczos
    process finds the Gauss rule of that sum (Golub and Welsch 1969; Gragg and Harrod 1984).
    Lengthscales below .02 of the law's range are beyond the finest rule of 256 nodes.

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
) -> Nodes:
    """Gauss rule of encoded values of a variable with `weights`, in any order; the weights' sum becomes one.

    >>> from steerbo.space import Float
    >>> rule_of_points(Float("t", 0, 1), np.array([0.5, 0.25, 0.5]), np.ones(3), 1.0)
    (array([0.25, 0.5 ]), array([0.33333333, 0.66666667]))
    """
    if not isinstance(variable, Categorical):
        points = np.clip(points, -_BEYOND_KERNELS, 1 + _BEYOND_KERNELS)
    distinct, place = np.unique(points, return_inverse=True)
    shares = np.bincount(place, weights / weights.sum())
    nodes = _size(distinct, lengthscale)
    return (distinct, shares) if len(distinct) <= nodes else _lanczos(distinct, shares, nodes)


def _size(points: Float[np.ndarray, " p"], lengthscale: float) -> int:
    """Number of nodes that a rule over ascending points needs."""
    wanted = 12 + 2.5 * float(points[-1] - points[0]) / lengthscale
    return next((size for size in _SIZES if size >= wanted), _SIZES[-1])


@functools.lru_cache(maxsize=1024)
def _rule(variable: Variable, nodes: int) -> Nodes:
    points, weights = _discretised(variable)
    return (points, weights) if len(points) <= nodes else _lanczos(points, weights, nodes)


@functools.lru_cache(maxsize=256)
def _discretised(variable: Variable) -> Nodes:
    """The law as a sum over ascending encoded points."""
    atoms = variable.encoded_atoms
    if atoms is None:
        u, weights = _probabilities()
        points = variable.encoded_ppf(u)
    else:
        points, weights = atoms
    if not isinstance(variable, Categorical):
        points = np.clip(points, -_BEYOND_KERNELS, 1 + _BEYOND_KERNELS)
    return points, weights / weights.sum()


@functools.cache
def _probabilities() -> Nodes:
    """A composite Gauss–Legendre rule on (0, 1) whose panels shrink towards both ends, where `ppf` may be singular."""
    width = 1.0 / _PANELS
    tail = width * 0.5 ** np.arange(_HALVINGS, 0, -1)
    edges = np.concatenate([tail, np.arange(1, _PANELS) * width, 1.0 - tail[::-1]])
    x, w = np.polynomial.legendre.leggauss(16)
    low, high = edges[:-1, None], edges[1:, None]
    u = (low + (high - low) * (x + 1) / 2).ravel()
    return u, ((high - low) * w / 2).ravel()


def _lanczos(
    points: Float[np.ndarray, " p"], weights: Float[np.ndarray, " p"], nodes: int
) -> Nodes:
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
