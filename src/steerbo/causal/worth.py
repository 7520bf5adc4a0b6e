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

from ..optim import in_units, kronecker
from ..surrogate import Controlled, Expectation, Observed, Part, ProductKernelPosterior, Uncontrolled
from .arm import Arm
from .arm_model import ArmModel, Posterior
from .charges import Toll
from .keeping import Keeping, best_kept, short_of
from .nearness import Realised
from .policy import value_of

ROWS = 32
"""Contexts, the latest, that scopes are compared over."""
_GRID = 16  # actions, for each that is set, among which the best is sought
_FINE = 48  # the same where prices hang on them, or where some keep to limits on what is measured
_CORNERS = 6  # actions at most whose extremes are all tried, where prices hang on them

T = TypeVar("T")
Column = Float[np.ndarray, " r"]
Bounds = tuple[Column, Column, Column, Column, Float[np.ndarray, "r a"]]
"""At every context: a bound, σ there, a price, 1 where nothing is known that keeps to limits, else 0; what is set."""
Margins = Float[np.ndarray, "r g"] | None
Tried = tuple[
    Float[np.ndarray, "r g"], Float[np.ndarray, "r g"], Float[np.ndarray, "r g"], Margins, Float[np.ndarray, "r g a"]
]
"""Of actions that are tried at contexts: means, deviations, prices, margins (see `Outbox.margin`), and the actions."""


