"""Laws learned from data: conditional rows, Dirichlet-process posteriors, regressions, weighted subsets.

* `conditional_rows`: rows measured under similar contexts, shifted to the present one.
* `DirichletProcessLaw`: the posterior of a law after n draws (Ferguson 1973). An average over it
  has the expectation of the one over `H = (n₀ G + Σ_j δ_j) / (n₀ + n)`, G the law at first, and the
  variance `Var_H / (n₀ + n + 1)`. A stated G holds with probability p = 1 / (1 + E), E the evidence
  against it: the law is `p G + (1 − p) H`, and the difference of the two is uncertain as well.
* `Regressed`: draws regressed on a context z, `x = m(z) + residual` with m a Gaussian process. At z
  the draws are `m(z) ± s(z) + residuals`, s the standard deviation of m, the sign being uncertain.
* `kernel_herding`: few weighted rows that keep the kernel averages over many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import Bool, Float
from ..space import Categorical, Integer, Variable
from ..space import Float as Number
from ._model import STARTING_POINTS
from ._parts import Rows, Rule, Uncertainty, dirichlet_uncertainty, gauss_rule, rule_of_points

__all__ = ["AT_FIRST", "DirichletProcessLaw", "Regressed", "learned_law"]

MOST_GIVEN = 500
"""Rows that a law given something is made from, at most: every so many-eth of a longer log."""
APART = 1.06
"""Of Silverman's rule: circumstances are alike within so many standard deviations times m^(−1/(4 + c))."""
_UNLIKE_BEYOND = 1e6  # widths beyond which nothing is less alike
_LEAST_WEIGHT = 1e-4  # of the largest weight: rows of less count for nothing
_RIDGE = 1e-9  # of a column's variance, where rows of like circumstances hardly differ


