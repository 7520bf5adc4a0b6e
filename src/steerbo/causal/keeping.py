"""What limits leave of what an arm may set: of its boxes, and of actions that are tried at contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from ..core import TIME
from ..optim import Box, FeasibleRegion, Margin
from ..surrogate import ConstraintModel, Controlled, FailureModel, Part, Uncontrolled, feasibility_margin
from .arm import Arm
from .limits import ScopeLimits


@dataclass(frozen=True, eq=False)
class Keeping:
    """Where an arm's actions are within limits on what is set, and likely to work and to keep to others.

    Attributes:
        arm: the scope.
        limits: of the problem on what is set; None: there are none.
        watched: further outcomes that are limited, as far as there are enough of them.
        failing: what is known of failures; None: nothing.
        answering: whether it is for what is recommended, which is to be surer to work.
    """

    arm: Arm
    limits: ScopeLimits | None = None
    watched: Sequence[ConstraintModel] = ()
    failing: FailureModel | None = None
    answering: bool = False

    @property
    def guarding(self) -> bool:
        """Whether something is to be likely: to be kept to, or to work."""
        return bool(self.watched or (self.failing is not None and self.failing.failures))

    @property
    def limiting(self) -> bool:
        """Whether there is anything to keep to."""
        return self.guarding or (self.limits is not None and bool(self.limits.limits))

    def box(self, names: tuple[str, ...], known: Mapping[str, Any]) -> Box:
        """Where these actions may be set, by limits on what is set: see `ScopeLimits.box`."""
        return self.arm.box(names) if self.limits is None else self.limits.box(self.arm, names, known)

    def guarded(self, names: tuple[str, ...], known: Mapping[str, Any], unseen: Mapping[str, Uncontrolled]) -> Box:
        """The same where it is likely enough to keep to limits on what is measured.

        What was set and looked at by then is known to it; other contexts are drawn as `unseen` says.
        """
        box, arm = self.box(names, known), self.arm
        if not self.guarding or not names:
            return box
        group = [name for name in names if name not in known]
        counted = {*arm.actions, *arm.looked_at(group), TIME.name}
        parts = arm.parts(group, {n: known[n] for n in arm.names if n in known and n in counted}, unseen)
        margin, own = self.margin(parts), [names.index(name) for name in group]
        return box if margin is None else FeasibleRegion(box, lambda points: margin(points[:, own]))

    def margin(self, parts: Sequence[Part]) -> Margin | None:
        """By how much actions are likely enough; None: all are, as far as is known."""
        return feasibility_margin(self.watched, self.failing, parts, self.answering)

    def tried(self, unit: Float[np.ndarray, "g k"], contexts: Sequence[Mapping[str, Any]]) -> Tried:
        """All actions, placed within limits from points of the unit cube, at each of some contexts."""
        arm, looks = self.arm, self.arm.looks(contexts)
        moving = self.limits is not None and bool(self.limits.concerned & set(arm.contexts))
        grids = [self.box(arm.actions, seen).place(unit) for seen in contexts[: len(looks) if moving else 1]]
        grid = np.stack(grids) if moving else np.repeat(grids[0][None], len(looks), axis=0)
        rows = np.concatenate([grid, np.repeat(looks[:, None], grid.shape[1], axis=1)], axis=2)
        found = Tried(rows)
        margin = self.margin([Controlled()] * rows.shape[2])
        return found if margin is None else Tried(rows, margin(found.flat).reshape(rows.shape[:2]))


@dataclass(frozen=True, eq=False)
class Tried:
    """Actions that are tried at contexts.

    Attributes:
        rows: (r, g, d) points of the arm.
        margins: (r, g) by how much they are likely enough to keep to limits; None: there is nothing to keep to.
    """

    rows: Float[np.ndarray, "r g d"]
    margins: Float[np.ndarray, "r g"] | None = None

    @property
    def flat(self) -> Float[np.ndarray, "m d"]:
        """All rows, actions running fastest."""
        return self.rows.reshape(self.rows.shape[0] * self.rows.shape[1], -1 if self.rows.size else 0)

    def best(self, values: Float[np.ndarray, "r g"]) -> Int[np.ndarray, " r"]:
        """At each context the largest value among actions that are likely enough; where none is, the likeliest."""
        return best_kept(values, self.margins)


def best_kept(values: Float[np.ndarray, "r g"], margins: Float[np.ndarray, "r g"] | None) -> Int[np.ndarray, " r"]:
    """In each row the largest value among those with a margin that is not below 0; where none is, the largest margin.

    >>> best_kept(np.array([[1.0, 3.0], [1.0, 3.0]]), np.array([[0.5, -1.0], [-1.0, -0.5]]))
    array([0, 1])
    """
    if margins is None:
        return np.asarray(values.argmax(axis=1))
    kept = np.where(margins >= 0.0, values, -np.inf).argmax(axis=1)
    return np.where(margins.max(axis=1) < 0.0, margins.argmax(axis=1), kept)


def short_of(margins: Float[np.ndarray, "r g"] | None, rows: int) -> Float[np.ndarray, " r"]:
    """0 in rows in which an action is likely enough, else from 1 to 2: the more, the less likely the likeliest is."""
    if margins is None:
        return np.zeros(rows)
    lacking = -margins.max(axis=1)
    return np.where(lacking > 0.0, 1.0 + lacking / (1.0 + np.abs(lacking)), 0.0)


def share_short(short: Float[np.ndarray, " r"]) -> float:
    """In how many contexts nothing is likely enough, as a share; from 1 to 2 where that is so in all of them.

    >>> share_short(np.array([0.0, 1.5])), share_short(np.array([1.25, 1.75]))
    (0.5, 1.5)
    """
    return float(short.mean() if (short > 0.0).all() else (short > 0.0).mean())
