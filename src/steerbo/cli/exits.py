"""What exit codes mean, in one place: by the class of the error that ended a command."""

from __future__ import annotations

from typing import Any

from ..errors import DamagedLog, InvalidInput, MissingExtra, OutcomeConflict, SteerboError, UnknownSuggestion
from ..words import SHELL

FAILED, REFUSED, STOPPED = 1, 2, 130

CODES = {
    0: "all is well",
    FAILED: "the objective or the model failed, or a log could not be reached or is damaged",
    REFUSED: "something given is not allowed; a line on standard error for each says what, and what is",
    STOPPED: "stopped, by Ctrl-C or a signal; run again to go on",
}
"""Exit codes in words, for `--help` and the site."""

_NOTHING = {"field": "", "value": "", "allowed": "", "hint": ""}
_REFUSED = (InvalidInput, OutcomeConflict, UnknownSuggestion, MissingExtra)
"""What the caller can mend: an argument, a study file, a token, an outcome that contradicts another, a package."""


def exit_code(error: SteerboError) -> int:
    """With which code a command ends that raised this error.

    >>> exit_code(OutcomeConflict("round 1 has an outcome already")), exit_code(SteerboError("the log is away"))
    (2, 1)
    """
    return REFUSED if isinstance(error, _REFUSED) and not isinstance(error, DamagedLog) else FAILED


def lines(error: SteerboError) -> list[str]:
    """What standard error is told of it, in a shell's words: a line for each thing that is wrong."""
    return [f"steerbo: {' '.join(line.split())}" for line in error.worded(SHELL).split("\n")]


def document(error: SteerboError) -> dict[str, Any]:
    """What --json prints of it: each thing that is wrong, in a shell's words. Only what was given has the first four.

    >>> found = document(InvalidInput("seed", -1, "0 or more"))
    >>> found["exit_code"], found["errors"][0]["field"], found["errors"][0]["allowed"]
    (2, 'seed', '0 or more')
    """
    return _document(exit_code(error), [_parts(each) for each in error.errors])


def plain_document(code: int, kind: str, message: str) -> dict[str, Any]:
    """The same of an end that is no error of ours: a mistyped option, Ctrl-C."""
    return _document(code, [{**_NOTHING, "kind": kind, "message": message}])


def _parts(error: SteerboError) -> dict[str, str]:
    given = error.parts(SHELL) if isinstance(error, InvalidInput) else _NOTHING
    return {**given, "kind": type(error).__name__, "message": " ".join(error.worded(SHELL).split())}


def _document(code: int, errors: list[dict[str, str]]) -> dict[str, Any]:
    return {"errors": errors, "exit_code": code}


def table() -> str:
    """The codes as one paragraph."""
    return "Exit codes: " + "; ".join(f"{code} {words}" for code, words in CODES.items()) + "."
