"""What everything in `errors` is made of: errors that speak to a program or to a shell, alone or several at once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .masking import masked
from .words import MISSING, PYTHON, Wording, decimal_comma, show

_MOST_LINES, _LONGEST_LINE = 20, 2000


class SteerboError(Exception):
    """Everything the library raises on purpose. Its text may name actions, such as ‹amend›; see `steerbo.words`."""

    def worded(self, wording: Wording) -> str:
        """The message in the words of a program or of a shell."""
        return masked(wording.text(str(self.args[0]) if self.args else ""))

    def __str__(self) -> str:
        return self.worded(PYTHON)

    @property
    def errors(self) -> tuple[SteerboError, ...]:
        """All that was found wrong at once, this one first."""
        return (self,)


class InvalidInput(SteerboError, ValueError):  # noqa: N818
    """Something a caller gave is not allowed.

    Where several things are wrong, `errors` has an error for each, and the message a line.

    Args:
        field: where it stood, e.g. ``variables.temperature.low``.
        value: what was given.
        allowed: what would have been accepted, as a full clause ("a finite number").
        hint: what to do next, as a full sentence.
        others: what else was found wrong.

    >>> print(InvalidInput("value", float("nan"), "a finite number", "If the evaluation broke, use ‹fail›."))
    value: nan is not allowed; expected a finite number. If the evaluation broke, use fail(suggestion, reason).
    """

    def __init__(
        self, field: str, value: object, allowed: str, hint: str = "", others: Iterable[InvalidInput] = ()
    ) -> None:
        self.field, self.value, self._allowed, self._hint = field, value, allowed, hint
        self._others = tuple(error for other in others for error in other.errors)
        super().__init__(self._line(PYTHON))

    @property
    def allowed(self) -> str:
        """What would have been accepted."""
        return PYTHON.text(self._allowed)

    @property
    def hint(self) -> str:
        """What to do next."""
        return PYTHON.text(self._next)

    @property
    def _next(self) -> str:
        """The hint, and of what looks like a number how to write it."""
        written = decimal_comma(self.value) if "number" in self._allowed else ""
        return " ".join(part for part in (written, self._hint) if part)

    @property
    def errors(self) -> tuple[InvalidInput, ...]:
        """All that was found wrong at once, each alone, this one first."""
        return (self.moved(self.field), *self._others) if self._others else (self,)

    def worded(self, wording: Wording) -> str:
        """The message, a line for each thing that is wrong."""
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
        return masked(text) if len(text) <= _LONGEST_LINE else masked(text)[:_LONGEST_LINE] + "…"

    def parts(self, wording: Wording) -> dict[str, str]:
        """This error alone as texts: field, value, allowed, hint."""
        value = "" if self.value is MISSING or self.value is None else wording.value(self.value)
        allowed, hint = wording.text(self._allowed), wording.text(self._next)
        parts = {"field": self.field, "value": value, "allowed": allowed, "hint": hint}
        return {name: masked(text) for name, text in parts.items()}

    def __reduce__(self) -> tuple[type[InvalidInput], tuple[Any, ...]]:
        return type(self), (self.field, self.value, self._allowed, self._hint, self._others)

    def moved(self, field: str, kind: type[InvalidInput] | None = None) -> InvalidInput:
        """This error alone, about another field or of another kind."""
        return (kind or type(self))(field, self.value, self._allowed, self._hint)

    def within(self, place: str) -> InvalidInput:
        """The same error with `place.` before its field."""
        return together(error.moved(f"{place}.{error.field}") for error in self.errors)

    def to_json(self) -> str:
        """All that is wrong, as a JSON list of field, value (as text), allowed and hint."""
        plain = [{**error.parts(PYTHON), "value": show(error.value)} for error in self.errors]
        return json.dumps(plain, ensure_ascii=False)


def together(found: Iterable[InvalidInput]) -> InvalidInput:
    """Errors as one: the first, with the others.

    >>> print(together([InvalidInput("seed", -1, "0 or more"), InvalidInput("rounds", 0, "1 or more")]))
    seed: -1 is not allowed; expected 0 or more.
    rounds: 0 is not allowed; expected 1 or more.
    """
    first, *others = (error for several in found for error in several.errors)
    return type(first)(first.field, first.value, first._allowed, first._hint, others)
