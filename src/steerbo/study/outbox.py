"""Outbox: outcomes are on disk until the log has them.

An outcome that waited in a file is reported to the optimizer as it would have been at first, once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ..core import Amended, Event, History, Optimizer, Suggestion
from ..errors import (
    InvalidInput,
    InvalidStudy,
    LogUnavailable,
    OutcomeConflict,
    SteerboError,
    UnknownSuggestion,
    one_of,
)
from ..records import to_dict
from ..storage.log import is_alive
from ..storage.outbox_files import OutboxEntry, OutboxFiles, through_to_disk


class Outbox:
    """Keeps the answers of one worker while they are not in the log.

    Args:
        files: where.
        say: is given every message to the user.
    """

    def __init__(self, files: OutboxFiles, say: Callable[[str], None]) -> None:
        self.files, self.say = files, say
        self.left = False  # whether something was left for later
        self.away = False  # whether the log was, since the present answer was given: others may have found it
        self._current: tuple[OutboxEntry, Path | None] | None = None

    def answer(self, call: str, suggestion: object, given: Mapping[str, Any], **more: Any) -> OutboxEntry | None:
        """Entry for the arguments of `call`; None where a file cannot hold them."""
        about = {"values": to_dict(suggestion)["values"]} if isinstance(suggestion, Suggestion) else {}
        token: Any = suggestion.token if isinstance(suggestion, Suggestion) else suggestion
        try:
            return self.files.answer(call, token or "", given, **more, **about)
        except (SteerboError, TypeError, ValueError, RecursionError):
            return None  # nor will the call take it

    def keep(self, answer: OutboxEntry, left: bool) -> None:
        """Store an outcome in a file until it is told, which may take long.

        Args:
            answer: the measured outcome.
            left: whether the next worker that settles the study is to tell it.
        """
        if path := self.files.keep(replace(answer, holder="") if left else answer):
            through_to_disk(path)
            self.left |= left

    @contextmanager
    def until_logged(self, answer: OutboxEntry, at_once: bool = True) -> Iterator[None]:
        """Context in which an entry is stored, until the body succeeds or the outcome is rejected.

        Not `at_once`: in a file only if the log is away.
        """
        self.away = False
        self._current = answer, self.files.keep(answer) if at_once else None
        try:
            yield
        except Exception as error:
            if _refused(error):
                self._forget()
                raise
            kept = self._leave()
            if isinstance(error, LogUnavailable):
                raise LogUnavailable(error.place, error.said, kept) from None
            self.say(kept)
            raise
        except BaseException:  # Ctrl-C while the log is waited for
            self.say(self._leave())
            raise
        else:
            self._forget()
        finally:
            self._current = None

    def harden(self) -> None:
        """Write an entry to disk while the log is unreachable; an entry that cannot be written is reported."""
        if self._current is None or not self.files.places:
            return
        self.away = True
        answer, path = self._current
        path = path or self.files.keep(answer)
        if path is None:
            self.say(self._nowhere(answer))
        else:
            through_to_disk(path)
        self._current = answer, path

    def leave(self, answer: OutboxEntry) -> str:
        """Keep an entry for later, and report its place."""
        self._current = answer, None
        return self._leave()

    def _leave(self) -> str:
        self.harden()
        assert self._current is not None
        answer, path = self._current
        self.left = True
        if path is not None:
            path = self.files.keep(replace(answer, holder="")) or path
            through_to_disk(path)
        if path is None:
            return self._nowhere(answer)
        return f"The answer is kept in {path}, and is written to the log when the study is opened the next time."

    def _nowhere(self, answer: OutboxEntry) -> str:
        where = " or ".join(str(folder) for folder, _ in self.files.places) or "a file"
        text = json.dumps({"call": answer.call, "token": answer.token, **answer.given})
        return f"NOT KEPT, since {where} cannot be written either. Write this down: {text}"

    def _forget(self) -> None:
        if self._current is not None and self._current[1] is not None:
            with suppress(OSError):
                self._current[1].unlink()

    def settle(self, write: Callable[[OutboxEntry, int], None], named: bool) -> None:
        """Write all waiting entries to the log; rejected ones stay in their files and are reported.

        Args:
            write: makes the call again; it is told how many equal ones came before, which count as well.
            named: whether the study was opened by its name, and not as the only one.
        """
        self.left, written, before = False, 0, Counter[str]()
        for path, answer in self.files.waiting(named):
            try:
                if isinstance(answer, InvalidStudy):
                    raise answer
                if is_alive(answer.holder):
                    continue
                equal = json.dumps([answer.call, answer.token, answer.given], sort_keys=True)
                write(answer, before[equal])
                before[equal] += 1
            except LogUnavailable:
                self.left = True
                return
            except SteerboError as error:
                hint = "Settle it by hand (tell, amend), then delete the file."
                self.say(f"{path} waits to be written to the log, and is refused: {error} {hint}")
            else:
                written += 1
                with suppress(OSError):
                    path.unlink()
        if written:
            self.say(f"what waited in files is in the log now: {written} answer{'s' if written > 1 else ''}")


def _refused(error: Exception) -> bool:
    """Whether the log rejected the outcome itself, so that retrying cannot help, rather than being unreachable."""
    wrong = isinstance(error, InvalidInput | OutcomeConflict | UnknownSuggestion)
    return wrong and not isinstance(error, InvalidStudy)


CALLS = ("decide", "tell", "fail", "amend", "add")


def give_again(optimizer: Optimizer, answer: OutboxEntry, equal: int) -> None:
    """Make the call, unless the log has its event already; `equal`: number of equal calls made before it.

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


def _call(optimizer: Optimizer, answer: OutboxEntry) -> None:
    about = () if answer.call == "add" else (answer.token,)
    try:
        getattr(optimizer, answer.call)(*about, **answer.given)
    except TypeError as error:
        raise InvalidStudy("given", answer.given, f"what {answer.call} takes", f"({error})") from None


def _same_suggestion(optimizer: Optimizer, answer: OutboxEntry) -> None:
    """Whether a stored outcome belongs to this suggestion: tokens repeat in a study that was begun anew."""
    now = to_dict(optimizer.history[answer.token].suggestion.values)
    before = answer.values or {}
    if {name: now.get(name) for name in before} != before:
        raise InvalidStudy("values", before, f"what suggestion {answer.token} of this log sets, {now}")


def decided(history: History, token: Any, context: Any) -> bool:
    """Whether the log already has this observation of an open round."""
    if not isinstance(token, str) or not isinstance(context, Mapping) or not context:
        return False
    seen = history[token].suggestion.context
    return history[token].waiting and all(name in seen and seen[name] == context[name] for name in context)


def is_there(optimizer: Optimizer, answer: OutboxEntry, equal: int) -> bool:
    """Whether the outcome was logged after all: by another worker from its file, or before the connection was lost.

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
    """Raised to stop a call where it would log."""


class _Probe:
    """A log that captures the event of a call, and writes nothing."""

    event: Event | None = None

    def append(self, event: Event) -> NoReturn:
        """Remember the event, and stop the call."""
        self.event = event
        raise _Would


def _would_log(optimizer: Optimizer, answer: OutboxEntry) -> Event | None:
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
