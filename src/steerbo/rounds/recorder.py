"""What happens is written down before it counts."""

from __future__ import annotations

import warnings
from dataclasses import replace

from ..errors import LawWarning, OutOfRangeWarning
from .events import Created, Event, Log, Refitted, in_order
from .fold import Fold
from .plausible import doubts


class Recorder:
    """Takes events: each is in the log before the state knows of it.

    Args:
        fold: the state.
        log: where every event goes first; None: nowhere else.

    Attributes:
        by: who causes what happens now, in the log; None: nobody knows.
    """

    def __init__(self, fold: Fold, log: Log | None) -> None:
        self.fold, self.log = fold, log
        self.by: str | None = None

    def __call__(self, event: Event | None) -> None:
        """Write an event down, where there is one, and take it in.

        Values that are hard to believe are warned of, and laws that nature does not keep.
        """
        if event is None:
            return
        event = in_order(event, self.fold.problem.in_order)
        if self.by is not None and not isinstance(event, Created | Refitted):
            event = replace(event, by=self.by)
        if self.log is not None:
            self.log.append(event)
        before = len(self.fold.checks.findings)
        self.fold.take(event)
        for finding in self.fold.checks.findings[before:]:
            warnings.warn(LawWarning(finding), stacklevel=3)
        for doubt in doubts(event, self.fold.problem.space, self.fold.history):
            warnings.warn(OutOfRangeWarning(doubt), stacklevel=3)
