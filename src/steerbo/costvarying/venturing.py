"""Plays that may break a limit which holds on average over plays, where they promise more than those that keep to it.

What is likely to keep to a limit may be one hill, and a better one lie behind settings of which nothing is known. Where
a probability is asked for on average, plays that kept leave something over: it is saved for plays from which much may
be learned. Numbers were found on eight drawn problems; what came of them on others is in docs/results/limits.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from ..core import History
from ..optim import FeasibleRegion, sobol_in_box
from ..surrogate import ConstraintModel, chances_over, expected_improvement, kept_of, margin_over, required_now
from .control_sets import Arm, Outlook

if TYPE_CHECKING:
    from .method import PartialControl

BOLD, LEAST = 0.6, 0.1
"""What is left over is saved until a play may be so unlikely to keep; and none is to be less likely than the second."""
WORTH, SHARE = 1.5, 0.002
"""How many times what the play within limits promises such a play must, and what share of the range that was seen."""
_TRIED = 1024  # points all over what may be set


@dataclass(frozen=True)
class Venture:
    """A play, and how likely it is to keep to limits on outcomes.

    Args:
        arm: what is set.
        point: encoded, (c,).
        likely: the probabilities, by outcome; empty where no limit is on average.
        mean: where it is less likely than was asked, what that leaves of all plays on average, by outcome.
    """

    arm: Arm
    point: Float[np.ndarray, " c"]
    likely: dict[str, float]
    mean: dict[str, float] | None = None

    @property
    def note(self) -> dict[str, Any]:
        """What the log keeps of it."""
        return {"likely": self.likely, "mean": self.mean} if self.likely else {}


@dataclass(frozen=True, eq=False)
class Venturing:
    """A choice that is about to be made.

    Args:
        method: that makes it.
        history: before it.
        outlook: what it is made on.
        arms: those that can be paid, as numbers in the outlook.
    """

    method: PartialControl[Any]
    history: History
    outlook: Outlook
    arms: Sequence[int]

    def instead(self, a: int, point: Float[np.ndarray, " c"]) -> Venture:
        """The play of arm `a` at a point; or another one that promises more, and that limits allow on average."""
        watched, arm = self.method.watching.informed, self.outlook.arms[a]
        if not any(each.limit.on_average for each in watched):
            return Venture(arm, point, {})
        within = Venture(arm, point, self._likely(watched, a, point))
        if any(
            within.likely[each.limit.name] < each.required_probability for each in watched
        ):  # nothing is known to keep: the likeliest
            return within
        needed = [self._needed(each) for each in watched]
        if any(each.limit.on_average and need > BOLD for each, need in zip(watched, needed, strict=True)):
            return within
        seed = self.method.streams.integer(len(self.history) + 1, "venture")
        best = max(found.value for (found,) in self.method.search(self.outlook, self.arms, [0.0], seed, of_mean=True))
        found = [self._best(i, watched, needed, best, seed) for i in self.arms]
        value, i, place = max(found, key=lambda each: each[0])
        seen = self.method.seen_range(self.outlook) / self.method.model.scale
        if value <= max(WORTH * self._promise(a, point[None], best)[0], SHARE * seen):
            return within
        likely = self._likely(watched, i, place)
        if all(likely[each.limit.name] >= each.required_probability for each in watched):
            return within
        return Venture(self.outlook.arms[i], place, likely, self._means(watched, likely))

    def _needed(self, each: ConstraintModel) -> float:
        return (
            max(required_now(each.limit, self.history), LEAST) if each.limit.on_average else each.required_probability
        )

    def _means(self, watched: Sequence[ConstraintModel], likely: dict[str, float]) -> dict[str, float]:
        means = {}
        for limit in [each.limit for each in watched if each.limit.on_average]:
            n, kept = kept_of(limit, self.history)
            means[limit.name] = (kept + likely[limit.name]) / (n + 1)
        return means

    def _best(
        self, i: int, watched: Sequence[ConstraintModel], needed: Sequence[float], best: float, seed: int
    ) -> tuple[float, int, np.ndarray]:
        """Of points all over what arm `i` may set that which promises most, times how likely it keeps to limits."""
        domain = self.outlook.domains[i]
        if not isinstance(domain.box, FeasibleRegion):
            return -np.inf, i, np.zeros(0)
        points = sobol_in_box(domain.box.plain, _TRIED, seed)
        chances = np.exp(chances_over(watched, domain.parts)(points))
        allowed = (chances >= np.array(needed)[:, None]).all(axis=0)
        works = self.method.failing.works(domain.parts)
        if works is not None:
            allowed &= margin_over([works], domain.parts)(points) >= 0.0
        worth = np.where(allowed, self._promise(i, points, best) * chances.prod(axis=0), -np.inf)
        k = int(worth.argmax())
        return float(worth[k]), i, points[k]

    def _promise(self, i: int, points: Float[np.ndarray, "n c"], best: float) -> Float[np.ndarray, " n"]:
        """By how much the expected value is expected to be better than the best mean, in standardised units."""
        mean, deviation = self.method.expectation(self.outlook, i, product=False).of_mean().moments(points)
        flat = np.zeros(points.shape)
        return expected_improvement(best)((mean, deviation, flat, flat))[0]

    def _likely(self, watched: Sequence[ConstraintModel], i: int, point: Float[np.ndarray, " c"]) -> dict[str, float]:
        chances = chances_over(watched, self.outlook.domains[i].parts)(point[None])
        return {each.limit.name: float(np.exp(p[0])) for each, p in zip(watched, chances, strict=True)}
