"""An answer that waited in a file is given to the optimizer as it would have been, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from ..errors import InvalidStudy, OutcomeConflict, one_of
from ..record import to_plain
from ..rounds import Amended, Event, History, Optimizer
from .spill import Answer

CALLS = ("decide", "tell", "fail", "amend", "add")


def give_again(optimizer: Optimizer, answer: Answer, equal: int) -> None:
    """Make the call, unless the log has its event already; `equal`: so many equal calls were made before it.

    Raises:
        InvalidStudy: it is about another suggestion than the log's of this name, or no call at all.
        OutcomeConflict: the round has another outcome by now.
        InvalidInput: the call is refused.
    """
    if answer.call not in CALLS:
        raise InvalidStudy("call", answer.call, one_of(CALLS, answer.call))
    if answer.call != "add":
        _same_suggestion(optimizer, answer)
    if not is_there(optimizer, answer, equal):
        _call(optimizer, answer)


def _call(optimizer: Optimizer, answer: Answer) -> None:
    about = () if answer.call == "add" else (answer.token,)
    try:
        getattr(optimizer, answer.call)(*about, **answer.given)
    except TypeError as error:
        raise InvalidStudy("given", answer.given, f"what {answer.call} takes", f"({error})") from None


def _same_suggestion(optimizer: Optimizer, answer: Answer) -> None:
    """Tokens are alike in a study that was begun anew; what was measured belongs to what was set."""
    now = to_plain(optimizer.history[answer.token].suggestion.values)
    before = answer.values or {}
    if {name: now.get(name) for name in before} != before:
        raise InvalidStudy("values", before, f"what suggestion {answer.token} of this log sets, {now}")


def decided(history: History, token: Any, context: Any) -> bool:
    """Whether this is what was seen in an open round, and the log knows it."""
    if not isinstance(token, str) or not isinstance(context, Mapping) or not context:
        return False
    seen = history[token].suggestion.context
    return history[token].waiting and all(name in seen and seen[name] == context[name] for name in context)


def is_there(optimizer: Optimizer, answer: Answer, equal: int) -> bool:
    """Whether it was written after all: by a worker that found it in a file, or before the connection was lost.

    The optimizer itself takes the same outcome or failure twice for once.

    Raises:
        OutcomeConflict: the round was amended otherwise in the meantime.
    """
    if answer.call == "decide":
        return decided(optimizer.history, answer.token, answer.given.get("context"))
    if answer.call not in ("amend", "add"):
        return False
    event, later = _would_log(optimizer, answer), optimizer.events[answer.after :]
    if answer.call == "add":
        return later.count(event) > equal if event else True
    others = [e for e in later if isinstance(e, Amended) and e.token == answer.token] if answer.after else []
    if others and event not in others:
        raise OutcomeConflict(f"{answer.token} was amended in the meantime: {others[-1]}")
    return event in others


class _Would(Exception):  # noqa: N818
    """Stops a call where it would log."""


class _Probe:
    """A log that only looks."""

    event: Event | None = None

    def append(self, event: Event) -> NoReturn:
        """Remember it, and have nothing done."""
        self.event = event
        raise _Would


def _would_log(optimizer: Optimizer, answer: Answer) -> Event | None:
    """The event that the call would log."""
    probe: Any = _Probe()
    log, optimizer.recorder.log = optimizer.recorder.log, probe
    try:
        _call(optimizer, answer)
    except _Would:
        pass
    finally:
        optimizer.recorder.log = log
    return probe.event
