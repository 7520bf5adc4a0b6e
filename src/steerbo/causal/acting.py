"""The best values of actions, from what they may be based on and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from ..surrogate import AveragedScore, Drawn, Rows, Score
from .arm import Arm
from .arm_model import ArmModel
from .charges import Toll

_IMAGINED = 16  # rows of contexts not yet seen that a decision is averaged over
_NUDGE = 0.02  # of the box's width


@dataclass(frozen=True, eq=False)
class Actor:
    """Sets the actions of an arm by its model.

    Where prices hang on what is set, money is weighed against value: see `Toll`; what cannot be paid is not set.
    """

    arm: Arm
    model: ArmModel
    toll: Toll | None = None

    def best(
        self,
        group: tuple[str, ...],
        known: Mapping[str, Any],
        score: Score,
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
        allowed = arm.known_to(group)
        held = {name: known[name] for name in arm.names if name in allowed and name in known}
        free = tuple(name for name in arm.actions if name in group or name not in held)
        columns = arm.columns(frozenset(free))
        parts, toll = arm.parts(free, held, self._unseen(held, random)), self.toll
        less = None if toll is None or not toll.exchange else partial(toll.worth, free)
        search = AveragedScore.over(self.model, score, parts, less)
        box = arm.box(free)
        points, _ = search.maximise(box, int(random.integers(2**32)))
        point = points[0]
        if tried is not None and (tried[:, columns] == point).all(axis=1).any():
            near = box.snap(point + _NUDGE * random.standard_normal((32, len(free))))
            near = np.concatenate([near, box.place(random.random((8, len(free))))])
            fresh = near[~(tried[:, None, columns] == near).all(axis=2).any(axis=0)]
            point = fresh[int(np.argmax(search.value(fresh)))] if len(fresh) else point
        if toll is not None:
            own = [free.index(x) for x in group]
            point[own] = toll.within(group, arm.box(group), point[own])
        values = arm.decode(free, point)
        return {name: values[name] for name in group}

    def _unseen(self, held: Mapping[str, Any], random: np.random.Generator) -> dict[str, Drawn]:
        """The contexts that are not known: together, as rows drawn from the arm's past."""
        arm = self.arm
        names = [name for name in arm.contexts if name not in held]
        if not names:
            return {}
        past, d = self.model.inputs, len(arm.names)
        rows = past[random.integers(len(past), size=_IMAGINED)] if len(past) else random.random((_IMAGINED, d))
        law = Rows(rows[:, arm.columns(frozenset(names))], np.full(_IMAGINED, 1 / _IMAGINED))
        return {name: Drawn(law, j) for j, name in enumerate(names)}
