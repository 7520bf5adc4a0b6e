"""The run loop: go on where the journal ends, evaluate what is pending, then ask and tell until it is finished."""

from __future__ import annotations

import json
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from ..errors import InvalidContext, InvalidInput, InvalidOutcome, InvalidStudy, ObjectiveFailure, SteerboError
from ..optimizer import Created, Optimizer, Suggestion
from .journal import Journal
from .objective import Objective, read_context, read_outcome
from .specification import Specification


class Observer(Protocol):
    """Who watches a run."""

    def began(self, suggestion: Suggestion) -> None:
        """A suggestion goes out to be evaluated."""

    def ended(self, optimizer: Optimizer) -> None:
        """Its outcome, or its failure, is in the log."""

    def say(self, message: str) -> None:
        """Something that the user ought to know."""


class Interruptible:
    """Ctrl-C stops an evaluation at once; while events are computed and written it waits until they are.

    So do the signals that end a session or a batch job, since an external command would outlive them. Use it as a
    context around the loop, and `evaluation()` around what may be stopped. A second Ctrl-C does not wait.
    """

    def __init__(self) -> None:
        self._stoppable = self._wanted = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruptible:
        if threading.current_thread() is threading.main_thread():
            known = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
            heard = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]  # nohup
            self._before = {number: signal.signal(number, self._handle) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, *_: object) -> None:
        if self._stoppable or self._wanted:
            raise KeyboardInterrupt
        self._wanted = True

    def check(self) -> None:
        """Stop here if that was wanted."""
        if self._wanted:
            raise KeyboardInterrupt

    @contextmanager
    def evaluation(self) -> Iterator[None]:
        """What runs inside may be stopped."""
        self.check()
        self._stoppable = True
        try:
            yield
        finally:
            self._stoppable = False


def resume(specification: Specification, journal: Journal, observer: Observer) -> Optimizer:
    """The optimizer that the journal's events lead to; a new one where it is empty.

    Budget and rounds are the study file's, so that raising them continues a finished study.

    Raises:
        InvalidStudy: the journal belongs to another study, or is damaged.
    """
    if journal.torn:
        observer.say(f"the last line of {journal.path.name} was cut short and is dropped: {journal.torn[:60]}…")
    if not journal.events:
        return specification.optimizer(journal)
    created, *events = journal.events
    wanted = specification.optimizer().events[0]
    assert isinstance(wanted, Created)
    _check_same_study(journal, created, wanted)
    limits = Created(**{**vars(created), "budget": wanted.budget, "rounds": wanted.rounds})
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            optimizer = Optimizer.replay(specification.problem, [limits, *events], journal)
    except (SteerboError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        hint = f"It was changed by hand, or by another version ({type(error).__name__}: {error})."
        raise InvalidStudy("journal", str(journal.path), "events that follow from one another", hint) from error
    for warning in caught:
        observer.say(str(warning.message))
    return optimizer


def _check_same_study(journal: Journal, created: Any, wanted: Created) -> None:
    place = journal.path.name
    if not isinstance(created, Created):
        raise InvalidStudy(f"{place}: line 1", created, "a 'created' event")
    for name in ("problem", "method", "options", "seed"):
        journalled, asked = getattr(created, name), getattr(wanted, name)
        if journalled != asked:
            detail = f"{name} {asked!r}" if name != "problem" else "the problem of the study file"
            raise InvalidStudy(
                f"{place}: {name}",
                journalled,
                detail,
                "It is the journal of another study: name another one with --journal, or move this one away.",
            )


def drive(
    optimizer: Optimizer,
    objective: Objective,
    observer: Observer,
    failures: int = 3,
    rounds: int | None = None,
) -> None:
    """Play rounds until the study is finished, pending ones first.

    An evaluation that fails, or whose answer cannot be used, is told to the optimizer by `fail`, with the raw answer in
    its reason; the study goes on.

    Args:
        optimizer: the study; its log gets every event.
        objective: evaluates a suggestion.
        observer: is told of everything.
        failures: so many failed evaluations in a row end the run.
        rounds: at most so many rounds in this run; None: no limit beside the study's own.

    Raises:
        ObjectiveFailure: too many evaluations in a row have failed.
        KeyboardInterrupt: Ctrl-C was pressed; everything observed is in the log.
    """
    played = in_a_row = 0
    with Interruptible() as interrupt:
        while rounds is None or played < rounds:
            suggestion = next(iter(optimizer.pending), None) or optimizer.ask()
            if suggestion is None:
                return
            played += 1
            try:
                _play(optimizer, objective, observer, suggestion, interrupt)
                in_a_row = 0
            except ObjectiveFailure as failure:
                in_a_row += 1
                observer.say(f"round {suggestion.round} failed: {_short(failure)}")
                if in_a_row >= failures:
                    raise ObjectiveFailure(
                        f"{in_a_row} evaluations failed in a row, the last: {_short(failure)}"
                    ) from None
            observer.ended(optimizer)
            interrupt.check()


def _play(
    optimizer: Optimizer, objective: Objective, observer: Observer, suggestion: Suggestion, interrupt: Interruptible
) -> None:
    """One round; a failure is in the log before it is raised."""
    observer.began(suggestion)
    answer: Any = None
    try:
        while suggestion.observe:
            with interrupt.evaluation():
                answer = objective(suggestion)
            suggestion = optimizer.decide(suggestion, read_context(answer, suggestion.observe))
        with interrupt.evaluation():
            answer = objective(suggestion)
        optimizer.tell(suggestion, **read_outcome(answer))
    except (ObjectiveFailure, InvalidOutcome, InvalidContext) as error:
        failure = error if isinstance(error, ObjectiveFailure) else _unusable(error)
        _fail(optimizer, suggestion, str(failure), answer)
        raise failure from None


def _unusable(error: InvalidInput) -> ObjectiveFailure:
    return ObjectiveFailure(
        f"the objective's answer cannot be used: {type(error)(error.field, error.value, error.allowed)}"
    )


def _fail(optimizer: Optimizer, suggestion: Suggestion, reason: str, answer: Any) -> None:
    """With the raw answer, and what of it can be used: money that was spent is spent."""
    known = answer if isinstance(answer, Mapping) else {}
    full = reason if answer is None else f"{reason}; it answered {json.dumps(answer, default=repr)}"
    for given in ({"cost": known.get("cost"), "realised": known.get("realised")}, {"cost": known.get("cost")}, {}):
        try:
            optimizer.fail(suggestion, full, **given)
        except InvalidOutcome:
            continue
        return


def _short(failure: Exception) -> str:
    text = str(failure)
    return text if len(text) <= 300 else text[:300] + "…"
