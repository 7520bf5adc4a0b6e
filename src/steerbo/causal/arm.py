"""One scope as an arm: its columns, its stages, and the values that an action may be based on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..core import TIME, Scope
from ..optim import Box
from ..space import Space
from ..surrogate import Part, Uncontrolled, parts_of
from .graph import CausalGraph
from .scopes import affected_by, stages
from .several import played_by


@dataclass(frozen=True)
class Arm:
    """A policy scope of a problem.

    `graph` is the one by which it is played, `others` may be right as well.

    Points of an arm are encoded rows: first the actions, then the contexts, both in the order of the problem's
    variables; last of all the time, where effects may change with it.

    Attributes:
        scope: what is set, after looking at what.
        graph: the causal graph.
        problem_space: the problem's variables.
        timed: whether effects may change with time.
        beside: contexts that it does not look at, and that its model has a column for: they are measured afterwards.
    """

    scope: Scope
    graph: CausalGraph
    problem_space: Space
    timed: bool = False
    beside: tuple[str, ...] = ()
    others: tuple[CausalGraph, ...] = ()

    @classmethod
    def of(cls, scope: Scope, graphs: Sequence[CausalGraph], space: Space, timed: bool = False) -> Self:
        """The arm of a scope, where one of these graphs is right."""
        graph = played_by(scope, graphs)
        return cls(scope, graph, space, timed, others=tuple(other for other in graphs if other is not graph))

    @property
    def graphs(self) -> tuple[CausalGraph, ...]:
        """The graph by which it is played, and the others that may be right."""
        return (self.graph, *self.others)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """What is set, in the problem's order."""
        return tuple(name for name in self.problem_space.names if name in self.scope.set)

    @cached_property
    def contexts(self) -> tuple[str, ...]:
        """What is looked at, or seen before choosing, in the problem's order."""
        known = {*self.scope.contexts, *self.problem_space.seen}
        return tuple(name for name in self.problem_space.names if name in known)

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """The contexts of its columns, whether it looks at them or not, in the problem's order."""
        known = {*self.contexts, *self.beside}
        return tuple(name for name in self.problem_space.names if name in known)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.actions + self.measured + ((TIME.name,) if self.timed else ())

    @cached_property
    def space(self) -> Space | None:
        """The variables of the columns but the time; None for the scope that sets nothing and looks at nothing."""
        names = self.actions + self.measured
        return self.problem_space.subset(names) if names else None

    @cached_property
    def stages(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Pairs (what to look at now, what can be set then)."""
        return stages(self.scope, self.graph)

    @cached_property
    def sees(self) -> dict[str, frozenset[str]]:
        """The contexts of each action."""
        return {name: frozenset(seen) for name, seen in self.scope.actions}

    @cached_property
    def affected(self) -> frozenset[str]:
        """Contexts that some action of the scope affects: what they are is not nature's choice alone."""
        below = {name for x in self.actions for graph in self.graphs for name in affected_by(self.scope, graph, x)}
        return frozenset(self.contexts) & below

    def looked_at(self, names: Collection[str]) -> frozenset[str]:
        """What has been looked at, or seen before choosing, by the time that the first of these actions is set."""
        looks = {*self.problem_space.seen}
        for look, ready in self.stages:
            looks.update(look)
            if set(names) & set(ready):
                break
        return frozenset(looks)

    def encode(self, values: Mapping[str, Any]) -> np.ndarray:
        """One row (1, d)."""
        row = np.zeros((1, 0)) if self.space is None else self.space.encode([values])
        return np.append(row, [[values[TIME.name]]], axis=1) if self.timed else row

    def looks(self, contexts: Sequence[Mapping[str, Any]]) -> np.ndarray:
        """The columns after those of the actions, by row; one row where nothing stands there."""
        rows = self.problem_space.subset(self.contexts).encode(contexts) if self.contexts else np.zeros((1, 0))
        if not self.timed:
            return rows
        return np.append(rows, [[row[TIME.name]] for row in contexts[: len(rows)]], axis=1)

    def columns(self, names: tuple[str, ...] | frozenset[str]) -> list[int]:
        """Where these variables stand."""
        return [i for i, name in enumerate(self.names) if name in names]

    def parts(
        self, free: Sequence[str], known: Mapping[str, Any], unseen: Mapping[str, Uncontrolled]
    ) -> tuple[Part, ...]:
        """Every column's part while `free` is searched."""
        encoded = {
            name: float(value if name == TIME.name and self.timed else self.problem_space[name].encode([value])[0])
            for name, value in known.items()
        }
        return parts_of(self.names, free, encoded, unseen)

    def decode(self, names: tuple[str, ...], point: np.ndarray) -> dict[str, Any]:
        """Settable values of actions from their encoded columns (k,)."""
        return {name: self.problem_space[name].decode(point[j : j + 1])[0] for j, name in enumerate(names)}

    def box(self, names: tuple[str, ...]) -> Box:
        """Where these variables may be set."""
        return box_of(self.problem_space, names)

    def groups(self, ready: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Actions that are set together, because they see the same; those that see less come first."""
        parts: dict[frozenset[str], list[str]] = {}
        for name in self.actions:
            if name in ready:
                parts.setdefault(self.sees[name], []).append(name)
        return [tuple(names) for _, names in sorted(parts.items(), key=lambda part: (len(part[0]), sorted(part[0])))]

    def known_to(self, group: tuple[str, ...]) -> frozenset[str]:
        """What an action may be based on: its contexts, and actions that are themselves based on no more than these."""
        seen = self.sees[group[0]] | ({TIME.name} if self.timed else set())
        return seen | {name for name in self.actions if name not in group and self.sees[name] <= seen}


def box_of(space: Space, names: Sequence[str]) -> Box:
    """The encoded box of some variables."""
    levels = [space[name].levels for name in names]
    return Box(
        [0.0 if k is None else float(k[0]) for k in levels],
        [1.0 if k is None else float(k[-1]) for k in levels],
        levels,
        space.categorical[[space.index(name) for name in names]],
    )
