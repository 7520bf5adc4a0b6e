"""Better whole agents: move one at a time, as long as a bound rises."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from jaxtyping import Bool, Float, Int

from .region import Region

Counts = Int[np.ndarray, "C A"]
Bound = Callable[[Float[np.ndarray, "r C A"]], tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r C A"]]]

_ENDS = 5  # actions with the steepest slopes that are left, and that are joined, in every context
_MOST = 64  # moves tried at once


def exchange(bound: Bound, counts: Counts, region: Region, taken: Collection[bytes], steps: int = 12) -> Counts:
    """Whole agents with a larger bound than `counts`, not `taken`: the best of the promising single moves, repeated.

    Slopes at the present table say which moves are promising: an agent leaves where the slope is small for where it
    is large.

    Args:
        bound: tables (r, C, A) to values and gradients.
        counts: where to begin; it may be taken.
        region: what moves must keep to.
        taken: names (`tobytes`) of what must not be answered.
        steps: the most moves.

    Returns:
        The best numbers found that are not taken; `counts` itself where no move helps.
    """
    agents = region.agents_in[:, None]
    values, slopes = bound((counts / agents)[None])
    best = float(values[0]) if counts.tobytes() not in taken else -np.inf
    for _ in range(steps):
        moves = _promising(slopes[0] / agents, counts, region)
        if not len(moves):
            break
        trials = np.repeat(counts[None], len(moves), axis=0)
        number = np.arange(len(moves))
        trials[number, moves[:, 0], moves[:, 1]] -= 1
        trials[number, moves[:, 0], moves[:, 2]] += 1
        trials = trials[[row.tobytes() not in taken for row in trials]]
        if not len(trials):
            break
        values, slopes = bound(trials / agents)
        i = int(values.argmax())
        if values[i] <= best:
            break
        counts, best, slopes = trials[i], float(values[i]), slopes[i : i + 1]
    return counts


def _promising(slopes: Float[np.ndarray, "C A"], counts: Counts, region: Region) -> Int[np.ndarray, "m 3"]:
    """Moves (context, from, to) within the limits, steepest first."""
    taken = counts.sum(axis=0)
    spare: Bool[np.ndarray, "C A"] = (counts > region.cells[0]) & (taken > region.least)
    room: Bool[np.ndarray, "C A"] = region.allowed & (counts < region.cells[1]) & (taken < region.capacity)
    moves, gains = [], []
    for c, row in enumerate(slopes):
        leave = [a for a in np.argsort(row, kind="stable") if spare[c, a]][:_ENDS]
        join = [a for a in np.argsort(-row, kind="stable") if room[c, a]][:_ENDS]
        for a in leave:
            for b in join:
                if a != b and _keeps(counts, c, a, b, region):
                    moves.append((c, a, b))
                    gains.append(row[b] - row[a])
    order = np.argsort(-np.array(gains), kind="stable")[:_MOST]
    return np.array(moves, dtype=np.intp).reshape(-1, 3)[order]


def _keeps(counts: Counts, c: int, a: int, b: int, region: Region) -> bool:
    """Whether the move keeps to the limit on moves."""
    if region.present is None or region.largest_move is None:
        return True
    agents = region.agents_in[c]
    row = counts[c].astype(float)
    row[a] -= 1
    row[b] += 1
    return bool(0.5 * np.abs(row / agents - region.present[c]).sum() <= region.largest_move + 1e-9)
