"""The nearest distributions within limits, in Kullback–Leibler divergence, which suits exponentiated gradients.

Each limit alone has a closed form, or one number to find: rows are normalised, a column that is too full or too empty
is scaled to its bound, a row of which single shares have bounds is scaled and cut at them, and a row that moved too far
is cut above and lifted below its present shares by two factors. Dykstra's algorithm with Bregman projections (Bauschke
& Lewis 2000) finds the point that meets all of them. It climbs the dual, one limit after another, which takes thousands
of sweeps where limits meet at a narrow angle: its corrections are extrapolated, as long as the dual rises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from .extrapolation import Extrapolation

Tables = Float[np.ndarray, "r C A"]

_SWEEPS = 1000
_CLOSE, _ARRIVED = 1e-9, 1e-8  # what a sweep corrects, and excess over a limit, where it ends
_LARGEST = 230.0  # of a correction, a logarithm
_LOST = 1e-12  # of the dual, and of one: no more than rounding
_AT_ONCE = 200_000  # numbers: of each a few dozen are kept meanwhile
_SPECK = 1e-9  # smaller shares are lifted like this one
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Swept:
    """What a sweep leads to.

    Attributes:
        logs: (r, l, C, A) corrections of each limit, logarithms: by what it scaled shares down.
        shares: (r, C, A) of all agents.
        dual: (r,) no possible tables are nearer than this; the nearest are as near.
    """

    logs: Float[np.ndarray, "r l C A"]
    shares: Tables
    dual: Float[np.ndarray, " r"]

    def where(self, which: Bool[np.ndarray, " r"], others: Swept) -> Swept:
        """With others in some places."""
        logs, shares, dual = self.logs.copy(), self.shares.copy(), self.dual.copy()
        logs[which], shares[which], dual[which] = others.logs, others.shares, others.dual
        return Swept(logs, shares, dual)


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

        Where no table is within all of them, one that breaks some: see `excess`.
        """
        pieces = max(1, min(len(tables), tables.size // _AT_ONCE))
        return np.concatenate([self._nearest(piece) for piece in np.array_split(tables, pieces)])

    def _nearest(self, tables: Tables) -> Tables:
        start, ahead = tables * self.joint, Extrapolation()
        tried = np.zeros((len(tables), len(self._limits), *tables.shape[1:]))
        here, lost = self._sweep(start, tried), np.zeros(len(tables), dtype=bool)
        for _ in range(_SWEEPS):
            step = np.abs(here.logs - tried) * here.shares[:, None]
            if step.max() < _CLOSE and self.excess(here.shares / self.joint) < _ARRIVED:
                break
            weights = np.broadcast_to(here.shares[:, None], tried.shape)
            flat = [each.reshape(len(tables), -1) for each in (tried, here.logs, weights)]
            tried = ahead.next(flat[0], flat[1], flat[2], lost).reshape(tried.shape).clip(-_LARGEST, _LARGEST)
            further = self._sweep(start, tried)
            lost = ~(further.dual >= here.dual - _LOST * (1.0 + np.abs(here.dual)))
            if lost.any():  # too far: without extrapolation the dual never falls
                tried[lost] = here.logs[lost]
                further = further.where(lost, self._sweep(start[lost], here.logs[lost]))
            here = further
        return np.asarray(here.shares / here.shares.sum(axis=2, keepdims=True))

    def _sweep(self, start: Tables, logs: Float[np.ndarray, "r l C A"]) -> Swept:
        """Meet each limit in turn, from corrections to corrections."""
        x, logs, held = self._filled(start * _exp(-logs.sum(axis=1))), logs.copy(), np.zeros(len(start))
        for i, limit in enumerate(self._limits):
            y = x * _exp(logs[:, i])
            cut = limit(y)
            ratio = np.divide(y, cut, out=np.ones_like(y), where=(cut > _TINY) & (y > _TINY))
            logs[:, i] = np.log(ratio).clip(-_LARGEST, _LARGEST)
            x = self._filled(cut)  # affine: needs no correction
            held += (logs[:, i] * (x if i else cut)).sum(axis=(1, 2))  # columns are limited whatever rows come to
        rows = np.maximum((start * _exp(-logs.sum(axis=1))).sum(axis=2), _TINY)
        return Swept(logs, x, -(self.joint[:, 0] * np.log(rows / self.joint[:, 0])).sum(axis=1) - held)

    def _filled(self, x: Tables) -> Tables:
        return np.asarray(x * (self.joint / np.maximum(x.sum(axis=2, keepdims=True), _TINY)))

    @cached_property
    def _limits(self) -> Sequence[Callable[[Tables], Tables]]:
        cells = [] if self.cells is None else [self._cut_cells]
        return [self._fit_columns, *cells, *([] if self.largest_move is None else [self._cut_moves])]

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


def _exp(logs: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(logs.clip(-600.0, 600.0)))


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
