"""Constraints on where agents may be: shares and numbers of agents that take an action, both in whole agents.

`Share` and `Headcount` are the constraints that users declare. `HeadcountBound` is either of them
for a given number of agents, and `region_of` turns all bounds of a problem into the `Region` that
suggestions are drawn from. Constraints that no placement of the agents can satisfy are refused,
naming a smallest set that conflicts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Discriminator, Field

from .._arrays import Int
from ..errors import InvalidProblem, one_of
from ..optim import refuse_conflict
from ..records import record
from ..space import Simplex
from ..space.fields import ListField, Number, Text, Whole, check_ends, tag, tagged
from ._region import Region

MOST_LIMITS = 1000
"""Largest number of `limits` of a problem."""
_CLOSE = 1e-9  # of all agents: nearer than this to a whole number is that number
_ROUNDING = 1e-6  # of an agent, and 1e-9 of all: rounding error of products of shares


@record
class Share:
    """Constraint on the share of agents that take an action, such as at least a tenth of all in the harbour.

    Suggestions are in whole agents and satisfy it exactly: of 35 agents at most half is at most 17.

    Args:
        action: the action.
        at_most: largest share allowed, from 0 to 1.
        at_least: smallest share allowed. Both may be given, also with the same number.
        context: counts only the agents of this context, as a share of them; None: all agents.

    Raises:
        InvalidProblem: no bound, a bound outside [0, 1], or `at_least` above `at_most`.

    >>> print(Share("harbour", at_least=0.1, at_most=0.5, context="day"))
    at least 10 % and at most 50 % of the agents of day in harbour
    """

    action: Text
    at_most: Number | None = None
    at_least: Number | None = None
    context: Text | None = None
    kind: Literal["share"] = tag("share")

    def __post_init__(self) -> None:
        """Check the bounds."""
        check_ends(self)
        for name in ("at_most", "at_least"):
            end = getattr(self, name)
            if end is not None and not 0.0 <= end <= 1.0:
                hint = "Limits in whole agents are ‹Headcount›."
                raise InvalidProblem(name, end, "a share from 0 to 1", hint)

    def ends(self, agents: int) -> tuple[int, int]:
        """Return the smallest and the largest number allowed out of `agents`."""
        least = 0 if self.at_least is None else math.ceil(self.at_least * agents - _CLOSE * agents)
        most = (
            agents if self.at_most is None else math.floor(self.at_most * agents + _CLOSE * agents)
        )
        return least, most

    def __str__(self) -> str:
        of = "all agents" if self.context is None else f"the agents of {self.context}"
        ends = (("at least", self.at_least), ("at most", self.at_most))
        return f"{' and '.join(f'{w} {100 * x:g} %' for w, x in ends if x is not None)} of {of} in {self.action}"


@record
class Headcount:
    """Constraint on the number of agents that take an action, such as at most 12 of a context's in the harbour.

    Args:
        action: the action.
        at_most: largest number allowed.
        at_least: smallest number allowed. Both may be given, also with the same number.
        context: counts only the agents of this context; None: all agents.

    Raises:
        InvalidProblem: no bound, or `at_least` above `at_most`.

    >>> print(Headcount("harbour", at_most=12, context="day"))
    at most 12 agents of day in harbour
    """

    action: Text
    at_most: Annotated[Whole, Field(ge=0)] | None = None
    at_least: Annotated[Whole, Field(ge=0)] | None = None
    context: Text | None = None
    kind: Literal["headcount"] = tag("headcount")

    def __post_init__(self) -> None:
        """Check the bounds."""
        check_ends(self)

    def ends(self, agents: int) -> tuple[int, int]:
        """Return the smallest and the largest number allowed out of `agents`."""
        return self.at_least or 0, agents if self.at_most is None else min(self.at_most, agents)

    def __str__(self) -> str:
        of = "" if self.context is None else f" of {self.context}"
        ends = [
            (w, x)
            for w, x in (("at least", self.at_least), ("at most", self.at_most))
            if x is not None
        ]
        agents = "agent" if ends[-1][1] == 1 else "agents"
        return f"{' and '.join(f'{w} {x}' for w, x in ends)} {agents}{of} in {self.action}"


_KINDS: Mapping[str, type] = {"share": Share, "headcount": Headcount}


def _read(limit: object) -> object:
    return tagged(limit, _KINDS, "a limit on where agents may be: ‹Share› or ‹Headcount›")


AgentLimits = Annotated[
    Sequence[
        Annotated[Annotated[Share | Headcount, Discriminator("kind")], BeforeValidator(_read)]
    ],
    ListField,
]
"""Type of a problem's field of such constraints."""


