"""Exceptions and warnings of the library. `SteerboError` is the base of every exception it raises on purpose.

    SteerboError
    ├── InvalidInput (also ValueError)    a value given by the caller is not allowed
    │   ├── InvalidProblem                a variable, a law, a control set, a tolerance, a prior, a graph…
    │   ├── InvalidOption                 a method's name or one of its options, a budget, a seed
    │   ├── InvalidRequest                arguments of `ask`: batch, time, available places
    │   ├── InvalidContext                arguments of `decide`
    │   ├── InvalidOutcome                arguments of `tell`, `fail`, `amend` or `add`
    │   └── InvalidStudy                  a study file, a log, a saved optimizer
    │       └── DamagedLog                a log that was changed or cut off
    ├── OutcomeConflict                   a second, different outcome for one suggestion
    ├── LogConflict                       another worker has written in between: read the log, choose again
    ├── LogUnavailable                    the log cannot be reached or written just now: try again
    ├── UnknownSuggestion (also KeyError) a suggestion this optimizer never made
    ├── ModelFailure                      no model could be fitted to the observations
    ├── LimitBroken                       a method of another package broke a constraint of the problem
    ├── ObjectiveFailure                  the user's objective failed, timed out or gave no usable answer
    ├── MissingFile                       a file that was kept beside the log is missing, or was changed
    └── MissingExtra (also ImportError)   an optional dependency is not installed

`OutOfRangeWarning`, `UnusualOutcomeWarning` and `LawWarning` are warnings: the value is kept. Every
message of an `InvalidInput` names the field, its value, the allowed values and, where possible, the
next step. Messages have two wordings, for programs and for shells (`steerbo._wording`), and several
errors can be raised as one (`combine`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Any

from ._redaction import redact
from ._wording import MISSING, PYTHON, Wording, number_hint, short_repr

__all__ = [
    "DamagedLog", "InvalidContext", "InvalidInput", "InvalidOption", "InvalidOutcome", "InvalidProblem",
    "InvalidRequest", "InvalidStudy", "LawWarning", "LimitBroken", "LogConflict", "LogUnavailable", "MissingExtra",
    "MissingFile", "ModelFailure", "ObjectiveFailure", "OutOfRangeWarning", "OutcomeConflict", "ScopesWarning",
    "SteerboError", "UnknownSuggestion", "UnusualOutcomeWarning", "combine", "one_of", "short_repr",
]  # fmt: skip

_MOST_LINES, _LONGEST_LINE = 20, 2000  # of a message


class SteerboError(Exception):
    """Base of all exceptions of the library. Its text may name actions, such as ‹amend›; see `steerbo._wording`."""

    def worded(self, wording: Wording) -> str:
        """The message in the words of a program or of a shell."""
        return redact(wording.text(str(self.args[0]) if self.args else ""))

    def __str__(self) -> str:
        return self.worded(PYTHON)

    @property
    def errors(self) -> tuple[SteerboError, ...]:
        """All errors found together, this one first."""
        return (self,)


class InvalidInput(SteerboError, ValueError):  # noqa: N818
    """A value given by the caller is not allowed.

    Where several values are wrong, `errors` has an error for each, and the message a line.

    Args:
        field: path of the value, e.g. ``variables.temperature.low``.
        value: the value given.
        allowed: the values that are accepted, as a clause ("a finite number").
        hint: the next step, as a sentence.
        others: further errors found together with this one.

    >>> print(InvalidInput("value", float("nan"), "a finite number", "If the evaluation broke, use ‹fail›."))
    value: nan is not allowed; expected a finite number. If the evaluation broke, use fail(suggestion, reason).
    """

    def __init__(
        self,
        field: str,
        value: object,
        allowed: str,
        hint: str = "",
        others: Iterable[InvalidInput] = (),
    ) -> None:
        self.field, self.value, self._allowed, self._hint = field, value, allowed, hint
        self._others = tuple(error for other in others for error in other.errors)
        super().__init__(self._line(PYTHON))

    @property
    def allowed(self) -> str:
        """The values that are accepted, as a clause."""
        return PYTHON.text(self._allowed)

    @property
    def hint(self) -> str:
        """The next step, as a sentence; empty where none is known."""
        return PYTHON.text(self._next)

    @property
    def _next(self) -> str:
        """The hint, preceded by the right spelling of a number with a decimal comma."""
        written = number_hint(self.value) if "number" in self._allowed else ""
        return " ".join(part for part in (written, self._hint) if part)

    @property
    def errors(self) -> tuple[InvalidInput, ...]:
        """All errors found together, each alone, this one first."""
        return (self.moved(self.field), *self._others) if self._others else (self,)

    def worded(self, wording: Wording) -> str:
        """The message, one line an error."""
        lines = [error._line(wording) for error in self.errors[:_MOST_LINES]]
        more = len(self.errors) - len(lines)
        return "\n".join([*lines, *([f"and {more} more"] if more else [])])

    def _line(self, wording: Wording) -> str:
        given = f"{wording.value(self.value)} is not allowed"
        if self.value is MISSING:
            given = "missing"
        elif wording is not PYTHON and self.value is None:
            given = "nothing is given"
        hint = wording.text(self._next)
        text = f"{self.field}: {given}; expected {wording.text(self._allowed)}.{' ' if hint else ''}{hint}"
        text = " ".join(text.splitlines())  # others' messages, in a hint, may be long stories
        return redact(text) if len(text) <= _LONGEST_LINE else redact(text)[:_LONGEST_LINE] + "…"

    def parts(self, wording: Wording) -> dict[str, str]:
        """Texts of this error alone: field, value, allowed, hint."""
        value = "" if self.value is MISSING or self.value is None else wording.value(self.value)
        allowed, hint = wording.text(self._allowed), wording.text(self._next)
        parts = {"field": self.field, "value": value, "allowed": allowed, "hint": hint}
        return {name: redact(text) for name, text in parts.items()}

    def __reduce__(self) -> tuple[type[InvalidInput], tuple[Any, ...]]:
        return type(self), (self.field, self.value, self._allowed, self._hint, self._others)

    def moved(self, field: str, kind: type[InvalidInput] | None = None) -> InvalidInput:
        """Copy of this error alone, about another field or of another kind."""
        return (kind or type(self))(field, self.value, self._allowed, self._hint)

    def within(self, place: str) -> InvalidInput:
        """The same error with `place.` before its field."""
        return combine(error.moved(f"{place}.{error.field}") for error in self.errors)

    def to_json(self) -> str:
        """All errors as a JSON list of objects with field, value (as text), allowed and hint."""
        plain = [{**error.parts(PYTHON), "value": short_repr(error.value)} for error in self.errors]
        return json.dumps(plain, ensure_ascii=False)


def combine(found: Iterable[InvalidInput]) -> InvalidInput:
    """Combine errors into the first of them, which then holds the others.

    >>> print(combine([InvalidInput("seed", -1, "0 or more"), InvalidInput("rounds", 0, "1 or more")]))
    seed: -1 is not allowed; expected 0 or more.
    rounds: 0 is not allowed; expected 1 or more.
    """
    first, *others = (error for several in found for error in several.errors)
    return type(first)(first.field, first.value, first._allowed, first._hint, others)


_LISTED = 30  # names that a message lists
_SEARCHED = 1000  # names that are compared with a mistyped one
_LONGEST = 200  # characters of a name that is compared


def one_of(names: Iterable[str], given: object) -> str:
    """Build the clause "one of a, b, c", with the name that was probably meant.

    >>> one_of(["temperature", "ph"], "temprature")
    "one of temperature, ph (did you mean 'temperature'?)"
    """
    known = list(names)
    close = did_you_mean(known, given)
    meant = f" (did you mean {close!r}?)" if close else ""
    listed = ", ".join(known[:_LISTED]) + (
        f" and {len(known) - _LISTED} more" * (len(known) > _LISTED)
    )
    return f"one of {listed or 'nothing'}{meant}"


def did_you_mean(names: Iterable[str], given: object) -> str:
    """Guess the name that was meant; empty where none is near, or `given` is one of them."""
    if not isinstance(given, str) or len(given) > _LONGEST:
        return ""
    known = list(islice(names, _SEARCHED))
    close = [name for name in known if name.casefold() == given.casefold()] or get_close_matches(
        given, known, n=1
    )
    return close[0] if close and close[0] != given else ""


class InvalidProblem(InvalidInput):
    """A variable, law, control set, tolerance, prior or graph is not allowed."""


class InvalidOption(InvalidInput):
    """A method's name or one of its options, a budget or a seed is not allowed."""


