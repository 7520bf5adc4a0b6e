"""Arms: policy scopes of a problem, with their stages, their columns, and the variables each action may depend on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..core import TIME, Round, Scope
from ..optim import Box, box_of
from ..space import Space
from ..surrogate import Part, Uncontrolled, parts_of
from .graphs.graph import CausalGraph
from .identification.scopes import affected_by, played_by, stages

Unmeasured = frozenset[tuple[frozenset[str], str]]
"""Pairs of a set of actions, and a context that was missing in an outcome of rounds with these actions."""


@dataclass(frozen=True)
class Arm:
    """A policy scope of a problem.

    Points of an arm are encoded rows: first its actions, then contexts, both in the order of the
    problem's variables; last the time, if effects may change with it.

    Attributes:
        scope: actions, and the contexts of each.
        graph: the causal graph by which it is played.
        problem_space: the problem's variables.
        timed: whether effects may change with time.
        covariates: contexts that the arm does not look at, with a column in its model: they are
            measured afterwards.
        others: other graphs that may be right.
    """

    scope: Scope
    graph: CausalGraph
    problem_space: Space
    timed: bool = False
    covariates: tuple[str, ...] = ()
    others: tuple[CausalGraph, ...] = ()

    @classmethod
    def of(
        cls, scope: Scope, graphs: Sequence[CausalGraph], space: Space, timed: bool = False
    ) -> Self:
        """Make the arm of a scope from alternative graphs."""
        graph = played_by(scope, graphs)
        return cls(
            scope,
            graph,
            space,
            timed,
            others=tuple(other for other in graphs if other is not graph),
        )

    @property
    def graphs(self) -> tuple[CausalGraph, ...]:
        """The graph by which it is played, and the others that may be right."""
        return (self.graph, *self.others)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions, in the problem's order."""
        return tuple(name for name in self.problem_space.names if name in self.scope.set)

    @cached_property
    def contexts(self) -> tuple[str, ...]:
        """Names of the contexts it looks at, or knows before choosing, in the problem's order."""
        known = {*self.scope.contexts, *self.problem_space.seen}
        return tuple(name for name in self.problem_space.names if name in known)

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """Names of the contexts among the columns: `contexts` and `covariates`, in the problem's order."""
        known = {*self.contexts, *self.covariates}
        return tuple(name for name in self.problem_space.names if name in known)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.actions + self.measured + ((TIME.name,) if self.timed else ())

    @cached_property
    def space(self) -> Space | None:
        """Variables of the columns without the time; None if the arm sets nothing and looks at nothing."""
        names = self.actions + self.measured
        return self.problem_space.subset(names) if names else None

    @cached_property
    def stages(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Pairs (contexts to look at, actions that can be set then)."""
        return stages(self.scope, self.graph)

    @cached_property
    def contexts_of(self) -> dict[str, frozenset[str]]:
        """Contexts of each action."""
        return {name: frozenset(seen) for name, seen in self.scope.actions}

    @cached_property
    def affected(self) -> frozenset[str]:
        """Contexts that an action of the scope affects: they are not drawn by nature alone."""
        return frozenset[str]().union(*self.affected_by_action.values())

    @cached_property
    def affected_by_action(self) -> dict[str, frozenset[str]]:
        """Contexts that each action affects."""
        contexts = frozenset(self.contexts)
        return {
            x: contexts.intersection(n for g in self.graphs for n in affected_by(self.scope, g, x))
            for x in self.actions
        }

    def looked_at(self, names: Collection[str]) -> frozenset[str]:
        """Contexts observed by the time that the first of these actions is set."""
        looks = {*self.problem_space.seen}
        for look, ready in self.stages:
            looks.update(look)
            if set(names) & set(ready):
                break
        return frozenset(looks)

    def groups(self, ready: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Group actions that have the same contexts and are set together; groups with fewer contexts come first."""
        parts: dict[frozenset[str], list[str]] = {}
        for name in self.actions:
            if name in ready:
                parts.setdefault(self.contexts_of[name], []).append(name)
        return [
            tuple(names)
            for _, names in sorted(parts.items(), key=lambda part: (len(part[0]), sorted(part[0])))
        ]

    def known_to(self, group: tuple[str, ...]) -> frozenset[str]:
        """Variables that a group of actions may depend on: its contexts, and actions with no further contexts."""
        seen = self.contexts_of[group[0]] | ({TIME.name} if self.timed else set())
        return seen | {
            name for name in self.actions if name not in group and self.contexts_of[name] <= seen
        }

    # -- columns -----------------------------------------------------------------------------------

    def encode(self, values: Mapping[str, Any]) -> np.ndarray:
        """Encode a point, (1, d)."""
        return self.encode_rows([values])

    def encode_rows(self, rows: Sequence[Mapping[str, Any]]) -> np.ndarray:
        """Encode points, (n, d)."""
        points = np.zeros((len(rows), 0)) if self.space is None else self.space.encode(rows)
        return (
            np.append(points, [[row[TIME.name]] for row in rows], axis=1) if self.timed else points
        )

    def encode_contexts(self, contexts: Sequence[Mapping[str, Any]]) -> np.ndarray:
        """Encode the columns after the actions, (r, d − actions); a single row if there are no contexts."""
        rows = (
            self.problem_space.subset(self.contexts).encode(contexts)
            if self.contexts
            else np.zeros((1, 0))
        )
        if not self.timed:
            return rows
        return np.append(rows, [[row[TIME.name]] for row in contexts[: len(rows)]], axis=1)

    def decode(self, names: tuple[str, ...], point: np.ndarray) -> dict[str, Any]:
        """Decode the values of actions from their columns (k,)."""
        return {
            name: self.problem_space[name].decode(point[j : j + 1])[0]
            for j, name in enumerate(names)
        }

    def columns(self, names: tuple[str, ...] | frozenset[str]) -> list[int]:
        """Positions of variables among the columns."""
        return [i for i, name in enumerate(self.names) if name in names]

    def parts(
        self, free: Sequence[str], known: Mapping[str, Any], unseen: Mapping[str, Uncontrolled]
    ) -> tuple[Part, ...]:
        """Part of every column while `free` is searched: controlled, known, or drawn as `unseen` says."""
        return parts_of(self.names, free, self.encoded(known), unseen)

    def encoded(self, known: Mapping[str, Any]) -> dict[str, float]:
        """Known values, encoded by their variables; the time is none, and stays as it is."""
        found = {}
        for name, value in known.items():
            is_time = name == TIME.name and self.timed
            found[name] = float(value if is_time else self.problem_space[name].encode([value])[0])
        return found

    def box(self, names: tuple[str, ...], near: Mapping[str, tuple[float, float]] = {}) -> Box:
        """Encoded bounds of variables; those of some may be nearer."""
        return box_of(self.problem_space, [self.problem_space.index(name) for name in names], near)


def unmeasured(rounds: Iterable[Round], contexts: Sequence[str]) -> Unmeasured:
    """Contexts without a value in outcomes of rounds, each with the actions of its round."""
    return frozenset(
        (frozenset(played.suggestion.scope.set), name)
        for played in rounds
        if played.state == "told" and played.outcome is not None
        for name in contexts
        if name not in played.outcome.realised
    )


def share_columns(arms: Sequence[Arm], missing: Unmeasured) -> list[Arm]:
    """Give arms with the same actions the same columns as far as possible, so that they share a model.

    An arm takes the contexts of other arms as covariates if they are measured in all its rounds and
    none of its actions affects them.
    """
    looked_at = {name for arm in arms for name in arm.contexts}

    def covariates(arm: Arm) -> tuple[str, ...]:
        if arm.affected:
            return ()
        set_there = arm.actions or arm.graph.intervenable
        below = [name for graph in arm.graphs for name in graph.descendants(set_there)]
        left = (
            name for name in arm.problem_space.names if name in looked_at - {*arm.contexts, *below}
        )
        return tuple(name for name in left if (frozenset(arm.actions), name) not in missing)

    return [replace(arm, covariates=covariates(arm)) for arm in arms]
