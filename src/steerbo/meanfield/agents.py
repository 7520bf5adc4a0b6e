"""Where agents are to be, as suggestions and recommendations say it: shares, and whole agents where wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int

if TYPE_CHECKING:
    from .problem import MeanField


def settings(
    problem: MeanField, table: Float[np.ndarray, "C A"], counts: Int[np.ndarray, "C A"] | None = None
) -> dict[str, Any]:
    """A table by name, and beside it the numbers of agents where the problem's `counts` asks for them.

    Args:
        problem: whose contexts and actions.
        table: shares, a row for each context.
        counts: the numbers of agents; None: the nearest that are possible.

    >>> from steerbo import MeanField
    >>> settings(MeanField(["north", "south"], agents=4, counts=True), np.array([[0.25, 0.75]]))["counts"]
    {'everyone': {'north': 1, 'south': 3}}
    """
    values: dict[str, Any] = {"distribution": problem.named(table)}
    if problem.counts:
        whole = problem.region.whole(table) if counts is None else counts
        simplex = problem.simplex
        values["counts"] = {
            context: {action: int(k) for action, k in zip(simplex.columns, row, strict=True)}
            for context, row in zip(simplex.rows, whole, strict=True)
        }
    return values