class InvalidRequest(InvalidInput):
    """An argument of `ask` is not allowed."""


class InvalidContext(InvalidInput):
    """An argument of `decide` is not allowed."""


class InvalidOutcome(InvalidInput):
    """An argument of `tell`, `fail`, `amend` or `add` is not allowed."""


class InvalidStudy(InvalidInput):
    """A study file, a log or a saved optimizer is not allowed."""


class DamagedLog(InvalidStudy):
    """A log was changed or cut off after it was written; `steerbo doctor` says how much of it can be saved."""


class OutOfRangeWarning(UserWarning):
    """A measured value lies far outside its variable's range, or is next to nothing; it is kept, and can be amended.

    Attributes:
        alike: kind of the doubt, and field of the value: equal ones of a table are said together.
    """

    alike: tuple[str, str] = "", ""


class UnusualOutcomeWarning(OutOfRangeWarning):
    """A value or cost lies far from all others, as if it were mistyped. It is kept; `amend` corrects it."""


class FilesWarning(UserWarning):
    """Files beside a log could not be copied with it: they are missing, or were changed."""


class LawWarning(UserWarning):
    """Observed values contradict a stated law, so expectations over it are wrong. The study goes on."""


class ScopesWarning(UserWarning):
    """A search for policy scopes ended before all were compared: one that it did not meet may be better."""