@dataclass(frozen=True)
class HeadcountBound:
    """Bounds on the whole agents that take an action.

    Args:
        said: the constraint in words.
        action: the action.
        agents: number of agents of each context that is counted.
        least, most: smallest and largest number of them allowed in the action.
    """

    said: str
    action: str
    agents: Mapping[str, int]
    least: int
    most: int

    @classmethod
    def of(cls, limit: Share | Headcount, agents: Mapping[str, int]) -> HeadcountBound:
        """Convert a constraint to bounds for contexts with these numbers of agents.

        >>> HeadcountBound.of(Share("a", at_most=0.5), {"day": 20, "night": 15}).most
        17
        """
        counted = dict(agents) if limit.context is None else {limit.context: agents[limit.context]}
        return cls(str(limit), limit.action, counted, *limit.ends(sum(counted.values())))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the constrained values of a suggestion."""
        return ("distribution",)

    def count(self, values: Mapping[str, Any]) -> float:
        """Return the number of counted agents in the action."""
        shares = values["distribution"]
        return math.fsum(
            n * shares.get(context, {}).get(self.action, 0.0) for context, n in self.agents.items()
        )

    def breaks(self, values: Mapping[str, Any]) -> bool:
        """Return whether the distribution in `values` violates the bounds."""
        return self.room(values) < -_ROUNDING - _CLOSE * self._all

    def room(self, values: Mapping[str, Any]) -> float:
        """Return the slack: the number of agents by which the count could change before a bound is violated."""
        there = self.count(values)
        rooms = [self.most - there] if self.most < self._all or self.least <= 0 else []
        return round(min([*rooms, *([there - self.least] if self.least > 0 else [])]), 6)

    @property
    def _all(self) -> int:
        return sum(self.agents.values())

    def __str__(self) -> str:
        return self.said


def headcount_bounds(
    limits: Sequence[Share | Headcount], capacity: Mapping[str, int], agents: Mapping[str, int]
) -> tuple[HeadcountBound, ...]:
    """Convert a problem's `limits`, then its `capacity` by action, to bounds in whole agents (`agents`: by context)."""
    capacities = [Headcount(action, most) for action, most in capacity.items()]
    return tuple(HeadcountBound.of(limit, agents) for limit in (*limits, *capacities))


def region_of(
    simplex: Simplex,
    agents_in: Int[np.ndarray, " C"],
    allowed: Mapping[str, Sequence[str]],
    bounds: Sequence[HeadcountBound],
) -> Region:
    """Build the region of distributions that satisfy all bounds; contexts not in `allowed` may take any action."""
    open_to = np.array(
        [[a in allowed.get(c, simplex.columns) for a in simplex.columns] for c in simplex.rows]
    )
    least = np.zeros(simplex.shape[1], dtype=np.int64)
    most = np.full(simplex.shape[1], agents_in.sum())
    cells = np.stack(
        [np.zeros(simplex.shape, dtype=np.int64), np.tile(agents_in[:, None], simplex.shape[1])]
    )
    for bound in bounds:
        a = simplex.columns.index(bound.action)
        if len(bound.agents) == len(simplex.rows):
            least[a], most[a] = max(least[a], bound.least), min(most[a], bound.most)
        else:
            c = simplex.rows.index(next(iter(bound.agents)))
            cells[0, c, a] = max(cells[0, c, a], bound.least)
            cells[1, c, a] = min(cells[1, c, a], bound.most)
    return Region(
        tuple(simplex.rows), tuple(simplex.columns), agents_in, open_to, most, least, cells
    )


def check_agent_limits(limits: Sequence[Share | Headcount], simplex: Simplex) -> None:
    """Refuse too many constraints, and constraints on unknown actions or contexts.

    Raises:
        InvalidProblem: naming the constraint.
    """
    if len(limits) > MOST_LIMITS:
        raise InvalidProblem("limits", len(limits), f"at most {MOST_LIMITS}")
    for i, limit in enumerate(limits):
        if limit.action not in simplex.columns:
            raise InvalidProblem(
                f"limits.{i}.action", limit.action, one_of(simplex.columns, limit.action)
            )
        if limit.context is not None and limit.context not in simplex.rows:
            raise InvalidProblem(
                f"limits.{i}.context", limit.context, one_of(simplex.rows, limit.context)
            )


def check_satisfiable(
    simplex: Simplex,
    agents_in: Int[np.ndarray, " C"],
    allowed: Mapping[str, Sequence[str]],
    bounds: Sequence[HeadcountBound],
) -> None:
    """Refuse bounds that no placement of the agents satisfies.

    Raises:
        InvalidProblem: naming a smallest set of bounds that conflict.
    """
    last = len(bounds)  # stands for `allowed`
    said = "; ".join(
        f"{context} only in {', '.join(actions)}" for context, actions in allowed.items()
    )

    def possible(some: Sequence[int]) -> bool:
        among = [bounds[k] for k in some if k < last]
        return _fits(region_of(simplex, agents_in, allowed if last in some else {}, among))

    refuse_conflict(
        [*bounds, f"allowed: {said}"],
        possible,
        f"limits that {agents_in.sum()} agents can keep to",
        ("No whole number of agents does. Loosen it.", "These clash: loosen one."),
    )


def _fits(region: Region) -> bool:
    """Return whether whole agents can be placed: a flow problem, whose linear programme has integer vertices."""
    from scipy.optimize import linprog  # start-up time
    from scipy.sparse import csr_array, identity, kron, vstack

    C, A = region.allowed.shape
    most = np.where(region.allowed, region.cells[1], 0)
    if (region.cells[0] > most).any() or (region.least > region.capacity).any():
        return False
    columns = csr_array(kron(np.ones((1, C)), identity(A)))
    found = linprog(
        np.zeros(C * A),
        vstack([columns, -columns]),
        np.concatenate([region.capacity, -region.least]),
        csr_array(kron(identity(C), np.ones((1, A)))),
        region.agents_in,
        np.stack([region.cells[0].ravel(), most.ravel()], axis=1),
    )
    return bool(found.success)
