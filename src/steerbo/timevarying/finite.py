"""The surrogate of a finite domain: filters for all priors, outcomes in order of time, and the best point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from ..gp.drift import Decay, correlation
from .acquisition import Datum, Pick, View, draw_largest
from .decay_filter import Grid
from .means import Means
from .memory import FORGOTTEN, remembered
from .ordered import Filters, Ordered
from .priors import Prior
from .problem import TimeVarying
from .sharing import covariance_between, scale_only, sharing
from .statespace import StateSpace


class Sites:
    """Posteriors of all priors at all points of a finite domain.

    Outcomes may come late: see `Ordered`.

    Args:
        problem: with a finite domain.
        static: leave drift out.
    """

    def __init__(self, problem: TimeVarying, static: bool = False) -> None:
        assert problem.points is not None
        self.problem, self.points = problem, problem.points
        priors = [_static(p) for p in problem.given] if static else list(problem.given)
        self.sharing, self.group = sharing(priors)
        means = Means(problem)(problem.points)
        tables = {id(p.kernel): covariance_between(p.kernel, self.points, problem.categorical) for p in self.sharing}
        kinds = [_state_size(p) for p in self.sharing]
        filters: Filters = []
        self._ids: list[np.ndarray] = []  # which priors each filter has
        self._sets: list[np.ndarray] = []  # which sets of sharing priors
        for size in sorted(set(kinds)):
            sets = np.flatnonzero(np.array(kinds) == size)
            ids = np.flatnonzero(np.isin(self.group, sets))
            covariances = np.array([tables[id(self.sharing[g].kernel)] for g in sets])
            noise = np.array([self.sharing[g].noise for g in sets])
            local = np.searchsorted(sets, self.group[ids])
            drifts = [self.sharing[g].drift for g in sets]
            if size == 1:
                rates = np.array([d.rate if isinstance(d, Decay) else 0.0 for d in drifts])
                filters.append(Grid(means[ids], covariances, rates, noise, local))
            else:
                motions = [d.motion for d in drifts if d is not None and not isinstance(d, Decay)]
                filters.append(StateSpace(means[ids], covariances, motions, noise, local))
            self._ids.append(ids)
            self._sets.append(sets)
        self.size = means.shape
        self.ordered = Ordered(filters)

    @property
    def _filters(self) -> Filters:
        return self.ordered.filters

    @property
    def evidence(self) -> Float[np.ndarray, " P"]:
        """Log marginal likelihoods, (P,)."""
        if len(self._filters) == 1:
            return self._filters[0].evidence
        whole = np.empty(self.size[0])
        for f, ids in zip(self._filters, self._ids, strict=True):
            whole[ids] = f.evidence
        return whole

    @property
    def surprise(self) -> Float[np.ndarray, " P"]:
        """How far off every prior was about the outcome added last, in its own predictive deviations, (P,)."""
        whole = np.empty(self.size[0])
        for f, ids in zip(self._filters, self._ids, strict=True):
            whole[ids] = f.surprise
        return whole

    @property
    def kept(self) -> None:
        """On how many outcomes each prior's posterior rests: on all, whatever their number."""
        return

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def add(self, datum: Datum, inflation: float = 1.0) -> bool:
        """Condition on an outcome; False if it is too late: see `Ordered`."""
        return self.ordered.add(datum, inflation)

    def rewrite(self, data: Sequence[Datum]) -> None:
        """Forget everything and condition on these."""
        self.ordered.restart()
        for datum in sorted(data, key=lambda d: d[:2]):
            self.add(datum)

    # -- posteriors ----------------------------------------------------------------------------------------------------

    def posterior(self, time: float) -> tuple[Float[np.ndarray, "P X"], Float[np.ndarray, "P X"]]:
        """Posterior means and standard deviations of the objective, (P, X) each."""
        if len(self._filters) == 1:
            mean, variance = self._filters[0].posterior(time)
            sd = np.sqrt(variance)
            return mean, sd[self._filters[0].group] if len(sd) > 1 else np.broadcast_to(sd, mean.shape)
        means, sds = np.empty(self.size), np.empty(self.size)
        for f, ids in zip(self._filters, self._ids, strict=True):
            means[ids], variance = f.posterior(time)
            sds[ids] = np.sqrt(variance)[f.group]
        return means, sds

    def joint(
        self, prior: int, sites: Int[np.ndarray, " J"], time: float
    ) -> tuple[Float[np.ndarray, " J"], Float[np.ndarray, "J J"]]:
        """Posterior means and covariances of the objective among some points, as one prior sees it."""
        k = next(k for k, ids in enumerate(self._ids) if prior in ids)
        group = int(self._filters[k].group[int(np.searchsorted(self._ids[k], prior))])
        covariances: np.ndarray = self._filters[k].covariances(time, sites)[group][:, sites]
        return self.posterior(time)[0][prior, sites], covariances

    def _shrunk(self, view: View, sd: Float[np.ndarray, "P X"]) -> Float[np.ndarray, "P X"]:
        """Standard deviations as if the unknown places had been observed; those of some time ago count for less.

        An outcome of age Δ says as much of f now as one of now with noise `(k (1 − ρ²) + R²/count) / ρ²`.
        """
        if not view.unknown:
            return sd
        shrunk = np.empty(sd.shape)
        for f, ids, sets in zip(self._filters, self._ids, self._sets, strict=True):
            variance = f.posterior(view.time)[1]
            shrunk[ids] = np.sqrt(self._conditioned(f, sets, variance, view))[f.group]
        return shrunk

    def _conditioned(
        self, f: Grid | StateSpace, sets: Int[np.ndarray, " G"], variance: Float[np.ndarray, "G X"], view: View
    ) -> Float[np.ndarray, "G X"]:
        ages = np.array([max(view.time - u.time, 0.0) for u in view.unknown])
        left = np.array([remembered(d, ages) for d in self._drifts(sets)])  # (G, J)
        some = np.flatnonzero((left >= FORGOTTEN).any(axis=0)).tolist()
        if not len(some):
            return variance
        unknown = [view.unknown[j] for j in some]
        at = np.array([u.place for u in unknown])
        rho2 = np.array([correlation(d, ages[some]) for d in self._drifts(sets)]) ** 2
        rho2 = np.maximum(rho2, 1e-12)
        k = f._covariances[:, at, at]
        prior = np.array([[self.sharing[g].noise ** 2] for g in sets])
        noise = (k * (1 - rho2) + prior / np.array([u.times for u in unknown])) / rho2
        columns = f.covariances(view.time, at)
        among = columns[:, :, at]
        among = (among + among.transpose(0, 2, 1)) / 2
        diagonal = np.arange(len(at))
        among[:, diagonal, diagonal] = np.maximum(among[:, diagonal, diagonal], 0.0) + noise
        gain = np.linalg.solve(among, columns)
        return np.maximum(variance - np.einsum("gjx,gjx->gx", columns, gain), 0.0)

    def _drifts(self, sets: Int[np.ndarray, " G"]) -> list[Any]:
        return [self.sharing[g].drift for g in sets]

    def differ_in_scale_only(self) -> bool:
        """Whether all priors share mean and correlation, and not the output scale."""
        tables = [K for f in self.ordered.origin for K in f._covariances]
        drifts = [self.sharing[g].drift for sets in self._sets for g in sets]
        return scale_only(Means(self.problem)(self.points), tables, drifts)

    # -- choices -------------------------------------------------------------------------------------------------------

    def optimistic(
        self, view: View, betas: Float[np.ndarray, " P"], priors: Int[np.ndarray, " k"], random: np.random.Generator
    ) -> Pick:
        """The largest `μ + β σ` over available points and the given priors; ties are drawn."""
        mean, sd = self.posterior(view.time)
        upper = mean + betas[:, None] * self._shrunk(view, sd)
        rows = upper if len(priors) == len(upper) else upper[priors]
        columns = rows if view.available is None else rows[:, view.available]
        at, x = divmod(draw_largest(columns.ravel(), random), columns.shape[1])
        site = x if view.available is None else view.available[x]
        p = int(priors[at])
        return Pick(site, p, float(mean[p, site]), float(sd[p, site]), float(upper[p, site]))

    def averaged(
        self, view: View, betas: Float[np.ndarray, " P"], weights: Float[np.ndarray, " P"], random: np.random.Generator
    ) -> Pick:
        """The largest weighted mean of all priors' `μ + β σ`; the prior named is the heaviest."""
        mean, sd = self.posterior(view.time)
        scores = weights @ (mean + betas[:, None] * self._shrunk(view, sd))
        seen = scores if view.available is None else scores[view.available]
        x = draw_largest(seen, random)
        site = x if view.available is None else view.available[x]
        p = draw_largest(weights, random)
        return Pick(site, p, float(mean[p, site]), float(sd[p, site]), float(scores[site]))

    def anywhere(self, view: View, random: np.random.Generator) -> int:
        """Any available point."""
        return int(random.choice(self.size[1] if view.available is None else view.available))


def _static(prior: Prior) -> Prior:
    return Prior(prior.kernel, prior.mean, None, prior.noise, prior.name)


def _state_size(prior: Prior) -> int:
    return 1 if prior.drift is None or isinstance(prior.drift, Decay) else len(prior.drift.motion.output)
