"""The surrogate of a box: exact Gaussian processes over points and times, one factor for all priors that share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from ..gp.factor import Factor
from ..gp.kernels.stationary import Stationary
from ..search import Box, maximise_box
from ..space import Categorical
from .acquisition import Datum, Pick, View, draw_largest
from .finite import scale_only, sharing
from .kernels import spatial
from .means import Means
from .problem import TimeVarying

_LOG_2PI = float(np.log(2 * np.pi))
_TINY = 1e-16

Weigh = Callable[[np.ndarray], np.ndarray]
"""From upper bounds of all priors at points, (P, r), to weights, (P, r)."""


class Shared:
    """Priors that share kernel, drift and noise: one factor of `K ∘ K_time + R²`, and a column of residuals for each.

    Args:
        problem: whose priors.
        ids: (k,) their numbers.
        static: leave drift out.
    """

    def __init__(self, problem: TimeVarying, ids: Int[np.ndarray, " k"], static: bool) -> None:
        prior = problem.priors[ids[0]]
        self.ids = ids
        self.kernel = spatial(prior.kernel, len(problem.variables))
        self.drift = None if static else prior.drift
        self.variance = prior.noise**2
        self.factor = Factor()
        self.half = np.zeros((0, len(ids)))  # L⁻¹ (y − m)

    def cross(
        self,
        X: Float[np.ndarray, "n d"],
        t: Float[np.ndarray, " n"],
        Z: Float[np.ndarray, "m d"],
        s: Float[np.ndarray, " m"],
    ) -> Float[np.ndarray, "n m"]:
        """Covariances between points and times."""
        K = self.kernel(X, Z)
        return K if self.drift is None else K * self.drift.between(t[:, None] - s)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Variances at points, (n,)."""
        if isinstance(self.kernel, Stationary):
            return self.kernel.diagonal(X)
        return np.array([float(self.kernel(x[None], x[None])[0, 0]) for x in X])


