"""The structured maths for a drift with an inner state (Matérn in time, periodic): the same filter on a larger state.

The state is q numbers a site, `s ~ N(0, P ⊗ K)`, moving by `A(Δ)`; the objective is `hᵀ s` (Hartikainen & Särkkä
2010; for many sites, Särkkä, Solin & Hartikainen 2013). Explained covariance E and shift move with the state, `E ←
A E Aᵀ`.
"""

from __future__ import annotations

import copy
import math
from typing import Self

import numpy as np
from jaxtyping import Float, Int

from ..gp.drift import StateSpaceForm

_LOG_2PI = math.log(2.0 * math.pi)


class StateSpace:
    """As `Grid`, for G covariances that each move by a motion of their own with a state of the same size q.

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
        self._prior = np.array([motion.stationary @ motion.output for motion in motions])  # P h, (G, q)
        self._shift = np.zeros((len(means), q, X))
        self._explained = np.zeros((G, q, X, q, X))
        self._transitions: dict[float, np.ndarray] = {}

    def copy(self) -> Self:
        """The same state, on its own."""
        other = copy.copy(self)
        other.evidence, other._shift, other._explained = (
            self.evidence.copy(),
            self._shift.copy(),
            self._explained.copy(),
        )
        return other

    def observe(self, time: float, site: int, value: float, inflation: float = 1.0) -> None:
        """Condition on one outcome, noise variance times `inflation`, no earlier than the last. O(G · (qX)² · q)."""
        self._shift, self._explained = self._moved(time)
        self.time = max(time, self.time)
        h = self._output
        known = np.einsum("gaxb,gb->gax", self._explained[..., site], h)
        column = self._prior[:, :, None] * self._covariances[:, None, site] - known  # cov of the state with f(site)
        d2 = np.maximum(np.einsum("ga,ga->g", column[..., site], h), 0.0) + self._variance * inflation
        d = np.sqrt(d2)
        v = column / d[:, None, None]
        self._explained += v[:, :, :, None, None] * v[:, None, None]
        z = value - self._means[:, site] - np.einsum("pa,pa->p", self._shift[..., site], h[self.group])
        z_d = z / d[self.group]
        self._shift += v[self.group] * z_d[:, None, None]
        self.surprise = z_d
        self.evidence -= 0.5 * (z_d * z_d + np.log(d2[self.group]) + _LOG_2PI)

    def posterior(self, time: float) -> tuple[Float[np.ndarray, "P X"], Float[np.ndarray, "G X"]]:
        """Means (P, X) and variances (G, X) of the objective at every site at a time that is not in the past."""
        h = self._seen(time)
        known = np.einsum("ga,gaxbx,gb->gx", h, self._explained, h, optimize=True)
        mean = self._means + np.einsum("pax,pa->px", self._shift, h[self.group])
        return mean, np.maximum(np.einsum("gxx->gx", self._covariances) - known, 0.0)

    def covariances(self, time: float, sites: Int[np.ndarray, " J"]) -> Float[np.ndarray, "G J X"]:
        """Posterior covariances of some sites with all, at a time that is not in the past."""
        h = self._seen(time)
        known: np.ndarray = np.einsum("ga,gaxbj,gb->gjx", h, self._explained[..., sites], h, optimize=True)
        return self._covariances[:, sites] - known

    def _transition(self, time: float) -> Float[np.ndarray, "G q q"] | None:
        elapsed = time - self.time
        if not 0.0 < elapsed < math.inf:
            return None
        if elapsed not in self._transitions:  # rounds mostly are one unit apart
            if len(self._transitions) > 16:
                self._transitions = {}
            self._transitions[elapsed] = np.array([motion.transition(elapsed) for motion in self._motions])
        return self._transitions[elapsed]

    def _seen(self, time: float) -> Float[np.ndarray, "G q"]:
        """What of the present state will be the objective then: Aᵀ h."""
        A = self._transition(time)
        return self._output if A is None else np.einsum("gab,ga->gb", A, self._output)

    def _moved(self, time: float) -> tuple[Float[np.ndarray, "P q X"], Float[np.ndarray, "G q X q X"]]:
        A = self._transition(time)
        if A is None:
            return self._shift, self._explained
        G, q, X = self._explained.shape[:3]
        half = (A @ self._explained.reshape(G, q, -1)).reshape(G, q, X, q, X)
        whole = np.einsum("gaxby,gcb->gaxcy", half, A, optimize=True)
        return A[self.group] @ self._shift, whole
