"""Laws that are learned from draws: each counts as much as all that is believed at first.

What `n` draws leave of a law is a Dirichlet process (Ferguson 1973): an average over it is expected to be the one over
`H = (n₀ G + Σ_j δ_j) / (n₀ + n)`, where G is the law at first, and has the variance `Var_H / (n₀ + n + 1)`. Where G was
stated, and may be right, it is so with a chance p = 1 / (1 + E), E being the evidence against it (see
`space.evidence`): the law is `p G + (1 − p) H`, and how far these are apart is in doubt, too.

Given what is seen, draws are first regressed on it: `x = m(z) + residual`, with m a Gaussian process. At z the draws
are `m(z) ± s(z) + residuals`, where s is the standard deviation of m, and whether it is + or − is in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from ..space import Categorical, Integer, Variable
from ..space import Float as Number
from ..space.quadrature import gauss_rule, rule_of_points
from .parts import Doubt, Rule, dirichlet_doubt

AT_FIRST = 1.0
"""n₀: how many draws the law at first counts as."""


_LENGTHSCALES = 0.3, 0.7, 1.5, 4.0, 12.0  # of m, in standard deviations of what is seen
_NOISES = 1e-4, 1e-3, 1e-2, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0  # shares of the draws' variance that m leaves as residuals
_REACH = 3.0  # standard deviations of what is seen beyond which draws hardly count
_MOST = 300  # latest draws that a regression is made from
_FEWEST = 5  # draws below which what is seen says nothing
_QUANTILES = 16  # residuals that stand for all


@dataclass(frozen=True, eq=False)
class LearnedLaw:
    """The law of one variable, as far as draws tell it.

    Args:
        variable: its law is the one at first.
        seen: (q,) encoded draws, of which two may be alternatives.
        counts: (q,) the draws that each stands for.
        trust: the chance that the law at first is right.
        apart: (q,) counts of the first alternatives less those of the second ones; None: there are none.

    >>> import steerbo as sb
    >>> law = LearnedLaw(sb.Float("t", 0, 1, law=sb.Uniform()), np.array([0.8, 0.9]), np.ones(2), trust=0.0)
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

    def _nodes(self, lengthscale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
        """Nodes, the weights of G and of H, and by how much those of the alternatives differ."""
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
        return np.concatenate([nodes, seen]), np.concatenate([stated, np.zeros(len(seen))]), learned, apart

    def rule(self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " 1"]) -> Rule:
        """Nodes of the law at first, and of the draws."""
        nodes, stated, learned, _ = self._nodes(float(lengthscales[0]))
        return nodes[:, None], self.trust * stated + (1 - self.trust) * learned

    def doubt(self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " 1"]) -> Doubt:
        """A root of the covariance of H's weights, of the choice between G and H, and of that between alternatives."""
        _, stated, learned, apart = self._nodes(float(lengthscales[0]))
        of_learned = np.sqrt(1 - self.trust) * dirichlet_doubt(learned, AT_FIRST + self.count)
        which = np.sqrt(self.trust * (1 - self.trust)) * (stated - learned)
        more = [] if apart is None else [np.sqrt(1 - self.trust) * apart]
        return np.column_stack([of_learned, which, *more])

    def draws(self, dimensions: Sequence[int], unit: Float[np.ndarray, "s 1"]) -> Float[np.ndarray, "s 1"]:
        """From the law at first by its quantiles, or one of the draws."""
        u, first = unit[:, 0], self.trust + (1 - self.trust) * AT_FIRST / (AT_FIRST + self.count)
        found = np.asarray(self.variable.encoded_ppf(np.clip(u / first, 1e-12, 1 - 1e-12)))
        if first < 1:
            order = np.argsort(self.seen, kind="stable")
            edges = np.cumsum(self.counts[order])
            place = np.searchsorted(edges, (u - first) / (1 - first) * edges[-1], side="right")
            found = np.where(u < first, found, self.seen[order[np.minimum(place, len(order) - 1)]])
        return found[:, None]


class Regressed:
    """The draws of a variable, regressed on what is seen before choosing.

    The function m is a Gaussian process with a squared exponential kernel; its lengthscale and the share of the
    variance that it leaves as residuals are those of a small grid with the largest marginal likelihood. A share of one
    is on the grid: what is seen may say nothing. Residuals are those of m without the draw itself.

    Args:
        variable: not a category.
        draws: (n,) encoded, the latest last.
        contexts: (n, c) what was seen, encoded, without gaps.
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
        self._draws, contexts = draws[-_MOST:], contexts[-_MOST:]
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
                fit = -0.5 * float(np.log(spectrum).sum() + (turned**2 / spectrum).sum() / self._variance)
                if fit > best + 1e-9:
                    best = fit
                    self._lengthscale, self._share = lengthscale, share
                    self._inverse = (vectors / spectrum) @ vectors.T
        if self._variance > 0:
            self._alpha = self._inverse @ (self._draws - self._level)
            self._residuals = self._alpha / np.diagonal(self._inverse)

    def _gaps(self, others: Float[np.ndarray, "m c"]) -> Float[np.ndarray, "m n"]:
        """Squared distances of what is seen, in its standard deviations; categories are one apart."""
        found = np.zeros((len(others), len(self._contexts)))
        for d, codes in enumerate(self._categorical):
            away = others[:, d, None] - self._contexts[:, d]
            found += (away != 0.0) if codes else (away / self._unit[d]) ** 2
        return found

    def law(self, known: Float[np.ndarray, " c"], trust: float) -> LearnedLaw:
        """The law where this is seen; `trust`: see `LearnedLaw`."""
        gaps = self._gaps(known[None])[0]
        count = self._n * float(np.exp(-0.5 * gaps / _REACH**2).mean())  # far from all that was seen nothing is known
        if self._variance <= 0:
            return LearnedLaw(self._variable, self._draws[:1], np.array([count]), trust)
        cross = (1.0 - self._share) * np.exp(-0.5 * gaps / self._lengthscale**2)
        mean = self._level + float(cross @ self._alpha)
        rest = self._variance * max(1.0 - self._share - float(cross @ self._inverse @ cross), 0.0)
        levels = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        residuals = np.quantile(self._residuals, levels) if len(self._residuals) > _QUANTILES else self._residuals
        nodes = np.concatenate([mean + side * np.sqrt(rest) + residuals for side in (1.0, -1.0)])
        ends = self._variable.encode([self._variable.low, self._variable.high])
        nodes = np.clip(nodes, ends.min(), ends.max())
        if isinstance(self._variable, Integer):
            nodes = self._variable.encode(self._variable.decode(nodes))
        k = len(residuals)
        counts = np.full(2 * k, count / (2.0 * k))
        return LearnedLaw(self._variable, nodes, counts, trust, np.repeat([1.0, -1.0], k) * counts)


def learned_law(
    variable: Variable,
    draws: Float[np.ndarray, " n"],
    contexts: Float[np.ndarray, "n c"],
    categorical: Bool[np.ndarray, " c"],
) -> Regressed | None:
    """The regression of draws on what is seen; None where there is none to make: of categories, or of few draws.

    Args:
        variable: that nature draws.
        draws: (n,) encoded.
        contexts: (n, c) encoded; rows with a gap (NaN) are left out.
        categorical: (c,) which columns hold categories.
    """
    whole = ~np.isnan(contexts).any(axis=1)
    if isinstance(variable, Categorical) or not contexts.shape[1] or whole.sum() < _FEWEST:
        return None
    return Regressed(variable, draws[whole], contexts[whole], categorical)


__all__ = ["AT_FIRST", "LearnedLaw", "Regressed", "learned_law"]
