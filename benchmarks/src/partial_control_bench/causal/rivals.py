"""CoCa-BO with the published rules for the scope, which ours is compared with; they come in as anybody's methods do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Float
from pydantic import Field

from steerbo.causal.coca_bo import CoCaBO, CoCaOptions
from steerbo.causal.models import KernelName
from steerbo.extending import record


@record
class PublishedModels(CoCaOptions):
    """Options of CoCa-BO, with the published models."""

    kernel: KernelName = "matern-5/2"


@record
class PublishedOptions(PublishedModels):
    """Options of the published rule; see `PublishedModels` for the others.

    Args:
        rho: ρ in standard deviations of the outcomes.
        confidence: ``"fixed"``: β and ρ as given; ``"theory"``: those of Theorem 1, far too wide in
            practice.
        delta: probability of a miss that the theory allows.
    """

    rho: float = Field(1.0, ge=0, allow_inf_nan=False)
    confidence: Literal["fixed", "theory"] = "fixed"
    delta: float = Field(0.1, gt=0, lt=1)


class _ByMargins(CoCaBO):
    """A rule that adds a margin for few plays to each arm's index, and never plays an arm for being neglected."""

    explores: ClassVar[bool] = False
    Options: ClassVar[type[Any]] = PublishedModels

    def indices(self) -> dict[str, list[Any]]:
        """See `CoCaBO.indices`; with the margins."""
        margins = [
            float(m) if np.isfinite(m) else None
            for m in np.broadcast_to(self.margins(), len(self.arms))
        ]
        return {**super().indices(), "margin": margins}

    def _plays_of(self, i: int) -> np.ndarray:
        """Rows of the model of arm `i` that are its own plays, as truth values."""
        told, of = self.models.rows[self.models.model_of[i]].told, self.models.arm_of
        return np.array([each.played is not None and of(each.played) == i for each in told])


class CoCaBOByMeanBound(_ByMargins):
    """Choose the scope by the mean of its upper bounds at the points evaluated, plus ρ/√n (Arsenyan et al. 2025)."""

    name: ClassVar[str] = "coca-bo-ucb-mean"
    Options: ClassVar[type[Any]] = PublishedOptions
    rule: ClassVar[str] = "ucb-mean"
    value_label: ClassVar[str] = "mean upper bound"
    options: PublishedOptions

    def beta(self, i: int) -> float:
        """β of arm `i` now."""
        return self.theory(i) if self.options.confidence == "theory" else self.options.beta

    def theory(self, i: int, n: int | None = None) -> float:
        """β_i(n) = ρ_i(n) of Theorem 1 by equation (163), with φ = ψ = 1 and unit boxes."""
        arm = self.arms[i]
        d = max(len(arm.actions), len(arm.contexts), 1)
        plays = max(int(self.plays[i]) if n is None else n, 1)
        return 8.0 * d * math.log(5.14 * len(self.arms) * plays * d / self.options.delta)

    def margins(self) -> Float[np.ndarray, " m"]:
        """ρ/√n of every arm; pending rounds count as plays."""
        if self.options.confidence == "theory":
            betas = np.array([self.theory(i) for i in range(len(self.arms))])
            return self._shrinking(betas * self.spread())
        return self._shrinking(self.options.rho * self.spread())

    def _shrinking(self, scale: float | Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
        margins: Float[np.ndarray, " m"] = scale / np.sqrt(np.maximum(self.plays, 1))
        return margins

    def arm_value(self, i: int, known: Mapping[str, Any]) -> float:
        """Ū_i(n): mean upper bound at the points evaluated, each before its outcome was known (Algorithm 2).

        All of them under the present hyperparameters: with `K + λ1 = L Lᵀ` and `v = L⁻¹ (z − m)`,
        the mean at point l given the points before it is `z_l − L_ll v_l` and its variance
        `L_ll² − λ`.
        """
        model, mine = self.models[i], self._plays_of(i)
        if not mine.any():
            return math.inf
        z = model.output.forward(model.outcomes)
        diagonal = model.factor.pivots
        v = model.factor.half_solve(z - model.mean)
        sd = np.sqrt(np.maximum(diagonal**2 - model.noise, 0.0))
        plays = np.arange(1, mine.sum() + 1)
        theory = self.options.confidence == "theory"
        betas = np.array([self.theory(i, n) for n in plays]) if theory else self.options.beta
        bounds = (z - diagonal * v)[mine] + np.sqrt(betas) * sd[mine]
        return float(model.unstandardise(bounds).mean())


class CoCaBOByMeanOutcome(_ByMargins):
    """Choose the scope by its mean outcome plus sqrt(2 ln(t + 1) / n), in the outcome's units: the authors' program."""

    name: ClassVar[str] = "coca-bo-reward-mean"
    rule: ClassVar[str] = "reward-mean"
    value_label: ClassVar[str] = "mean outcome"

    def margins(self) -> Float[np.ndarray, " m"]:
        """UCB1's margin of every arm (Auer et al. 2002)."""
        return np.asarray(
            np.sqrt(2 * math.log(int(self.plays.sum()) + 1) / np.maximum(self.plays, 1))
        )

    def arm_value(self, i: int, known: Mapping[str, Any]) -> float:
        """Mean outcome of arm `i`."""
        mine = self._plays_of(i)
        return float(self.models[i].outcomes[mine].mean()) if mine.any() else math.inf


METHODS = (CoCaBOByMeanBound, CoCaBOByMeanOutcome)
