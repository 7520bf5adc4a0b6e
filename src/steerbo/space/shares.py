"""Limits on where agents may be: shares and numbers of those that take an action, and both in whole agents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field

from ..errors import InvalidProblem
from ..record import record
from .fields import Listed, Number, Text, Whole, tag, tagged

_CLOSE = 1e-9  # of all agents: nearer than this to a whole number is that number
_ROUNDING = 1e-6  # of an agent, and 1e-9 of all: what products of shares are off by


@record
class Share:
    """A limit on the share of agents that take an action: at least a tenth of all in the harbour, say.

    Suggestions are in whole agents, and keep to it exactly: of 35 agents at most half is at most 17.

    Args:
        action: which one.
        at_most: the largest share that is allowed, from 0 to 1.
        at_least: the smallest one. Both may be given, also the same number twice.
        context: whose agents are counted, as a share of theirs; None: all agents.

    Raises:
        InvalidProblem: no bound, one beyond 0 or 1, or bounds the wrong way round.

    >>> print(Share("harbour", at_least=0.1, at_most=0.5, context="day"))
    at least 10 % and at most 50 % of the agents of day in harbour
    """

    action: Text
    at_most: Number | None = None
    at_least: Number | None = None
    context: Text | None = None
    kind: Literal["share"] = tag("share")

    def __post_init__(self) -> None:
        """Check bounds."""
        _check_ends(self)
        for name in ("at_most", "at_least"):
            end = getattr(self, name)
            if end is not None and not 0.0 <= end <= 1.0:
                hint = "Limits in whole agents are ‹Headcount›."
                raise InvalidProblem(name, end, "a share from 0 to 1", hint)

    def ends(self, agents: int) -> tuple[int, int]:
        """The least and the most of so many agents."""
        least = 0 if self.at_least is None else math.ceil(self.at_least * agents - _CLOSE * agents)
        most = agents if self.at_most is None else math.floor(self.at_most * agents + _CLOSE * agents)
        return least, most

    def __str__(self) -> str:
        of = "all agents" if self.context is None else f"the agents of {self.context}"
        ends = (("at least", self.at_least), ("at most", self.at_most))
        return f"{' and '.join(f'{w} {100 * x:g} %' for w, x in ends if x is not None)} of {of} in {self.action}"


@record
class Headcount:
    """A limit on how many agents take an action: at most 12 of a context's in the harbour, say.

    Args:
        action: which one.
        at_most: the largest number that is allowed.
        at_least: the smallest one. Both may be given, also the same number twice.
        context: whose agents are counted; None: all of them.

    Raises:
        InvalidProblem: no bound, or bounds the wrong way round.

    >>> print(Headcount("harbour", at_most=12, context="day"))
    at most 12 agents of day in harbour
    """

    action: Text
    at_most: Annotated[Whole, Field(ge=0)] | None = None
    at_least: Annotated[Whole, Field(ge=0)] | None = None
    context: Text | None = None
    kind: Literal["headcount"] = tag("headcount")

    def __post_init__(self) -> None:
        """Check bounds."""
        _check_ends(self)

    def ends(self, agents: int) -> tuple[int, int]:
        """The least and the most of so many agents."""
        return self.at_least or 0, agents if self.at_most is None else min(self.at_most, agents)

    def __str__(self) -> str:
        of = "" if self.context is None else f" of {self.context}"
        ends = [(w, x) for w, x in (("at least", self.at_least), ("at most", self.at_most)) if x is not None]
        agents = "agent" if ends[-1][1] == 1 else "agents"
        return f"{' and '.join(f'{w} {x}' for w, x in ends)} {agents}{of} in {self.action}"


def _check_ends(limit: Share | Headcount) -> None:
    if limit.at_most is None and limit.at_least is None:
        raise InvalidProblem("at_most", None, "a number, or ‹at_least›: one bound or both")
    if limit.at_most is not None and limit.at_least is not None and limit.at_least > limit.at_most:
        raise InvalidProblem("at_least", limit.at_least, f"at most at_most, which is {limit.at_most:g}")


_KINDS: Mapping[str, type] = {"share": Share, "headcount": Headcount}


def _given(limit: object) -> object:
    return tagged(limit, _KINDS, "a limit on where agents may be: ‹Share› or ‹Headcount›")


Crowding = Annotated[
    Sequence[Annotated[Annotated[Share | Headcount, Discriminator("kind")], BeforeValidator(_given)]], Listed
]
"""The type of a problem's field that holds such limits."""


@dataclass(frozen=True)
class Crowd:
    """A limit on where agents may be, in whole agents.

    Args:
        said: the limit in words.
        action: which one.
        agents: how many agents each of the contexts has that are counted.
        least, most: how many of them may be there.
    """

    said: str
    action: str
    agents: Mapping[str, int]
    least: int
    most: int

    @classmethod
    def of(cls, limit: Share | Headcount, agents: Mapping[str, int]) -> Crowd:
        """Of contexts with so many agents each.

        >>> Crowd.of(Share("a", at_most=0.5), {"day": 20, "night": 15}).most
        17
        """
        counted = dict(agents) if limit.context is None else {limit.context: agents[limit.context]}
        return cls(str(limit), limit.action, counted, *limit.ends(sum(counted.values())))

    @property
    def names(self) -> tuple[str, ...]:
        """What it is about, among the values of a suggestion."""
        return ("distribution",)

    def count(self, values: Mapping[str, Any]) -> float:
        """How many agents are there."""
        shares = values["distribution"]
        return math.fsum(n * shares.get(context, {}).get(self.action, 0.0) for context, n in self.agents.items())

    def breaks(self, values: Mapping[str, Any]) -> bool:
        """Whether a distribution breaks it."""
        return self.room(values) < -_ROUNDING - _CLOSE * self._all

    def room(self, values: Mapping[str, Any]) -> float:
        """How many agents more or fewer could be there."""
        there = self.count(values)
        rooms = [self.most - there] if self.most < self._all or self.least <= 0 else []
        return round(min([*rooms, *([there - self.least] if self.least > 0 else [])]), 6)

    @property
    def _all(self) -> int:
        return sum(self.agents.values())

    def __str__(self) -> str:
        return self.said
