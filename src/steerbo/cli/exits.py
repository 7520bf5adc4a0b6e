"""What exit codes mean, in one place: by the class of the error that ended a command."""

from __future__ import annotations

from ..errors import InvalidInput, MissingExtra, OutcomeConflict, SteerboError, UnknownSuggestion
from ..words import SHELL

FAILED, REFUSED, STOPPED = 1, 2, 130

CODES = {
    0: "all is well",
    FAILED: "the objective or the model failed, or a log could not be reached or is damaged",
    REFUSED: "something given is not allowed; a line on standard error for each says what, and what is",
    STOPPED: "stopped, by Ctrl-C or a signal; run again to go on",
}
"""Exit codes in words, for `--help` and the README."""

_REFUSED = (InvalidInput, OutcomeConflict, UnknownSuggestion, MissingExtra)
"""What the caller can mend: an argument, a study file, a token, an outcome that contradicts another, a package."""


def exit_code(error: SteerboError) -> int:
    """With which code a command ends that raised this error.

    >>> exit_code(OutcomeConflict("round 1 has an outcome already")), exit_code(SteerboError("the log is away"))
    (2, 1)
    """
    return REFUSED if isinstance(error, _REFUSED) else FAILED


def lines(error: SteerboError) -> list[str]:
    """What standard error is told of it, in a shell's words: a line for each thing that is wrong."""
    return [f"steerbo: {' '.join(line.split())}" for line in error.worded(SHELL).split("\n")]


def table() -> str:
    """The codes as one paragraph."""
    return "Exit codes: " + "; ".join(f"{code} {words}" for code, words in CODES.items()) + "."
