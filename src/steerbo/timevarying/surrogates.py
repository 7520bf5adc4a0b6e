"""Surrogates for all candidate priors at once, over a finite domain or over a box.

`FiniteSurrogate` filters outcomes in order of time, at all sites. `BoxSurrogate` conditions one
Gaussian process over points and times for all priors that share a kernel, drift and noise
(`sharing`), on a bounded number of outcomes (`SharedPosterior`). `LargeFiniteSurrogate` does so at
the sites of a finite domain where the filters' matrices, (states · sites)² numbers for each set of
sharing priors, would take more than `DENSE` bytes. `FailedPoints` holds places that were tried
without an outcome, in a box only the latest of them; those that are `FORGOTTEN` no longer count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from .._arrays import Float, Int
from ..core import FOLD_COPIES, Fold
from ..errors import ModelFailure
from ..gp import GPPosterior, Kernel
from ..gp.drift import Decay, Drift, Periodic, correlation
from ..optim import Box, FeasibleRegion, maximise
from ..space import Space
from ..surrogate import feasible
from ._filters import DecayFilter, Filters, StateSpaceFilter, copied, observe
from ._priors import Covariance, Prior, spatial
from .data import Datum, Maximiser, PendingPoint, Place, RoundView, draw_largest
from .means import Means
from .problem import TimeVarying, box_now, plain_box

FORGETS_AT, KEPT = 320, 256
"""Outcomes, at which something is forgotten, and of which so many are kept at most."""
FORGOTTEN = 1e-3
"""Squared correlation with now, below which nothing is left of the past."""
DENSE = 2**28
"""Bytes that the filters of a finite domain may take, with the copies that they keep for late outcomes."""
_SAME_FUNCTION = 0.95  # correlation
_DRAWN = 256  # points among which the first one that is likely feasible starts
_COMPARED, _TABLES = 16, 64  # points of a box, and sites, at which priors are compared

PerPrior = Float[np.ndarray, " P"]
AtSites = Float[np.ndarray, "P X"]
Numbers = Int[np.ndarray, " k"]
"""One number for each prior; one for each prior and site; numbers of some priors."""


def remembered(drift: Drift | None, ages: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Share of past information that is left: the squared correlation; all, where the past may return.

    >>> from steerbo import Decay
    >>> remembered(Decay(0.19), np.array([0.0, 2.0])).round(2), remembered(None, np.array([9.0]))
    (array([1.  , 0.66]), array([1.]))
    """
    left: np.ndarray = (
        np.ones(len(ages)) if isinstance(drift, Periodic) else correlation(drift, ages) ** 2
    )
    return left


def compress(posterior: GPPosterior[Kernel], drift: Drift | None) -> GPPosterior[Kernel]:
    """The same process on at most `KEPT` rows, so that the cost of a round stops growing.

    The last column of its points is time. Nothing leaves before there are `FORGETS_AT` outcomes.
    Then

    1. outcomes leave that the prior itself has forgotten: the square of their correlation with now,
       in time, is below `FORGOTTEN` (never where the drift is periodic: the past returns);
    2. if more than `KEPT` are left, pairs that say next to the same, of a correlation C of at least
       .95, become one, at the point and time of the one with less noise: residuals are averaged
       with weights 1/λ, one over the noise variance, and these add up. That pair goes first whose
       difference is hardest to see: least `k (1 − C) / (λ_i + λ_j)`;
    3. if there is no such pair, the most faded outcome leaves, of several the oldest.
    """
    points, residuals, noise = posterior.points, posterior.residuals.copy(), posterior.noise.copy()
    times = points[:, -1]
    ages = times.max() - times
    faded = remembered(drift, ages)
    left = faded >= FORGOTTEN
    points, residuals, noise, faded = points[left], residuals[left], noise[left], faded[left]
    kept = _merge(posterior.kernel, points, residuals, noise, faded)
    return GPPosterior(posterior.kernel, points[kept], residuals[kept], noise[kept])


