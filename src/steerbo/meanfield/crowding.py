"""Limits on where agents may be, as bounds in whole agents; a set of them that leaves nothing is refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Int

from ..errors import InvalidProblem, one_of
from ..search import clashing
from ..space import Crowd, Headcount, Simplex
from .region import Region

if TYPE_CHECKING:
    from .problem import MeanField

MOST_LIMITS = 1000


def crowds_of(problem: MeanField) -> tuple[Crowd, ...]:
    """All limits on where agents may be, in whole agents: of the problem's `limits`, and its capacities."""
    agents = dict(zip(problem.contexts, problem.agents_in.tolist(), strict=True))
    said = [Headcount(action, most) for action, most in problem.capacity.items()]
    return tuple(Crowd.of(limit, agents) for limit in (*(problem.limits or ()), *said))


def region_of(problem: MeanField, crowds: Sequence[Crowd], closed: bool = True) -> Region:
    """The distributions that these leave. `closed`: agents are only where their context is allowed to be."""
    simplex, agents = problem.simplex, problem.agents_in
    open_to = np.array(
        [
            [not closed or a in problem.allowed.get(c, problem.actions) for a in problem.actions]
            for c in problem.contexts
        ]
    )
    least, most = np.zeros(simplex.shape[1], dtype=np.int64), np.full(simplex.shape[1], agents.sum())
    cells = np.stack([np.zeros(simplex.shape, dtype=np.int64), np.tile(agents[:, None], simplex.shape[1])])
    for crowd in crowds:
        _tighten(simplex, crowd, least, most, cells)
    return Region(tuple(problem.contexts), tuple(problem.actions), agents, open_to, most, least, cells)


def _tighten(
    simplex: Simplex,
    crowd: Crowd,
    least: Int[np.ndarray, " A"],
    most: Int[np.ndarray, " A"],
    cells: Int[np.ndarray, "2 C A"],
) -> None:
    a = simplex.columns.index(crowd.action)
    if len(crowd.agents) == len(simplex.rows):
        least[a], most[a] = max(least[a], crowd.least), min(most[a], crowd.most)
        return
    c = simplex.rows.index(next(iter(crowd.agents)))
    cells[0, c, a], cells[1, c, a] = max(cells[0, c, a], crowd.least), min(cells[1, c, a], crowd.most)


def check_crowding(problem: MeanField) -> None:
    """Refuse limits of unknown names, and those that all agents together cannot keep to, naming those that clash.

    Raises:
        InvalidProblem: naming the limit.
    """
    limits = problem.limits or ()
    if len(limits) > MOST_LIMITS:
        raise InvalidProblem("limits", len(limits), f"at most {MOST_LIMITS}")
    for i, limit in enumerate(limits):
        if limit.action not in problem.actions:
            raise InvalidProblem(f"limits.{i}.action", limit.action, one_of(problem.actions, limit.action))
        if limit.context is not None and limit.context not in problem.contexts:
            raise InvalidProblem(f"limits.{i}.context", limit.context, one_of(problem.contexts, limit.context))
    if not limits:
        problem.region.check()
        return
    crowds = problem.every_limit

    def possible(some: Sequence[int]) -> bool:
        among = [crowds[k] for k in some if k < len(crowds)]
        return _fits(region_of(problem, among, closed=len(crowds) in some))

    if possible(range(len(crowds) + 1)):
        return
    clash = clashing(len(crowds) + 1, possible)
    named = [str(crowds[k]) for k in clash if k < len(crowds)]
    named += [f"allowed: {c} only in {', '.join(to)}" for c, to in problem.allowed.items() if len(crowds) in clash]
    wanted = f"limits that {problem.agents} agents can keep to"
    hint = "These clash: loosen one." if len(named) > 1 else "No whole number of agents does. Loosen it."
    raise InvalidProblem("limits", named, wanted, hint)


def _fits(region: Region) -> bool:
    """Whether whole agents can be placed: it is a flow, so that a linear programme has whole numbers at its corners."""
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