class Boxes:
    """Posteriors of all priors on a box, at any point and time. An outcome costs O(n²), late or not.

    Args:
        problem: with a box as its domain.
        static: leave drift out.
    """

    def __init__(self, problem: TimeVarying, static: bool = False) -> None:
        self.problem, self.means = problem, Means(problem)
        _, group = sharing(problem.priors)
        self.shared = [Shared(problem, np.flatnonzero(group == g), static) for g in range(group.max() + 1)]
        self.gradients = all(isinstance(s.kernel, Stationary) for s in self.shared)
        self._clear()

    def _clear(self) -> None:
        self.X, self.t, self.y = np.zeros((0, len(self.problem.variables))), np.zeros(0), np.zeros(0)
        self.evidence = np.zeros(len(self.problem.priors))
        for s in self.shared:
            s.factor, s.half = Factor(), np.zeros((0, len(s.ids)))

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def add(self, datum: Datum, inflation: float = 1.0) -> bool:
        """Condition on an outcome, its noise variance multiplied by `inflation`."""
        x, t = np.asarray(datum.place, dtype=np.float64)[None], np.array([datum.time])
        means = self.means(x)[:, 0]
        for s in self.shared:
            cross = s.cross(x, t, self.X, self.t)
            corner = s.cross(x, t, x, t) + s.variance * inflation
            row = s.factor.half_solve(cross[0])
            d2 = max(float(corner[0, 0] - row @ row), _TINY * float(corner[0, 0]))
            s.factor.append(cross, corner)
            z = (datum.value - means[s.ids] - row @ s.half) / np.sqrt(d2)
            s.half = np.concatenate([s.half, z[None]])
            self.evidence[s.ids] -= 0.5 * (z * z + np.log(d2) + _LOG_2PI)
        self.X, self.t = np.concatenate([self.X, x]), np.append(self.t, t)
        self.y = np.append(self.y, datum.value)
        return True

    def rewrite(self, data: Sequence[Datum]) -> None:
        """Forget everything and condition on these."""
        self._clear()
        for datum in data:
            self.add(datum)

    # -- posteriors ----------------------------------------------------------------------------------------------------

    def posterior(
        self, points: Float[np.ndarray, "r d"], time: float, unknown: Float[np.ndarray, "u e"] | None = None
    ) -> tuple[Float[np.ndarray, "P r"], Float[np.ndarray, "P r"]]:
        """Means and standard deviations, (P, r) each; `unknown` rows are points and times as if observed."""
        means = self.means(points)
        sds = np.empty(means.shape)
        n, X, t = len(self.y), *self._inputs(unknown)
        for s in self.shared:
            A = s.factor.half_solve(s.cross(X, t, points, np.full(len(points), time)))
            means[s.ids] += s.half.T @ A[:n]
            sds[s.ids] = np.sqrt(np.maximum(s.diagonal(points) - (A * A).sum(axis=0), 0.0))
        return means, sds

    def _inputs(self, unknown: Float[np.ndarray, "u e"] | None) -> tuple[np.ndarray, np.ndarray]:
        if unknown is None:
            return self.X, self.t
        return np.concatenate([self.X, unknown[:, :-1]]), np.concatenate([self.t, unknown[:, -1]])

    @contextmanager
    def _with(self, view: View) -> Iterator[Float[np.ndarray, "u e"] | None]:
        """Rows (x, t) for the unknown places; inside, all factors have them too."""
        if not view.unknown:
            yield None
            return
        rows = np.array([[*u.place, u.time] for u in view.unknown])
        with ExitStack() as stack:
            for s in self.shared:
                x, t = rows[:, :-1], rows[:, -1]
                noise = np.diag(s.variance / np.array([u.times for u in view.unknown]))
                stack.enter_context(s.factor.extended(s.cross(x, t, self.X, self.t), s.cross(x, t, x, t) + noise))
            yield rows

    def _rise(
        self, points: Float[np.ndarray, "r d"], view: View, betas: np.ndarray, weigh: Weigh, unknown: Any
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """`Σ_p w_pr (μ_p + β_p σ_p)` at points (r, d) and its gradient, weights held fixed; solved for once."""
        now = np.full(len(points), view.time)
        n, X, t = len(self.y), *self._inputs(unknown)
        upper = self.means(points)
        solved = []
        for s in self.shared:
            A = s.factor.half_solve(s.cross(X, t, points, now))
            prior = s.diagonal(points)
            sd = np.sqrt(np.maximum(prior - (A * A).sum(axis=0), _TINY * prior))
            upper[s.ids] += s.half.T @ A[:n] + betas[s.ids, None] * sd
            solved.append((s, A, sd))
        weights = weigh(upper)
        slope = self.means.slope(points, weights)
        for s, A, sd in solved:
            w = weights[s.ids]
            pull = -A * ((betas[s.ids] @ w) / sd)
            pull[:n] += s.half @ w
            W = s.factor.half_solve(pull, transpose=True).T
            if s.drift is not None:
                W = W * s.drift.between(now[:, None] - t)
            assert isinstance(s.kernel, Stationary)
            slope += s.kernel.input_gradient(points, X, W)
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

        with self._with(view) as unknown:
            x = self._search(view, betas, weigh, random, unknown)
            mean, sd = self.posterior(x[None], view.time, unknown)
            upper = mean[:, 0] + betas * sd[:, 0]
        p = int(priors[draw_largest(upper[priors], random)])
        sd = self.posterior(x[None], view.time)[1]
        return Pick(x, p, float(mean[p, 0]), float(sd[p, 0]), float(upper[p]))

    def averaged(
        self, view: View, betas: Float[np.ndarray, " P"], weights: Float[np.ndarray, " P"], random: np.random.Generator
    ) -> Pick:
        """The largest weighted mean of all priors' `μ + β σ`; the prior named is the heaviest."""
        with self._with(view) as unknown:
            x = self._search(view, betas, lambda upper: np.broadcast_to(weights[:, None], upper.shape), random, unknown)
            mean, sd = self.posterior(x[None], view.time, unknown)
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
        """What is available, in the user's units; categories by number."""
        d = len(self.problem.variables)
        bounds = view.available if view.available is not None and "low" in view.available else None
        low, high = np.empty(d), np.empty(d)
        levels: list[np.ndarray | None] = [None] * d
        for j, v in enumerate(self.problem.variables):
            whole = (0.0, len(v.choices) - 1.0) if isinstance(v, Categorical) else (float(v.low), float(v.high))
            low[j], high[j] = (bounds["low"][j], bounds["high"][j]) if bounds else whole
            if v.levels is not None:
                known = v.levels if isinstance(v, Categorical) else np.array(v.decode(v.levels), dtype=float)
                inside = known[(known >= low[j]) & (known <= high[j])]
                # bounds between two settings leave none: the nearest one then
                left = inside if inside.size else known[[np.abs(known - (low[j] + high[j]) / 2).argmin()]]
                levels[j], low[j], high[j] = left, min(low[j], left[0]), max(high[j], left[-1])
        return Box(low, high, levels, self.problem.space.categorical)

    def _search(
        self,
        view: View,
        betas: Float[np.ndarray, " P"],
        weigh: Weigh,
        random: np.random.Generator,
        unknown: Any,
    ) -> Float[np.ndarray, " d"]:
        """The point with the largest weighted upper bound; `weigh` turns upper bounds (P, r) into weights (P, r)."""

        def score(points: np.ndarray) -> np.ndarray:
            mean, sd = self.posterior(points, view.time, unknown)
            upper = mean + betas[:, None] * sd
            found: np.ndarray = (weigh(upper) * upper).sum(axis=0)
            return found

        def score_and_slope(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return self._rise(points, view, betas, weigh, unknown)

        if view.available is not None and "points" in view.available:
            points = np.array(view.available["points"])
            return np.array(points[draw_largest(score(points), random)])
        box = self.box(view)
        recent = self.X[-8:] if len(self.X) else None
        seed = int(random.integers(2**32))
        found = maximise_box(score, score_and_slope if self.gradients else None, box, seed, extra=recent)
        return found.point

    def differ_in_scale_only(self) -> bool:
        """Whether all priors share mean and correlation, and not the output scale."""
        box = self.box(View(0.0))
        points = box.place(np.random.Generator(np.random.Philox(0)).random((16, box.dimension)))
        tables = [s.kernel(points, points) for s in self.shared]
        drifts = [s.drift for s in self.shared]
        return scale_only(self.means(points), tables, drifts)