@dataclass(frozen=True, eq=False)
class Worth:
    """What an arm's policy gives, in the model's standardised units.

    Attributes:
        arm: the scope.
        model: of its outcomes.
        pending: (p, d) points without an outcome, at which variances shrink.
        processes: the same for integrals, of each draw of the hyperparameters that counts; none where the model has no
            columns.
        realised: contexts, the latest first.
        when: the time, by name, where effects change with it.
        toll: what actions cost whose price hangs on what they are set to; None: no price does.
        fixed: what a play costs beside.
        within: what limits leave; None: there are none.
        answering: whether σ is how well the expected value is known, and not what a play there may teach.
    """

    arm: Arm
    model: Posterior
    pending: Float[np.ndarray, "p d"]
    processes: Sequence[ProductKernelPosterior]
    realised: Realised
    when: Mapping[str, float] = field(default_factory=dict)
    toll: Toll | None = None
    fixed: float = 1.0
    within: Keeping | None = None
    answering: bool = False
    _found: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def keeping(self) -> Keeping:
        """What limits leave."""
        return self.within or Keeping(self.arm)

    def bounds(self, root: float, most: int, exchange: float = 0.0) -> Bounds:
        """At each of the latest contexts the best actions' bound `μ + root · σ`, σ there, and their price, (r,) each.

        The best are those with the largest bound less `exchange` times their price, of those that are likely enough to
        keep to limits; where none is, the likeliest, and that is said.
        """
        if not self.processes:
            points = self._now(np.zeros((1, 0)))
            (mean, variance), margin = self._marginals(points), self.keeping.margin([Controlled()] * points.shape[1])
            short = short_of(None if margin is None else margin(points)[None], 1)
            return mean + root * np.sqrt(variance), np.sqrt(variance), np.full(1, self.fixed), short, np.zeros((1, 0))
        near = self.realised.latest(most)  # also what is drawn: all scopes are compared over the same contexts
        rows = near.points
        if self.arm.affected or not self._drawn:
            return self._best_of(self._once(most, lambda: self._all_known(rows)), root, exchange)
        looked, back = np.unique(rows[:, self._looked], axis=0, return_inverse=True)
        if len(self.arm.groups(self.arm.actions)) > 1:
            one_by_one = np.array([self._at(row, root, near, exchange) for row in looked])[back.ravel()]
            return *one_by_one[:, :4].T, one_by_one[:, 4:]
        found = self._best_of(self._once(most, lambda: self._one_group(looked, near)), root, exchange)
        bound, spread, price, unlikely, actions = (part[back.ravel()] for part in found)
        return bound, spread, price, unlikely, actions

    def deviation(self, actions: Float[np.ndarray, "r a"]) -> float:
        """How well is known what these actions give on average over the latest contexts, in the user's units."""
        rows = np.zeros((1, 0)) if self.arm.space is None else self.realised.points[: len(actions)]
        return value_of(self.model, self._now(np.hstack([actions, rows])))[1]

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

    def _best_of(self, tried: Tried, root: float, exchange: float) -> Bounds:
        """The best of all actions that are tried, at each context; prices are theirs alone."""
        each, best, bound = self._best(tried, root, exchange)
        spread, price, short = tried[1][each, best], self.fixed + tried[2][each, best], short_of(tried[3], len(best))
        return bound[each, best], spread, price, short, tried[4][each, best]

    def _best(self, tried: Tried, root: float, exchange: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The number of each context, and that of the best action there; and all bounds."""
        mean, sd, price, margins, _ = tried
        bound = mean + root * sd
        best = best_kept(bound if self.toll is None else bound - exchange * price, margins)
        return np.arange(len(mean)), best, bound

    def _all_known(self, rows: Float[np.ndarray, "r c"]) -> Tried:
        """What is tried at each context, all of which is known."""
        actions, each = self.arm.actions, [dict(zip(self.arm.measured, row.tolist(), strict=True)) for row in rows]
        grids = np.array([self._grid(actions, known) for known in each])
        points = self._now(np.hstack([np.concatenate(grids), np.repeat(rows, grids.shape[1], axis=0)]))
        mean, variance = self._marginals(points)
        margin = self.keeping.margin([Controlled()] * points.shape[1])
        price = np.array([self._price(actions, known) for known in each])
        flat = mean, np.sqrt(variance), price, None if margin is None else margin(points)
        parts = (None if part is None else part.reshape(price.shape) for part in flat)
        return *parts, grids  # type: ignore[return-value]

    def _one_group(self, looked: Float[np.ndarray, "r k"], near: Realised) -> Tried:
        """The same where all actions see the same, and the rest is drawn."""
        found = [self._moments(self.arm.actions, known, near, known) for known in map(self._seen, looked)]
        parts = zip(*found, strict=True)
        return tuple(None if part[0] is None else np.concatenate(part) for part in parts)  # type: ignore[return-value]

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

    def _price(self, names: tuple[str, ...], known: Mapping[str, float]) -> Float[np.ndarray, " g"]:
        """Of setting some actions to what is tried, (g,), as far as it hangs on these."""
        grid, toll = self._grid(names, known), self.toll
        if toll is None:
            return np.zeros(len(grid))
        return self._once(("price", names, self._counted(known)), lambda: toll.price(names, grid))

    def _marginals(self, points: Float[np.ndarray, "m d"]) -> tuple[np.ndarray, np.ndarray]:
        with self.model.with_fantasies(self.pending):
            return self.model.marginals(points)

    def _at(self, looked: Float[np.ndarray, " k"], root: float, near: Realised, exchange: float) -> tuple[float, ...]:
        """Where this is looked at: the bound, σ, the price, 1 where nothing keeps to limits, and what is set."""
        arm = self.arm
        values, price, short = self._seen(looked), self.fixed, 0.0
        for group in arm.groups(arm.actions):
            allowed = arm.known_to(group)
            known = {name: value for name, value in values.items() if name in allowed or name in arm.problem_space.seen}
            free = tuple(x for x in arm.actions if x in group or x not in known)
            grid, tried = self._grid(free, values), self._moments(free, known, near, values)
            point = grid[int(self._best(tried, root, exchange)[1][0])]
            values |= {x: point[free.index(x)] for x in group}
            short = float(short_of(tried[3], 1)[0])
            if self.toll is not None:
                price += float(self.toll.price(group, point[None, [free.index(x) for x in group]])[0])
        mean, sd, *_ = self._moments((), values, near, values)
        return float((mean + root * sd)[0, 0]), float(sd[0, 0]), price, short, *(values[x] for x in arm.actions)

    def _moments(
        self, free: tuple[str, ...], known: Mapping[str, float], near: Realised, values: Mapping[str, float]
    ) -> Tried:
        """What is tried of some actions where this is known and the rest is drawn; limits count all `values`."""
        key = free, tuple(known.items()), self._counted(values), len(near.points)

        def compute() -> Tried:
            grid = self._grid(free, values)
            mean, sd = self._expected(self._parts(free, known, near), grid)
            own = [j for j, name in enumerate(free) if name not in values]
            margin = self.keeping.margin(self._parts([free[j] for j in own], values, near))
            margins = None if margin is None else margin(grid[:, own])[None]
            return mean[None], sd[None], self._price(free, values)[None], margins, grid[None]

        return self._once(key, compute)

    def _expected(self, parts: Sequence[Part], grid: Float[np.ndarray, "g f"]) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation of the expected value, of all processes as one mixture."""
        each = [Expectation.over(process, parts) for process in self.processes]
        some = [one.of_mean() if self.answering else one for one in each]
        means, sds = np.array([one.moments(grid) for one in some]).transpose(1, 0, 2)
        mean = means.mean(axis=0)
        return mean, np.sqrt((sds**2 + (means - mean) ** 2).mean(axis=0))

    def _parts(self, free: Sequence[str], known: Mapping[str, float], near: Realised) -> tuple[Part, ...]:
        arm = self.arm
        seen = [j for j, name in enumerate(arm.measured) if name in known]
        drawn = [j for j in range(len(arm.measured)) if j not in seen]
        law = near.law(seen, np.array([known[arm.measured[j]] for j in seen]), drawn)
        of = {arm.measured[j]: Uncontrolled(law, k) for k, j in enumerate(drawn)}
        return tuple(Controlled() if n in free else Observed(known[n]) if n in known else of[n] for n in arm.names)

    def _grid(self, names: tuple[str, ...], known: Mapping[str, float]) -> Float[np.ndarray, "g f"]:
        """What is tried of some actions, within what limits leave where this is known."""
        if not names:
            return np.zeros((1, 0))
        k, space = len(names), self.arm.problem_space
        counted = {name: in_units(space[name], np.array([value]))[0] for name, value in self._counted(known)}

        def placed() -> Float[np.ndarray, "g f"]:
            box = self.keeping.box(names, counted)
            if self.toll is None:
                return box.place(kronecker((_FINE if self.keeping.guarding else _GRID) * k, k))
            ends = np.array([*cartesian((0.0, 1.0), repeat=k)]) if k <= _CORNERS else np.zeros((1, k))
            return box.place(np.vstack([kronecker(_FINE * k, k), ends]))

        return self._once(("grid", names, self._counted(known)), placed)

    def _counted(self, known: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
        """What limits count of what is known."""
        limits = self.keeping.limits
        return () if limits is None else tuple((n, value) for n, value in known.items() if n in limits.concerned)


def fitted_at(model: ArmModel, time: float | None) -> Float[np.ndarray, " n"]:
    """Posterior means at the observed points, standardised, (n,), moved to a time; None: effects do not change."""
    if time is None:
        return model.fitted
    points = model.inputs.copy()
    points[:, -1] = time
    return model.means(points)
