"""A law that is learned from draws: each counts as much as all that is believed at first.

What `n` draws leave of a law is a Dirichlet process (Ferguson 1973): an average over it is expected to be the one over
`H = (n₀ G + Σ_j c_j δ_j) / (n₀ + n)`, where G is the law at first and `n = Σ c_j`, and has the variance
`Var_H / (n₀ + n + 1)`. Where G was stated, and may be right, it is so with a chance p = 1 / (1 + E), E being the
evidence against it (see `space.evidence`): the law is `p G + (1 − p) H`, and how far these are apart is in doubt, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ..space import Variable
from ..space.quadrature import gauss_rule, rule_of_points
from .parts import Doubt, Rule, dirichlet_doubt

AT_FIRST = 1.0
"""n₀: how many draws the law at first counts as."""


@dataclass(frozen=True, eq=False)
class LearnedLaw:
    """The law of one variable, as far as draws tell it.

    Args:
        variable: its law is the one at first.
        draws: (n,) encoded.
        counts: (n,) what each draw counts, from 0 to 1: less than 1 where it was drawn under other circumstances.
        trust: the chance that the law at first is right.

    >>> import steerbo as sb
    >>> law = LearnedLaw(sb.Float("t", 0, 1, law=sb.Uniform()), np.array([0.8, 0.9]), np.ones(2), trust=0.0)
    >>> nodes, weights = law.rule([0], np.array([1.0]))
    >>> round(float(weights @ nodes[:, 0]), 4)  # (0.5 + 0.8 + 0.9) / 3
    0.7333
    """

    variable: Variable
    draws_seen: Float[np.ndarray, " n"]
    counts: Float[np.ndarray, " n"]
    trust: float

    @property
    def count(self) -> float:
        """n: how many draws there are, by what they count."""
        return float(self.counts.sum())

    def _nodes(self, lengthscale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Nodes, and the weights of G and of H."""
        nodes, stated = gauss_rule(self.variable, lengthscale)
        if not self.count:
            return nodes, stated, stated
        seen, shares = rule_of_points(self.variable, self.draws_seen, self.counts, lengthscale)
        total = AT_FIRST + self.count
        learned = np.concatenate([stated * (AT_FIRST / total), shares * (self.count / total)])
        return np.concatenate([nodes, seen]), np.concatenate([stated, np.zeros(len(seen))]), learned

    def rule(self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " 1"]) -> Rule:
        """Nodes of the law at first, and of the draws."""
        nodes, stated, learned = self._nodes(float(lengthscales[0]))
        return nodes[:, None], self.trust * stated + (1 - self.trust) * learned

    def doubt(self, dimensions: Sequence[int], lengthscales: Float[np.ndarray, " 1"]) -> Doubt:
        """That of H where it holds, and which of G and H does."""
        _, stated, learned = self._nodes(float(lengthscales[0]))
        of_learned = np.sqrt(1 - self.trust) * dirichlet_doubt(learned, AT_FIRST + self.count)
        which = np.sqrt(self.trust * (1 - self.trust)) * (stated - learned)
        return np.column_stack([of_learned, which])

    def draws(self, dimensions: Sequence[int], unit: Float[np.ndarray, "s 1"]) -> Float[np.ndarray, "s 1"]:
        """From the law at first by its quantiles, or one of the draws."""
        u, first = unit[:, 0], self.trust + (1 - self.trust) * AT_FIRST / (AT_FIRST + self.count)
        found = np.asarray(self.variable.encoded_ppf(np.clip(u / first, 1e-12, 1 - 1e-12)))
        if first < 1:  # draws that are far from what is seen weigh next to nothing
            order = np.argsort(self.draws_seen, kind="stable")
            edges = np.cumsum(self.counts[order])
            place = np.searchsorted(edges, (u - first) / (1 - first) * edges[-1], side="right")
            found = np.where(u < first, found, self.draws_seen[order[np.minimum(place, len(order) - 1)]])
        return found[:, None]


__all__ = ["AT_FIRST", "LearnedLaw"]
