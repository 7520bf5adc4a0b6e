"""Explaining a belief: what an agent in each cell is expected to be paid, and which cells are still being explored."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from ..rounds import Table
from ..words import counted
from .belief import Belief
from .problem import MeanField

_ROWS_SHOWN = 30
_COLUMNS = ("context", "action", "share", "last suggested", "expected payoff", "deviation", "explored")


def explained(
    problem: MeanField, belief: Belief, best: Float[np.ndarray, "C A"], last: Float[np.ndarray, "C A"]
) -> tuple[Table, int]:
    """The fullest cells at the recommended table, and how many cells are explored.

    Args:
        problem: for names and numbers of agents.
        belief: after all outcomes.
        best: the recommended table.
        last: the table suggested last; a cell where it has more agents is still being explored.
    """
    mean, sd = (part[0] for part in belief.bounds.cells(best[None]))
    explored = last > best + np.maximum(1.5 / problem.agents_in[:, None], 1e-6)
    order = np.argsort(-(np.maximum(best, last) * problem.shares[:, None]).ravel(), kind="stable")
    rows = []
    for i in order[:_ROWS_SHOWN]:
        c, a = np.unravel_index(i, best.shape)
        payoff = problem.sign * belief.raw(float(mean[c, a]))
        cell = (float(best[c, a]), float(last[c, a]), payoff, belief.unit * float(sd[c, a]), bool(explored[c, a]))
        rows.append((problem.contexts[c], problem.actions[a], *cell))
    rest = best.size - len(rows)
    title = "Cells at the recommended distribution" + (f" (fullest {len(rows)}, {rest} not shown)" if rest else "")
    return Table(title, _COLUMNS, tuple(rows)), int(explored.sum())


def fullest(problem: MeanField, table: Float[np.ndarray, "C A"]) -> str:
    """The five fullest cells of a table, in words."""
    order = np.argsort(-(table * problem.shares[:, None]).ravel(), kind="stable")[:5]
    cells = [np.unravel_index(i, table.shape) for i in order]
    one = len(problem.contexts) == 1
    return ", ".join(
        f"{'' if one else problem.contexts[c] + ' → '}{problem.actions[a]} {table[c, a]:.3g}"
        for c, a in cells
        if table[c, a] > 0
    )


def summarised(
    problem: MeanField, belief: Belief, outcomes: int, explored: int, forgotten: tuple[int, int] = (0, 0)
) -> str:
    """A belief in words.

    Args:
        problem: for names.
        belief: after all outcomes.
        outcomes: how many there are.
        explored: how many cells are still being explored.
        forgotten: how many older outcomes are forgotten, and since which round.
    """
    posterior = belief.bounds.posterior
    kernel, noise = posterior.kernel, belief.unit * np.sqrt(posterior.noise)
    cells = int(problem.region.allowed.sum())
    said = (
        f"{counted(outcomes, 'outcome')}. {explored or 'None'} of {counted(cells, 'cell')} (an action, "
        f"in a context) {'is' if explored < 2 else 'are'} still being explored, with more agents in the last "
        f"suggestion than in the recommendation. The model: kernel {kernel.kind} on {kernel.embedding.name} "
        f"distributions, lengthscale {kernel.lengthscale('lengthscale', posterior.parameters):.3g}, noise {noise:.3g}."
    )
    if problem.feedback == "population":
        said += " Averages never identify single payoffs: those below rest on the kernel."
    old, since = forgotten
    if old:
        older = f"{counted(old, 'older outcome')} {'is' if old == 1 else 'are'}"
        said += f" Payoffs have changed: {older} forgotten since round {since}."
    return said
