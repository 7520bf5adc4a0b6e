"""The distributions that are possible: allowed cells, limits on where agents are, and on moves; and whole agents.

Tables are moved to the nearest possible ones (see `projection.py`); whole agents are the integer programme next to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from ..errors import InvalidProblem, InvalidRequest
from ..space import largest_remainders, multinomial
from .projection import Tables, Within

_LIFTED = 1e-9  # a share that projections can enlarge


@dataclass(frozen=True, eq=False)
class Region:
    """Tables (C, A) whose rows are distributions within the limits.

    Args:
        contexts, actions: their names, for messages.
        agents_in: (C,) whole agents in each context.
        allowed: (C, A) where agents may be.
        capacity: (A,) the most agents in each action.
        least: (A,) the least agents in each.
        cells: (2, C, A) the least and the most of each context's agents in each action.
        present: (C, A) the present distribution, where moving is limited or costs.
        largest_move: the share of a context's agents that may move away from it, where that is limited.
    """

    contexts: tuple[str, ...]
    actions: tuple[str, ...]
    agents_in: Int[np.ndarray, " C"]
    allowed: Bool[np.ndarray, "C A"]
    capacity: Int[np.ndarray, " A"]
    least: Int[np.ndarray, " A"]
    cells: Int[np.ndarray, "2 C A"]
    present: Float[np.ndarray, "C A"] | None = None
    largest_move: float | None = None

    @cached_property
    def limited(self) -> bool:
        """Whether anything beyond allowed cells limits the tables."""
        crowded = (self.capacity < self.agents_in.sum()).any() or (self.least > 0).any()
        return bool(self.largest_move is not None or crowded or self._by_context)

    @cached_property
    def _by_context(self) -> bool:
        return bool((self.cells[0] > 0).any() or (self.cells[1] < self.agents_in[:, None]).any())

    def check(self) -> None:
        """Refuse capacities that cannot hold the agents of some contexts.

        Raises:
            InvalidProblem: naming the contexts, their agents and the room there is (the cut of a maximum flow).
        """
        agents = int(self.agents_in.sum())
        if not (self.capacity < agents).any():
            return
        crowded = self._crowded()
        if crowded.any():
            names = ", ".join(name for name, too_many in zip(self.contexts, crowded, strict=True) if too_many)
            open_to = self.allowed[crowded].any(axis=0)
            room = {a: int(n) for a, n, on in zip(self.actions, self.capacity, open_to, strict=True) if on}
            wanted = f"capacities that hold the {self.agents_in[crowded].sum()} agents of {names}"
            raise InvalidProblem("capacity", room, wanted, f"There is room for {sum(room.values())}.")

    def _crowded(self) -> Bool[np.ndarray, " C"]:
        """The contexts whose agents do not fit, by Hall's condition; none: all fit."""
        from scipy.optimize import linprog

        C, A = self.allowed.shape
        cells = np.argwhere(self.allowed)
        rows, columns = np.zeros((C, len(cells))), np.zeros((A, len(cells)))
        rows[cells[:, 0], np.arange(len(cells))] = columns[cells[:, 1], np.arange(len(cells))] = 1.0
        # how many agents can be placed: the dual prices of the rows tell which contexts cannot place theirs
        found = linprog(
            -np.ones(len(cells)), np.vstack([rows, columns]), np.concatenate([self.agents_in, self.capacity])
        )
        if -found.fun > self.agents_in.sum() - 0.5:
            return np.zeros(C, dtype=bool)
        spare: Bool[np.ndarray, " C"] = np.abs(found.ineqlin.marginals[:C]) < 0.5
        return spare

    def around(self, present: Float[np.ndarray, "C A"], largest_move: float | None) -> Region:
        """The region from where agents are now.

        Raises:
            InvalidRequest: no distribution within that move keeps to what is allowed and to the capacities.
        """
        region = replace(self, present=present, largest_move=largest_move)
        if largest_move is None:
            return region
        nearest = region.project(np.maximum(np.where(self.allowed, present, 0.0), 1e-6)[None])[0]
        name, excess = region._worst(nearest)
        if excess > 1e-4:
            hint = f"Within a move of {largest_move:g} from 'current', {name} cannot be met. Raise largest_move."
            raise InvalidRequest(
                "current", np.round(present, 6).tolist(), "a distribution from which the limits can be met", hint
            )
        return region

    def _worst(self, table: Float[np.ndarray, "C A"]) -> tuple[str, float]:
        """The limit that a table of distributions breaks most, and by how much."""
        taken, agents, every = self.agents_in @ table, self.agents_in[:, None], self.agents_in.sum()
        fewer, more = self.cells[0] / agents - table, table - self.cells[1] / agents
        moved = self.moved(table) - (self.largest_move or 0.0)
        found = [
            *(zip((taken - self.capacity) / every, (f"the capacity of {a!r}" for a in self.actions), strict=True)),
            *(zip((self.least - taken) / every, (f"the least in {a!r}" for a in self.actions), strict=True)),
            *(zip(moved, (f"the limit on moves of context {c!r}" for c in self.contexts), strict=True)),
        ]
        for c, a in np.argwhere((self.cells[0] > 0) | (self.cells[1] < agents)):
            said = f"the limit on agents of {self.contexts[c]!r} in {self.actions[a]!r}"
            found.append((max(fewer[c, a], more[c, a]), said))
        excess, name = max(found, key=lambda one: one[0])
        return name, float(excess)

    def keeps(self, counts: Int[np.ndarray, "C A"]) -> bool:
        """Whether whole agents keep to the limits on where they may be, whatever the present distribution is."""
        taken = counts.sum(axis=0)
        inside = (self.cells[0] <= counts) & (counts <= self.cells[1]) & (self.allowed | (counts == 0))
        return bool(inside.all() and (self.least <= taken).all() and (taken <= self.capacity).all())

    def moved(self, table: Float[np.ndarray, "... C A"]) -> Float[np.ndarray, "... C"]:
        """The share of each context's agents that must move from the present distribution."""
        assert self.present is not None
        return np.asarray(0.5 * np.abs(table - self.present).sum(axis=-1))

    # -- projection ----------------------------------------------------------------------------------------------------

    def project(self, tables: Tables) -> Tables:
        """The nearest possible tables in Kullback–Leibler divergence; shares that are zero stay zero.

        Only those that must be there are lifted first. Whole agents keep to every limit exactly; tables to about 1e-8,
        or 1e-5 where limits leave next to no room.
        """
        x = np.where(self.allowed, tables, 0.0)
        if not self.limited:
            return x / x.sum(axis=2, keepdims=True)
        needed = self.allowed & ((self.least > 0) | (self.cells[0] > 0))
        x = np.where(needed, np.maximum(x, _LIFTED), x)
        return self._within.nearest(x / x.sum(axis=2, keepdims=True))

    @cached_property
    def _within(self) -> Within:
        agents, every = self.agents_in[:, None], self.agents_in.sum()
        cells = self.cells * self.allowed / agents if self._by_context else None
        return Within(agents / every, self.least / every, self.capacity / every, cells, self.present, self.largest_move)

    # -- whole agents --------------------------------------------------------------------------------------------------

    def whole(self, table: Float[np.ndarray, "C A"]) -> Int[np.ndarray, "C A"]:
        """Whole agents next to a possible table: largest remainders, or the integer programme where more is limited."""
        if not self.limited:
            return largest_remainders(table, self.agents_in)
        exact = table * self.agents_in[:, None]
        floor = np.minimum(np.floor(exact + 1e-9).astype(np.int64), self.cells[1])
        extra = self._extra(floor, exact - floor)
        if extra is None:  # no rounding of this table keeps to the limits: look further around it
            nearby = np.maximum(floor - 1 - np.ceil(0.01 * exact).astype(np.int64), 0)
            extra = self._extra(nearby, exact - nearby, 3 + 2 * int(np.ceil(0.01 * exact.max())))
            floor = nearby
        if extra is None:  # any that keep to them
            floor = np.zeros_like(floor)
            extra = self._extra(floor, exact, int(self.agents_in.max()))
        return largest_remainders(table, self.agents_in) if extra is None else floor + extra

    def _extra(
        self, floor: Int[np.ndarray, "C A"], wanted: Float[np.ndarray, "C A"], most: int = 1
    ) -> Int[np.ndarray, "C A"] | None:
        """Agents beyond `floor`, at most `most` a cell, that fill the rows and keep to the limits; None: impossible."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array, hstack, identity, kron

        C, A = floor.shape
        agents = self.agents_in[:, None]
        rows = kron(identity(C), np.ones((1, A)))
        columns = kron(np.ones((1, C)), identity(A))
        due, slack = self.agents_in - floor.sum(axis=1), np.minimum(self.capacity - floor.sum(axis=0), C * most)
        lacking, few = np.maximum(self.least - floor.sum(axis=0), 0), np.maximum(self.cells[0] - floor, 0)
        room = np.where(self.allowed, np.minimum(self.cells[1] - floor, most), 0)
        if (due < 0).any() or (lacking > slack).any() or (few > room).any():
            return None
        size, moves = C * A, self.largest_move is not None
        pad = csr_array((C, size)) if moves else None
        constraints = [
            LinearConstraint(hstack([rows, pad]) if moves else rows, due, due),
            LinearConstraint(hstack([columns, csr_array((A, size))]) if moves else columns, lacking, slack),
        ]
        cost, lower, upper = -wanted.ravel(), few.ravel().astype(float), room.ravel().astype(float)
        if self.largest_move is not None and self.present is not None:
            # beside the agents z, how far each cell lies from the present: d ≥ |floor + z − present|
            gap = (self.present * agents - floor).ravel()
            eye = identity(size)
            far = 2 * self.largest_move * self.agents_in
            constraints += [
                LinearConstraint(hstack([eye, -eye]), -np.inf, gap),
                LinearConstraint(hstack([eye, eye]), gap, np.inf),
                LinearConstraint(hstack([csr_array((C, size)), rows]), -np.inf, far + 1e-6),
            ]
            cost, lower = np.concatenate([cost, np.zeros(size)]), np.concatenate([lower, np.zeros(size)])
            upper = np.concatenate([upper, np.full(size, np.inf)])
        whole = np.concatenate([np.ones(size), np.zeros(len(cost) - size)])
        found = milp(cost, integrality=whole, bounds=Bounds(lower, upper), constraints=constraints)
        return None if found.x is None else np.rint(found.x[:size]).astype(np.int64).reshape(C, A)

    def sampled(self, table: Float[np.ndarray, "C A"], random: np.random.Generator) -> Int[np.ndarray, "C A"]:
        """Whole agents that draw independently; where more is limited, the possible numbers next to their draw."""
        drawn = multinomial(table, self.agents_in, random)
        if not self.limited:
            return drawn
        return self.whole(self.project((drawn / self.agents_in[:, None] + 1e-9)[None])[0])
