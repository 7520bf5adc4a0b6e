"""What one would do without twin arms: plots of five, and expected improvement per cost. Both on the same model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.stats

from steerbo.core import Choice, Explanation, History
from steerbo.costvarying.method import CostVaryingMethod
from steerbo.costvarying.search_space import Candidates
from steerbo.optim import maximise

PLOT = 5
BETA = 2.0


class _Rival(CostVaryingMethod[Any]):
    """Starts as ours does, in plots."""

    def explain(self, history: History) -> Explanation:
        """It has no reasons."""
        return Explanation("")

    def _play(self, history: History, candidates: Candidates, a: int, point: np.ndarray) -> Choice:
        return self.play(history, candidates.arms[a], point)


class PlotsOfFive(_Rival):
    """A split-plot design: every five plays the best settings of all, between them what is hard to change stays."""

    name: ClassVar[str] = "plots of five"

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """The upper confidence bound over all there is, or over what is easy."""
        if (start := self.start(history, request)) is not None:
            return start
        candidates = self.candidates(history, request, staying=True)
        keeps = [len(arm.keep) for arm in candidates.arms]
        a = 0 if len(history) % PLOT == 0 else int(np.argmax(keeps))
        number = len(history) + 1
        (_, (found,)) = self.wide_upper_bounds(candidates, [a], number, BETA)
        return self._play(history, candidates, a, found.point)


class ImprovementPerCost(_Rival):
    """The largest expected improvement per money; what stays may be anything of what is hard to change."""

    name: ClassVar[str] = "EI per cost"

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Searched for every choice of what stays."""
        if (start := self.start(history, request)) is not None:
            return start
        candidates = self.candidates(history, request, staying=True)
        best = float(self.surrogate.means_at_data(candidates.known).max())
        seed = self.streams.integer(len(history) + 1, "search")
        found = []
        for a, arm in enumerate(candidates.arms):
            if arm.near:
                continue

            def score(points: np.ndarray, a: int = a) -> np.ndarray:
                arm = candidates.arms[a]
                x = np.empty((len(points), self.problem.space.dimension))
                for name, value in arm.keep.items():
                    x[:, self.problem.space.index(name)] = self.problem.space[name].encode([value])[0]
                x[:, self.search_space.searched(arm)] = points
                mean, deviation = self.model.predict(x)
                z = (mean - best) / np.maximum(deviation, 1e-12)
                gain = deviation * (z * scipy.stats.norm.cdf(z) + scipy.stats.norm.pdf(z))
                prices = np.array(
                    [self.costs.of(arm.set, self.search_space.settings(arm, point), history) for point in points]
                )
                return np.asarray(np.log(np.maximum(gain, 1e-300)) - np.log(prices))

            box = candidates.domains[a].box
            one = maximise(score, None, box, seed=seed, screen=256, starts=4, tolerance=1e-4)
            if self.fits(history, arm, one.point):
                found.append((one.value, a, one.point))
        _, a, point = max(found, key=lambda each: each[0])
        return self._play(history, candidates, a, point)