def _merge(
    kernel: Kernel,
    points: Float[np.ndarray, "n d"],
    residuals: Float[np.ndarray, "n k"],
    noise: Float[np.ndarray, " n"],
    faded: Float[np.ndarray, " n"],
) -> np.ndarray:
    """Indicators of the rows that are left, (n,), after residuals and noises of others went into theirs."""
    kept = np.ones(len(points), dtype=bool)
    if len(points) <= KEPT:
        return kept
    K = kernel(points, points)
    size = np.sqrt(np.diagonal(K))
    unlike = np.maximum(size * size[:, None] - K, 0.0)  # k (1 − C)
    allowed = (_SAME_FUNCTION * size * size[:, None] <= K) & ~np.eye(len(K), dtype=bool)
    cost = np.where(allowed, unlike / (noise + noise[:, None]), np.inf)
    for left in range(len(points) - KEPT, 0, -1):
        i, j = divmod(int(cost.argmin()), len(cost))
        # no two are alike any more: those go that have faded most, the oldest first
        if not np.isfinite(cost[i, j]):
            order = np.lexsort((points[:, -1], faded))
            kept[order[kept[order]][:left]] = False
            break
        # the one with less noise stays; of two alike the newer
        gone, stays = (
            (i, j) if (-noise[i], points[i, -1], i) < (-noise[j], points[j, -1], j) else (j, i)
        )
        share = noise[stays] / (noise[stays] + noise[gone])  # weights are 1 / noise
        residuals[stays] += share * (residuals[gone] - residuals[stays])
        noise[stays] *= 1 - share
        row = np.where(allowed[stays] & kept, unlike[stays] / (noise + noise[stays]), np.inf)
        cost[stays] = cost[:, stays] = row
        kept[gone] = False
        cost[gone] = cost[:, gone] = np.inf
    return kept


class SharedPosterior:
    """Priors that share kernel, drift and noise, and differ in their means: one posterior, a column for each.

    Rows are points and their times, (x, t); the covariance is the kernel in space times the drift's
    over time.

    Args:
        problem: whose priors.
        ids: (k,) their numbers.
        bounded: whether older or redundant outcomes are merged where there are many.
    """

    def __init__(self, problem: TimeVarying, ids: Numbers, bounded: bool) -> None:
        prior, self.time = problem.given[ids[0]], len(problem.axes)
        self.ids = ids
        self.space = spatial(prior.kernel, problem.axes)
        self.drift = prior.drift
        self.variance = prior.noise**2
        self.kernel: Kernel = (
            self.space if self.drift is None else self.space * self.drift.over(self.time)
        )
        self.bounded = bounded
        self.clear()

    def clear(self) -> None:
        """Forget all outcomes."""
        self.posterior: GPPosterior[Kernel] = GPPosterior(
            self.kernel, np.zeros((0, self.time + 1)), np.zeros((0, len(self.ids))), np.zeros(0)
        )
        self.banked = np.zeros(len(self.ids))  # evidence beyond that of the outcomes that are kept
        self.most = FORGETS_AT
        self.merged = False  # whether the last outcome has been merged with others

    @property
    def evidence(self) -> Float[np.ndarray, " k"]:
        """Log marginal likelihoods of all outcomes there ever were, given those kept before each, (k,)."""
        return self.banked + self.posterior.log_likelihood()

    def condense(self) -> None:
        """Keep fewer outcomes, where there are many: see `compress`.

        Their evidence on the priors is banked: log marginal likelihoods go on from there.
        """
        self.merged = self.bounded and len(self.posterior) >= self.most
        if not self.merged:
            return
        evidence = self.evidence
        self.posterior = compress(self.posterior, self.drift)
        self.banked = evidence - self.posterior.log_likelihood()
        self.most = len(self.posterior) + FORGETS_AT - KEPT


