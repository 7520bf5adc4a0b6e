"""Explanation of the model: expected payoffs of the fullest cells, the cells still explored, and a summary."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from ..rounds import Table
from ..words import counted
from .models import Surrogate
from .problem import MeanField

_ROWS_SHOWN = 30
_COLUMNS = ("context", "action", "share", "last suggested", "expected payoff", "deviation", "explored")


def cell_table(
    problem: MeanField, surrogate: Surrogate, best: Float[np.ndarray, "C A"], last: Float[np.ndarray, "C A"]
) -> tuple[Table, int]:
    """Tabulate the fullest cells at the recommended table, and count the cells that are still explored.

    Args:
        problem: names and numbers of agents.
        surrogate: posterior after all outcomes.
        best: (C, A) the recommended table.
        last: (C, A) the table suggested last; a cell in which it has more agents is explored.
    """
    mean, sd = (part[0] for part in surrogate.ucb.cell_moments(best[None]))
    explored = last > best + np.maximum(1.5 / problem.agents_in[:, None], 1e-6)
    order = np.argsort(-(np.maximum(best, last) * problem.shares[:, None]).ravel(), kind="stable")
    rows = []
    for i in order[:_ROWS_SHOWN]:
        c, a = np.unravel_index(i, best.shape)
        payoff = problem.sign * surrogate.raw(float(mean[c, a]))
        cell = (float(best[c, a]), float(last[c, a]), payoff, surrogate.unit * float(sd[c, a]), bool(explored[c, a]))
        rows.append((problem.contexts[c], problem.actions[a], *cell))
    rest = best.size - len(rows)
    title = "Cells at the recommended distribution" + (f" (fullest {len(rows)}, {rest} not shown)" if rest else "")
    return Table(title, _COLUMNS, tuple(rows)), int(explored.sum())


def fullest(problem: MeanField, table: Float[np.ndarray, "C A"]) -> str:
    """Name the five fullest cells of a table with their shares."""
    order = np.argsort(-(table * problem.shares[:, None]).ravel(), kind="stable")[:5]
    cells = [np.unravel_index(i, table.shape) for i in order]
    one = len(problem.contexts) == 1
    return ", ".join(
        f"{'' if one else problem.contexts[c] + ' → '}{problem.actions[a]} {table[c, a]:.3g}"
        for c, a in cells
        if table[c, a] > 0
    )


def summary(
    problem: MeanField, surrogate: Surrogate, outcomes: int, explored: int, forgotten: tuple[int, int] = (0, 0)
) -> str:
    """Summarise the model in words.

    Args:
        problem: names.
        surrogate: posterior after all outcomes.
        outcomes: number of outcomes.
        explored: number of cells still explored.
        forgotten: number of older outcomes that are forgotten, and the round since which they are.
    """
    posterior = surrogate.ucb.posterior
    kernel, noise = posterior.kernel, surrogate.unit * np.sqrt(posterior.noise)
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
