"""What happens is written down before it counts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
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
        event = self.signed(event)
        if self.log is not None:
            self.log.append(event)
        for doubt in self.take(event):
            warnings.warn(OutOfRangeWarning(doubt), stacklevel=3)

    def signed(self, event: Event) -> Event:
        """The event as it is written down: in order, and with who causes it."""
        event = in_order(event, self.fold.problem.in_order)
        return event if self.by is None or isinstance(event, Created | Refitted) else replace(event, by=self.by)

    def take(self, event: Event) -> Sequence[str]:
        """Take in an event that is written down; returns what is hard to believe in it."""
        before = len(self.fold.checks.findings)
        self.fold.take(event)
        for finding in self.fold.checks.findings[before:]:
            warnings.warn(LawWarning(finding), stacklevel=4)
        return list(doubts(event, self.fold.problem.space, self.fold.history))
