"""One exception tree: catch `SteerboError` and you have caught everything the library raises on purpose.

    SteerboError
    ├── InvalidInput (also ValueError)    something a caller gave is not allowed
    │   ├── InvalidProblem                a variable, a law, a control set, a tolerance, a prior, a graph…
    │   ├── InvalidOption                 a method's name or one of its options, a budget, a seed
    │   ├── InvalidRequest                what `ask` was given: batch, time, what is available
    │   ├── InvalidContext                what `decide` was given
    │   ├── InvalidOutcome                what `tell`, `fail`, `amend` or `add` was given
    │   └── InvalidStudy                  a study file, a log, a saved optimizer
    │       └── DamagedLog                a log that was whole once, and is not any more
    ├── OutcomeConflict                   a second, different outcome for one suggestion
    ├── LogConflict                       another worker's event came between: read the log, compute again
    ├── LogUnavailable                    the log cannot be reached or written just now: try again
    ├── UnknownSuggestion (also KeyError) a suggestion this optimizer never made
    ├── ModelFailure                      no model could be fitted to what was observed
    ├── LimitBroken                       a method of others chose or answered what a limit forbids
    ├── ObjectiveFailure                  the user's objective failed, timed out or answered rubbish
    └── MissingExtra (also ImportError)   an optional dependency is not installed

`OutOfRangeWarning`, `UnusualOutcomeWarning` and `LawWarning` are no errors: what they warn of is kept. Every message of
an `InvalidInput` names the field, the value, what is allowed and, where it can, what to do next.
"""

from __future__ import annotations

from .invalid_input import InvalidInput, SteerboError, together
from .names import one_of
from .words import show


class InvalidProblem(InvalidInput):
    """A variable, law, control set, tolerance, prior or graph is not allowed."""


class InvalidOption(InvalidInput):
    """A method's name or one of its options, a budget or a seed is not allowed."""


class InvalidRequest(InvalidInput):
    """What `ask` was given is not allowed."""


class InvalidContext(InvalidInput):
    """What `decide` was given is not allowed."""


class InvalidOutcome(InvalidInput):
    """What `tell`, `fail`, `amend` or `add` was given is not allowed."""


class InvalidStudy(InvalidInput):
    """A study file, a log or a saved optimizer is not allowed."""


class DamagedLog(InvalidStudy):
    """A log was whole once, and is not any more: `steerbo doctor` says what can be saved."""


class OutOfRangeWarning(UserWarning):
    """A measured value lies far outside its variable's range, or is next to nothing; it is kept, and can be amended."""


class UnusualOutcomeWarning(OutOfRangeWarning):
    """A value or cost lies far from all others, as if it were mistyped. It is kept; `amend` corrects it."""


class LawWarning(UserWarning):
    """What nature was seen to do is not what a stated law says: expectations over it are wrong. The study goes on."""


class OutcomeConflict(SteerboError):  # noqa: N818
    """A second, different outcome for one suggestion: `amend` corrects the first one."""


class LogConflict(SteerboError):  # noqa: N818
    """Another worker's event came between: read the log, and compute again. A `Study` does so by itself."""


class LogUnavailable(SteerboError):  # noqa: N818
    """The log cannot be reached or written just now: no server, a full disk, a lock that is not given back. Try again.

    Args:
        place: the log.
        said: the database's own words.
        kept: what became of what was to be written, as full sentences.

    >>> print(LogUnavailable("study.db", "disk I/O error"))
    the log study.db cannot be reached or written just now (disk I/O error). Try again when it is back.
    """

    def __init__(self, place: str, said: str, kept: str = "") -> None:
        self.place, self.said, self.kept = place, said, kept
        what = f"the log {place} cannot be reached or written just now ({said.rstrip('.')})."
        super().__init__(f"{what} {kept or 'Try again when it is back.'}")

    def __reduce__(self) -> tuple[type[LogUnavailable], tuple[str, str, str]]:
        return type(self), (self.place, self.said, self.kept)


class UnknownSuggestion(SteerboError, KeyError):  # noqa: N818
    """A suggestion that this optimizer never made."""


class ModelFailure(SteerboError):  # noqa: N818
    """No model could be fitted to what was observed."""


class LimitBroken(SteerboError):  # noqa: N818
    """A method from another package chose, or answered, what a limit of the problem forbids."""


class ObjectiveFailure(SteerboError):  # noqa: N818
    """The user's objective failed, timed out or answered rubbish."""


class MissingExtra(SteerboError, ImportError):  # noqa: N818
    """An optional dependency is not installed.

    >>> print(MissingExtra("matplotlib", "plots"))
    this needs matplotlib, which is not installed: pip install 'steerbo[plots]'
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"this needs {package}, which is not installed: pip install 'steerbo[{extra}]'")

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return type(self), (self.package, self.extra)


__all__ = [
    "DamagedLog",
    "InvalidContext",
    "InvalidInput",
    "InvalidOption",
    "InvalidOutcome",
    "InvalidProblem",
    "InvalidRequest",
    "InvalidStudy",
    "LawWarning",
    "LimitBroken",
    "LogConflict",
    "LogUnavailable",
    "MissingExtra",
    "ModelFailure",
    "ObjectiveFailure",
    "OutOfRangeWarning",
    "OutcomeConflict",
    "SteerboError",
    "UnknownSuggestion",
    "UnusualOutcomeWarning",
    "one_of",
    "show",
    "together",
]
