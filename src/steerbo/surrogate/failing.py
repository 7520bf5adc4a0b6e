"""What failed, as events come in: places that go on failing are closed to a search, until outcomes open them again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from ..rounds import Added, Amended, Asked, Event, Failed, History, Round, Told
from ..search import Margin
from .outcomes import Likely, margin_over
from .parts import Part, Set, set_columns
from .works import FADES, OF_ANSWERS, SHARE, Evaluations, Works, apart

FEWEST = 2
"""Failures before anything is closed."""
_MOST = 40  # failures that count: the latest
_LATE = 500  # evaluations that are held where what was long ago says little: see `works.FADES`
_OLDER = 5  # rounds in which evaluations grow older, where they do
_GAVE, _NEAREST = 128, 3  # outcomes that count; where there are more, those nearest to each failure

Place = Callable[[Mapping[str, Any], str, Round | None], Float[np.ndarray, " e"]]
"""What happened, the token or the name of the data, and the round if it was one, to a point, encoded."""
Tells = Callable[[Round | Added], bool]
"""A round, or data that nobody suggested, to whether it counts here."""


class Failing:
    """What is known of failures. Nothing is kept as long as there are none.

    Args:
        unordered: (d,) which columns are categories.
        place: where an evaluation was made; of more than d columns the first d count.
        fading: whether what worked long ago may not work now.
        tells: which evaluations count; None: all.
    """

    def __init__(
        self, unordered: Bool[np.ndarray, " d"], place: Place, *, fading: bool = False, tells: Tells | None = None
    ) -> None:
        self._unordered, self._place, self._fading, self._told_by = unordered, place, fading, tells
        self._forget()

    def _forget(self) -> None:
        self._points: list[Float[np.ndarray, " d"]] = []
        self._worked: list[bool] = []
        self._rounds: list[int] = []
        self._now = 0
        self._made: Evaluations | None = None  # as they stand: what is found of them is kept

    @property
    def failures(self) -> int:
        """How many evaluations have failed."""
        return len(self._worked) - sum(self._worked)

    @property
    def faded(self) -> float:
        """How many failures count no longer, since they were long ago; 0 where that does not matter."""
        if not self._fading:
            return 0.0
        ages = self._now - np.array(self._rounds, dtype=float)[~np.array(self._worked, dtype=bool)]
        return float((1.0 - np.exp(-ages / FADES)).sum())

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in."""
        match event:
            case Told() | Failed() if self._points:
                self._take(history[event.token], event.token, history)
            case Added() if self._points:
                self._take(None, history.latest_data, history)
            case Failed() | Amended():
                self.begin_anew(history)
            case Asked() if self._points and self._fading and len(history) - self._now >= _OLDER:
                self._now, self._made = len(history), None  # rounds of others pass, too
            case _:
                pass

    def begin_anew(self, history: History) -> None:
        """All evaluations as they stand now."""
        self._forget()
        if not history.failed:
            return
        for name in history.data:
            self._take(None, name, history)
        for played in history:
            if played.state in ("told", "failed"):
                self._take(played, played.suggestion.token, history)

    def _take(self, played: Round | None, name: str, history: History) -> None:
        if self._told_by is not None and not self._told_by(history.data[name] if played is None else played):
            return
        realised = history.data[name].outcome.realised if played is None else played.realised
        self._points.append(self._place(realised, name, played)[: len(self._unordered)])
        self._worked.append(played is None or played.state == "told")
        self._rounds.append(len(history) if played is None else played.number)
        self._now, self._made = len(history), None
        if self._fading and len(self._points) > _LATE:  # a stream may go on for ever
            for held in (self._points, self._worked, self._rounds):
                del held[0]

    # -- what is closed ------------------------------------------------------------------------------------------------

    def works(self, parts: Sequence[Part], share: float = SHARE) -> Works | None:
        """How likely plays are to work that set these columns; None where nothing of what failed is closed to them.

        As long as nothing has worked nobody knows where to go instead.
        """
        if self.failures < FEWEST or not any(self._worked):
            return None
        self._made = self._made or self._near()
        works = Works.of(self._made, parts, share)
        failed = np.zeros((works.made.worked.size - works.made.worked.sum(), len(parts)))
        failed[:, : len(self._unordered)] = works.made.points[~works.made.worked]
        failed = failed[:, set_columns(parts)]
        return works if (margin_over([works], parts)(failed) < 0.0).any() else None

    @property
    def chance(self) -> float:
        """How likely evaluations are to work at the best of the places that worked; 1 where hardly anything failed."""
        if self.failures < FEWEST:
            return 1.0
        self._made = self._made or self._near()
        if not any(self._worked):
            return self._made.share
        every = [Set()] * len(self._unordered)
        return Works.of(self._made, every).best(every)

    def _near(self) -> Evaluations:
        """The latest failures, and outcomes near to them: others say little of what is closed."""
        points, worked = np.array(self._points), np.array(self._worked, dtype=bool)
        failed, gave = np.flatnonzero(~worked)[-_MOST:], np.flatnonzero(worked)
        if len(gave) > _GAVE:
            gaps = apart(points[failed], points[gave], self._unordered, range(points.shape[1]))
            gave = gave[np.unique(np.argsort(gaps, axis=1, kind="stable")[:, :_NEAREST])]
        some = np.sort(np.concatenate([failed, gave]))
        ages = (self._now - np.array(self._rounds, dtype=float)[some]) * self._fading
        return Evaluations(points[some], worked[some], np.abs(ages), self._unordered, int(worked.sum()) - len(gave))


def kept_margin(
    watched: Sequence[Likely], failing: Failing | None, parts: Sequence[Part], answering: bool = False
) -> Margin | None:
    """By how much plays are likely enough to work, and to keep to limits on outcomes; None: all are.

    Args:
        watched: further outcomes that are limited.
        failing: what is known of failures; None: nothing.
        parts: every column's part.
        answering: whether it is what is recommended, and not the next play.
    """
    works = None if failing is None else failing.works(parts, OF_ANSWERS if answering else SHARE)
    likely = [*watched, *([] if works is None else [works])]
    return margin_over(likely, parts) if likely else None
