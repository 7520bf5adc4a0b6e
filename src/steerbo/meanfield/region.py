"""Region of feasible distributions: allowed cells, bounds on agents per action and on moves, and integer rounding.

Tables are projected to the nearest feasible ones (see `projection.py`); whole agents are the solution of a small
integer programme next to the projection.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from ..errors import InvalidProblem, InvalidRequest
from ..space import largest_remainders, multinomial
from .projection import DistributionBounds, Tables

_LIFTED = 1e-9  # smallest share that a projection, which multiplies, can enlarge


@dataclass(frozen=True, eq=False)
class Region:
    """Feasible tables (C, A): each row is a distribution of one context's agents over the actions.

    Args:
        contexts, actions: names, for messages.
        agents_in: (C,) number of agents of each context.
        allowed: (C, A) cells that agents may take.
        capacity: (A,) largest number of agents in each action.
        least: (A,) smallest number of agents in each action.
        cells: (2, C, A) smallest and largest number of each context's agents in each action.
        present: (C, A) the present distribution, if moves are limited or cost something.
        largest_move: largest share of a context's agents that may move away from `present`, if that is limited.
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
        """Whether more than the allowed cells restricts the tables."""
        crowded = (self.capacity < self.agents_in.sum()).any() or (self.least > 0).any()
        return bool(self.largest_move is not None or crowded or self._bounds_cells)

    @cached_property
    def _bounds_cells(self) -> bool:
        return bool((self.cells[0] > 0).any() or (self.cells[1] < self.agents_in[:, None]).any())

    def check(self) -> None:
        """Refuse capacities that are too small for the agents of some contexts.

        Raises:
            InvalidProblem: naming the contexts, their agents and the capacity open to them (the cut of a maximum flow).
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
        """Find the contexts whose agents do not fit, by Hall's condition; none if all fit."""
        from scipy.optimize import linprog

        C, A = self.allowed.shape
        cells = np.argwhere(self.allowed)
        rows, columns = np.zeros((C, len(cells))), np.zeros((A, len(cells)))
        rows[cells[:, 0], np.arange(len(cells))] = columns[cells[:, 1], np.arange(len(cells))] = 1.0
        # maximise the number of agents placed: the dual prices of the rows tell which contexts cannot place theirs
        found = linprog(
            -np.ones(len(cells)), np.vstack([rows, columns]), np.concatenate([self.agents_in, self.capacity])
        )
        if -found.fun > self.agents_in.sum() - 0.5:
            return np.zeros(C, dtype=bool)
        spare: Bool[np.ndarray, " C"] = np.abs(found.ineqlin.marginals[:C]) < 0.5
        return spare

    def around(self, present: Float[np.ndarray, "C A"], largest_move: float | None) -> Region:
        """Return the region restricted to moves from the present distribution.

        Raises:
            InvalidRequest: no distribution within `largest_move` of `present` is feasible.
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
        """Return the name of the bound that a table violates most, and the violation as a share."""
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
        """Return whether whole agents satisfy all bounds but the one on moves."""
        taken = counts.sum(axis=0)
        inside = (self.cells[0] <= counts) & (counts <= self.cells[1]) & (self.allowed | (counts == 0))
        return bool(inside.all() and (self.least <= taken).all() and (taken <= self.capacity).all())

    def moved(self, table: Float[np.ndarray, "... C A"]) -> Float[np.ndarray, "... C"]:
        """Return the share of each context's agents that move from the present distribution, in total variation."""
        assert self.present is not None
        return np.asarray(0.5 * np.abs(table - self.present).sum(axis=-1))

    # -- projection ----------------------------------------------------------------------------------------------------

    def project(self, tables: Tables) -> Tables:
        """Project tables (r, C, A) to the nearest feasible ones in Kullback–Leibler divergence.

        Shares of zero stay zero, except in cells and actions with a smallest number, which are lifted first. The
        result violates bounds by about 1e-8 at most, or 1e-5 where the region is nearly empty.
        """
        x = np.where(self.allowed, tables, 0.0)
        if not self.limited:
            return x / x.sum(axis=2, keepdims=True)
        needed = self.allowed & ((self.least > 0) | (self.cells[0] > 0))
        x = np.where(needed, np.maximum(x, _LIFTED), x)
        return self._bounds.project(x / x.sum(axis=2, keepdims=True))

    @cached_property
    def _bounds(self) -> DistributionBounds:
        agents, every = self.agents_in[:, None], self.agents_in.sum()
        cells = self.cells * self.allowed / agents if self._bounds_cells else None
        least, most = self.least / every, self.capacity / every
        return DistributionBounds(agents / every, least, most, cells, self.present, self.largest_move)

    # -- whole agents --------------------------------------------------------------------------------------------------

    def whole(self, table: Float[np.ndarray, "C A"]) -> Int[np.ndarray, "C A"]:
        """Round a feasible table (C, A) to whole agents: largest remainders, or an integer programme if limited."""
        if not self.limited:
            return largest_remainders(table, self.agents_in)
        exact = table * self.agents_in[:, None]
        floor = np.minimum(np.floor(exact + 1e-9).astype(np.int64), self.cells[1])
        extra = self._extra(floor, exact - floor)
        if extra is None:  # no rounding of this table is feasible: search further around it
            nearby = np.maximum(floor - 1 - np.ceil(0.01 * exact).astype(np.int64), 0)
            extra = self._extra(nearby, exact - nearby, 3 + 2 * int(np.ceil(0.01 * exact.max())))
            floor = nearby
        if extra is None:  # any feasible placement
            floor = np.zeros_like(floor)
            extra = self._extra(floor, exact, int(self.agents_in.max()))
        return largest_remainders(table, self.agents_in) if extra is None else floor + extra

    def _extra(
        self, floor: Int[np.ndarray, "C A"], wanted: Float[np.ndarray, "C A"], most: int = 1
    ) -> Int[np.ndarray, "C A"] | None:
        """Place the agents beyond `floor`, at most `most` a cell, nearest to `wanted`; None: no feasible placement."""
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
            # variables beside the agents z: the distance of each cell from the present, d ≥ |floor + z − present|
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
        """Draw every agent's action independently; if limited, round the draw to the nearest feasible numbers."""
        drawn = multinomial(table, self.agents_in, random)
        if not self.limited:
            return drawn
        return self.whole(self.project((drawn / self.agents_in[:, None] + 1e-9)[None])[0])