class OutcomeConflict(SteerboError):  # noqa: N818
    """A second, different outcome for one suggestion: `amend` corrects the first one."""


class LogConflict(SteerboError):  # noqa: N818
    """Another worker has written in between: read the log, and choose again. A `Study` does so by itself."""


class LogUnavailable(SteerboError):  # noqa: N818
    """The log cannot be reached or written just now: no server, a full disk, a lock that is not given back. Try again.

    Args:
        place: the log.
        said: message of the database.
        kept: where the unwritten data is now, as sentences.

    >>> print(LogUnavailable("study.db", "disk I/O error"))
    the log study.db cannot be reached or written just now (disk I/O error). Try again when it is back.
    """

    def __init__(self, place: str, said: str, kept: str = "") -> None:
        self.place, self.said, self.kept = place, said, kept
        what = f"the log {place} cannot be reached or written just now ({said.rstrip('.')})."
        super().__init__(f"{what} {kept or 'Try again when it is back.'}")

    def __reduce__(self) -> tuple[type[LogUnavailable], tuple[str, str, str]]:
        return type(self), (self.place, self.said, self.kept)


class MissingFile(SteerboError):  # noqa: N818
    """A file that was kept beside the log is missing, or was changed. The study goes on without it.

    Args:
        name: of the file.
        fault: "missing" or "changed".
        folder: where it should be; empty: there is no folder.

    >>> print(MissingFile("photo.jpg", "changed", "study.db.files"))
    photo.jpg is changed in study.db.files: put it back from a backup; `steerbo doctor` names its checksum.
    """

    def __init__(self, name: str, fault: str, folder: str = "") -> None:
        self.name, self.fault, self.folder = name, fault, folder
        where = f"in {folder}" if folder else "here: no folder of files is named"
        super().__init__(
            f"{name} is {fault} {where}: put it back from a backup; `steerbo doctor` names its checksum."
        )

    def __reduce__(self) -> tuple[type[MissingFile], tuple[str, str, str]]:
        return type(self), (self.name, self.fault, self.folder)


class UnknownSuggestion(SteerboError, KeyError):  # noqa: N818
    """A suggestion that this optimizer never made."""


class ModelFailure(SteerboError):  # noqa: N818
    """No model could be fitted to the observations."""


class LimitBroken(SteerboError):  # noqa: N818
    """A choice or an answer of a method from another package breaks a constraint of the problem, or the budget."""


class ObjectiveFailure(SteerboError):  # noqa: N818
    """The user's objective failed, timed out or returned no usable answer."""


class MissingExtra(SteerboError, ImportError):  # noqa: N818
    """An optional dependency is not installed.

    >>> print(MissingExtra("matplotlib", "plots"))
    this needs matplotlib, which is not installed: pip install 'steerbo[plots]'
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(
            f"this needs {package}, which is not installed: pip install 'steerbo[{extra}]'"
        )

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return type(self), (self.package, self.extra)
