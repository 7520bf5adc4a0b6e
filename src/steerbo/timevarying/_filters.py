"""Kalman filters on a finite domain: exact posteriors of all priors at all sites, at a cost per round that is constant.

With `k((x, t), (x', t')) = K(x, x') ρ^{|t − t'|}` the posterior covariance at the sites, now, is
`K − E`: the explained covariance E holds all information. Time only fades it, `E ← ρ^{2Δ} E`,
`δμ ← ρ^Δ δμ`, and an observation y of site i adds one outer product,

    v = (K[i] − E[i]) / d,   d² = (K − E)[i, i] + R²,   E += v vᵀ,   δμ += v (y − μ_i) / d,   ln p += ln N(y; μ_i, d²).

E is kept as a matrix plus a tail of the last rows v, which one matrix product folds in when the
tail is full: nothing is ever factorised, and a round costs O(sites · tail) whatever number of
rounds lies behind it. The fading is one lazy scalar. Priors that share covariance, drift and noise
share E.

A drift with an inner state (Matérn in time, periodic) takes the same filter on a larger state: q
numbers a site, `s ~ N(0, P ⊗ K)`, moving by `A(Δ)`; the objective is `hᵀ s` (Hartikainen & Särkkä
2010; for many sites, Särkkä, Solin & Hartikainen 2013). Explained covariance E and shift move with
the state, `E ← A E Aᵀ`.

Filters take outcomes in order of time. A fold over these keeps a copy of the filters every 64
outcomes, the last four of them: a late outcome goes back to the last copy before it, and later
outcomes are filtered again.
"""

from __future__ import annotations

import copy
import math
from typing import Any, Self

import numpy as np

from .._arrays import Float, Int
from ..gp import LOG_2PI
from ..gp.drift import StateSpaceForm
from .data import Datum

_TAIL = 64  # rows that wait to be folded in
_FADED = 1e-100  # the lazy scalar is folded in before it underflows


