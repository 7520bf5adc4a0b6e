"""A causal graph as plain data: what causes what, what hidden causes join, what can be set and what looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Graph(Protocol):
    """What a structural causal model asks of its graph."""

    @property
    def names(self) -> Sequence[str]:
        """Of all observed variables."""

    @property
    def target(self) -> str:
        """What is to be made large, or small."""

    @property
    def intervenable(self) -> Sequence[str]:
        """What can be set."""

    def descendants(self, names: Iterable[str]) -> Iterable[str]:
        """What these affect, and these."""


@dataclass(frozen=True)
class Diagram:
    """Directed edges, and pairs with a hidden common cause.

    Attributes:
        directed: pairs of a cause and its effect.
        bidirected: pairs with a hidden common cause.
        target: what is measured.
        intervenable: what can be set.
        contexts: what can be looked at before; None: everything else that is observed.
        variables: further ones, without edges.

    >>> Diagram([("x", "y"), ("c", "x")], [], "y", ["x"]).seen
    ('c',)
    """

    directed: Sequence[tuple[str, str]]
    bidirected: Sequence[tuple[str, str]]
    target: str
    intervenable: Sequence[str]
    contexts: Sequence[str] | None = None
    variables: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All variables, as edges name them first."""
        edges = (*self.directed, *self.bidirected)
        return tuple(dict.fromkeys((*(name for edge in edges for name in edge), *self.variables)))

    @property
    def seen(self) -> tuple[str, ...]:
        """What can be looked at."""
        if self.contexts is not None:
            return tuple(self.contexts)
        return tuple(n for n in self.names if n != self.target and n not in self.intervenable)

    def descendants(self, names: Iterable[str]) -> set[str]:
        """What these affect, and these."""
        found, waiting = set[str](), list(names)
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                waiting += [effect for cause, effect in self.directed if cause == name]
        return found
