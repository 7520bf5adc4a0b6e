"""Recommendations that a study made on the way, with their expected values: its events, read again up to there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import SteerboError
from ..records import record
from ._problem import Problem
from .events import Amended, Asked, BoundsExtended, Created, Event, OutcomeTold, Refitted
from .optimizer import BaseStudy, Optimizer, problem_of
from .registry import find_method
from .state import StudyState

_FIRST = 4
"""Completed rounds from which on an answer is looked back at: bounds before are wider than all that is drawn."""

_LEARNED_ANEW = 100
"""Completed rounds before which an answer may need a fit of its own: .1 s; of a thousand one takes a second."""


@record
class PastAnswer:
    """An expected value as it was said, and after how much.

    Args:
        rounds: that had been asked for, those that broke among them.
        spent: their cost.
        mean, lower, upper: of the recommendation of that time.
    """

    rounds: int
    spent: float
    mean: float
    lower: float
    upper: float


@dataclass
class PastAnswers:
    """Answers that were computed already: the past of a log does not change.

    Args:
        found: by the number of events before them; None: of these nothing was expected.
        read: the number of events that were read.
        completed: rounds that were completed by then.
        due: completed rounds at which the next answer is looked back at.
    """

    found: dict[int, PastAnswer | None] = field(default_factory=dict)
    read: int = 1
    completed: int = 0
    due: int = _FIRST

    def none_are_new(self, events: Sequence[Event]) -> bool:
        """Whether later events are too few to complete so many rounds: each completes one at most."""
        later = events[self.read :]
        return self.completed + sum(isinstance(e, OutcomeTold | Amended) for e in later) < self.due

    @property
    def expected(self) -> tuple[PastAnswer, ...]:
        """Answers with an expected value, in order."""
        return tuple(found for _, found in sorted(self.found.items()) if found is not None)


def past_answers(study: BaseStudy) -> tuple[PastAnswer, ...]:
    """Expected values of the recommendations after 4, 6, 8, 12, 16, 24 … outcomes.

    They grow in number as the logarithm of the rounds. From a hundred outcomes on each is by a fit
    of the log: where none was due, or at the next one.
    """
    return answers_before(study.problem, study.events, kept_of(study), study)


def kept_of(study: BaseStudy) -> PastAnswers:
    """The answers of a study that were computed already."""
    state = study._state
    if state.past_answers is None:
        state.past_answers = PastAnswers()
    kept: PastAnswers = state.past_answers
    return kept


def answers_before(
    problem: Problem, events: Sequence[Event], known: PastAnswers, now: BaseStudy | None = None
) -> tuple[PastAnswer, ...]:
    """The same of a log, with answers that are known already; new ones are added to them.

    Args:
        problem: whose log.
        events: all of the log.
        known: earlier answers.
        now: the study as it stands, whose own answer is not computed again.
    """
    if known.none_are_new(events):
        return known.expected
    created, *rest = events
    assert isinstance(created, Created)
    if any(isinstance(event, BoundsExtended) for event in rest):
        if not isinstance(created.problem, dict):
            return ()  # how it was before the bounds were extended is known to its program alone
        problem = problem_of(created, "events.0")
    state = StudyState(problem, find_method(problem, created.method), created)
    optimizer, due, waiting = Optimizer._of(state), _FIRST, 0
    for position, event in enumerate(rest, 1):
        state.apply(event)
        completed = state.history.n_completed
        if completed >= due:
            due, waiting = _after(completed), 0 if position in known.found else position
        if not waiting:
            continue
        if now is not None and position == len(rest):
            known.found[waiting], waiting = _answer(now), 0
        elif _is_fitted(event, rest[position:]) or completed < _LEARNED_ANEW:
            known.found[waiting], waiting = _answer(optimizer), 0
    known.read, known.completed = len(events), state.history.n_completed
    known.due = known.completed + 1 if waiting else due
    return known.expected


def _is_fitted(event: Event, later: Sequence[Event]) -> bool:
    """Whether an answer after an event needs no fit but those of the log: one is logged where the next ask needs it."""
    if later and isinstance(later[0], Refitted):
        return False  # it is read first
    return isinstance(event, Refitted) or bool(
        later and isinstance(later[0], Asked) and not later[0].note.get("own")
    )


def _after(count: int) -> int:
    """The next number of outcomes that is a power of two, or half as much again.

    >>> [_after(4), _after(6), _after(8), _after(13)]
    [6, 8, 12, 16]
    """
    power = 1 << (count.bit_length() - 1)
    return power + power // 2 if count < power + power // 2 else 2 * power


def _answer(study: BaseStudy) -> PastAnswer | None:
    try:
        said = study.recommend()
    except SteerboError:  # a method of another package may break a limit
        return None
    if said.mean is None or said.lower is None or said.upper is None or said.context:
        return None  # of one context of several: those of other times would be no line with it
    history = study.history
    return PastAnswer(
        len(history), history.spent, float(said.mean), float(said.lower), float(said.upper)
    )
