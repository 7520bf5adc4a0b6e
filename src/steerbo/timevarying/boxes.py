"""The surrogate of a box: Gaussian processes over points and times, one posterior for priors that share a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import numpy as np
from jaxtyping import Float, Int

from ..errors import ModelFailure
from ..optim import Box, FeasibleRegion, maximise
from .acquisition import Datum, Pick, View, draw_largest
from .limits import box_now, plain_box
from .means import Means
from .memory import FORGOTTEN, remembered
from .problem import TimeVarying
from .shared import Shared
from .sharing import scale_only, sharing

_TINY = 1e-16

Weigh = Callable[[np.ndarray], np.ndarray]
"""From upper bounds of all priors at points, (P, r), to weights, (P, r)."""


class Boxes:
    """Posteriors of all priors on a box, at any point and time. An outcome costs O(n²), late or not; n is bounded.

    Args:
        problem: with a box as its domain.
        static: leave drift out.
    """

    def __init__(self, problem: TimeVarying, static: bool = False) -> None:
        self.problem, self.means = problem, Means(problem)
        _, group = sharing(problem.given)
        self.shared = [Shared(problem, np.flatnonzero(group == g), static) for g in range(group.max() + 1)]
        self.gradients = all(s.space.gradients for s in self.shared)
        self._box: tuple[str, Box] | None = None  # the last one: a region takes some milliseconds

    @property
    def evidence(self) -> Float[np.ndarray, " P"]:
        """Log marginal likelihoods, (P,)."""
        whole = np.empty(len(self.problem.given))
        for s in self.shared:
            whole[s.ids] = s.evidence
        return whole

    @property
    def surprise(self) -> Float[np.ndarray, " P"]:
        """How far off every prior was about the outcome added last, in its own predictive deviations, (P,).

        That is the last entry of `L⁻¹ r`; 0 where outcomes were merged since.
        """
        whole = np.zeros(len(self.problem.given))
        for s in self.shared:
            if len(s.posterior) and not s.merged:
                whole[s.ids] = s.posterior.half[-1]
        return whole

    @property
    def kept(self) -> Int[np.ndarray, " P"] | None:
        """On how many outcomes each prior's posterior rests, (P,); None where that is all there were."""
        if not any(s.banked.any() for s in self.shared):
            return None
        whole = np.empty(len(self.problem.given), dtype=int)
        for s in self.shared:
            whole[s.ids] = len(s.posterior)
        return whole

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def add(self, datum: Datum, inflation: float = 1.0) -> bool:
        """Condition on an outcome, its noise variance multiplied by `inflation`."""
        x = np.asarray(datum.place, dtype=np.float64)[None]
        residuals = datum.value - self.means(x)[:, 0]
        for s in self.shared:
            s.posterior.append(_at(x, datum.time), residuals[None, s.ids], np.array([s.variance * inflation]))
        with suppress(ModelFailure):  # who asks next is told
            for s in self.shared:
                s.condense()
        return True

    def rewrite(self, data: Sequence[Datum]) -> None:
        """Forget everything and condition on these."""
        for s in self.shared:
            s.clear()
        for datum in data:
            self.add(datum)

    # -- posteriors ----------------------------------------------------------------------------------------------------

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

    @contextmanager
    def _among(self, priors: Int[np.ndarray, " k"]) -> Iterator[None]:
        """Inside, only processes of these priors are solved for: what is said of the others is their prior mean."""
        all_of_them = self.shared
        self.shared = [s for s in all_of_them if np.isin(s.ids, priors).any()]
        try:
            yield
        finally:
            self.shared = all_of_them

    @contextmanager
    def _with(self, view: View) -> Iterator[None]:
        """Inside, places without an outcome shrink the variance, as often as they were tried, unless long ago."""
        if not view.unknown:
            yield
            return
        rows = np.array([[*u.place, u.time] for u in view.unknown])
        times = np.array([u.times for u in view.unknown])
        with ExitStack() as stack:
            for s in self.shared:
                left = remembered(s.drift, np.maximum(view.time - rows[:, -1], 0.0)) >= FORGOTTEN
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
            slope += s.posterior.slope(found, w, betas[s.ids] @ w / (2 * sd), known=(s.time,))[:, : s.time]
        return (weights * upper).sum(axis=0), slope

    # -- choices -------------------------------------------------------------------------------------------------------

    def optimistic(
        self, view: View, betas: Float[np.ndarray, " P"], priors: Int[np.ndarray, " k"], random: np.random.Generator
    ) -> Pick:
        """The largest `μ + β σ` over what is available and over the given priors; priors that tie are drawn."""
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
        return Pick(x, p, float(mean[p, 0]), float(sd[p, 0]), float(upper[p]))

    def averaged(
        self, view: View, betas: Float[np.ndarray, " P"], weights: Float[np.ndarray, " P"], random: np.random.Generator
    ) -> Pick:
        """The largest weighted mean of all priors' `μ + β σ`; the prior named is the heaviest."""
        with self._with(view):
            x = self._search(view, betas, lambda upper: np.broadcast_to(weights[:, None], upper.shape), random)
            mean, sd = self.posterior(x[None], view.time)
            score = float(weights @ (mean[:, 0] + betas * sd[:, 0]))
        p = draw_largest(weights, random)
        sd = self.posterior(x[None], view.time)[1]
        return Pick(x, p, float(mean[p, 0]), float(sd[p, 0]), score)

    def anywhere(self, view: View, random: np.random.Generator) -> Float[np.ndarray, " d"]:
        """Any available point."""
        if view.available is not None and "points" in view.available:
            return np.array(random.choice(np.array(view.available["points"])))
        box = self.box(view)
        return box.place(random.random((1, box.dimension)))[0]

    def box(self, view: View) -> Box:
        """What is available within the limits, in the user's units; categories by number."""
        bounds = view.available if view.available is not None and "low" in view.available else None
        key = repr(bounds)
        if self._box is None or self._box[0] != key:
            self._box = key, box_now(self.problem, bounds)
        return self._box[1] if view.margin is None else FeasibleRegion(self._box[1], view.margin)

    def _search(
        self, view: View, betas: Float[np.ndarray, " P"], weigh: Weigh, random: np.random.Generator
    ) -> Float[np.ndarray, " d"]:
        """The point with the largest weighted upper bound; `weigh` turns upper bounds (P, r) into weights (P, r)."""

        def score(points: np.ndarray) -> np.ndarray:
            mean, sd = self.posterior(points, view.time)
            upper = mean + betas[:, None] * sd
            found: np.ndarray = (weigh(upper) * upper).sum(axis=0)
            return found

        def score_and_slope(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return self._rise(points, view.time, betas, weigh)

        if view.available is not None and "points" in view.available:
            points = np.array(view.available["points"])
            return np.array(points[draw_largest(score(points), random)])
        box = self.box(view)
        recent = self.shared[0].posterior.points[-8:, : box.dimension]
        seed = int(random.integers(2**32))
        found = maximise(
            score, score_and_slope if self.gradients else None, box, seed, extra=recent if len(recent) else None
        )
        return found.point

    def differ_in_scale_only(self) -> bool:
        """Whether all priors share mean and correlation, and not the output scale."""
        box = plain_box(self.problem, None)
        points = box.place(np.random.Generator(np.random.Philox(0)).random((16, box.dimension)))
        tables = [s.space(points, points) for s in self.shared]
        drifts = [s.drift for s in self.shared]
        return scale_only(self.means(points), tables, drifts)


def _at(points: Float[np.ndarray, "r d"], time: float) -> Float[np.ndarray, "r e"]:
    """Rows (x, t), all at one time."""
    return np.column_stack([points, np.full(len(points), time)])
