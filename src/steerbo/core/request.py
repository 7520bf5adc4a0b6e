"""Arguments of calls: fields that a kind of problem takes, the position in a batch, context values, numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from .._parsing import Rows, parse_value
from ..errors import InvalidContext, InvalidOutcome, InvalidRequest, one_of
from ..space import Space
from ..space.fields import as_number, single, whole

T = TypeVar("T")


class Circumstances(TypedDict, total=False):
    """Fields of `policy`, `predict` and `attach`, for type checkers; each kind of problem takes some.

    Fields of other packages' problems are given as a dict: ``study.ask(**request)``.
    """

    time: float | None
    available: Any
    current: Mapping[str, Any] | None


class Request(Circumstances, total=False):
    """Fields of `ask`, for type checkers: see `Circumstances`."""

    context: Mapping[str, Any] | None


MOST_AT_ONCE = 10_000
"""Suggestions of one batch."""
_NO_DRIFT = (
    "The time matters only where the optimum moves: leave it out, or give the problem a ‹drift›."
)
_NOT_SEEN = "No variable of this problem is ‹seen›; give what was looked at to ‹decide›."


_NOT_TODAY = (
    "If something cannot be set today, begin a round at settings of your own, by ‹attach›; "
    "if never again, begin a new study without it."
)
_AFTERWARDS = "Values that nature chose are told with the outcome, by ‹tell›; those seen before are the ‹context›."


def _read(_: Any, given: str | Rows) -> Any:
    return parse_value(given) if isinstance(given, str) else given


@dataclass(frozen=True)
class BatchPosition:
    """Position of a suggestion in its batch: its number from 1, and the size of the batch.

    Where changes have a price, methods are told: see `batch_position`. So they are where it
    `follows`: another was chosen by the same state a moment ago, and its result is a good place to
    begin the search.
    """

    number: int = 1
    of: int = 1
    follows: bool = False


ALONE = BatchPosition()
"""Of a suggestion that is no batch's."""


def with_place(request: Mapping[str, Any], place: BatchPosition) -> Mapping[str, Any]:
    """Add the position in a batch to the request of a method."""
    return {**request, "batch": place} if place != ALONE else request


def batch_position(request: Mapping[str, Any]) -> BatchPosition:
    """Position in a batch of the choice that `Method.choose` is asked for.

    >>> batch_position({}), batch_position(with_place({}, BatchPosition(2, 4)))
    (BatchPosition(number=1, of=1, follows=False), BatchPosition(number=2, of=4, follows=False))
    """
    place: BatchPosition = request.get("batch", ALONE)
    return place


def one_or_more(batch: int | None, ask: Callable[[BatchPosition], T | None]) -> T | list[T] | None:
    """One suggestion, or with `batch` a list of that many, shorter where the study finishes.

    Raises:
        InvalidRequest: `batch` is not a whole number from 1 to `MOST_AT_ONCE`.

    >>> one_or_more(3, lambda place: place.number)
    [1, 2, 3]
    """
    if batch is None:
        return ask(ALONE)
    batch = whole("batch", batch, 1, InvalidRequest, most=MOST_AT_ONCE)
    found: list[T] = []
    while (
        len(found) < batch and (suggestion := ask(BatchPosition(len(found) + 1, batch))) is not None
    ):
        found.append(suggestion)
    return found


@dataclass(frozen=True)
class RequestField:
    """Argument of `ask` and `policy`; `Problem.read_request` checks it.

    The name `context` is taken by the values seen before choosing, see `SEEN`.

    Args:
        name: as in Python; on the command line an option of this name.
        help: for people; marks in it are worded for each kind of reader.
        read: from the problem and the typed text (the rows, where that was a table in CSV) to the
            value that `ask` takes. Left out: numbers and JSON, tables as their rows.

    >>> RequestField("time", "What time it is").read(None, "8.5")
    8.5
    """

    name: str
    help: str
    read: Callable[[Any, str | Rows], Any] = _read


SEEN = RequestField("context", "A value seen before choosing: NAME=VALUE, repeatable‹table›")
"""Values of the variables that are `seen`, by name: `ask` takes them of every kind of problem that has some."""


def check_taken(
    request: Mapping[str, Any], taken: Container[str], kind: str, *, drifts: bool
) -> None:
    """Refuse arguments that the problem does not take.

    Args:
        request: by name.
        taken: the names that it takes.
        kind: of the problem.
        drifts: whether such problems may say that they drift.

    Raises:
        InvalidRequest: naming the first that it does not take.
    """
    for name, value in request.items():
        if name not in taken:
            hint = {
                "context": _NOT_SEEN,
                "time": _NO_DRIFT if drifts else "",
                "realised": _AFTERWARDS,
                "available": _NOT_TODAY,
            }.get(name, "")
            raise InvalidRequest(name, value, f"nothing: a {kind} problem does not take it", hint)


def read_context(
    space: Space, context: Any, names: Sequence[str], needed: Collection[str] = (), hint: str = ""
) -> dict[str, Any]:
    """Check values that were seen or looked at, in the order of `names`.

    Args:
        space: all variables.
        context: the values given.
        names: variables that may be given.
        needed: those of them that must be.
        hint: where one is missing.

    Raises:
        InvalidContext: naming the variable that is missing or unknown, or its value that is not
            allowed.

    >>> from steerbo.space import Float
    >>> read_context(Space((Float("weather", 0, 30, seen=True),)), {"weather": 12}, ["weather"])
    {'weather': 12.0}
    """
    if not isinstance(context, Mapping):
        raise InvalidContext(
            "context", context, f"values by name, for {', '.join(names) or 'nothing'}"
        )
    for name in context:
        if name not in names:
            raise InvalidContext(
                f"context.{name}", context[name], f"values for {one_of(names, name)}"
            )
    for name in names:
        if name in needed and name not in context:
            raise InvalidContext(
                f"context.{name}", None, f"a value, {space[name].range_text}", hint
            )
    try:
        return space.check_measured(dict(context), [name for name in names if name in context])
    except InvalidOutcome as error:
        raise error.moved(f"context.{error.field}", InvalidContext) from None


LARGEST = 1e100
"""Largest size of an outcome or a cost: models square such numbers, and some divide them by small noise first."""
SMALLEST = 1e-100
"""Smallest size of an outcome that models can tell from 0; smaller ones are kept, with a warning."""


_HINTS = {
    "value": "If the evaluation broke, use ‹fail›.",
    "sem": "It is the standard error of the value, in its units.",
}


def finite(field: str, value: object, least: float = -math.inf) -> float:
    """Check a number, and return it as a float.

    Raises:
        InvalidOutcome: it is not a finite number, below `least`, or beyond `LARGEST`.

    >>> finite("cost", 2, least=0)
    2.0
    """
    allowed = "a finite number" + (f" not below {least:g}" if least > -math.inf else "")
    hint = _HINTS.get(field, "")
    value = single(value)
    number = as_number(value)
    if number is None or number < least:
        raise InvalidOutcome(field, value, allowed, hint)
    if abs(number) > LARGEST:
        hint = "Give it in a larger unit; where it is no measurement, use ‹fail›."
        raise InvalidOutcome(field, value, f"a number of at most {LARGEST:g} in size", hint)
    return number


def by_name(field: str, given: Any) -> Mapping[str, Any]:
    """Check that values are given by name, and return them.

    Raises:
        InvalidOutcome: it is no mapping.
    """
    if not isinstance(given, Mapping):
        raise InvalidOutcome(field, given, "values by variable name, such as {'ph': 6.4}")
    return given