class DecayFilter:
    """Posteriors of P priors, with G different covariances among them, at X sites.

    Args:
        means: (P, X) prior means, in units of sign · value, as all outcomes here.
        covariances: (G, X, X).
        rates: (G,) how fast correlations fade: `ρ^Δ = exp(−rate · Δ)`.
        noise: (G,) noise standard deviations R.
        group: (P,) which covariance each prior has.

    >>> grid = DecayFilter(np.zeros((1, 2)), np.eye(2)[None], np.zeros(1), np.array([1.0]), np.array([0]))
    >>> grid.observe(0.0, 1, 3.0)
    >>> grid.posterior(5.0)
    (array([[0. , 1.5]]), array([[1. , 0.5]]))
    """

    def __init__(
        self,
        means: Float[np.ndarray, "P X"],
        covariances: Float[np.ndarray, "G X X"],
        rates: Float[np.ndarray, " G"],
        noise: Float[np.ndarray, " G"],
        group: Int[np.ndarray, " P"],
    ) -> None:
        G, X, _ = covariances.shape
        self.group = group
        self.evidence = np.zeros(len(means))  # (P,) log marginal likelihoods
        # (P,) how far off the last outcome was, in predictive deviations
        self.surprise = np.zeros(len(means))
        self.time = -math.inf
        self._means, self._covariances = means, covariances
        self._diagonal = np.einsum("gxx->gx", covariances).copy()
        self._rates, self._fades = rates, bool(rates.any())
        self._variance = noise**2
        self._shift = np.zeros(means.shape)  # δμ
        self._aligned = G == 1 or (len(means) == G and bool((group == np.arange(G)).all()))
        self._explained = np.zeros((G, X))  # diag E
        self._folded: np.ndarray | None = None  # E but for the tail and the scale
        self._tail = np.empty((G, _TAIL, X))
        self._rows = 0
        self._scale = np.ones(G)  # E = scale² (folded + tailᵀ tail)

    def copy(self) -> Self:
        """The same state, on its own."""
        other = copy.copy(self)
        other.evidence, other._shift = self.evidence.copy(), self._shift.copy()
        other._explained, other._scale = self._explained.copy(), self._scale.copy()
        other._folded = None if self._folded is None else self._folded.copy()
        other._tail = self._tail.copy()
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the state with the filled rows of the tail."""
        return {**vars(self), "_tail": self._tail[:, : self._rows].copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state bit for bit."""
        rows = state["_tail"]
        tail = np.empty((len(rows), _TAIL, rows.shape[2]))
        tail[:, : rows.shape[1]] = rows
        vars(self).update(state, _tail=tail)

    def observe(
        self, time: float, site: int, value: float, inflation: float = 1.0, stated: float = 0.0
    ) -> None:
        """Condition on one outcome, no earlier than the last, of noise as in `Datum`. O(G·X·tail + P·X)."""
        self._advance(time)
        column = self._column(site)
        d2 = np.maximum(column[:, site], 0.0) + (self._variance * inflation + stated)
        d = np.sqrt(d2)
        v = column / d[:, None]
        self._explained += v * v
        if self._rows == _TAIL:
            self._fold()
        self._tail[:, self._rows] = v / self._scale[:, None] if self._fades else v
        self._rows += 1
        z = value - self._means[:, site] - self._shift[:, site]
        d, d2, v = self._each(d), self._each(d2), self._each(v)
        z_d = z / d
        self._shift += v * z_d[:, None]
        self.surprise = z_d
        self.evidence -= 0.5 * (z_d * z_d + np.log(d2) + LOG_2PI)

    def posterior(self, time: float) -> tuple[Float[np.ndarray, "P X"], Float[np.ndarray, "G X"]]:
        """Means (P, X) and variances (G, X) of the objective at every site at a time that is not in the past."""
        faded = self._faded(time)
        if faded is None:
            return self._means + self._shift, np.maximum(self._diagonal - self._explained, 0.0)
        mean = self._means + self._each(faded)[:, None] * self._shift
        return mean, np.maximum(self._diagonal - (faded * faded)[:, None] * self._explained, 0.0)

    def covariances(self, time: float, sites: Int[np.ndarray, " J"]) -> Float[np.ndarray, "G J X"]:
        """Posterior covariances of some sites with all, at a time that is not in the past."""
        tail, prior = self._tail[:, : self._rows], self._covariances[:, sites]
        known = np.matmul(tail[:, :, sites].transpose(0, 2, 1), tail)
        if self._folded is not None:
            known += self._folded[:, sites]
        faded = self._faded(time)
        left = self._scale if faded is None else self._scale * faded
        return prior - (left * left)[:, None, None] * known

    def _each(self, shared: Float[np.ndarray, G * s]) -> Float[np.ndarray, P * s]:
        """Expand values by covariance to values by prior; one row that fits all stays one row."""
        return shared if self._aligned else shared[self.group]

    def _column(self, site: int) -> Float[np.ndarray, "G X"]:
        tail = self._tail[:, : self._rows]
        known = np.matmul(tail[:, None, :, site], tail)[:, 0]
        if self._folded is not None:
            known += self._folded[:, site]
        if self._fades:
            known *= (self._scale * self._scale)[:, None]
        return self._covariances[:, site] - known

    def _faded(self, time: float) -> Float[np.ndarray, " G"] | None:
        """ρ^Δ (G,) since the last outcome; None for 1."""
        elapsed = time - self.time
        return np.exp(-self._rates * elapsed) if self._fades and 0.0 < elapsed < math.inf else None

    def _advance(self, time: float) -> None:
        faded = self._faded(time)
        self.time = max(time, self.time)
        if faded is None:
            return
        self._shift *= self._each(faded)[:, None]
        self._explained *= (faded * faded)[:, None]
        self._scale = self._scale * faded
        if self._scale.min() < _FADED:
            self._fold()

    def _fold(self) -> None:
        """Fold the tail and the scale into the matrix."""
        tail = self._tail[:, : self._rows]
        known = np.matmul(tail.transpose(0, 2, 1), tail)
        if self._folded is not None:
            known += self._folded
        known *= (self._scale * self._scale)[:, None, None]
        self._folded, self._rows = known, 0
        self._scale = np.ones(len(self._scale))


