"""What a kind of problem takes in `ask`, declared: the command line makes options of it."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidRequest
from ..typed import Rows, read_value

_NO_DRIFT = "Only where the optimum moves it matters what time it is: then the problem has a ‹drift›."
_NOT_SEEN = "No variable here says ‹seen›; what was looked at is for ‹decide›."


def _read(_: Any, given: str | Rows) -> Any:
    return read_value(given) if isinstance(given, str) else given


@dataclass(frozen=True)
class Place:
    """Where a suggestion stands in its batch: its number, from 1, and how many there are.

    Where changes have a price, methods are told: see `place_in_batch`. So they are where it `follows`: another was
    chosen by the same state a moment ago, and what was found then is a good place to begin the search.
    """

    number: int = 1
    of: int = 1
    follows: bool = False


ALONE = Place()
"""Of a suggestion that is no batch's."""


def with_place(request: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    """What a method is given to choose by, with a place in a batch."""
    return {**request, "batch": place} if place != ALONE else request


def place_in_batch(request: Mapping[str, Any]) -> Place:
    """The place that a choice is made for, by what `Method.choose` is given.

    >>> place_in_batch({}), place_in_batch(with_place({}, Place(2, 4)))
    (Place(number=1, of=1, follows=False), Place(number=2, of=4, follows=False))
    """
    place: Place = request.get("batch", ALONE)
    return place


@dataclass(frozen=True)
class RequestField:
    """Something that `ask` and `policy` can be given; `Problem.read_request` checks it.

    The name `context` is taken: it is what is seen before choosing, see `SEEN`.

    Args:
        name: as in Python; on the command line an option of this name.
        help: for people.
        read: from the problem and what was typed (the rows, where that was a table in CSV) to what `ask` takes. Left
            out: numbers and JSON, tables as their rows.

    >>> RequestField("time", "What time it is").read(None, "8.5")
    8.5
    """

    name: str
    help: str
    read: Callable[[Any, str | Rows], Any] = _read


SEEN = RequestField("context", "What is seen before choosing: NAME=VALUE, as often as needed; or a table, CSV or JSON")
"""Values of the variables that are `seen`, by name: `ask` takes them of every kind of problem that has some."""


def check_taken(request: Mapping[str, Any], taken: Container[str], kind: str, *, drifts: bool) -> None:
    """Refuse what a kind of problem does not take.

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
            hint = {"context": _NOT_SEEN, "time": _NO_DRIFT if drifts else ""}.get(name, "")
            raise InvalidRequest(name, value, f"nothing: a {kind} problem does not take it", hint)
