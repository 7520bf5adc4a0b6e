"""Initial plays, until enough is known for the model to choose.

Control sets follow one another at uniform settings. Where variables are hard to change, plays come
in plots, or batches: the first play of each moves one of them, in turn, far from where it was
before, and the others none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from .._arrays import Float
from ..core import SEEN, Choice, History, batch_position, context_of
from ..space import Categorical
from ..surrogate import STARTING_POINTS
from ._switching import ASSUMED
from .method import CostVaryingMethod
from .search_space import Arm

POSITIONS, PLOT, START = 4, 3, 0.3
"""Moves of each hard-to-change variable at the start, plays at each position at most, and the share of all rounds, or
of the money, that the start takes at most."""
_SPREAD = 16  # random starting points, of which the one that moves furthest is taken


def starting_play(method: CostVaryingMethod[Any], request: Mapping[str, Any]) -> Choice | None:
    """Choose an initial play: control sets in turn, at uniform settings, until `STARTING_POINTS` are known or out.

    Moves of hard-to-change variables take at most the share `START` of the money. The problem's
    `current` values are played before, unless there are data. None: the initial plays are done.
    """
    return _Start(method, request).choose()


class _Start:
    """The start of a study, as seen from one round."""

    def __init__(self, method: CostVaryingMethod[Any], request: Mapping[str, Any]) -> None:
        self.method, self.problem, self.space = method, method.problem, method.search_space
        self.history, self.request = method.history, request
        self.draw = method.streams(self.history.next_round, "start")

    def choose(self) -> Choice | None:
        """The play, or None: enough is known."""
        method, history, request = self.method, self.history, self.request
        if self._started():
            return None
        if self.problem.current is not None and not len(history) and not len(method.model):
            seen, arm = request.get(SEEN.name, {}), Arm(method.today.control_set)
            values = method.today.settings(seen)
            if method.within_limits(self.problem.scopes[arm.set], values, seen):
                point = self.space.point(arm.set, values)
                return replace(method.play(arm, point, request), values=values)
        affordable = method.working(np.flatnonzero(method.affordable(request)).tolist())
        batch, plot = batch_position(request), self._plot
        # sets follow each other in blocks: a variable that one of them has moved can stay for its
        # next play
        block = plot * math.ceil(self._positions_to_try / len(affordable))
        i = affordable[len(history) // block % len(affordable)]
        if self.problem.current is not None and self.problem.costs is not None:
            # to hold other variables is a step, too: bounds say whether it pays
            here = method.today.control_set
            i = here if here in affordable else i
        latest = history.latest
        failed = latest is not None and latest.state == "failed"  # to stay there teaches nothing
        follows = batch.number > 1 or (batch.of == 1 and len(history) % plot > 0 and not failed)
        if follows and latest:
            same = self.problem.number(latest.suggestion.scope)
            i = same if same in affordable else i
        arm, point = Arm(i), method.random_point(i, request, self.draw)
        if follows:
            arm, point = method.in_place(arm, point, request)
        elif self.problem.space.changes:
            moved, there = self._one_moved(arm, point)
            price = self.problem.change_cost(self.space.settings(moved, there), history) or 0.0
            if failed or not price or share_used(history, price) < START:
                arm, point = moved, there
            elif self._known >= STARTING_POINTS:
                return None
            else:
                arm, point = method.in_place(arm, point, request)
        if self._known >= STARTING_POINTS and not self._keeps_limits(arm, point):
            return None
        return method.play(arm, point, request)

    def _keeps_limits(self, arm: Arm, point: Float[np.ndarray, " c"]) -> bool:
        """Whether a play keeps the limits as often as asked: else bounds choose, which know where they are kept."""
        settings, context = self.space.settings(arm, point), context_of(self.request)
        return self.method.keeps_limits(self.problem.scopes[arm.set], settings, context)

    def _started(self) -> bool:
        """Whether enough is known for the model to choose: of hard-to-change variables some positions, too."""
        changes = self.problem.space.changes
        if self._known < STARTING_POINTS or not changes:
            return self._known >= STARTING_POINTS
        return (
            len(self._tried) + len(self.history.data) >= self._positions_to_try
            or share_used(self.history) >= START
        )

    @property
    def _tried(self) -> set[tuple[Any, ...]]:
        """Positions of hard-to-change variables that were asked for."""
        return {
            tuple(played.suggestion.values.get(name) for name in self.problem.space.changes)
            for played in self.history
        }

    @property
    def _known(self) -> int:
        """Number of outcomes, with those of pending plays."""
        return len(self.method.model) + len(self.history.pending)

    @cached_property
    def _plot(self) -> int:
        """Starting plays at each position: as many as there are variables that are easy to change, at most `PLOT`."""
        changes = len(self.problem.space.changes)
        return min(PLOT, max(1, self.problem.space.dimension - changes)) if changes else 1

    @cached_property
    def _positions_to_try(self) -> int:
        """Number of positions of hard-to-change variables that starting points are to have; 1 where there are none."""
        levels = (self.problem.space[name].levels for name in self.problem.space.changes)
        return 1 + sum(
            POSITIONS if each is None else min(POSITIONS, len(each) - 1) for each in levels
        )

    def _one_moved(
        self,
        arm: Arm,
        point: Float[np.ndarray, " c"],
    ) -> tuple[Arm, np.ndarray]:
        """Arm of the same set that moves one hard-to-change variable, each in turn, and a point far from earlier ones.

        As given where the others cannot stay in place.
        """
        method, space, history = self.method, self.space, self.history
        positions = self.problem.keepable_positions(history)
        hard = [
            name
            for name in self.problem.control_sets[arm.set]
            if name in self.problem.space.changes
        ]
        if not hard or not all(name in positions for name in hard):
            return arm, point
        moved = hard[len(self._tried) % len(hard)]
        stays = Arm(arm.set, {name: positions[name] for name in hard if name != moved})
        column = self.problem.space.index(moved)
        planned = (played.suggestion.values for played in history)
        been = [
            space.encoded({moved: values[moved]})[moved] for values in planned if moved in values
        ]
        points = [
            point,
            *(method.random_point(arm.set, self.request, self.draw) for _ in range(_SPREAD - 1)),
        ]
        to = np.array(points)[:, space.searched(arm).index(column)]
        gaps = np.abs(to[:, None] - [*been, *method.model.inputs[:, column]])
        if isinstance(self.problem.space[moved], Categorical):
            gaps = np.sign(gaps)
        farthest = points[int(gaps.min(axis=1, initial=1.0).argmax())]
        left = space.moved_in_place(arm, farthest, stays, self.request.get(SEEN.name, {}))
        return (arm, farthest) if left is None else (stays, left)


def share_used(history: History, more: float = 0.0) -> float:
    """Share of the rounds, or of the money if that is larger, that is used so far and by paying some more.

    Where neither is limited: of `ASSUMED` rounds.
    """
    rounds = (
        len(history) / (history.limit or ASSUMED)
        if history.limit or history.budget is None
        else 0.0
    )
    return max(
        rounds,
        (history.budget - history.remaining + more) / history.budget if history.budget else 0.0,
    )