def sharing(priors: Sequence[Prior]) -> tuple[list[Prior], Int[np.ndarray, " P"]]:
    """One prior of each set that has kernel, drift and noise in common, and which set each prior is in."""
    found: list[Prior] = []
    group = []
    for prior in priors:
        for g, other in enumerate(found):
            same = prior.kernel is other.kernel or prior.kernel == other.kernel
            if prior.noise == other.noise and prior.drift == other.drift and same:
                group.append(g)
                break
        else:
            group.append(len(found))
            found.append(prior)
    return found, np.array(group)


def covariance_between(
    kernel: Any, points: Float[np.ndarray, "X d"], axes: Space
) -> Float[np.ndarray, "X X"]:
    """A kernel's covariances between all points, (X, X), symmetric."""
    K = (
        np.array(kernel.matrix)
        if isinstance(kernel, Covariance)
        else spatial(kernel, axes)(points, points)
    )
    return (K + K.T) / 2


def differ_in_scale_only(problem: TimeVarying) -> bool:
    """Whether the priors of a problem differ in output scale and in nothing else, judged at its points or at some."""
    priors, _ = sharing(problem.given)
    if len(priors) < 2 or any(prior.drift != priors[0].drift for prior in priors):
        return False
    points = problem.points
    if points is None:
        box = plain_box(problem, None)
        points = box.place(
            np.random.Generator(np.random.Philox(0)).random((_COMPARED, box.dimension))
        )
    if np.ptp(Means(problem)(points), axis=0).max() > 0:
        return False
    if len(points) > _TABLES and not any(isinstance(prior.kernel, Covariance) for prior in priors):
        points = points[np.linspace(0, len(points) - 1, _TABLES).round().astype(int)]
    first, scales = None, []
    for prior in priors:
        K = covariance_between(prior.kernel, points, problem.axes)
        scales.append(float(np.diag(K).mean()))
        first = K / scales[0] if first is None else first
        if not np.allclose(K / scales[-1], first, atol=1e-9):
            return False
    return max(scales) > min(scales) * (1 + 1e-9)


class _SitesSurrogate(ABC):
    """Base of the two surrogates over the sites of a finite domain: how they choose.

    Attributes:
        size: numbers of priors and of sites, (P, X).
    """

    size: tuple[int, ...]

    @abstractmethod
    def posterior(self, time: float) -> tuple[AtSites, AtSites]:
        """Posterior means and standard deviations of the objective, (P, X) each."""

    def expected(self, datum: Datum) -> tuple[PerPrior, PerPrior]:
        """Posterior means and standard deviations of the objective at an outcome's place and time, (P,) each."""
        mean, sd = self.posterior(datum.time)
        return mean[:, datum.place], sd[:, datum.place]

    @abstractmethod
    def moments(self, view: RoundView, priors: Numbers) -> tuple[AtSites, AtSites, AtSites]:
        """Means, and standard deviations without and with the pending places, (P, X) each; of these priors at least."""

    def optimistic(
        self, view: RoundView, betas: PerPrior, priors: Numbers, random: Generator
    ) -> Maximiser:
        """Maximise `μ + β σ` over available sites and the given priors; ties are drawn."""
        mean, sd, shrunk = self.moments(view, priors)
        return best_site(view, (mean, sd), mean + betas[:, None] * shrunk, priors, random)

    def averaged(
        self, view: RoundView, betas: PerPrior, weights: PerPrior, random: Generator
    ) -> Maximiser:
        """Maximise the weighted mean of all priors' `μ + β σ`; the prior named is the heaviest."""
        mean, sd, shrunk = self.moments(view, np.arange(len(weights)))
        scores = weights @ (mean + betas[:, None] * shrunk)
        sites = view.available.sites
        x = draw_largest(scores if sites is None else scores[sites], random)
        site = x if sites is None else sites[x]
        p = draw_largest(weights, random)
        return Maximiser(site, p, float(mean[p, site]), float(sd[p, site]), float(scores[site]))

    def anywhere(self, view: RoundView, random: Generator) -> int:
        """Draw an available site."""
        return any_site(view, self.size[1], random)


