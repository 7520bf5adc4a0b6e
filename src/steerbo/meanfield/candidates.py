"""From a bound to whole agents: local maxima over tables, rounded, sampled, and improved one agent at a time."""

from __future__ import annotations

from functools import partial

import numpy as np
from jaxtyping import Float, Int

from ..search import maximise_simplex
from .acquisition import Tables, Values
from .exchange import exchange
from .region import Region
from .trust_region import Bound

_SCREEN, _KEPT = 25, 3  # steps of all restarts, and how many of them go on
_SAMPLES = 16  # multinomial draws around the best table


def maxima(bound: Bound, region: Region, starts: Tables, iterations: int) -> Tables:
    """Local maxima of the bound within the region, best first."""
    project = region.project if region.limited else None
    limited = partial(maximise_simplex, bound, allowed=region.allowed, project=project)
    screened = limited(starts, iterations=_SCREEN, tolerance=1e-3).points
    return limited(screened[:_KEPT], iterations=iterations, tolerance=1e-5).points


def sampled(
    region: Region, table: Float[np.ndarray, "C A"], taken: set[bytes], random: np.random.Generator
) -> Int[np.ndarray, "C A"]:
    """Agents that draw from the table: the first draw that is not taken, or any."""
    draws = [region.sampled(table, random) for _ in range(_SAMPLES)]
    return next((counts for counts in draws if counts.tobytes() not in taken), draws[0])


def best_whole(
    bound: Bound, region: Region, tables: Tables, taken: set[bytes], random: np.random.Generator
) -> Int[np.ndarray, "C A"] | None:
    """The whole agents with the largest bound near these tables, best first, that are not taken; None: all are."""
    drawn = [] if region.limited else [region.sampled(tables[0], random) for _ in range(_SAMPLES)]
    candidates = list({c.tobytes(): c for c in [*(region.whole(table) for table in tables), *drawn]}.values())
    values, _ = bound(np.array(candidates) / region.agents_in[:, None])
    order = np.argsort(-values, kind="stable")
    best = exchange(bound, candidates[order[0]], region, taken)
    return next((c for c in (best, *(candidates[i] for i in order)) if c.tobytes() not in taken), None)


def less_moving(bound: Bound, region: Region, shares: Float[np.ndarray, " C"], price: float) -> Bound:
    """A bound less what moving agents from the present distribution costs, with its gradient.

    Args:
        bound: of tables.
        region: knows the present distribution; without one nothing is to be moved.
        shares: (C,) of the agents in each context.
        price: of moving all agents, in the units of the bound.
    """
    if region.present is None or not price:
        return bound

    def less(tables: Tables) -> tuple[Values, Tables]:
        values, slopes = bound(tables)
        apart = np.sign(tables - region.present)
        return values - price * region.moved(tables) @ shares, slopes - 0.5 * price * shares[:, None] * apart

    return less