class StateSpaceFilter:
    """Filter like `DecayFilter` for G covariances, each with a motion of its own and a state of the same size q.

    Args:
        means: (P, X) prior means.
        covariances: (G, X, X) in space.
        motions: one for each covariance.
        noise: (G,) noise standard deviations R.
        group: (P,) which covariance each prior has.
    """

    def __init__(
        self,
        means: Float[np.ndarray, "P X"],
        covariances: Float[np.ndarray, "G X X"],
        motions: list[StateSpaceForm],
        noise: Float[np.ndarray, " G"],
        group: Int[np.ndarray, " P"],
    ) -> None:
        G, X, _ = covariances.shape
        q = len(motions[0].output)
        self.group = group
        self.evidence, self.surprise = np.zeros(len(means)), np.zeros(len(means))
        self.time = -math.inf
        self._means, self._covariances, self._motions = means, covariances, motions
        self._variance = noise**2
        self._output = np.array([motion.output for motion in motions])
        # P h, (G, q)
        self._prior = np.array([motion.stationary @ motion.output for motion in motions])
        self._shift = np.zeros((len(means), q, X))
        self._explained = np.zeros((G, q, X, q, X))
        self._transitions: dict[float, np.ndarray] = {}

    def copy(self) -> Self:
        """The same state, on its own."""
        other = copy.copy(self)
        other.evidence = self.evidence.copy()
        other._shift = self._shift.copy()
        other._explained = self._explained.copy()
        return other

    def observe(
        self, time: float, site: int, value: float, inflation: float = 1.0, stated: float = 0.0
    ) -> None:
        """Condition on one outcome, no earlier than the last, of noise as in `Datum`. O(G · (qX)² · q)."""
        self._shift, self._explained = self._moved(time)
        self.time = max(time, self.time)
        h = self._output
        known = np.einsum("gaxb,gb->gax", self._explained[..., site], h)
        # cov of the state with f(site)
        column = self._prior[:, :, None] * self._covariances[:, None, site] - known
        d2 = np.maximum(np.einsum("ga,ga->g", column[..., site], h), 0.0) + (
            self._variance * inflation + stated
        )
        d = np.sqrt(d2)
        v = column / d[:, None, None]
        self._explained += v[:, :, :, None, None] * v[:, None, None]
        z = (
            value
            - self._means[:, site]
            - np.einsum("pa,pa->p", self._shift[..., site], h[self.group])
        )
        z_d = z / d[self.group]
        self._shift += v[self.group] * z_d[:, None, None]
        self.surprise = z_d
        self.evidence -= 0.5 * (z_d * z_d + np.log(d2[self.group]) + LOG_2PI)

    def posterior(self, time: float) -> tuple[Float[np.ndarray, "P X"], Float[np.ndarray, "G X"]]:
        """Means (P, X) and variances (G, X) of the objective at every site at a time that is not in the past."""
        h = self._seen(time)
        known = np.einsum("ga,gaxbx,gb->gx", h, self._explained, h, optimize=True)
        mean = self._means + np.einsum("pax,pa->px", self._shift, h[self.group])
        return mean, np.maximum(np.einsum("gxx->gx", self._covariances) - known, 0.0)

    def covariances(self, time: float, sites: Int[np.ndarray, " J"]) -> Float[np.ndarray, "G J X"]:
        """Posterior covariances of some sites with all, at a time that is not in the past."""
        h = self._seen(time)
        known: np.ndarray = np.einsum(
            "ga,gaxbj,gb->gjx", h, self._explained[..., sites], h, optimize=True
        )
        return self._covariances[:, sites] - known

    def _transition(self, time: float) -> Float[np.ndarray, "G q q"] | None:
        elapsed = time - self.time
        if not 0.0 < elapsed < math.inf:
            return None
        if elapsed not in self._transitions:  # rounds mostly are one unit apart
            if len(self._transitions) > 16:
                self._transitions = {}
            self._transitions[elapsed] = np.array(
                [motion.transition(elapsed) for motion in self._motions]
            )
        return self._transitions[elapsed]

    def _seen(self, time: float) -> Float[np.ndarray, "G q"]:
        """Row that maps the present state to the objective after Δ: Aᵀ h."""
        A = self._transition(time)
        return self._output if A is None else np.einsum("gab,ga->gb", A, self._output)

    def _moved(
        self, time: float
    ) -> tuple[Float[np.ndarray, "P q X"], Float[np.ndarray, "G q X q X"]]:
        A = self._transition(time)
        if A is None:
            return self._shift, self._explained
        G, q, X = self._explained.shape[:3]
        half = (A @ self._explained.reshape(G, q, -1)).reshape(G, q, X, q, X)
        whole = np.einsum("gaxby,gcb->gaxcy", half, A, optimize=True)
        return A[self.group] @ self._shift, whole


Filters = list[DecayFilter | StateSpaceFilter]


def observe(filters: Filters, datum: Datum) -> Filters:
    """Condition filters on one outcome, no earlier than the last."""
    for each in filters:
        each.observe(datum.time, datum.place, datum.value, datum.inflation, datum.stated)
    return filters


def copied(filters: Filters) -> Filters:
    """Copy filters to which other outcomes can come."""
    return [each.copy() for each in filters]