class FiniteSurrogate(_SitesSurrogate):
    """Posteriors of all priors at all points of a finite domain.

    Outcomes may come late: filters are a fold over them in order of time.

    Args:
        problem: with a finite domain.
    """

    def __init__(self, problem: TimeVarying) -> None:
        assert problem.points is not None
        self.problem, self.points = problem, problem.points
        self.sharing, self.group = sharing(problem.given)
        means = Means(problem)(problem.points)
        tables = {
            id(p.kernel): covariance_between(p.kernel, self.points, problem.axes)
            for p in self.sharing
        }
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
                filters.append(DecayFilter(means[ids], covariances, rates, noise, local))
            else:
                motions = [d.motion for d in drifts if d is not None and not isinstance(d, Decay)]
                filters.append(StateSpaceFilter(means[ids], covariances, motions, noise, local))
            self._ids.append(ids)
            self._sets.append(sets)
        self.size = means.shape
        self._in_time: list[Datum] = []
        self._filtered: Fold[Datum, Filters] = Fold(observe, partial(copied, filters), copied)

    @property
    def _filters(self) -> Filters:
        return self._filtered.of(self._in_time)

    @property
    def evidence(self) -> PerPrior:
        """Log marginal likelihoods, (P,)."""
        if len(self._filters) == 1:
            return self._filters[0].evidence
        whole = np.empty(self.size[0])
        for f, ids in zip(self._filters, self._ids, strict=True):
            whole[ids] = f.evidence
        return whole

    @property
    def surprise(self) -> PerPrior:
        """Error of every prior about the outcome added last, in its own predictive deviations, (P,)."""
        whole = np.empty(self.size[0])
        for f, ids in zip(self._filters, self._ids, strict=True):
            whole[ids] = f.surprise
        return whole

    @property
    def kept(self) -> None:
        """None: each prior's posterior rests on all outcomes."""
        return

    # -- outcomes ----------------------------------------------------------------------------------

    def add(self, datum: Datum) -> None:
        """Condition on an outcome, which may be late."""
        outcomes = [*self._in_time]
        insort(outcomes, datum, key=lambda each: each[:2])
        self._in_time = outcomes

    def clear(self) -> None:
        """Forget all outcomes."""
        self._in_time = []

    # -- posteriors --------------------------------------------------------------------------------

    def posterior(self, time: float) -> tuple[AtSites, AtSites]:
        """Posterior means and standard deviations of the objective, (P, X) each."""
        if len(self._filters) == 1:
            mean, variance = self._filters[0].posterior(time)
            sd = np.sqrt(variance)
            return mean, sd[self._filters[0].group] if len(sd) > 1 else np.broadcast_to(
                sd, mean.shape
            )
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

    def _shrunk(self, view: RoundView, sd: AtSites) -> AtSites:
        """Standard deviations as if the unknown places had been observed; those of some time ago count for less.

        So do those of a time to come, which abandoned and void rounds may have. An outcome of age Δ
        says as much of f now as one of now with noise `(k (1 − ρ²) + R²/count) / ρ²`.
        """
        if not view.unknown:
            return sd
        shrunk = np.empty(sd.shape)
        for f, ids, sets in zip(self._filters, self._ids, self._sets, strict=True):
            variance = f.posterior(view.time)[1]
            shrunk[ids] = np.sqrt(self._conditioned(f, sets, variance, view))[f.group]
        return shrunk

    def _conditioned(
        self,
        f: DecayFilter | StateSpaceFilter,
        sets: Int[np.ndarray, " G"],
        variance: Float[np.ndarray, "G X"],
        view: RoundView,
    ) -> Float[np.ndarray, "G X"]:
        ages = np.array([abs(view.time - u.time) for u in view.unknown])
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

    def moments(self, view: RoundView, priors: Numbers) -> tuple[AtSites, AtSites, AtSites]:
        """Means, and standard deviations without and with the pending places, (P, X) each, of all priors."""
        mean, sd = self.posterior(view.time)
        return mean, sd, self._shrunk(view, sd)


