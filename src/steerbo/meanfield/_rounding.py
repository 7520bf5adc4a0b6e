"""Search over distributions and whole agents: local maxima of a bound, rounded, sampled, and improved by exchange."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

import numpy as np

from .._arrays import Bool, Float, Int
from ..optim import maximise_simplex
from ._region import Region, Tables

Counts = Int[np.ndarray, "C A"]
Bound = Callable[[Tables], tuple[Float[np.ndarray, " r"], Tables]]
"""Function of tables (r, C, A) to values (r,) and gradients (r, C, A)."""

_SCREEN, _KEPT = 25, 3  # steps of all restarts, and number of restarts that continue
_SAMPLES = 16  # multinomial draws around the best table
_ENDS = 5  # actions with the steepest slopes considered to leave, and to join, in every context
_MOVES_TOGETHER = 64  # moves evaluated together


def local_maxima(bound: Bound, region: Region, starts: Tables, iterations: int) -> Tables:
    """Find local maxima of a bound within the region by multi-start ascent, best first, (k, C, A)."""
    project = region.project if region.limited else None
    limited = partial(maximise_simplex, bound, allowed=region.allowed, project=project)
    screened = limited(starts, iterations=_SCREEN, tolerance=1e-3).points
    return limited(screened[:_KEPT], iterations=iterations, tolerance=1e-5).points


def sampled(
    region: Region,
    table: Float[np.ndarray, "C A"],
    taken: Collection[bytes],
    random: np.random.Generator,
) -> Counts:
    """Draw whole agents from a table: the first draw that is not `taken`, else the first."""
    draws = [region.sampled(table, random) for _ in range(_SAMPLES)]
    return next((counts for counts in draws if counts.tobytes() not in taken), draws[0])


def best_integer(
    bound: Bound,
    region: Region,
    tables: Tables,
    taken: Collection[bytes],
    random: np.random.Generator,
) -> Counts:
    """Find the whole agents with the largest bound near tables (k, C, A), best first; `taken` ones only if all are.

    Candidates are the rounded tables and draws from the first; the best of them is improved by
    `exchange_search`.
    """
    drawn = [] if region.limited else [region.sampled(tables[0], random) for _ in range(_SAMPLES)]
    candidates = list(
        {c.tobytes(): c for c in [*(region.whole(table) for table in tables), *drawn]}.values()
    )
    values, _ = bound(np.array(candidates) / region.agents_in[:, None])
    order = np.argsort(-values, kind="stable")
    best = exchange_search(bound, candidates[order[0]], region, taken)
    return next(
        (c for c in (best, *(candidates[i] for i in order)) if c.tobytes() not in taken), best
    )


def minus_moving_cost(
    bound: Bound, region: Region, shares: Float[np.ndarray, " C"], price: float
) -> Bound:
    """Subtract the cost of moving agents from the present distribution from a bound, with its gradient.

    Without a present distribution nothing moves; `price` is that of moving all agents, in the units
    of the bound.
    """
    if region.present is None or not price:
        return bound

    def net(tables: Tables) -> tuple[Float[np.ndarray, " r"], Tables]:
        values, slopes = bound(tables)
        apart = np.sign(tables - region.present)
        return values - price * region.moved(tables) @ shares, slopes - 0.5 * price * shares[
            :, None
        ] * apart

    return net


def exchange_search(
    bound: Bound, counts: Counts, region: Region, taken: Collection[bytes], steps: int = 12
) -> Counts:
    """Improve whole agents by local search over single moves; each of `steps` takes the best of the promising moves.

    Gradients at the present table say which moves are promising: an agent leaves an action with a
    small slope for one with a large slope. Return the best counts that are not `taken`; the
    starting point if no move improves.
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


def _promising(
    slopes: Float[np.ndarray, "C A"], counts: Counts, region: Region
) -> Int[np.ndarray, "m 3"]:
    """List feasible moves (context, from, to), steepest first."""
    taken = counts.sum(axis=0)
    spare: Bool[np.ndarray, "C A"] = (counts > region.cells[0]) & (taken > region.least)
    room: Bool[np.ndarray, "C A"] = (
        region.allowed & (counts < region.cells[1]) & (taken < region.capacity)
    )
    moves, gains = [], []
    for c, row in enumerate(slopes):
        leave = [a for a in np.argsort(row, kind="stable") if spare[c, a]][:_ENDS]
        join = [a for a in np.argsort(-row, kind="stable") if room[c, a]][:_ENDS]
        for a in leave:
            for b in join:
                if a != b and _within_largest_move(counts, c, a, b, region):
                    moves.append((c, a, b))
                    gains.append(row[b] - row[a])
    order = np.argsort(-np.array(gains), kind="stable")[:_MOVES_TOGETHER]
    return np.array(moves, dtype=np.intp).reshape(-1, 3)[order]


def _within_largest_move(counts: Counts, c: int, a: int, b: int, region: Region) -> bool:
    if region.present is None or region.largest_move is None:
        return True
    agents = region.agents_in[c]
    row = counts[c].astype(float)
    row[a] -= 1
    row[b] += 1
    return bool(0.5 * np.abs(row / agents - region.present[c]).sum() <= region.largest_move + 1e-9)
