"""The nearest distributions within limits, in Kullback–Leibler divergence, which suits exponentiated gradients.

Each limit alone has a closed form, or one number to find: rows are normalised, a column that is too full or too empty
is scaled to its bound, a row of which single shares have bounds is scaled and cut at them, and a row that moved too far
is cut above and lifted below its present shares by two factors. Dykstra's algorithm with Bregman projections (Bauschke
& Lewis 2000) finds the point that meets all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Tables = Float[np.ndarray, "r C A"]

_SWEEPS, _MORE = 300, 1000  # and where single shares have bounds
_CLOSE, _ARRIVED = 1e-9, 1e-7  # change of a sweep, and excess over a limit, where it ends
_SPECK = 1e-9  # smaller shares are lifted like this one
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Within:
    """Bounds of tables (C, A) whose rows are distributions.

    Args:
        joint: (C, 1) the share of all agents that each context has.
        least, most: (A,) of all agents in each action.
        cells: (2, C, A) the least and the most of a context's agents in each action; None: anything.
        present: (C, A) the present distribution, where moving is limited.
        largest_move: the share of a context's agents that may move away from it, where that is limited.
    """

    joint: Float[np.ndarray, "C 1"]
    least: Float[np.ndarray, " A"]
    most: Float[np.ndarray, " A"]
    cells: Float[np.ndarray, "2 C A"] | None
    present: Float[np.ndarray, "C A"] | None
    largest_move: float | None

    def nearest(self, tables: Tables) -> Tables:
        """The nearest tables within the bounds; shares that are zero stay zero.

        Where limits meet at a narrow angle, up to a thousandth may be left over a limit, or a few where single shares
        have bounds, too.
        """
        joint, limits = self.joint, [self._fit_columns]
        if self.cells is not None:
            limits.append(self._cut_cells)
        if self.largest_move is not None:
            limits.append(self._cut_moves)
        x = tables * joint  # (r, C, A): shares of all agents
        corrections = [np.ones_like(x) for _ in limits]
        for _ in range(_SWEEPS if self.cells is None else _MORE):
            before = x
            for i, limit in enumerate(limits):
                y = x * corrections[i]
                x = limit(y)
                corrections[i] = np.clip(np.divide(y, x, out=np.ones_like(y), where=x > _TINY), 1e-100, 1e100)
                x = x * (joint / np.maximum(x.sum(axis=2, keepdims=True), _TINY))  # affine: needs no correction
            # points may stand still while corrections build up: they have arrived only where they are possible
            if np.abs(x - before).max() < _CLOSE and self.excess(x / joint) < _ARRIVED:
                break
        return np.asarray(x / x.sum(axis=2, keepdims=True))

    def excess(self, tables: Tables) -> float:
        """By how much the limits are broken at worst, in shares."""
        taken = self.joint[:, 0] @ tables
        found = [(taken - self.most).max(), (self.least - taken).max()]
        if self.cells is not None:
            found += [(self.cells[0] - tables).max(), (tables - self.cells[1]).max()]
        if self.largest_move is not None:
            found.append((0.5 * np.abs(tables - self.present).sum(axis=-1)).max() - self.largest_move)
        return float(max(found))

    def _fit_columns(self, x: Tables) -> Tables:
        """Scale columns down to the most that may be there, or up to the least."""
        taken = np.maximum(x.sum(axis=1, keepdims=True), _TINY)
        return np.asarray(x * np.clip(1.0, self.least / taken, self.most / taken))

    def _cut_cells(self, x: Tables) -> Tables:
        """Rows whose shares have bounds: scaled by what makes them add up once they are cut."""
        assert self.cells is not None
        some = np.flatnonzero(((self.cells[0] > 0) | (self.cells[1] < 1)).any(axis=1))
        y, (low, high) = x[:, some] / np.maximum(x[:, some].sum(axis=2, keepdims=True), _TINY), self.cells[:, some]
        y = np.maximum(y, _SPECK)
        found = x.copy()
        found[:, some] = np.clip(_scale(y, low, high) * y, low, high) * self.joint[some]
        return found

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


def _scale(y: Tables, low: Float[np.ndarray, "C A"], high: Float[np.ndarray, "C A"]) -> Float[np.ndarray, "r C 1"]:
    """The factor m with Σ clip(m y, low, high) = 1: between those of its corners where the sum passes one."""
    ends = np.concatenate([low / y, high / y], axis=2)  # where a share leaves its least, and comes to its most
    order = np.argsort(ends, axis=2, kind="stable")
    ends = np.take_along_axis(ends, order, axis=2)
    slopes = np.take_along_axis(np.concatenate([y, -y], axis=2), order, axis=2).cumsum(axis=2)[..., :-1]
    sums = low.sum(axis=1)[:, None] + (slopes * np.diff(ends, axis=2)).cumsum(axis=2)
    k = np.argmax(sums >= 1.0 - _CLOSE, axis=2)[..., None]
    middle = 0.5 * (np.take_along_axis(ends, k, axis=2) + np.take_along_axis(ends, k + 1, axis=2))
    free = (low < middle * y) & (middle * y < high)
    cut = np.where(free, 0.0, np.clip(middle * y, low, high)).sum(axis=2, keepdims=True)
    scaled = np.where(free, y, 0.0).sum(axis=2, keepdims=True)
    return np.where(scaled > 0, (1.0 - cut) / np.maximum(scaled, _TINY), middle)


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
