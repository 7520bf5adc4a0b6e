"""What happens is written down before it counts."""

from __future__ import annotations

import warnings
from dataclasses import replace

from ..errors import LawWarning, OutOfRangeWarning, UnusualOutcomeWarning
from .events import Created, Event, Log, Refitted, Told, in_order
from .fold import Fold
from .plausible import doubts, unlike_others

Doubts = tuple[str, ...] | None
"""What is hard to believe in what was told, and what was found of it, a sentence each; None: nothing."""


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

    def __call__(self, event: Event | None) -> Doubts:
        """Write an event down, where there is one, and take it in.

        Values that are hard to believe are warned of, and laws that nature does not keep.

        Returns:
            What is warned of, a sentence each; None: nothing.
        """
        if event is None:
            return None
        event = self.signed(event)
        if self.log is not None:
            self.log.append(event)
        before = len(self.fold.checks.findings)
        doubted = self.take(event)
        for warning in doubted:
            warnings.warn(warning, stacklevel=3)
        return (*self.fold.checks.findings[before:], *map(str, doubted)) or None

    def known(self, token: str) -> Doubts:
        """What is hard to believe in the outcome of a round, or its failure, that is known already."""
        played = self.fold.history[token]
        event = Told(token, played.outcome) if played.state == "told" and played.outcome else played.failure
        return tuple(map(str, self._doubts(event))) or None if event else None

    def signed(self, event: Event) -> Event:
        """The event as it is written down: in order, and with who causes it."""
        event = in_order(event, self.fold.problem.in_order)
        return event if self.by is None or isinstance(event, Created | Refitted) else replace(event, by=self.by)

    def take(self, event: Event) -> list[OutOfRangeWarning]:
        """Take in an event that is written down; returns what is hard to believe in it."""
        before = len(self.fold.checks.findings)
        self.fold.take(event)
        for finding in self.fold.checks.findings[before:]:
            warnings.warn(LawWarning(finding), stacklevel=4)
        return self._doubts(event)

    def _doubts(self, event: Event) -> list[OutOfRangeWarning]:
        problem, history = self.fold.problem, self.fold.history
        unusual = map(UnusualOutcomeWarning, unlike_others(event, problem, history))
        return [*map(OutOfRangeWarning, doubts(event, problem.space, history)), *unusual]
