"""What happens is written down before it counts."""

from __future__ import annotations

import warnings
from dataclasses import replace

from ..errors import LawWarning
from .arithmetic import one_blas_thread
from .events import Added, Asked, Created, Decided, Event, Log, Refitted, Told, in_order
from .fold import Fold
from .plausible import Doubt, Expectation, doubts, doubts_of_look

MOST_COMPARED = 200
"""Data that nobody suggested, up to which each is held against what was expected: that takes a prediction for each."""

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
        self._said: dict[str, tuple[str, ...]] = {}  # by token, of what happened last

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
        for doubt in doubted:
            warnings.warn(doubt.warning, stacklevel=3)
        said = (*self.fold.checks.findings[before:], *map(str, doubted))
        token = getattr(event, "token", "")
        self._said.pop(token, None)
        if said and token:
            self._said[token] = said
        return said or None

    def known(self, token: str) -> Doubts:
        """What was said when a round's outcome or failure was told, which is told again.

        Of another process's it is worked out anew, without what was expected then.
        """
        if token in self._said:
            return self._said[token]
        played = self.fold.history[token]
        event = Told(token, played.outcome) if played.state == "told" and played.outcome else played.failure
        return tuple(map(str, doubts(event, self.fold.problem, self.fold.history))) or None if event else None

    def signed(self, event: Event) -> Event:
        """The event as it is written down: in order, and with who causes it."""
        event = in_order(event, self.fold.problem.in_order)
        return event if self.by is None or isinstance(event, Created | Refitted) else replace(event, by=self.by)

    def take(self, event: Event) -> list[Doubt]:
        """Take in an event that is written down; returns what is hard to believe in it."""
        before, doubted = len(self.fold.checks.findings), self.doubts(event)
        self.fold.take(event)
        for finding in self.fold.checks.findings[before:]:
            warnings.warn(LawWarning(finding), stacklevel=4)
        return doubted

    def doubts(self, event: Event) -> list[Doubt]:
        """List the values of an event, not taken in yet, that are hard to believe."""
        problem, history = self.fold.problem, self.fold.history
        if isinstance(event, Asked):
            seen = event.request.get("context", {})
            return list(doubts_of_look(seen, problem.space, event.round, event.token, seen=True))
        if isinstance(event, Decided):
            return list(doubts_of_look(event.context, problem.space, history[event.token].number, event.token))
        return doubts(event, problem, history, self._expected(event))

    def _expected(self, event: Event) -> Expectation | None:
        """See `Method.expected_outcome`; of thousands of rows that come at once only the first are held against it."""
        history = self.fold.history
        if not isinstance(event, Told | Added) or (isinstance(event, Added) and len(history.data) > MOST_COMPARED):
            return None
        with one_blas_thread():
            return self.fold.method.expected_outcome(history, event)
