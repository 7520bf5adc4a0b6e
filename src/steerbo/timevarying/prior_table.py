"""What is known of every prior, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core import Table

if TYPE_CHECKING:
    from .method import CandidatePriors

SHOWN = 20
"""Priors at most."""


def table_of_priors(
    method: CandidatePriors[Any], more: Mapping[int, tuple[Any, ...]], columns: tuple[str, ...]
) -> Table:
    """Plays and posterior weight of every prior, with further columns; the heaviest only where there are many."""
    weights, kept = method.weights(), method.surrogate.kept
    shown = method.trusted() + [p for p in range(len(method.names)) if p not in set(method.trusted())]
    rows = [(method.names[p], int(method.plays[p]), float(weights[p]), *more.get(p, ())) for p in shown[:SHOWN]]
    if kept is not None:
        columns = (*columns, "outcomes it rests on")
        rows = [(*row, int(kept[p])) for p, row in zip(shown, rows, strict=False)]
    title = "Priors" if len(shown) <= SHOWN else f"Priors ({SHOWN} of {len(shown)}, most probable first)"
    return Table(title, ("prior", "plays", "weight", *columns), tuple(rows))
