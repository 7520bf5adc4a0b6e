"""Data that nobody suggested, many pieces in one commit: each of its own takes longer than all else about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..rounds import Added, Doubt
from .line import Line
from .study import Study

TOGETHER = 250
"""Pieces in one commit: what an interrupted import has to take again."""


@dataclass(frozen=True)
class New:
    """A line of data that nobody suggested, as it is to be written down.

    Args:
        number: the line's.
        event: the data.
        twin: the name of data that is the same at another cost; empty where there is none.
    """

    number: int
    event: Added
    twin: str


def written(study: Study, new: Sequence[New]) -> list[Line]:
    """Write data down, all of it or none, and say what became of each line, with what is hard to believe in it.

    Raises:
        LogUnavailable: the log stays away. Nobody knows whether it was written: the same table again finds out.
    """
    if not new:
        return []
    writer = study.writer
    if writer.keeping.left:  # data that are alike are told apart by their order
        writer.settle()
    record = study.optimizer.recorder

    def work() -> list[list[Doubt]]:
        events = [record.signed(each.event) for each in new]
        writer.log.extend(events)
        return [record.take(event) for event in events]

    with writer._lock:
        doubts = writer.logged(work)
        names = list(study.history.data)[-len(new) :]
    lines = []
    for each, name, doubted in zip(new, names, doubts, strict=True):
        said = f"added as {name}" + ", and charged" * each.event.charge
        twin = [f"{each.twin} is the same at another cost: void one if they are one"] * bool(each.twin)
        lines.append(Line(each.number, "taken", "; ".join([said, *twin, *map(str, doubted)])))
    return lines