def _state_size(prior: Prior) -> int:
    return (
        1
        if prior.drift is None or isinstance(prior.drift, Decay)
        else len(prior.drift.motion.output)
    )


_TINY = 1e-16  # share of the prior variance that is rounding

Weigh = Callable[[np.ndarray], np.ndarray]
"""From upper bounds of all priors at points, (P, r), to weights, (P, r)."""


class BoxSurrogate:
    """Posteriors of all priors on a box, at any point and time. An outcome costs O(n²), late or not; n is bounded.

    Args:
        problem: with a box as its domain.
        bounded: whether older or redundant outcomes are merged where there are many.
    """

    def __init__(self, problem: TimeVarying, bounded: bool = True) -> None:
        self.problem, self.means = problem, Means(problem)
        _, group = sharing(problem.given)
        self.shared = [
            SharedPosterior(problem, np.flatnonzero(group == g), bounded)
            for g in range(group.max() + 1)
        ]
        self.gradients = all(s.space.gradients for s in self.shared)
        self._box: tuple[bytes, Box] | None = None  # the last one: a region takes some milliseconds

    @property
    def evidence(self) -> PerPrior:
        """Log marginal likelihoods, (P,)."""
        whole = np.empty(len(self.problem.given))
        for s in self.shared:
            whole[s.ids] = s.evidence
        return whole

    @property
    def surprise(self) -> PerPrior:
        """Error of every prior about the outcome added last, in its own predictive deviations, (P,).

        That is the last entry of `L⁻¹ r`; 0 where outcomes were merged since.
        """
        whole = np.zeros(len(self.problem.given))
        for s in self.shared:
            if len(s.posterior) and not s.merged:
                whole[s.ids] = s.posterior.half[-1]
        return whole

    @property
    def kept(self) -> Int[np.ndarray, " P"] | None:
        """Numbers of outcomes behind each prior's posterior, (P,); None where that is all there were."""
        if not any(s.banked.any() for s in self.shared):
            return None
        whole = np.empty(len(self.problem.given), dtype=int)
        for s in self.shared:
            whole[s.ids] = len(s.posterior)
        return whole

    # -- outcomes ----------------------------------------------------------------------------------

    def add(self, datum: Datum, means: PerPrior | None = None) -> None:
        """Condition on an outcome; `means`: the prior ones there."""
        x = np.asarray(datum.place, dtype=np.float64)[None]
        residuals = datum.value - (self.means(x)[:, 0] if means is None else means)
        for s in self.shared:
            noise = np.array([s.variance * datum.inflation + datum.stated])
            s.posterior.append(_at(x, datum.time), residuals[None, s.ids], noise)
        with suppress(ModelFailure):  # who asks next is told
            for s in self.shared:
                s.condense()

    def clear(self) -> None:
        """Forget all outcomes."""
        for s in self.shared:
            s.clear()

    # -- posteriors --------------------------------------------------------------------------------

    def posterior(
        self, points: Float[np.ndarray, "r d"], time: float
    ) -> tuple[Float[np.ndarray, "P r"], Float[np.ndarray, "P r"]]:
        """Means and standard deviations, (P, r) each."""
        rows, means = _at(points, time), self.means(points)
        sds = np.zeros(means.shape)
        for s in self.shared:
            shift, variance = s.posterior.marginals(rows)
            means[s.ids] += shift
            sds[s.ids] = np.sqrt(variance)
        return means, sds

    def expected(self, datum: Datum) -> tuple[PerPrior, PerPrior]:
        """Posterior means and standard deviations of the objective at an outcome's place and time, (P,) each."""
        mean, sd = self.posterior(datum.place[None], datum.time)
        return mean[:, 0], sd[:, 0]

    @contextmanager
    def _among(self, priors: Numbers) -> Iterator[None]:
        """Context in which only processes of these priors are solved for; the others have their prior mean."""
        all_of_them = self.shared
        self.shared = [s for s in all_of_them if np.isin(s.ids, priors).any()]
        try:
            yield
        finally:
            self.shared = all_of_them

    @contextmanager
    def _with(self, view: RoundView) -> Iterator[None]:
        """Context in which places without an outcome shrink the variance, once for each try that is not long ago."""
        if not view.unknown:
            yield
            return
        rows = np.array([[*u.place, u.time] for u in view.unknown])
        times = np.array([u.times for u in view.unknown])
        with ExitStack() as stack:
            for s in self.shared:
                left = remembered(s.drift, np.abs(view.time - rows[:, -1])) >= FORGOTTEN
                stack.enter_context(s.posterior.extended(rows[left], s.variance / times[left]))
            yield

    def _rise(
        self, points: Float[np.ndarray, "r d"], time: float, betas: np.ndarray, weigh: Weigh
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """`Σ_p w_pr (μ_p + β_p σ_p)` at points (r, d) and its gradient, weights held fixed; solved for once."""
        rows, upper = _at(points, time), self.means(points)
        solved = []
        for s in self.shared:
            found = s.posterior.solve(rows)
            sd = np.sqrt(np.maximum(found.variance, _TINY * s.kernel.diagonal(rows)))
            upper[s.ids] += found.mean + betas[s.ids, None] * sd
            solved.append((s, found, sd))
        weights = weigh(upper)
        slope = self.means.slope(points, weights)
        for s, found, sd in solved:
            w = weights[s.ids]
            slope += s.posterior.slope(found, w, betas[s.ids] @ w / (2 * sd), known=(s.time,))[
                :, : s.time
            ]
        return (weights * upper).sum(axis=0), slope

    # -- choices -----------------------------------------------------------------------------------

    def optimistic(
        self, view: RoundView, betas: PerPrior, priors: Numbers, random: Generator
    ) -> Maximiser:
        """The largest `μ + β σ` over the available points and the given priors; priors that tie are drawn."""
        barred = np.full(len(betas), -np.inf)
        barred[priors] = 0.0

        def weigh(upper: np.ndarray) -> np.ndarray:
            best = (upper + barred[:, None]).argmax(axis=0)
            weights = np.zeros(upper.shape)
            weights[best, np.arange(upper.shape[1])] = 1.0
            return weights

        with self._among(priors):
            with self._with(view):
                x = self._search(view, betas, weigh, random)
                mean, sd = self.posterior(x[None], view.time)
                upper = mean[:, 0] + betas * sd[:, 0]
            p = int(priors[draw_largest(upper[priors], random)])
            sd = self.posterior(x[None], view.time)[1]
        return Maximiser(x, p, float(mean[p, 0]), float(sd[p, 0]), float(upper[p]))

    def averaged(
        self, view: RoundView, betas: PerPrior, weights: PerPrior, random: Generator
    ) -> Maximiser:
        """The largest weighted mean of all priors' `μ + β σ`; the prior named is the heaviest."""
        with self._with(view):
            x = self._search(
                view, betas, lambda upper: np.broadcast_to(weights[:, None], upper.shape), random
            )
            mean, sd = self.posterior(x[None], view.time)
            score = float(weights @ (mean[:, 0] + betas * sd[:, 0]))
        p = draw_largest(weights, random)
        sd = self.posterior(x[None], view.time)[1]
        return Maximiser(x, p, float(mean[p, 0]), float(sd[p, 0]), score)

    def anywhere(self, view: RoundView, random: Generator) -> Float[np.ndarray, " d"]:
        """Any available point."""
        return any_point(view, self.box(view), random)

    def box(self, view: RoundView) -> Box:
        """Box of the available places within the constraints: see `box_of`."""
        bounds = view.available.bounds
        key = b"" if bounds is None else bounds.tobytes()
        if self._box is None or self._box[0] != key:
            self._box = key, box_of(self.problem, replace(view, margin=None))
        return _within(self._box[1], view)

    def _search(
        self, view: RoundView, betas: PerPrior, weigh: Weigh, random: Generator
    ) -> Float[np.ndarray, " d"]:
        """The point with the largest weighted upper bound; `weigh` turns upper bounds (P, r) into weights (P, r)."""

        def score(points: np.ndarray) -> np.ndarray:
            mean, sd = self.posterior(points, view.time)
            upper = mean + betas[:, None] * sd
            found: np.ndarray = (weigh(upper) * upper).sum(axis=0)
            return found

        if (points := view.available.points) is not None:
            return np.array(points[draw_largest(score(points), random)])
        box = self.box(view)
        # a climb ends where a step gains less than a share of the value, which is counted from here
        expected = self.means(box.whole.place(np.full((1, box.dimension), 0.5)))
        origin = float((weigh(expected) * expected).sum())

        def score_and_slope(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            found, slope = self._rise(points, view.time, betas, weigh)
            return found - origin, slope

        recent = self.shared[0].posterior.points[-8:, : box.dimension]
        seed = int(random.integers(2**32))
        found = maximise(
            lambda points: score(points) - origin,
            score_and_slope if self.gradients else None,
            box,
            seed,
            extra=recent if len(recent) else None,
        )
        return found.point


def _at(points: Float[np.ndarray, "r d"], time: float) -> Float[np.ndarray, "r e"]:
    """Rows (x, t), all at one time."""
    return np.column_stack([points, np.full(len(points), time)])


class LargeFiniteSurrogate(_SitesSurrogate):
    """Posteriors of all priors at the sites of a large finite domain, conditioned as on a box. O(n²) a site.

    No matrix between sites is held. Posteriors are those of `FiniteSurrogate` up to `FORGETS_AT`
    outcomes, of which older or redundant ones are merged then.

    Args:
        problem: with a finite domain; kernels are functions of coordinates, not tables.
        bounded: whether older or redundant outcomes are merged where there are many.
    """

    def __init__(self, problem: TimeVarying, bounded: bool = True) -> None:
        assert problem.points is not None
        self.points, self.outcomes = problem.points, BoxSurrogate(problem, bounded)
        self.means = self.outcomes.means(self.points)
        self.size = self.means.shape

    @property
    def evidence(self) -> PerPrior:
        """Log marginal likelihoods, (P,)."""
        return self.outcomes.evidence

    @property
    def surprise(self) -> PerPrior:
        """Standardised residual of the latest outcome by every prior, (P,); 0 where outcomes were merged since."""
        return self.outcomes.surprise

    @property
    def kept(self) -> Int[np.ndarray, " P"] | None:
        """Number of outcomes that each posterior rests on, (P,); None where it is all of them."""
        return self.outcomes.kept

    def add(self, datum: Datum) -> None:
        """Condition on an outcome."""
        located = datum._replace(place=self.points[datum.place])
        self.outcomes.add(located, self.means[:, datum.place])

    def clear(self) -> None:
        """Forget all outcomes."""
        self.outcomes.clear()

    def posterior(self, time: float) -> tuple[AtSites, AtSites]:
        """Posterior means and standard deviations of the objective, (P, X) each."""
        return self.outcomes.posterior(self.points, time)

    def joint(
        self, prior: int, sites: Int[np.ndarray, " J"], time: float
    ) -> tuple[Float[np.ndarray, " J"], Float[np.ndarray, "J J"]]:
        """Posterior means and covariances of the objective among some sites, by one prior."""
        s = next(s for s in self.outcomes.shared if prior in s.ids)
        rows = _at(self.points[sites], time)
        found = s.posterior.solve(rows)
        mean = self.means[prior, sites] + found.mean[s.ids.tolist().index(prior)]
        return mean, s.kernel(rows, rows) - found.half.T @ found.half

    def moments(self, view: RoundView, priors: Numbers) -> tuple[AtSites, AtSites, AtSites]:
        """Means, and standard deviations without and with the pending places, (P, X) each, of some priors."""
        with self.outcomes._among(priors):
            mean, sd = self.posterior(view.time)
            if not view.unknown:
                return mean, sd, sd
            located = [u._replace(place=self.points[u.place]) for u in view.unknown]
            with self.outcomes._with(replace(view, unknown=located)):
                return mean, sd, self.posterior(view.time)[1]


def finite_surrogate(
    problem: TimeVarying, bounded: bool = True
) -> FiniteSurrogate | LargeFiniteSurrogate:
    """Make the surrogate of a finite domain without data: filters where their matrices fit into `DENSE` bytes.

    Args:
        problem: with a finite domain.
        bounded: see `LargeFiniteSurrogate`; filters keep all outcomes in a matrix of one size.
    """
    assert problem.points is not None
    sets, _ = sharing(problem.given)
    states = [_state_size(prior) for prior in sets]
    dense = (2 + FOLD_COPIES) * 8 * sum((q * len(problem.points)) ** 2 for q in states)
    if dense <= DENSE or any(isinstance(prior.kernel, Covariance) for prior in sets):
        return FiniteSurrogate(problem)
    return LargeFiniteSurrogate(problem, bounded)


def any_site(view: RoundView, count: int, random: Generator) -> int:
    """Draw an available site of `count`."""
    sites = view.available.sites
    return int(random.choice(count if sites is None else sites))


def box_of(problem: TimeVarying, view: RoundView) -> Box:
    """Make the box of a view's available places within the constraints."""
    return _within(box_now(problem, view.available.bounds), view)


def _within(box: Box, view: RoundView) -> Box:
    """Box within the feasibility margin of a view."""
    return (
        box if view.margin is None else FeasibleRegion(box, view.margin, gradients=view.gradients)
    )


def any_point(view: RoundView, box: Box, random: Generator) -> Float[np.ndarray, " d"]:
    """Draw an available point of a box: the first of some that is likely feasible, or the likeliest of them."""
    if view.available.points is not None:
        return np.array(random.choice(view.available.points))
    if view.margin is None:
        return np.asarray(box.place(random.random((1, box.dimension)))[0])
    points = box.place(random.random((_DRAWN, box.dimension)))
    return np.asarray(points[feasible(view.margin(points))[0]])


def best_site(
    view: RoundView,
    moments: tuple[AtSites, AtSites],
    upper: AtSites,
    priors: Numbers,
    random: Generator,
) -> Maximiser:
    """Find the largest upper bound among available sites and the given priors; ties are drawn."""
    mean, sd = moments
    rows = upper if len(priors) == len(upper) else upper[priors]
    sites = view.available.sites
    columns = rows if sites is None else rows[:, sites]
    at, x = divmod(draw_largest(columns.ravel(), random), columns.shape[1])
    site = x if sites is None else sites[x]
    p = int(priors[at])
    return Maximiser(site, p, float(mean[p, site]), float(sd[p, site]), float(upper[p, site]))


class FailedPoints:
    """Failed and voided tries by place; on a box the latest of them, 256 to 320 places at most.

    >>> tries = FailedPoints()
    >>> for time in (1.0, 5.0):
    ...     tries.add(3, time)
    >>> list(tries)
    [PendingPoint(place=3, time=5.0, times=2)]
    """

    def __init__(self) -> None:
        self._places: dict[object, PendingPoint] = {}

    def __iter__(self) -> Iterator[PendingPoint]:
        return iter(self._places.values())

    def __len__(self) -> int:
        return len(self._places)

    def add(self, place: Place, time: float) -> None:
        """One more, at a time."""
        key = tuple(place) if isinstance(place, np.ndarray) else place
        before = self._places.get(key)
        last, times = (max(time, before.time), before.times + 1) if before else (time, 1)
        self._places[key] = PendingPoint(place, last, times)
        if isinstance(place, np.ndarray) and len(self._places) > FORGETS_AT:
            latest = set(sorted(self._places, key=lambda one: self._places[one].time)[-KEPT:])
            self._places = {one: known for one, known in self._places.items() if one in latest}
