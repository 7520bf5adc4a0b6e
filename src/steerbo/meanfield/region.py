"""The distributions that are possible: allowed cells, capacities, a limit on moves; projections, and whole agents.

Projections are in Kullback–Leibler divergence, which suits exponentiated gradients. Each limit alone has a closed
form: rows are normalised, a crowded column is scaled down to its capacity, and a row that moved too far is cut above
and lifted below its present shares by two factors. Dykstra's algorithm with Bregman projections (Bauschke & Lewis
2000) finds the point that meets all of them. Whole agents are the integer programme next to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from ..errors import InvalidProblem, InvalidRequest
from ..space import largest_remainders, multinomial

Tables = Float[np.ndarray, "r C A"]

_SWEEPS = 300
_CLOSE, _ARRIVED = 1e-9, 1e-7  # change of a sweep, and excess over a limit, where it ends
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Region:
    """Tables (C, A) whose rows are distributions within the limits.

    Args:
        contexts, actions: their names, for messages.
        agents_in: (C,) whole agents in each context.
        allowed: (C, A) where agents may be.
        capacity: (A,) the most agents in each action.
        present: (C, A) the present distribution, where moving is limited or costs.
        largest_move: the share of a context's agents that may move away from it, where that is limited.
    """

    contexts: tuple[str, ...]
    actions: tuple[str, ...]
    agents_in: Int[np.ndarray, " C"]
    allowed: Bool[np.ndarray, "C A"]
    capacity: Int[np.ndarray, " A"]
    present: Float[np.ndarray, "C A"] | None = None
    largest_move: float | None = None

    @property
    def limited(self) -> bool:
        """Whether anything beyond allowed cells limits the tables."""
        return self.largest_move is not None or bool((self.capacity < self.agents_in.sum()).any())

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
        room = self.agents_in @ table / self.agents_in.sum() - self.capacity / self.agents_in.sum()
        moved = self.moved(table) - (self.largest_move or 0.0)
        a, c = int(room.argmax()), int(moved.argmax())
        if room[a] >= moved[c]:
            return f"the capacity of {self.actions[a]!r}", float(room[a])
        return f"the limit on moves of context {self.contexts[c]!r}", float(moved[c])

    def moved(self, table: Float[np.ndarray, "... C A"]) -> Float[np.ndarray, "... C"]:
        """The share of each context's agents that must move from the present distribution."""
        assert self.present is not None
        return np.asarray(0.5 * np.abs(table - self.present).sum(axis=-1))

    # -- projection ----------------------------------------------------------------------------------------------------

    def project(self, tables: Tables) -> Tables:
        """The nearest possible tables in Kullback–Leibler divergence; shares that are zero stay zero.

        Where limits meet at a narrow angle, up to a thousandth may be left over a limit; whole agents keep to it
        exactly.
        """
        x = np.where(self.allowed, tables, 0.0)
        x = x / x.sum(axis=2, keepdims=True)
        if not self.limited:
            return x
        joint = self.agents_in[:, None] / self.agents_in.sum()
        limits = [self._fit_columns]
        if self.largest_move is not None:
            limits.append(self._cut_moves)
        x = x * joint  # (r, C, A): shares of all agents
        corrections = [np.ones_like(x) for _ in limits]
        for _ in range(_SWEEPS):
            before = x
            for i, limit in enumerate(limits):
                y = x * corrections[i]
                x = limit(y)
                corrections[i] = np.clip(np.divide(y, x, out=np.ones_like(y), where=x > _TINY), 1e-100, 1e100)
                x = x * (joint / np.maximum(x.sum(axis=2, keepdims=True), _TINY))  # affine: needs no correction
            # points may stand still while corrections build up: they have arrived only where they are possible
            if np.abs(x - before).max() < _CLOSE and self._excess(x / joint) < _ARRIVED:
                break
        return np.asarray(x / x.sum(axis=2, keepdims=True))

    def _excess(self, tables: Tables) -> float:
        """By how much the limits are broken at worst, in shares."""
        crowds = (self.agents_in @ tables - self.capacity) / self.agents_in.sum()
        moves = self.moved(tables) - self.largest_move if self.largest_move is not None else 0.0
        return float(max(crowds.max(), np.max(moves)))

    def _fit_columns(self, x: Tables) -> Tables:
        """Scale columns down to their capacity."""
        taken = x.sum(axis=1, keepdims=True)
        room = self.capacity / self.agents_in.sum()
        return np.asarray(x * np.minimum(1.0, room / np.maximum(taken, _TINY)))

    def _cut_moves(self, x: Tables) -> Tables:
        """Cut what lies too far above the present shares, and lift what lies too far below, row by row."""
        assert self.present is not None
        assert self.largest_move is not None
        rows = x.sum(axis=2, keepdims=True)
        y, q, move = x / np.maximum(rows, _TINY), self.present, self.largest_move
        far = 0.5 * np.abs(y - q).sum(axis=2, keepdims=True) > move
        low, high = _factor(y, q, move, above=True), _factor(y, q, move, above=False)
        cut = np.where(low * y > q, low * y, np.where(high * y < q, high * y, q))
        return np.asarray(np.where(far, cut, y) * rows)

    # -- whole agents --------------------------------------------------------------------------------------------------

    def whole(self, table: Float[np.ndarray, "C A"]) -> Int[np.ndarray, "C A"]:
        """Whole agents next to a possible table: largest remainders, or the integer programme where more is limited."""
        if not self.limited:
            return largest_remainders(table, self.agents_in)
        exact = table * self.agents_in[:, None]
        floor = np.floor(exact + 1e-9).astype(np.int64)
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
        if (due < 0).any() or (slack < 0).any():
            return None
        size, moves = C * A, self.largest_move is not None
        pad = csr_array((C, size)) if moves else None
        constraints = [
            LinearConstraint(hstack([rows, pad]) if moves else rows, due, due),
            LinearConstraint(hstack([columns, csr_array((A, size))]) if moves else columns, -np.inf, slack),
        ]
        cost, upper = -wanted.ravel(), np.where(self.allowed, float(most), 0.0).ravel()
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
            cost, upper = np.concatenate([cost, np.zeros(size)]), np.concatenate([upper, np.full(size, np.inf)])
        whole = np.concatenate([np.ones(size), np.zeros(len(cost) - size)])
        found = milp(cost, integrality=whole, bounds=Bounds(0.0, upper), constraints=constraints)
        return None if found.x is None else np.rint(found.x[:size]).astype(np.int64).reshape(C, A)

    def sampled(self, table: Float[np.ndarray, "C A"], random: np.random.Generator) -> Int[np.ndarray, "C A"]:
        """Whole agents that draw independently; where more is limited, the possible numbers next to their draw."""
        drawn = multinomial(table, self.agents_in, random)
        if not self.limited:
            return drawn
        return self.whole(self.project((drawn / self.agents_in[:, None] + 1e-9)[None])[0])


