"""What a scope is worth: the average of what its best policy gives over contexts as they were realised.

Scopes with the same actions share one model over these and all contexts that nothing sets. A scope that does not look
at some of them averages over how nature draws them, given what it does look at: to look less is `Drawn` where to look
more is `Known`. So what one scope learns, all of them know, and to look at something is worth what it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product as cartesian
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float

from ..search import lattice
from ..surrogate import Drawn, Expectation, Known, Part, Set, Standardised
from .acting import Actor
from .arm import Arm
from .arm_model import ArmModel
from .charges import Toll
from .nearness import Realised, few

ROWS = 32
"""Contexts, the latest, that scopes are compared over."""
_GRID = 16  # actions, for each that is set, among which the best is sought
_FINE = 48  # the same where prices hang on them
_CORNERS = 6  # actions at most whose extremes are all tried, where prices hang on them

T = TypeVar("T")
Bounds = tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"], Float[np.ndarray, " r"]]
"""At every context: a bound, σ there, and a price."""


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
        toll: what actions cost whose price hangs on what they are set to; None: no price does.
        fixed: what a play costs beside.
    """

    arm: Arm
    model: ArmModel
    pending: Float[np.ndarray, "p d"]
    process: Standardised | None
    realised: Realised
    when: Mapping[str, float] = field(default_factory=dict)
    toll: Toll | None = None
    fixed: float = 1.0
    _found: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def bounds(self, root: float, most: int, exchange: float = 0.0) -> Bounds:
        """At each of the latest contexts the best actions' bound `μ + root · σ`, σ there, and their price, (r,) each.

        The best are those with the largest bound less `exchange` times their price.
        """
        if self.process is None:
            mean, variance = self._marginals(self._now(np.zeros((1, 0))))
            return mean + root * np.sqrt(variance), np.sqrt(variance), np.full(1, self.fixed)
        near = self.realised.latest(most)  # also what is drawn: all scopes are compared over the same contexts
        rows = near.points
        if self.arm.affected or not self._drawn:
            return self._best_of(*self._once(most, lambda: self._all_known(rows)), root, exchange)
        looked, back = np.unique(rows[:, self._looked], axis=0, return_inverse=True)
        if len(self.arm.groups(self.arm.actions)) > 1:
            one_by_one = np.array([self._at(row, root, near, exchange) for row in looked])[back.ravel()]
            return one_by_one[:, 0], one_by_one[:, 1], one_by_one[:, 2]
        mean, sd = self._once(most, lambda: self._one_group(looked, near))
        bound, spread, price = self._best_of(mean, sd, root, exchange)
        return bound[back.ravel()], spread[back.ravel()], price[back.ravel()]

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

    def _best_of(
        self, mean: Float[np.ndarray, "r g"], sd: Float[np.ndarray, "r g"], root: float, exchange: float
    ) -> Bounds:
        """The best of all actions that are tried, at each context."""
        bound, price = mean + root * sd, self._price(self.arm.actions)
        best = (bound if self.toll is None else bound - exchange * price).argmax(axis=1)
        each = np.arange(len(mean))
        return bound[each, best], sd[each, best], self.fixed + price[best]

    def _all_known(self, rows: Float[np.ndarray, "r c"]) -> tuple[np.ndarray, np.ndarray]:
        """Means and deviations for each context and each of the actions that are tried, (r, g)."""
        grid = self._grid(self.arm.actions)
        points = self._now(np.hstack([np.tile(grid, (len(rows), 1)), np.repeat(rows, len(grid), axis=0)]))
        mean, variance = self._marginals(points)
        sd = np.sqrt(variance).reshape(len(rows), len(grid))
        return mean.reshape(sd.shape), sd

    def _one_group(self, looked: Float[np.ndarray, "r k"], near: Realised) -> tuple[np.ndarray, np.ndarray]:
        """The same where all actions see the same, and the rest is drawn."""
        found = [self._moments(self.arm.actions, self._seen(row), near) for row in looked]
        return np.array([mean for mean, _ in found]), np.array([sd for _, sd in found])

    def _seen(self, looked: Float[np.ndarray, " k"]) -> dict[str, float]:
        """What is looked at, by name, and the time."""
        return dict(zip((self.arm.measured[j] for j in self._looked), looked.tolist(), strict=True)) | dict(self.when)

    def _once(self, key: Any, compute: Callable[[], T]) -> T:
        """The same for every exchange: computed once, where there is more than one."""
        if self.toll is None:
            return compute()
        if key not in self._found:
            self._found[key] = compute()
        found: T = self._found[key]
        return found

    def _price(self, names: tuple[str, ...]) -> Float[np.ndarray, " g"]:
        """Of setting some actions to what is tried, (g,), as far as it hangs on these."""
        grid, toll = self._grid(names), self.toll
        return np.zeros(len(grid)) if toll is None else self._once(("price", names), lambda: toll.price(names, grid))

    def _marginals(self, points: Float[np.ndarray, "m d"]) -> tuple[np.ndarray, np.ndarray]:
        with self.model.hallucinated(self.pending):
            return self.model.marginals(points)

    def _at(
        self, looked: Float[np.ndarray, " k"], root: float, near: Realised, exchange: float
    ) -> tuple[float, float, float]:
        """Where this is looked at: the bound at what the actions are set to, σ there, and the price."""
        arm = self.arm
        values, price = self._seen(looked), self.fixed
        for group in arm.groups(arm.actions):
            allowed = arm.known_to(group)
            known = {name: value for name, value in values.items() if name in allowed or name in arm.problem_space.seen}
            free = tuple(x for x in arm.actions if x in group or x not in known)
            grid, (mean, sd) = self._grid(free), self._moments(free, known, near)
            bound = mean + root * sd
            point = grid[int((bound if self.toll is None else bound - exchange * self._price(free)).argmax())]
            values |= {x: point[free.index(x)] for x in group}
            if self.toll is not None:
                price += float(self.toll.price(group, point[None, [free.index(x) for x in group]])[0])
        mean, sd = self._moments((), values, near)
        return float((mean + root * sd)[0]), float(sd[0]), price

    def _moments(
        self, free: tuple[str, ...], known: Mapping[str, float], near: Realised
    ) -> tuple[Float[np.ndarray, " g"], Float[np.ndarray, " g"]]:
        """Mean and deviation at what is tried of some actions, (g,) each, where this is known and the rest is drawn."""
        assert self.process is not None
        process, key = self.process, (free, tuple(known.items()), len(near.points))
        return self._once(
            key, lambda: Expectation.over(process, self._parts(free, known, near)).moments(self._grid(free))
        )

    def _parts(self, free: Sequence[str], known: Mapping[str, float], near: Realised) -> tuple[Part, ...]:
        arm = self.arm
        seen = [j for j, name in enumerate(arm.measured) if name in known]
        drawn = [j for j in range(len(arm.measured)) if j not in seen]
        law = near.law(seen, np.array([known[arm.measured[j]] for j in seen]), drawn)
        of = {arm.measured[j]: Drawn(law, k) for k, j in enumerate(drawn)}
        return tuple(Set() if n in free else Known(known[n]) if n in known else of[n] for n in arm.names)

    def _grid(self, names: tuple[str, ...]) -> Float[np.ndarray, "g f"]:
        if not names:
            return np.zeros((1, 0))
        box, k = self.arm.box(names), len(names)
        if self.toll is None:
            return box.place(lattice(_GRID * k, k))
        ends = np.array([*cartesian((0.0, 1.0), repeat=k)]) if k <= _CORNERS else np.zeros((1, k))
        return self._once(("grid", names), lambda: box.place(np.vstack([lattice(_FINE * k, k), ends])))


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

    realised: Realised = field(kw_only=True)

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
