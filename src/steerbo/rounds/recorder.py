"""What happens is written down before it counts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

from ..errors import LawWarning, OutOfRangeWarning
from .arithmetic import one_blas_thread
from .events import Added, Created, Event, Log, Refitted, Told, in_order
from .fold import Fold
from .plausible import doubts, unlikely

MOST_COMPARED = 200
"""Data that nobody suggested, up to which each is held against what was expected: that takes a prediction for each."""


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
        before, expected = len(self.fold.checks.findings), self._expected(event)
        self.fold.take(event)
        for finding in self.fold.checks.findings[before:]:
            warnings.warn(LawWarning(finding), stacklevel=4)
        said = doubts(event, self.fold.problem.space, self.fold.history)
        return said if expected is None else [*said, *unlikely(event, *expected, self.fold.history)]

    def _expected(self, event: Event) -> tuple[float, float, float] | None:
        """See `Method.expected_outcome`; of thousands of rows that come at once only the first are held against it."""
        history = self.fold.history
        if not isinstance(event, Told | Added) or (isinstance(event, Added) and len(history.data) > MOST_COMPARED):
            return None
        with one_blas_thread():
            return self.fold.method.expected_outcome(history, event)
