"""Outbox: outcomes are on disk until the log has them.

An outcome that waited in a file is reported to the optimizer as it would have been at first, once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core import Amended, History, Optimizer, Suggestion
from ..core.reports import OutcomeParser
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
    """Keeps the reports of one worker in files while they are not in the log.

    Args:
        files: where.
        say: is given every message to the user.
    """

    def __init__(self, files: OutboxFiles, say: Callable[[str], None]) -> None:
        self.files, self.say = files, say
        self.unsettled = False  # whether entries wait in files until they are settled
        # whether the log was, since the present entry was made: others may have found it
        self.away = False
        self._current: tuple[OutboxEntry, Path | None] | None = None

    def entry(
        self, call: str, suggestion: object, given: Mapping[str, Any], **more: Any
    ) -> OutboxEntry | None:
        """Entry for the arguments of `call`; None where a file cannot hold them."""
        about = (
            {"values": to_dict(suggestion)["values"]} if isinstance(suggestion, Suggestion) else {}
        )
        token: Any = suggestion.token if isinstance(suggestion, Suggestion) else suggestion
        try:
            return self.files.entry(call, token or "", given, **more, **about)
        except (SteerboError, TypeError, ValueError, RecursionError):
            return None  # nor will the call take it

    def store(self, entry: OutboxEntry, left: bool) -> None:
        """Store an outcome in a file until it is told, which may take long.

        Args:
            entry: the measured outcome.
            left: whether the next worker that settles the study is to tell it.
        """
        if path := self.files.store(replace(entry, holder="") if left else entry):
            through_to_disk(path)
            self.unsettled |= left

    @contextmanager
    def until_logged(self, entry: OutboxEntry, at_once: bool = True) -> Iterator[None]:
        """Context in which an entry is stored, until the body succeeds or the outcome is rejected.

        Not `at_once`: in a file only if the log is away.
        """
        self.away = False
        self._current = entry, self.files.store(entry) if at_once else None
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
        entry, path = self._current
        path = path or self.files.store(entry)
        if path is None:
            self.say(self._nowhere(entry))
        else:
            through_to_disk(path)
        self._current = entry, path

    def leave(self, entry: OutboxEntry) -> str:
        """Keep an entry for later, and report its place."""
        self._current = entry, None
        return self._leave()

    def _leave(self) -> str:
        self.harden()
        assert self._current is not None
        entry, path = self._current
        self.unsettled = True
        if path is not None:
            path = self.files.store(replace(entry, holder="")) or path
            through_to_disk(path)
        if path is None:
            return self._nowhere(entry)
        return f"The answer is kept in {path}, and is written to the log when the study is opened the next time."

    def _nowhere(self, entry: OutboxEntry) -> str:
        where = " or ".join(str(folder) for folder, _ in self.files.places) or "a file"
        text = json.dumps({"call": entry.call, "token": entry.token, **entry.given})
        return f"NOT KEPT, since {where} cannot be written either. Write this down: {text}"

    def _forget(self) -> None:
        if self._current is not None and self._current[1] is not None:
            with suppress(OSError):
                self._current[1].unlink()

    def settle(self, write: Callable[[OutboxEntry], None], named: bool) -> None:
        """Write all waiting entries to the log; rejected ones stay in their files and are reported.

        Args:
            write: makes the call again.
            named: whether the study was opened by its name, and not as the only one.
        """
        self.unsettled, written = False, 0
        for path, entry in self.files.waiting(named):
            try:
                if isinstance(entry, InvalidStudy):
                    raise entry
                if is_alive(entry.holder):
                    continue
                write(entry)
            except LogUnavailable:
                self.unsettled = True
                return
            except SteerboError as error:
                hint = "Settle it by hand (tell, amend), then delete the file."
                self.say(f"{path} waits to be written to the log, and is refused: {error} {hint}")
            else:
                written += 1
                with suppress(OSError):
                    path.unlink()
        if written:
            self.say(
                f"what waited in files is in the log now: {written} answer{'s' if written > 1 else ''}"
            )


def _refused(error: Exception) -> bool:
    """Whether the log rejected the outcome itself, so that retrying cannot help, rather than being unreachable."""
    wrong = isinstance(error, InvalidInput | OutcomeConflict | UnknownSuggestion)
    return wrong and not isinstance(error, InvalidStudy)


CALLS = ("decide", "tell", "fail", "amend", "add")


def report_entry(optimizer: Optimizer, entry: OutboxEntry) -> None:
    """Make the call, unless the log has its event already.

    Raises:
        InvalidStudy: it is about another suggestion than the log's of this name, or no call at all.
        OutcomeConflict: the round has another outcome by now.
        InvalidInput: the call is refused.
    """
    if entry.call not in CALLS:
        raise InvalidStudy("call", entry.call, one_of(CALLS, entry.call))
    if entry.call != "add":
        _same_suggestion(optimizer, entry)
    if not is_logged(optimizer, entry):
        _called(entry, optimizer)


def _called(entry: OutboxEntry, of: Optimizer | OutcomeParser) -> Any:
    """Result of the call: the optimizer's logs its event, the parser's returns it."""
    about = () if entry.call == "add" else (entry.token,)
    try:
        return getattr(of, entry.call)(*about, **entry.given)
    except TypeError as error:
        raise InvalidStudy("given", entry.given, f"what {entry.call} takes", f"({error})") from None


def _same_suggestion(optimizer: Optimizer, entry: OutboxEntry) -> None:
    """Whether a stored outcome belongs to this suggestion: tokens repeat in a study that was begun anew."""
    now = to_dict(optimizer.history[entry.token].suggestion.values)
    before = entry.values or {}
    if {name: now.get(name) for name in before} != before:
        raise InvalidStudy(
            "values", before, f"what suggestion {entry.token} of this log sets, {now}"
        )


def decided(history: History, token: Any, context: Any) -> bool:
    """Whether the log already has this observation of an open round."""
    if not isinstance(token, str) or not isinstance(context, Mapping) or not context:
        return False
    seen = history[token].suggestion.context
    return history[token].waiting and all(
        name in seen and seen[name] == context[name] for name in context
    )


def is_logged(optimizer: Optimizer, entry: OutboxEntry) -> bool:
    """Whether the outcome was logged after all: by another worker from its file, or before the connection was lost.

    The optimizer itself takes the same outcome or failure twice for once.

    Raises:
        OutcomeConflict: the round was amended otherwise in the meantime.
    """
    if entry.call == "decide":
        return decided(optimizer.history, entry.token, entry.given.get("context"))
    if entry.call not in ("amend", "add"):
        return False
    later, event = optimizer.events[entry.after :], _called(entry, optimizer._state.reports)
    if event is None:
        return True
    if entry.call == "add":  # its identity is not known to the log
        return False
    event = optimizer.recorder.signed(event)
    others = (
        [e for e in later if isinstance(e, Amended) and e.token == entry.token]
        if entry.after
        else []
    )
    if others and event not in others:
        raise OutcomeConflict(f"{entry.token} was amended in the meantime: {others[-1]}")
    return event in others