def _factor(y: Tables, q: Float[np.ndarray, "C A"], move: float, above: bool) -> Float[np.ndarray, "r C 1"]:
    """The factor m with Σ max(m y − q, 0) = move (`above`), or Σ max(q − m y, 0) = move: exact, by sorting q / y."""
    ratio = np.divide(q, y, out=np.full(y.shape, np.inf), where=y > _TINY)
    order = np.argsort(ratio, axis=2) if above else np.argsort(-ratio, axis=2)
    ratio = np.take_along_axis(ratio, order, axis=2)
    mass = np.cumsum(np.take_along_axis(y, order, axis=2), axis=2)
    held = np.cumsum(np.take_along_axis(np.broadcast_to(q, y.shape), order, axis=2), axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = (held + move) / mass if above else (held - move) / mass
    k = y.shape[2]
    following = np.concatenate([ratio[..., 1:], np.full((*ratio.shape[:2], 1), np.inf if above else -np.inf)], axis=2)
    fits = (factors <= following) if above else (factors >= following)
    first = np.argmax(fits & np.isfinite(factors), axis=2, keepdims=True)
    chosen = np.take_along_axis(factors, np.minimum(first, k - 1), axis=2)
    return np.asarray(np.maximum(np.nan_to_num(chosen, nan=1.0, posinf=1e100, neginf=0.0), 0.0))
