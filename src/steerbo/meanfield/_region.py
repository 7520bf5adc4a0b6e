"""Region of feasible distributions: allowed cells, bounds on agents per action and on moves, and integer rounding.

Tables are projected to the nearest feasible ones (see `Region.project`); whole agents are the
solution of a small integer programme next to the projection.

Projection of distributions onto bounds in Kullback–Leibler divergence, the metric of exponentiated
gradients.

The projection onto each constraint alone has a closed form, or one unknown: rows are normalised; a
column beyond its bound is scaled to it; a row with bounds on single shares is scaled and clipped; a
row that moved too far is cut above and lifted below its present shares by two factors. Dykstra's
algorithm with Bregman projections (Bauschke & Lewis
2000) finds the point that satisfies all of them. It is coordinate ascent on the dual and takes
      thousands of sweeps
where constraints meet at a narrow angle: Anderson acceleration extrapolates its corrections while
the dual rises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._arrays import Bool, Float, Int
from ..errors import InvalidProblem, InvalidRequest
from ..space import largest_remainders, multinomial

Tables = Float[np.ndarray, "r C A"]

_SWEEPS = 1000  # over all constraints, at most
# correction of a sweep, and violation of a bound, below which sweeping ends
_CLOSE, _ARRIVED = 1e-9, 1e-8
# sweeps within which the largest step halves, or the dual rises by more than the second number: else
# all that is left are corrections of shares that vanish, which grow for ever and move nothing else
_LOOK, _RISEN = 50, 1e-6
_LARGEST_CORRECTION = 230.0  # correction, as a logarithm
_LOST = 1e-12  # decrease of the dual, relative to it and to one, that is rounding
# numbers in a batch of tables: a few dozen arrays of this size are held meanwhile
_AT_ONCE = 200_000
_SPECK = 1e-9  # smaller shares are lifted like this one
_TINY = 1e-300  # the divisor where a row is empty
_MEMORY = 6  # earlier iterates of Anderson acceleration
# ridge of its least squares, relative to the products of steps: equal steps carry no information
_RIDGE = 1e-10


@dataclass(frozen=True, eq=False)
class Sweep:
    """State after a sweep over the constraints.

    Attributes:
        logs: (r, l, C, A) corrections of each constraint: logarithms of the factors by which it
            scaled shares down.
        shares: (r, C, A) shares of all agents.
        dual: (r,) value of the dual: a lower bound on the divergence to the nearest feasible table,
            tight at the end.
    """

    logs: Float[np.ndarray, "r l C A"]
    shares: Tables
    dual: Float[np.ndarray, " r"]

    def replaced(self, which: Bool[np.ndarray, " r"], others: Sweep) -> Sweep:
        """Return a copy with the tables of `which` taken from `others`."""
        logs, shares, dual = self.logs.copy(), self.shares.copy(), self.dual.copy()
        logs[which], shares[which], dual[which] = others.logs, others.shares, others.dual
        return Sweep(logs, shares, dual)


@dataclass(frozen=True, eq=False)
class DistributionBounds:
    """Bounds on tables (C, A) whose rows are distributions.

    Args:
        joint: (C, 1) share of all agents that each context has.
        least, most: (A,) smallest and largest share of all agents in each action.
        cells: (2, C, A) smallest and largest share of a context's agents in each action; None: no
            bounds.
        present: (C, A) the present distribution, if moves are limited.
        largest_move: largest share of a context's agents that may move away from `present`, if that
            is limited.
    """

    joint: Float[np.ndarray, "C 1"]
    least: Float[np.ndarray, " A"]
    most: Float[np.ndarray, " A"]
    cells: Float[np.ndarray, "2 C A"] | None
    present: Float[np.ndarray, "C A"] | None
    largest_move: float | None

    def project(self, tables: Tables) -> Tables:
        """Project tables (r, C, A) to the nearest ones within the bounds; shares of zero stay zero.

        If no table satisfies all bounds, the result violates some: see `excess`.
        """
        pieces = max(1, min(len(tables), tables.size // _AT_ONCE))
        return np.concatenate([self._project(piece) for piece in np.array_split(tables, pieces)])

    def _project(self, tables: Tables) -> Tables:
        start, acceleration = tables * self.joint, AndersonAcceleration()
        tried = np.zeros((len(tables), len(self._limits), *tables.shape[1:]))
        here, lost = self._sweep(start, tried), np.zeros(len(tables), dtype=bool)
        large, low = np.inf, np.full(len(tables), -np.inf)
        for sweep in range(_SWEEPS):
            step = float((np.abs(here.logs - tried) * here.shares[:, None]).max())
            if step < _CLOSE and self.excess(here.shares / self.joint) < _ARRIVED:
                break
            if sweep % _LOOK == 0:
                if step > 0.5 * large and (here.dual - low).max() < _RISEN:
                    break
                large, low = step, here.dual
            weights = np.broadcast_to(here.shares[:, None], tried.shape)
            flat = [each.reshape(len(tables), -1) for each in (tried, here.logs, weights)]
            moved = acceleration.next(flat[0], flat[1], flat[2], lost).reshape(tried.shape)
            tried = moved.clip(-_LARGEST_CORRECTION, _LARGEST_CORRECTION)
            further = self._sweep(start, tried)
            lost = ~(further.dual >= here.dual - _LOST * (1.0 + np.abs(here.dual)))
            if lost.any():  # extrapolated too far: a plain sweep never lowers the dual
                tried[lost] = here.logs[lost]
                further = further.replaced(lost, self._sweep(start[lost], here.logs[lost]))
            here = further
        return np.asarray(here.shares / here.shares.sum(axis=2, keepdims=True))

    def _sweep(self, start: Tables, logs: Float[np.ndarray, "r l C A"]) -> Sweep:
        """Project onto each constraint in turn, from corrections to corrections."""
        x = self._filled(start * _exp(-logs.sum(axis=1)))
        logs = logs.copy()
        held = np.zeros(len(start))
        for i, limit in enumerate(self._limits):
            y = x * _exp(logs[:, i])
            cut = limit(y)
            ratio = np.divide(y, cut, out=np.ones_like(y), where=(cut > _TINY) & (y > _TINY))
            logs[:, i] = np.log(ratio).clip(-_LARGEST_CORRECTION, _LARGEST_CORRECTION)
            x = self._filled(cut)  # affine: needs no correction
            # bounds on columns hold for unnormalised rows
            held += (logs[:, i] * (x if i else cut)).sum(axis=(1, 2))
        rows = np.maximum((start * _exp(-logs.sum(axis=1))).sum(axis=2), _TINY)
        return Sweep(
            logs, x, -(self.joint[:, 0] * np.log(rows / self.joint[:, 0])).sum(axis=1) - held
        )

    def _filled(self, x: Tables) -> Tables:
        return np.asarray(x * (self.joint / np.maximum(x.sum(axis=2, keepdims=True), _TINY)))

    @cached_property
    def _limits(self) -> Sequence[Callable[[Tables], Tables]]:
        cells = [] if self.cells is None else [self._cut_cells]
        return [
            self._fit_columns,
            *cells,
            *([] if self.largest_move is None else [self._cut_moves]),
        ]

    def excess(self, tables: Tables) -> float:
        """Return the largest violation of a bound, as a share; negative if all hold."""
        taken = self.joint[:, 0] @ tables
        found = [(taken - self.most).max(), (self.least - taken).max()]
        if self.cells is not None:
            found += [(self.cells[0] - tables).max(), (tables - self.cells[1]).max()]
        if self.largest_move is not None:
            found.append(
                (0.5 * np.abs(tables - self.present).sum(axis=-1)).max() - self.largest_move
            )
        return float(max(found))

    def _fit_columns(self, x: Tables) -> Tables:
        """Scale columns down to their largest shares, or up to their smallest."""
        taken = np.maximum(x.sum(axis=1, keepdims=True), _TINY)
        return np.asarray(x * np.clip(1.0, self.least / taken, self.most / taken))

    def _cut_cells(self, x: Tables) -> Tables:
        """Scale rows with bounds on single shares so that they sum to one after clipping."""
        assert self.cells is not None
        some = np.flatnonzero(((self.cells[0] > 0) | (self.cells[1] < 1)).any(axis=1))
        y = x[:, some] / np.maximum(x[:, some].sum(axis=2, keepdims=True), _TINY)
        low, high = self.cells[:, some]
        y = np.maximum(y, _SPECK)
        found = x.copy()
        found[:, some] = np.clip(_scale(y, low, high) * y, low, high) * self.joint[some]
        return found

    def _cut_moves(self, x: Tables) -> Tables:
        """Cut shares too far above the present ones and lift shares too far below, row by row."""
        assert self.present is not None
        assert self.largest_move is not None
        rows = x.sum(axis=2, keepdims=True)
        y, q, move = x / np.maximum(rows, _TINY), self.present, self.largest_move
        far = 0.5 * np.abs(y - q).sum(axis=2, keepdims=True) > move
        low, high = _factor(y, q, move, above=True), _factor(y, q, move, above=False)
        cut = np.where(low * y > q, low * y, np.where(high * y < q, high * y, q))
        return np.asarray(np.where(far, cut, y) * rows)


def _exp(logs: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(logs.clip(-600.0, 600.0)))


def _scale(
    y: Tables, low: Float[np.ndarray, "C A"], high: Float[np.ndarray, "C A"]
) -> Float[np.ndarray, "r C 1"]:
    """Solve Σ clip(m y, low, high) = 1 for the factor m, (r, C, 1): exact, between the breakpoints around one."""
    # a share leaves its lower bound, or reaches its upper
    ends = np.concatenate([low / y, high / y], axis=2)
    order = np.argsort(ends, axis=2, kind="stable")
    ends = np.take_along_axis(ends, order, axis=2)
    slopes = np.take_along_axis(np.concatenate([y, -y], axis=2), order, axis=2).cumsum(axis=2)[
        ..., :-1
    ]
    sums = low.sum(axis=1)[:, None] + (slopes * np.diff(ends, axis=2)).cumsum(axis=2)
    k = np.argmax(sums >= 1.0 - _CLOSE, axis=2)[..., None]
    middle = 0.5 * (np.take_along_axis(ends, k, axis=2) + np.take_along_axis(ends, k + 1, axis=2))
    free = (low < middle * y) & (middle * y < high)
    cut = np.where(free, 0.0, np.clip(middle * y, low, high)).sum(axis=2, keepdims=True)
    scaled = np.where(free, y, 0.0).sum(axis=2, keepdims=True)
    return np.where(scaled > 0, (1.0 - cut) / np.maximum(scaled, _TINY), middle)


def _factor(
    y: Tables, q: Float[np.ndarray, "C A"], move: float, above: bool
) -> Float[np.ndarray, "r C 1"]:
    """Solve Σ max(m y − q, 0) = move (`above`), or Σ max(q − m y, 0) = move, for m exactly, by sorting q / y."""
    ratio = np.divide(q, y, out=np.full(y.shape, np.inf), where=y > _TINY)
    order = np.argsort(ratio, axis=2) if above else np.argsort(-ratio, axis=2)
    ratio = np.take_along_axis(ratio, order, axis=2)
    mass = np.cumsum(np.take_along_axis(y, order, axis=2), axis=2)
    held = np.cumsum(np.take_along_axis(np.broadcast_to(q, y.shape), order, axis=2), axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = (held + move) / mass if above else (held - move) / mass
    k = y.shape[2]
    following = np.concatenate(
        [ratio[..., 1:], np.full((*ratio.shape[:2], 1), np.inf if above else -np.inf)], axis=2
    )
    fits = (factors <= following) if above else (factors >= following)
    first = np.argmax(fits & np.isfinite(factors), axis=2, keepdims=True)
    chosen = np.take_along_axis(factors, np.minimum(first, k - 1), axis=2)
    return np.asarray(np.maximum(np.nan_to_num(chosen, nan=1.0, posinf=1e100, neginf=0.0), 0.0))


class AndersonAcceleration:
    """Anderson acceleration of several fixed-point iterations side by side (Anderson 1965; Walker & Ni 2011).

    An iteration x ↦ g(x) has steps f(x) = g(x) − x. The next iterate is the affine combination of
    the last g(x) whose combined steps have the smallest weighted norm.

    >>> acceleration, x = AndersonAcceleration(), np.zeros((1, 2))
    >>> for _ in range(4):
    ...     led = x @ np.array([[0.9, 0.1], [0.0, 0.5]]) + 1.0
    ...     x = acceleration.next(x, led, np.ones((1, 2)), np.array([False]))
    >>> x.round(5)
    array([[10.,  4.]])
    """

    def __init__(self) -> None:
        self._steps: list[np.ndarray] = []
        self._led: list[np.ndarray] = []

    def next(
        self,
        points: Float[np.ndarray, "r d"],
        led: Float[np.ndarray, "r d"],
        weights: Float[np.ndarray, "r d"],
        restart: Bool[np.ndarray, " r"],
    ) -> Float[np.ndarray, "r d"]:
        """Return the next iterates (r, d) after `points` x with `led` g(x).

        `weights` are those of the coordinates in the norm of a step. Iterations marked by `restart`
        discard their earlier iterates, because the last one was extrapolated too far.
        """
        for kept, last in ((self._steps, led - points), (self._led, led)):
            kept[:] = [np.where(restart[:, None], last, each) for each in kept[-_MEMORY:]] + [last]
        if len(self._steps) == 1:
            return led
        # (r, k, d)
        steps, ways = (np.diff(np.stack(kept, axis=1), axis=1) for kept in (self._steps, self._led))
        weighted = steps * weights[:, None]
        products = weighted @ steps.transpose(0, 2, 1)
        ridge = _RIDGE * np.trace(products, axis1=1, axis2=2) + np.finfo(float).tiny
        products += ridge[:, None, None] * np.eye(products.shape[1])
        shares = np.linalg.solve(products, weighted @ self._steps[-1][..., None])
        return np.asarray(led - (shares * ways).sum(axis=1))


AGENT_ROUNDING = 5e-7  # of an agent: moves may exceed their limit by this, which is rounding
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
        largest_move: largest share of a context's agents that may move away from `present`, if that
            is limited.
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
            InvalidProblem: naming the contexts, their agents and the capacity open to them (the cut
                of a maximum flow).
        """
        agents = int(self.agents_in.sum())
        if not (self.capacity < agents).any() or self._fit_in_turn():
            return
        crowded = self._crowded()
        if crowded.any():
            names = ", ".join(
                name for name, too_many in zip(self.contexts, crowded, strict=True) if too_many
            )
            open_to = self.allowed[crowded].any(axis=0)
            room = {
                a: int(n)
                for a, n, on in zip(self.actions, self.capacity, open_to, strict=True)
                if on
            }
            wanted = f"capacities that hold the {self.agents_in[crowded].sum()} agents of {names}"
            raise InvalidProblem(
                "capacity", room, wanted, f"There is room for {sum(room.values())}."
            )

    def _fit_in_turn(self) -> bool:
        """Whether all agents fit where contexts choose in turn, those with the fewest actions first; false: unknown.

        Start-up time: problems are checked whenever they are read, and the linear program takes an
        import.
        """
        room = self.capacity.copy()
        for c in np.argsort(self.allowed.sum(axis=1), kind="stable"):
            left = self.agents_in[c]
            for a in np.flatnonzero(self.allowed[c]):
                placed = min(left, room[a])
                left, room[a] = left - placed, room[a] - placed
            if left > 0:
                return False
        return True

    def _crowded(self) -> Bool[np.ndarray, " C"]:
        """Find the contexts whose agents do not fit, by Hall's condition; none if all fit."""
        from scipy.optimize import linprog

        C, A = self.allowed.shape
        cells = np.argwhere(self.allowed)
        rows, columns = np.zeros((C, len(cells))), np.zeros((A, len(cells)))
        rows[cells[:, 0], np.arange(len(cells))] = columns[cells[:, 1], np.arange(len(cells))] = 1.0
        # maximise the number of agents placed: the dual prices of the rows tell which contexts
        # cannot place theirs
        found = linprog(
            -np.ones(len(cells)),
            np.vstack([rows, columns]),
            np.concatenate([self.agents_in, self.capacity]),
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
                "current",
                np.round(present, 6).tolist(),
                "a distribution from which the limits can be met",
                hint,
            )
        return region

    def _worst(self, table: Float[np.ndarray, "C A"]) -> tuple[str, float]:
        """Return the name of the bound that a table violates most, and the violation as a share."""
        taken, agents, every = self.agents_in @ table, self.agents_in[:, None], self.agents_in.sum()
        fewer, more = self.cells[0] / agents - table, table - self.cells[1] / agents
        moved = self.moved(table) - (self.largest_move or 0.0)
        found = [
            *(
                zip(
                    (taken - self.capacity) / every,
                    (f"the capacity of {a!r}" for a in self.actions),
                    strict=True,
                )
            ),
            *(
                zip(
                    (self.least - taken) / every,
                    (f"the least in {a!r}" for a in self.actions),
                    strict=True,
                )
            ),
            *(
                zip(
                    moved,
                    (f"the limit on moves of context {c!r}" for c in self.contexts),
                    strict=True,
                )
            ),
        ]
        for c, a in np.argwhere((self.cells[0] > 0) | (self.cells[1] < agents)):
            said = f"the limit on agents of {self.contexts[c]!r} in {self.actions[a]!r}"
            found.append((max(fewer[c, a], more[c, a]), said))
        excess, name = max(found, key=lambda one: one[0])
        return name, float(excess)

    def keeps(self, counts: Int[np.ndarray, "C A"]) -> bool:
        """Return whether whole agents satisfy all bounds but the one on moves."""
        taken = counts.sum(axis=0)
        inside = (
            (self.cells[0] <= counts) & (counts <= self.cells[1]) & (self.allowed | (counts == 0))
        )
        return bool(inside.all() and (self.least <= taken).all() and (taken <= self.capacity).all())

    def moved(self, table: Float[np.ndarray, "... C A"]) -> Float[np.ndarray, "... C"]:
        """Return the share of each context's agents that move from the present distribution, in total variation."""
        assert self.present is not None
        return np.asarray(0.5 * np.abs(table - self.present).sum(axis=-1))

    # -- projection --------------------------------------------------------------------------------

    def project(self, tables: Tables) -> Tables:
        """Project tables (r, C, A) to the nearest feasible ones in Kullback–Leibler divergence.

        Shares of zero stay zero, except in cells and actions with a smallest number, which are
        lifted first. The result violates bounds by about 1e-8 at most, or 1e-5 where the region is
        nearly empty.
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
        return DistributionBounds(
            agents / every, least, most, cells, self.present, self.largest_move
        )

    # -- whole agents ------------------------------------------------------------------------------

    def whole(self, table: Float[np.ndarray, "C A"]) -> Int[np.ndarray, "C A"]:
        """Round a feasible table (C, A) to whole agents: largest remainders, or where limits forbid these, a programme.

        An integer programme would find largest remainders wherever they keep to the limits, but for
        ties, which the earlier action wins here; and it is an import of a fifth of a second.
        """
        counts = largest_remainders(table, self.agents_in)
        if not self.limited or self._may_be(counts):
            return counts
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
        return counts if extra is None else floor + extra

    def _may_be(self, counts: Int[np.ndarray, "C A"]) -> bool:
        """Return whether whole agents satisfy all bounds."""
        if self.largest_move is None or self.present is None:
            return self.keeps(counts)
        moved = self.moved(counts / self.agents_in[:, None]) * self.agents_in
        return self.keeps(counts) and bool(
            (moved <= self.largest_move * self.agents_in + AGENT_ROUNDING).all()
        )

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
        due = self.agents_in - floor.sum(axis=1)
        slack = np.minimum(self.capacity - floor.sum(axis=0), C * most)
        lacking = np.maximum(self.least - floor.sum(axis=0), 0)
        few = np.maximum(self.cells[0] - floor, 0)
        room = np.where(self.allowed, np.minimum(self.cells[1] - floor, most), 0)
        if (due < 0).any() or (lacking > slack).any() or (few > room).any():
            return None
        size, moves = C * A, self.largest_move is not None
        pad = csr_array((C, size)) if moves else None
        constraints = [
            LinearConstraint(hstack([rows, pad]) if moves else rows, due, due),
            LinearConstraint(
                hstack([columns, csr_array((A, size))]) if moves else columns, lacking, slack
            ),
        ]
        cost, lower, upper = -wanted.ravel(), few.ravel().astype(float), room.ravel().astype(float)
        if self.largest_move is not None and self.present is not None:
            # variables beside the agents z: the distance of each cell from the present, d ≥ |floor
            # + z − present|
            gap = (self.present * agents - floor).ravel()
            eye = identity(size)
            far = 2 * self.largest_move * self.agents_in
            constraints += [
                LinearConstraint(hstack([eye, -eye]), -np.inf, gap),
                LinearConstraint(hstack([eye, eye]), gap, np.inf),
                LinearConstraint(
                    hstack([csr_array((C, size)), rows]), -np.inf, far + 2 * AGENT_ROUNDING
                ),
            ]
            cost = np.concatenate([cost, np.zeros(size)])
            lower = np.concatenate([lower, np.zeros(size)])
            upper = np.concatenate([upper, np.full(size, np.inf)])
        whole = np.concatenate([np.ones(size), np.zeros(len(cost) - size)])
        found = milp(cost, integrality=whole, bounds=Bounds(lower, upper), constraints=constraints)
        return None if found.x is None else np.rint(found.x[:size]).astype(np.int64).reshape(C, A)

    def sampled(
        self, table: Float[np.ndarray, "C A"], random: np.random.Generator
    ) -> Int[np.ndarray, "C A"]:
        """Draw every agent's action independently; if limited, round the draw to the nearest feasible numbers."""
        drawn = multinomial(table, self.agents_in, random)
        if not self.limited:
            return drawn
        return self.whole(self.project((drawn / self.agents_in[:, None] + 1e-9)[None])[0])
