"""Tables and sentences about arms, and about data of elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int

from ..core import History, Table
from ..wording import counted
from .models import Models
from .trials import trials_explained


def scopes_table(models: Models, plays: Int[np.ndarray, " m"], extra: Mapping[str, list[Any]]) -> Table:
    """How often every arm was played, and more columns."""
    rows = zip([str(arm.scope) for arm in models.arms], plays.tolist(), *extra.values(), strict=True)
    return Table("Scopes", ("scope", "plays", *extra), tuple(rows))


def observations_explained(models: Models, history: History) -> str:
    """Which scopes data of elsewhere are used for, in words."""
    trials = [data for data in history.data.values() if data.scope is not None]
    return _fed(models, len(history.data) - len(trials)) + trials_explained(trials, models.arms)


def _fed(models: Models, added: int) -> str:
    """Of which scopes so many observations without intervention tell."""
    if not added:
        return ""
    scopes = []
    for arm, k in zip(models.arms, models.of, strict=True):
        if (others := models.adjusted_for[k]) is not None:
            fewer = len(models.observed[k]) < added
            notes = [f"adjusted for {', '.join(others)}"] if others else []
            notes += [f"{len(models.observed[k])} of them, the others lack something"] if fewer else []
            scopes.append(f"set {arm.scope} ({'; '.join(notes)})" if notes else f"set {arm.scope}")
    feed = "feeds" if added == 1 else "feed"
    return f" {counted(added, 'observation')} without intervention {feed}: {', '.join(scopes) or 'no scope'}."