def conditional_rows(
    rows: Float[np.ndarray, "m k"],
    known: Float[np.ndarray, " k"],
    categorical: Bool[np.ndarray, " k"],
) -> Rows:
    """Conditional law of all columns given some, by local shift of rows.

    A row counts by how near its circumstances z_j are to those known, z,
    `w_j ∝ exp(−½ Σ ((z_j − z)/h)²)`, and is moved to where it would have been by the line that fits
    best nearby, `r_j + B (z − z_j)`, within the range of its column. That follows any bend that is
    wide against h, and spreads that change with z; jumps are rounded off.

    Args:
        rows: encoded, equally likely.
        known: values of the columns that are known; NaN in the others.
        categorical: which columns hold codes: these are never moved, and alike or not.

    >>> days = np.linspace(0, 1, 101)
    >>> law = conditional_rows(np.column_stack([days, days**2]), np.array([0.5, np.nan]), np.array([False, False]))
    >>> round(float(law.weights @ law.points[:, 1]), 2)
    0.27
    """
    kept = rows[:: -(-len(rows) // MOST_GIVEN)]
    here = np.flatnonzero(~np.isnan(known))
    weights = similarity_weights(kept[:, here], known[here], categorical[here])
    if not weights.sum():  # nothing like it was ever seen: all rows are as good
        weights = np.ones(len(kept))
    some = weights >= _LEAST_WEIGHT * weights.max()
    kept, weights = kept[some], weights[some] / weights[some].sum()
    numbers = here[~categorical[here]]
    moved = kept.copy()
    away = known[numbers] - kept[:, numbers]
    for d in np.flatnonzero(np.isnan(known) & ~categorical):
        slope = _slope(kept[:, numbers], kept[:, d], weights)
        moved[:, d] = np.clip(kept[:, d] + away @ slope, rows[:, d].min(), rows[:, d].max())
    return Rows(
        moved,
        weights,
        len(rows) / len(rows[:: -(-len(rows) // MOST_GIVEN)]) / float((weights**2).sum()),
    )


def similarity_weights(
    circumstances: Float[np.ndarray, "m c"],
    known: Float[np.ndarray, " c"],
    categorical: Bool[np.ndarray, " c"],
) -> Float[np.ndarray, " m"]:
    """Kernel similarity of rows to a context: 1 where they are equal, 0 for NaN.

    It is a product over columns: of numbers `exp(−½ ((z_j − z)/h)²)`, of categories that differ h²,
    the rate at which errors are least where both are given (Li & Racine 2003).
    """
    return np.asarray(np.exp(-0.5 * _dissimilarities(circumstances, known, categorical)))


def similarity_shares(
    circumstances: Float[np.ndarray, "m c"],
    known: Float[np.ndarray, " c"],
    categorical: Bool[np.ndarray, " c"],
) -> Float[np.ndarray, " m"]:
    """Similarity of rows to a context as shares, with sum 1; of rows that are all unlike it, the nearest count.

    >>> contexts, numbers = np.array([[0.0], [0.5], [1.0]]), np.zeros(1, dtype=bool)
    >>> similarity_shares(contexts, np.array([0.1]), numbers).round(2)
    array([0.64, 0.34, 0.02])
    """
    unlike = _dissimilarities(circumstances, known, categorical)
    shares = np.exp(-0.5 * (unlike - unlike.min()))
    return np.asarray(shares / shares.sum())


def _dissimilarities(
    circumstances: Float[np.ndarray, "m c"],
    known: Float[np.ndarray, " c"],
    categorical: Bool[np.ndarray, " c"],
) -> Float[np.ndarray, " m"]:
    """Twice the negative logarithm of `similarity_weights`, (m,); infinite for NaN."""
    count, columns = circumstances.shape
    width = APART * max(count, 1) ** (-1 / (4 + columns))
    exponent = np.zeros(count)
    for column, value, codes in zip(circumstances.T, known, categorical, strict=True):
        unknown = np.isnan(column)
        if codes:
            exponent += np.where(column == value, 0.0, -4.0 * np.log(min(width, 1.0)))
        elif (spread := float(np.std(column[~unknown])) if not unknown.all() else 0.0) > 0.0:
            exponent += np.minimum(np.abs(column - value) / (width * spread), _UNLIKE_BEYOND) ** 2
        exponent[unknown] = np.inf
    return exponent


def _slope(
    inputs: Float[np.ndarray, "m c"],
    outputs: Float[np.ndarray, " m"],
    weights: Float[np.ndarray, " m"],
) -> Float[np.ndarray, " c"]:
    """The weighted line of least squares."""
    x, y = inputs - weights @ inputs, outputs - weights @ outputs
    gram = (x * weights[:, None]).T @ x
    gram.flat[:: len(gram) + 1] += _RIDGE * (inputs.var(axis=0) + 1.0)
    return np.asarray(np.linalg.solve(gram, (x * weights[:, None]).T @ y))


AT_FIRST = 1.0
"""n₀: how many draws the law at first counts as."""


_LENGTHSCALES = 0.3, 0.7, 1.5, 4.0, 12.0  # of m, in standard deviations of the seen columns
# shares of the draws' variance that m leaves as residuals
_NOISES = 1e-4, 1e-3, 1e-2, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0
_REACH = 3.0  # standard deviations of the seen columns beyond which draws hardly count
_REGRESSION_DRAWS = 300  # latest draws that a regression is made from
_QUANTILES = 16  # residuals that stand for all


@dataclass(frozen=True, eq=False)
class DirichletProcessLaw:
    """Posterior of one variable's law after some draws.

    Args:
        variable: its law is the one at first.
        seen: (q,) encoded draws, of which two may be alternatives.
        counts: (q,) the draws that each stands for.
        trust: the chance that the law at first is right.
        apart: (q,) counts of the first alternatives less those of the second ones; None: there are
            none.

    >>> import steerbo as sb
    >>> law = DirichletProcessLaw(sb.Float("t", 0, 1, law=sb.Uniform()), np.array([0.8, 0.9]), np.ones(2), trust=0.0)
    >>> nodes, weights = law.rule([0], np.array([1.0]))
    >>> round(float(weights @ nodes[:, 0]), 4)  # (0.5 + 0.8 + 0.9) / 3
    0.7333
    """

    variable: Variable
    seen: Float[np.ndarray, " q"]
    counts: Float[np.ndarray, " q"]
    trust: float
    apart: Float[np.ndarray, " q"] | None = None

    @property
    def count(self) -> float:
        """n: how many draws there are."""
        return float(self.counts.sum())

    def _nodes(
        self, lengthscale: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
        """Nodes, the weights of G and of H, and the difference of the two."""
        nodes, stated = gauss_rule(self.variable, lengthscale)
        if not self.count:
            return nodes, stated, stated, None
        total = AT_FIRST + self.count
        if self.apart is None:
            seen, shares = rule_of_points(self.variable, self.seen, self.counts, lengthscale)
            apart = None
        else:
            seen, shares = self.seen, self.counts / self.count
            apart = np.concatenate([np.zeros(len(nodes)), self.apart / total])
        learned = np.concatenate([stated * (AT_FIRST / total), shares * (self.count / total)])
        return (
            np.concatenate([nodes, seen]),
            np.concatenate([stated, np.zeros(len(seen))]),
            learned,
            apart,
        )

    def rule(self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " 1"]) -> Rule:
        """Nodes of the law at first, and of the draws."""
        nodes, stated, learned, _ = self._nodes(float(lengthscales[0]))
        return nodes[:, None], self.trust * stated + (1 - self.trust) * learned

    def uncertainty(
        self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " 1"]
    ) -> Uncertainty:
        """A root of the covariance of H's weights, of the choice between G and H, and of that between alternatives."""
        _, stated, learned, apart = self._nodes(float(lengthscales[0]))
        of_learned = np.sqrt(1 - self.trust) * dirichlet_uncertainty(learned, AT_FIRST + self.count)
        which = np.sqrt(self.trust * (1 - self.trust)) * (stated - learned)
        more = [] if apart is None else [np.sqrt(1 - self.trust) * apart]
        return np.column_stack([of_learned, which, *more])

    def draws(
        self, dimensions: Sequence[int], unit: Float[np.ndarray, "s 1"]
    ) -> Float[np.ndarray, "s 1"]:
        """Sample from the law at first by its quantiles, or from the draws."""
        u, first = unit[:, 0], self.trust + (1 - self.trust) * AT_FIRST / (AT_FIRST + self.count)
        found = np.asarray(self.variable.encoded_ppf(np.clip(u / first, 1e-12, 1 - 1e-12)))
        if first < 1:
            order = np.argsort(self.seen, kind="stable")
            edges = np.cumsum(self.counts[order])
            place = np.searchsorted(edges, (u - first) / (1 - first) * edges[-1], side="right")
            found = np.where(u < first, found, self.seen[order[np.minimum(place, len(order) - 1)]])
        return found[:, None]


class Regressed:
    """Conditional law of a variable by a regression of its draws on the context.

    The function m is a Gaussian process with a squared exponential kernel; its lengthscale and the
    share of the variance that it leaves as residuals are those of a small grid with the largest
    marginal likelihood. A share of one is on the grid: the seen columns may say nothing. Residuals
    are those of m without the draw itself.

    Args:
        variable: not a category.
        draws: (n,) encoded, the latest last.
        contexts: (n, c) values seen, encoded, without gaps.
        categorical: (c,) which columns hold categories.

    >>> import steerbo as sb
    >>> outside = np.linspace(0, 1, 20)
    >>> inside = Regressed(sb.Float("t", 0, 1, law="learned"), 0.2 + 0.5 * outside, outside[:, None], np.zeros(1, bool))
    >>> law = inside.law(np.array([0.5]), trust=0.0)
    >>> round(float(law.counts @ law.seen / law.counts.sum()), 2)
    0.45
    """

    def __init__(
        self,
        variable: Number | Integer,
        draws: Float[np.ndarray, " n"],
        contexts: Float[np.ndarray, "n c"],
        categorical: Bool[np.ndarray, " c"],
    ) -> None:
        self._variable, self._n = variable, len(draws)
        self._draws, contexts = draws[-_REGRESSION_DRAWS:], contexts[-_REGRESSION_DRAWS:]
        self._categorical, self._centre = categorical, contexts.mean(axis=0)
        spread = contexts.std(axis=0)
        self._unit = np.where(categorical | (spread < 1e-12), 1.0, spread)
        self._contexts = contexts
        self._level, self._variance = float(self._draws.mean()), float(self._draws.var())
        gaps, best = self._gaps(contexts), -np.inf
        for lengthscale in _LENGTHSCALES if self._variance > 0 else ():
            values, vectors = np.linalg.eigh(np.exp(-0.5 * gaps / lengthscale**2))
            turned = vectors.T @ (self._draws - self._level)
            for share in _NOISES:
                spectrum = np.maximum((1.0 - share) * values, 0.0) + share
                fit = -0.5 * float(
                    np.log(spectrum).sum() + (turned**2 / spectrum).sum() / self._variance
                )
                if fit > best + 1e-9:
                    best = fit
                    self._lengthscale, self._share = lengthscale, share
                    self._inverse = (vectors / spectrum) @ vectors.T
        if self._variance > 0:
            self._alpha = self._inverse @ (self._draws - self._level)
            self._residuals = self._alpha / np.diagonal(self._inverse)

    def _gaps(self, others: Float[np.ndarray, "m c"]) -> Float[np.ndarray, "m n"]:
        """Squared distances of contexts, in standard deviations; different categories have distance one."""
        found = np.zeros((len(others), len(self._contexts)))
        for d, codes in enumerate(self._categorical):
            away = others[:, d, None] - self._contexts[:, d]
            found += (away != 0.0) if codes else (away / self._unit[d]) ** 2
        return found

    def law(self, known: Float[np.ndarray, " c"], trust: float) -> DirichletProcessLaw:
        """The law in a context; `trust`: the probability that the law at first is right."""
        gaps = self._gaps(known[None])[0]
        # far from all that was seen nothing is known
        count = self._n * float(np.exp(-0.5 * gaps / _REACH**2).mean())
        if self._variance <= 0:
            return DirichletProcessLaw(self._variable, self._draws[:1], np.array([count]), trust)
        cross = (1.0 - self._share) * np.exp(-0.5 * gaps / self._lengthscale**2)
        mean = self._level + float(cross @ self._alpha)
        rest = self._variance * max(1.0 - self._share - float(cross @ self._inverse @ cross), 0.0)
        levels = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        residuals = (
            np.quantile(self._residuals, levels)
            if len(self._residuals) > _QUANTILES
            else self._residuals
        )
        nodes = np.concatenate([mean + side * np.sqrt(rest) + residuals for side in (1.0, -1.0)])
        ends = self._variable.encode([self._variable.low, self._variable.high])
        nodes = np.clip(nodes, ends.min(), ends.max())
        if isinstance(self._variable, Integer):
            nodes = self._variable.encode(self._variable.decode(nodes))
        k = len(residuals)
        counts = np.full(2 * k, count / (2.0 * k))
        return DirichletProcessLaw(
            self._variable, nodes, counts, trust, np.repeat([1.0, -1.0], k) * counts
        )


def learned_law(
    variable: Variable,
    draws: Float[np.ndarray, " n"],
    contexts: Float[np.ndarray, "n c"],
    categorical: Bool[np.ndarray, " c"],
) -> Regressed | None:
    """Regress draws (n,) on the context (n, c), rows with a gap left out; None for categories and for few draws."""
    whole = ~np.isnan(contexts).any(axis=1)
    if isinstance(variable, Categorical) or not contexts.shape[1] or whole.sum() < STARTING_POINTS:
        return None
    return Regressed(variable, draws[whole], contexts[whole], categorical)


MOST_ROWS = 200
"""Rows that averages are computed over: within .003 of averages over 5000 rows, of one to six columns."""
_WIDTH = 0.3  # of the kernel whose averages are kept, as a share of every column's range
# kernels so many times wider, and each one's weight: one alone keeps only its own
_WIDER = {1.0: 1.0, 3.0: 100.0}
_TURNS = 10  # of the k-means rule: more move hardly anything
_GOLDEN = (math.sqrt(5) - 1) / 2  # its multiples modulo 1 are spread evenly
# on the diagonal; how much the weights' sum counts for while they are found
_JITTER, _SUM = 1e-8, 1e3


def kernel_herding(
    points: Float[np.ndarray, "m k"], categorical: Bool[np.ndarray, " k"], most: int = MOST_ROWS
) -> Rows:
    """Choose and weight at most `most` rows so that kernel averages over all rows are kept.

    One row of each k-means cluster, with the weights, none negative and with sum 1, under which
    averages of squared-exponential kernels come nearest to those over all rows. Nothing is drawn:
    the same rows give the same law. The number of all rows is kept, since averages are no surer
    than it allows.

    Args:
        points: encoded rows, equally likely; rows that are there twice count twice.
        categorical: which columns hold codes.
        most: how many rows may stay.

    >>> kernel_herding(np.array([[0.2], [0.7], [0.2]]), np.array([False])).weights
    array([0.66666667, 0.33333333])
    """
    distinct, counts = np.unique(points, axis=0, return_counts=True)
    shares = counts / counts.sum()
    if len(distinct) <= most:
        return Rows(distinct, shares, len(points))
    places = _distances_count(distinct, categorical)
    members = _members(places, shares, most)
    return Rows(distinct[members], _weights(places, shares, members), len(points))


def _distances_count(
    points: Float[np.ndarray, "m k"], categorical: Bool[np.ndarray, " k"]
) -> Float[np.ndarray, "m c"]:
    """Coordinates in kernel widths; a category becomes one column for each of its choices."""
    columns = [
        np.equal.outer(column, np.unique(column)) / math.sqrt(2)
        if codes
        else column[:, None] / (np.ptp(column) or 1.0)
        for column, codes in zip(points.T, categorical, strict=True)
    ]
    return np.hstack(columns) / _WIDTH


def _members(
    places: Float[np.ndarray, "m c"], shares: Float[np.ndarray, " m"], most: int
) -> list[int]:
    """One row of each cluster, the nearest to its mean, ascending: begun as k-means++, but nothing is drawn."""
    # a tenth of the start of every command, and long logs are rare
    from scipy.spatial.distance import cdist

    chosen = [int(((places - shares @ places) ** 2).sum(1).argmin())]
    squares = ((places - places[chosen[0]]) ** 2).sum(1)
    for k in range(1, most):
        edges = np.cumsum(shares * squares)
        chosen.append(int(np.searchsorted(edges, edges[-1] * (k * _GOLDEN % 1), side="right")))
        np.minimum(squares, ((places - places[chosen[-1]]) ** 2).sum(1), out=squares)
    centres = places[chosen]
    for _ in range(_TURNS):
        nearest = cdist(places, centres, "sqeuclidean").argmin(1)
        mass = np.bincount(nearest, shares, most)
        sums = np.column_stack([np.bincount(nearest, shares * column, most) for column in places.T])
        centres = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], centres)
    return sorted(set(cdist(centres, places, "sqeuclidean").argmin(1).tolist()))


def _weights(
    places: Float[np.ndarray, "m c"], shares: Float[np.ndarray, " m"], members: list[int]
) -> Float[np.ndarray, " q"]:
    """Weights of the members under which kernel means are nearest to the means over all rows."""
    from scipy.optimize import nnls  # as above
    from scipy.spatial.distance import cdist

    squares = cdist(places[members], places, "sqeuclidean")
    kernel = sum(
        (counts * np.exp(-0.5 * squares / wider**2) for wider, counts in _WIDER.items()),
        np.zeros(()),
    )
    gram = kernel[:, members].copy()
    gram.flat[:: len(members) + 1] += _JITTER
    root = np.linalg.cholesky(gram)
    system = np.vstack([root.T, np.full((1, len(members)), _SUM)])
    wanted = np.append(np.linalg.solve(root, kernel @ shares), _SUM)
    try:
        found = nnls(system, wanted)[0]
    except RuntimeError:  # it gave up: weights by nearest places are a law, too
        nearest = cdist(places, places[members], "sqeuclidean").argmin(1)
        found = np.bincount(nearest, shares, len(members))
    return np.asarray(found / found.sum())
