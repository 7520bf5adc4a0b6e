"""What the methods have to say of their arms, and whether observations and plays tell the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from ..rounds import History, Table, as_text
from ..words import counted
from .models import Models
from .thinned import MOST
from .trials import trials_explained
from .watching import Watching

_SURE = 3.0  # deviations from zero, from which on a disagreement is spoken of


def scopes_table(models: Models, plays: Int[np.ndarray, " m"], extra: Mapping[str, list[Any]]) -> Table:
    """How often every arm was played, and more columns."""
    rows = zip([str(arm.scope) for arm in models.arms], plays.tolist(), *extra.values(), strict=True)
    return Table("Scopes", ("scope", "plays", *extra), tuple(rows))


@dataclass(frozen=True)
class Agreement:
    """Of the observations of one scope and its plays.

    Attributes:
        scope: in words.
        observations: how many.
        plays: how many.
        usual: by how much they differ: the root of the mean square, over all points.
        off: how much higher observations are where that is surest.
        sd: its deviation.
        where: that point.
    """

    scope: str
    observations: int
    plays: int
    usual: float
    off: float
    sd: float
    where: Mapping[str, Any]

    @property
    def disagree(self) -> bool:
        """Whether it can hardly be chance."""
        return abs(self.off) > _SURE * self.sd


def agreements(models: Models, sign: float) -> tuple[Agreement, ...]:
    """Of every model that has both, where observations are checked."""
    found = []
    for k, observed in models.observed.items():
        model, played, arm = models.each[k], models.plays(k), models.typical[k]
        if isinstance(model, Watching) and played.any() and not played.all():
            points = model.inputs[:, : model.dimension]
            off, sd = model.off(points)
            surest = int(np.argmax(np.abs(off) / np.maximum(sd, 1e-300)))
            found.append(
                Agreement(
                    str(arm.scope),
                    len(observed),
                    int(played.sum()),
                    float(np.sqrt(np.mean(off**2))),
                    sign * float(off[surest]),
                    float(sd[surest]),
                    arm.decode(arm.names, points[surest]),
                )
            )
    return tuple(found)


def observations_explained(models: Models, history: History, sign: float) -> tuple[str, tuple[Table, ...]]:
    """What data of elsewhere are used for, in words, and a table of how observations go with plays."""
    found = agreements(models, sign)
    columns = ("scope", "observations", "plays", "differ by", "surest: observed less played", "±", "at")
    rows = tuple(
        (a.scope, a.observations, a.plays, a.usual, a.off, 2 * a.sd, as_text(a.where) or "always") for a in found
    )
    trials = [data for data in history.data.values() if data.scope is not None]
    said = _fed(models, len(history.data) - len(trials)) + trials_explained(trials, models.arms)
    said += "".join(_doubt(a) for a in found if a.disagree)
    return said, (Table("Observations beside plays", columns, rows),) if found else ()


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
    said = f" {counted(added, 'observation')} without intervention {feed}: {', '.join(scopes) or 'no scope'}."
    if models.checked and max(map(len, models.observed.values()), default=0) > MOST:
        said += f" Those that lie together are taken as their mean: {MOST} are left of them."
    return said


def _doubt(a: Agreement) -> str:
    at = f" near {as_text(a.where)}" if a.where else ""
    higher = "higher" if a.off > 0 else "lower"
    return (
        f" They do not agree with plays of {a.scope}:{at} what was observed is {abs(a.off):.3g} {higher}, give or take "
        f"{2 * a.sd:.2g}, so observations count for less. The graph may lack a hidden common cause (draw `<->` between "
        "what is set and the target), or things were different when they were observed."
    )
