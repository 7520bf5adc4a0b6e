"""The best values of actions, from what they may be based on and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from ..optim import FeasibleRegion, Polytope
from ..surrogate import Acquisition, ExpectedAcquisition, Rows, Uncontrolled
from .arm import Arm
from .arm_model import Posterior
from .charges import Toll
from .keeping import Keeping

_IMAGINED = 16  # rows of contexts not yet seen that a decision is averaged over
_DRAWN = 64  # points at random, of which one is taken that is likely to keep to limits
_NUDGE = 0.02  # of the box's width


@dataclass(frozen=True, eq=False)
class Actor:
    """Sets the actions of an arm by its model.

    Where prices hang on what is set, money is weighed against value: see `Toll`; what cannot be paid is not set.
    """

    arm: Arm
    model: Posterior
    toll: Toll | None = None
    within: Keeping | None = None

    @property
    def keeping(self) -> Keeping:
        """What limits leave."""
        return self.within or Keeping(self.arm)

    def drawn(self, group: tuple[str, ...], known: Mapping[str, Any], random: np.random.Generator) -> dict[str, Any]:
        """Values of a group of actions at random, within limits: of some the first that are likely to keep to them."""
        arm, free = self.arm, self._unset(group, known)
        unseen = self._unseen(self._held(group, known), random) if self.keeping.guarding else {}
        box = self.keeping.guarded(free, known, unseen)
        points = box.place(random.random((_DRAWN if isinstance(box, FeasibleRegion) else 1, len(free))))
        if isinstance(box, FeasibleRegion):
            kept = box.margin(points)
            points = points[[int(np.argmax(kept >= 0.0) if (kept >= 0.0).any() else np.argmax(kept))]]
        return arm.decode(group, self._payable(group, free, points[0], known, unseen))

    def best(
        self,
        group: tuple[str, ...],
        known: Mapping[str, Any],
        score: Acquisition,
        random: np.random.Generator,
        *,
        tried: Float[np.ndarray, "p d"] | None = None,
    ) -> dict[str, Any]:
        """The best values of a group of actions, by `score`.

        An action may use its own contexts only, and actions that use no more. All other contexts are averaged over the
        arm's past, all other actions are chosen along with it and then forgotten. Actions in `tried`, which have no
        outcome yet, are not chosen again to the last digit: a hair beside them tells as much, and a failure there need
        not repeat.
        """
        arm = self.arm
        held, toll = self._held(group, known), self.toll
        free = tuple(name for name in arm.actions if name in group or name not in held)
        columns, unseen = arm.columns(frozenset(free)), self._unseen(held, random)
        parts = arm.parts(free, held, unseen)
        less = None if toll is None or not toll.exchange else partial(toll.worth, free)
        search = ExpectedAcquisition.over(self.model, score, parts, less)
        box = self.keeping.guarded(free, known, unseen)
        points, _ = search.maximise(box, int(random.integers(2**32)))
        point = points[0]
        if tried is not None and (tried[:, columns] == point).all(axis=1).any():
            near = box.snap(point + _NUDGE * random.standard_normal((32, len(free))))
            near = np.concatenate([near, box.place(random.random((8, len(free))))])
            fresh = near[~(tried[:, None, columns] == near).all(axis=2).any(axis=0)]
            fresh = fresh[box.allows(fresh)] if isinstance(box, Polytope) else fresh
            point = fresh[int(np.argmax(search.value(fresh)))] if len(fresh) else point
        return arm.decode(group, self._payable(group, free, point, known, unseen))

    def _held(self, group: tuple[str, ...], known: Mapping[str, Any]) -> dict[str, Any]:
        """What these actions may be based on, of what is known."""
        allowed = self.arm.known_to(group)
        return {name: known[name] for name in self.arm.names if name in allowed and name in known}

    def _unset(self, group: tuple[str, ...], known: Mapping[str, Any]) -> tuple[str, ...]:
        """A group of actions, and where there are limits all others that are still to be set: they must find room."""
        more = self.keeping.limiting
        return tuple(x for x in self.arm.actions if x in group or (more and x not in known))

    def _payable(
        self,
        group: tuple[str, ...],
        free: tuple[str, ...],
        point: Float[np.ndarray, " f"],
        known: Mapping[str, Any],
        unseen: Mapping[str, Uncontrolled],
    ) -> Float[np.ndarray, " g"]:
        """The group's part of a point; where that cannot be paid, the nearest that can, the other actions as there."""
        own = point[[free.index(x) for x in group]]
        if self.toll is None:
            return own
        names = tuple(x for x in free if x in self.toll.names)
        planned = point[[free.index(x) for x in names]]
        if self.toll.payable(names, planned):
            return own
        others = {**self.arm.decode(free, point), **known}
        rest = {name: value for name, value in others.items() if name not in names}
        found = self.toll.within(names, self.keeping.guarded(names, rest, unseen), planned)
        return found[[names.index(x) for x in group]]

    def _unseen(self, held: Mapping[str, Any], random: np.random.Generator) -> dict[str, Uncontrolled]:
        """The contexts that are not known: together, as rows drawn from the arm's past."""
        arm = self.arm
        names = [name for name in arm.contexts if name not in held]
        if not names:
            return {}
        past, d = self.model.inputs, len(arm.names)
        rows = past[random.integers(len(past), size=_IMAGINED)] if len(past) else random.random((_IMAGINED, d))
        law = Rows(rows[:, arm.columns(frozenset(names))], np.full(_IMAGINED, 1 / _IMAGINED))
        return {name: Uncontrolled(law, j) for j, name in enumerate(names)}
