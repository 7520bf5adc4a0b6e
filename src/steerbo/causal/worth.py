"""What a scope is worth: the average of what its best policy gives over contexts as they were realised.

Scopes with the same actions share one model over these and all contexts that nothing sets. A scope that does not look
at some of them averages over how nature draws them, given what it does look at: to look less is `Drawn` where to look
more is `Known`. So what one scope learns, all of them know, and to look at something is worth what it changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from ..search import lattice
from ..surrogate import Drawn, Expectation, Known, Part, Set, Standardised
from .acting import Actor
from .arm import Arm
from .arm_model import ArmModel
from .nearness import Realised, few

ROWS = 32
"""Contexts, the latest, that scopes are compared over."""
_GRID = 16  # actions, for each that is set, among which the best is sought


@dataclass(frozen=True, eq=False)
class Worth:
    """What an arm's policy gives, in the model's standardised units.

    Attributes:
        arm: the scope.
        model: of its outcomes.
        pending: (p, d) points without an outcome, at which variances shrink.
        process: the same for integrals; None for a model of no columns.
        realised: contexts, the latest first.
        when: the time, by name, where effects change with it.
    """

    arm: Arm
    model: ArmModel
    pending: Float[np.ndarray, "p d"]
    process: Standardised | None
    realised: Realised
    when: Mapping[str, float] = field(default_factory=dict)

    def bounds(self, root: float, most: int) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]]:
        """At each of the latest contexts the largest `μ + root · σ` over the actions, and σ there, (r,) each."""
        if self.process is None:
            mean, variance = self._marginals(self._now(np.zeros((1, 0))))
            return mean + root * np.sqrt(variance), np.sqrt(variance)
        near = self.realised.latest(most)  # also what is drawn: all scopes are compared over the same contexts
        rows = near.points
        if self.arm.affected or not self._drawn:
            return self._all_known(rows, root)
        looked, back = np.unique(rows[:, self._looked], axis=0, return_inverse=True)
        found = np.array([self._at(row, root, near) for row in looked])
        return found[back.ravel(), 0], found[back.ravel(), 1]

    @property
    def _looked(self) -> list[int]:
        """The columns of contexts that are looked at, among all contexts."""
        return [j for j, name in enumerate(self.arm.measured) if name in self.arm.contexts]

    @property
    def _drawn(self) -> bool:
        """Whether some action does not see all contexts."""
        own = set(self.arm.problem_space.seen)
        return bool(self.arm.beside) or any(set(self.arm.contexts) - self.arm.sees[x] - own for x in self.arm.actions)

    def _now(self, points: Float[np.ndarray, "m k"]) -> Float[np.ndarray, "m d"]:
        """With the time, where the model has a column for it."""
        return np.hstack([points, np.tile([*self.when.values()], (len(points), 1))]) if self.when else points

    def _all_known(self, rows: Float[np.ndarray, "r c"], root: float) -> tuple[np.ndarray, np.ndarray]:
        grid = self._grid(self.arm.actions)
        points = self._now(np.hstack([np.tile(grid, (len(rows), 1)), np.repeat(rows, len(grid), axis=0)]))
        mean, variance = self._marginals(points)
        sd = np.sqrt(variance).reshape(len(rows), len(grid))
        bound = mean.reshape(sd.shape) + root * sd
        best = bound.argmax(axis=1)
        each = np.arange(len(rows))
        return bound[each, best], sd[each, best]

    def _marginals(self, points: Float[np.ndarray, "m d"]) -> tuple[np.ndarray, np.ndarray]:
        with self.model.hallucinated(self.pending):
            return self.model.marginals(points)

    def _at(self, looked: Float[np.ndarray, " k"], root: float, near: Realised) -> tuple[float, float]:
        """Where this is looked at: the bound at what the actions are set to, and σ there."""
        arm = self.arm
        values = dict(zip((arm.measured[j] for j in self._looked), looked.tolist(), strict=True)) | dict(self.when)
        groups = arm.groups(arm.actions)
        if not groups:
            return self._best((), values, root, near)[1:]
        for group in groups:
            allowed = arm.known_to(group)
            known = {name: value for name, value in values.items() if name in allowed or name in arm.problem_space.seen}
            free = tuple(x for x in arm.actions if x in group or x not in known)
            point, bound, sd = self._best(free, known, root, near)
            values |= {x: point[free.index(x)] for x in group}
        return (bound, sd) if len(groups) == 1 else self._best((), values, root, near)[1:]

    def _best(
        self, free: tuple[str, ...], known: Mapping[str, float], root: float, near: Realised
    ) -> tuple[Float[np.ndarray, " f"], float, float]:
        """The best values of some actions where this is known and nature draws the rest, the bound and σ there."""
        assert self.process is not None
        grid, parts = self._grid(free), self._parts(free, known, near)
        mean, sd = Expectation.over(self.process, parts).moments(grid)
        bound = mean + root * sd
        k = int(bound.argmax())
        return grid[k], float(bound[k]), float(sd[k])

    def _parts(self, free: Sequence[str], known: Mapping[str, float], near: Realised) -> tuple[Part, ...]:
        arm = self.arm
        seen = [j for j, name in enumerate(arm.measured) if name in known]
        drawn = [j for j in range(len(arm.measured)) if j not in seen]
        law = near.law(seen, np.array([known[arm.measured[j]] for j in seen]), drawn)
        of = {arm.measured[j]: Drawn(law, k) for k, j in enumerate(drawn)}
        return tuple(Set() if n in free else Known(known[n]) if n in known else of[n] for n in arm.names)

    def _grid(self, names: tuple[str, ...]) -> Float[np.ndarray, "g f"]:
        box = self.arm.box(names)
        return box.place(lattice(_GRID * len(names), len(names))) if names else np.zeros((1, 0))


def fitted_at(model: ArmModel, time: float | None) -> Float[np.ndarray, " n"]:
    """Posterior means at the observed points, standardised, (n,), moved to a time; None: effects do not change."""
    if time is None:
        return model.fitted
    points = model.inputs.copy()
    points[:, -1] = time
    return model.means(points)


@dataclass(frozen=True, eq=False)
class NestedActor(Actor):
    """Sets actions of an arm that does not look at all that its model has columns for.

    Attributes:
        realised: contexts, from which nature draws what is not looked at, given what is.
    """

    realised: Realised

    def _unseen(self, held: Mapping[str, Any], random: np.random.Generator) -> dict[str, Drawn]:
        """The contexts that are not known: together, as rows near to what is known."""
        arm = self.arm
        seen = [j for j, name in enumerate(arm.measured) if name in held]
        drawn = [j for j in range(len(arm.measured)) if j not in seen]
        if not drawn:
            return {}
        at = [float(arm.problem_space[arm.measured[j]].encode([held[arm.measured[j]]])[0]) for j in seen]
        law = few(self.realised.law(seen, np.array(at), drawn), self.realised.categorical[drawn])
        return {arm.measured[j]: Drawn(law, k) for k, j in enumerate(drawn)}
