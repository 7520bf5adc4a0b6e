"""One exception tree: catch `SteerboError` and you have caught everything the library raises on purpose.

    SteerboError
    ├── InvalidInput (also ValueError)    something a caller gave is not allowed
    │   ├── InvalidProblem                a variable, a law, a control set, a tolerance, a prior, a graph…
    │   ├── InvalidOption                 a method's name or one of its options, a budget, a seed
    │   ├── InvalidRequest                what `ask` was given: batch, time, what is available
    │   ├── InvalidContext                what `decide` was given
    │   ├── InvalidOutcome                what `tell`, `fail`, `amend` or `add` was given
    │   └── InvalidStudy                  a study file, a log, a saved optimizer
    ├── OutcomeConflict                   a second, different outcome for one suggestion
    ├── LogConflict                       another worker's event came between: read the log, compute again
    ├── UnknownSuggestion (also KeyError) a suggestion this optimizer never made
    ├── ModelFailure                      no model could be fitted to what was observed
    ├── ObjectiveFailure                  the user's objective failed, timed out or answered rubbish
    └── MissingExtra (also ImportError)   an optional dependency is not installed

Every message of an `InvalidInput` names the field, the value, what is allowed and, where it can, what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from .masking import masked

_SHOWN = 120


def show(value: object) -> str:
    """`repr(value)` without passwords, cut to a length that still fits an error message.

    >>> show("x" * 500).endswith("…")
    True
    """
    text = masked(repr(value))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


class SteerboError(Exception):
    """Everything the library raises on purpose."""


class InvalidInput(SteerboError, ValueError):  # noqa: N818
    """Something a caller gave is not allowed.

    Args:
        field: where it stood, e.g. ``variables.temperature.low``.
        value: what was given.
        allowed: what would have been accepted, as a full clause ("a finite number").
        hint: what to do next, as a full sentence.

    >>> print(InvalidOutcome("value", float("nan"), "a finite number", "If the evaluation broke, call fail()."))
    value: nan is not allowed; expected a finite number. If the evaluation broke, call fail().
    """

    def __init__(self, field: str, value: object, allowed: str, hint: str = "") -> None:
        self.field, self.value, self.allowed, self.hint = field, value, allowed, hint
        text = f"{field}: {show(value)} is not allowed; expected {allowed}.{' ' if hint else ''}{hint}"
        super().__init__(masked(text))

    def __reduce__(self) -> tuple[type[InvalidInput], tuple[str, object, str, str]]:
        return type(self), (self.field, self.value, self.allowed, self.hint)

    def within(self, place: str) -> InvalidInput:
        """The same error with `place.` before its field."""
        return type(self)(f"{place}.{self.field}", self.value, self.allowed, self.hint)


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


class OutcomeConflict(SteerboError):  # noqa: N818
    """A second, different outcome for one suggestion: call `amend` if the first one was wrong."""


class LogConflict(SteerboError):  # noqa: N818
    """Another worker's event came between: read the log, and compute again. A `Study` does so by itself."""


class UnknownSuggestion(SteerboError, KeyError):  # noqa: N818
    """A suggestion that this optimizer never made."""

    def __str__(self) -> str:
        return str(self.args[0])


class ModelFailure(SteerboError):  # noqa: N818
    """No model could be fitted to what was observed."""


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


def one_of(names: Iterable[str], given: object) -> str:
    """The clause "one of a, b, c", with a guess at what was meant.

    >>> one_of(["temperature", "ph"], "temprature")
    "one of temperature, ph (did you mean 'temperature'?)"
    """
    known = list(names)
    close = get_close_matches(str(given), known, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close and close[0] != given else ""
    return f"one of {', '.join(known) or 'nothing'}{meant}"
