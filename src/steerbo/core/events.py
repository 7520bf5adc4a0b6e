"""Events of a study, one record each. The log of events is read back, never recomputed.

`by` is the name of the key (of `steerbo serve`) whose holder caused an event, where known, `when`
the time at which a study logged it, in UTC; nothing is computed from them.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import field
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from ..errors import InvalidStudy
from ..records import Record, from_dict, record, with_checked
from .answers import Scope

FORMAT = 1
"""Format of events, in the first of each log and beside it; a log of another one is refused."""


@record
class Outcome:
    """Outcome of an evaluation: value, cost and realised values.

    Args:
        value: the objective, in the user's units (mean-field feedback may hold several numbers).
        cost: its cost, in units of the budget; None where costs are not counted.
        realised: realised values, by variable, of uncontrolled ones too.
        sem: standard error of the value, where its accuracy is known, in its units; None where it
            is not.
    """

    value: Any
    cost: float | None = None
    realised: dict[str, Any] = Field(default_factory=dict)
    sem: float | None = None


LARGEST_SEED = 2**128 - 1
"""Largest seed: NumPy's generators spread 128 bits."""


@record
class Created:
    """Beginning of a study: problem, method, seed, limits, and the fingerprint of its arithmetic.

    Args:
        method: the name of one of steerbo's own, else where its class is found, as
            "package.module:Class".
        options: the method's.
        seed: of all that is drawn.
        fingerprint: versions that decide the last bits, and the packages of others in use.
        problem: as plain data; None where it holds a Python function.
        problem_class: where the problem's class is found; None for one of steerbo's own.
        budget: money that may be spent.
        rounds: suggestions that may be made.
        stop: when enough is known; see `Optimizer`.
        format: of the log.
        kind: of the event.
    """

    method: str
    options: dict[str, Any]
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)]
    fingerprint: dict[str, str]
    problem: dict[str, Any] | None = None
    problem_class: str | None = None
    budget: float | None = None
    rounds: int | None = None
    stop: float | Literal["enough"] | None = None
    format: int = FORMAT
    kind: Literal["created"] = "created"


@record
class Refitted:
    """Hyperparameters learned anew before the given round; floats as hexadecimal text, bit for bit."""

    round: int
    hyperparameters: dict[str, Any]
    kind: Literal["refitted"] = "refitted"


@record
class Asked:
    """Suggestion that was made: the request, the length of the log behind it, the choice and its reasons.

    `expected_cost` is the expected cost of the round, `change_cost` its part that is a switching
    cost; `gain` the largest gain still possible then, by the bounds, where the study is to stop by
    it; `limits` as in `Suggestion`.
    """

    round: int
    token: str
    request: dict[str, Any]
    based_on: int
    values: dict[str, Any]
    scope: Scope
    observe: tuple[str, ...] = ()
    expected_cost: float | None = None
    note: dict[str, Any] = Field(default_factory=dict)
    change_cost: float | None = None
    gain: float | None = None
    limits: dict[str, float | None] = Field(default_factory=dict)
    by: str | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["asked"] = "asked"


@record
class Decided:
    """Observation of variables, and the settings that follow from them; `limits` as in `Suggestion`."""

    token: str
    context: dict[str, Any]
    values: dict[str, Any]
    observe: tuple[str, ...] = ()
    note: dict[str, Any] = Field(default_factory=dict)
    limits: dict[str, float | None] = Field(default_factory=dict)
    by: str | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["decided"] = "decided"


@record
class OutcomeTold:
    """Outcome of a round."""

    token: str
    outcome: Outcome
    by: str | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["told"] = "told"


@record
class Failed:
    """Failure of an evaluation: its point and cost count, without a value.

    Args:
        token: the round's.
        reason: for people.
        cost: its cost; None where it is not known.
        charge: the amount that counts as spent while the cost is not known.
        realised: realised values, as far as they are known.
    """

    token: str
    reason: str = ""
    cost: float | None = None
    charge: float | None = None
    realised: dict[str, Any] = Field(default_factory=dict)
    by: str | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["failed"] = "failed"


@record
class Amended:
    """Correction of a round (a new outcome or failure), or its voiding (neither); the log keeps the old one.

    Of added data also whether it is charged, and its scope; None: as it was.
    """

    token: str
    outcome: Outcome | None = None
    failure: Failed | None = None
    reason: str = ""
    charge: bool | None = None
    scope: Scope | None = None
    by: str | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["amended"] = "amended"


@record
class Abandoned:
    """Abandonment of a suggestion: it is not evaluated any more. A late outcome is kept and used.

    `charge` counts as spent until then.
    """

    token: str
    reason: str = ""
    charge: float | None = None
    by: str | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["abandoned"] = "abandoned"


@record
class DataAdded:
    """External data: it feeds the posterior, never counts or elimination sums.

    Args:
        outcome: the measured outcome.
        charge: whether its cost is charged to the budget.
        scope: the scope played, where that is known: its cost then counts for the cost of such a
            play.
        id: identity of the measurement: the same one is added once, and equal ones with others are
            repetitions.
        source: name of the place or time that it is of, where that is not here and now.
    """

    outcome: Outcome
    charge: bool = False
    scope: Scope | None = None
    by: str | None = None
    id: str | None = None
    source: str | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["added"] = "added"

    @property
    def charged(self) -> float:
        """Money of external data that counts as spent."""
        return (self.outcome.cost or 0.0) if self.charge else 0.0


@record
class KeptFile(Record):
    """Reference to a file that is kept beside the log, which holds none of its content.

    Args:
        name: as people call it: one part of a path, without characters that cannot be seen.
        sha256: of its content, in hexadecimal digits, by which it is found and checked.
        size: in bytes.
        media_type: of its content, as far as that is known.
    """

    name: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    size: Annotated[int, Field(ge=0)]
    media_type: str = "application/octet-stream"

    @property
    def is_picture(self) -> bool:
        """Whether a browser may draw it: pixels alone, never SVG, which can hold a program."""
        return self.media_type in PICTURES


PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Media types of pictures that consist of pixels; a file is one by its content, not by its name."""
STUDY = "study"
"""The token of remarks on the study as a whole: that of a round begins with its number."""


@record
class Remarked:
    """Remark of a person on a round, on external data, or on the study: nothing is computed from it.

    Args:
        token: of the round, the name of data, or `STUDY`.
        text: the remark; may be empty where there is a file.
        file: a file beside it.
    """

    token: str
    text: str
    by: str | None = None
    file: KeptFile | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["remarked"] = "remarked"


@record
class BoundsExtended:
    """Wider bounds of variables from here on, `(low, high)` by name."""

    bounds: dict[str, tuple[Any, Any]]
    by: str | None = None
    when: str | None = field(default=None, compare=False)
    kind: Literal["extended"] = "extended"


@record
class LimitsRevised:
    """Change of a limit of the study, or of a header of its tables.

    Args:
        changes: old and new value, by name: `budget`, `rounds`, `stop`, `columns`.
        when: as ISO 8601.
        kind: of the event.
    """

    changes: dict[str, tuple[Any, Any]]
    when: str = ""
    by: str | None = None
    kind: Literal["revised"] = "revised"


Event = Annotated[
    Created
    | Refitted
    | Asked
    | Decided
    | OutcomeTold
    | Failed
    | Amended
    | Abandoned
    | DataAdded
    | Remarked
    | BoundsExtended
    | LimitsRevised,
    Field(discriminator="kind"),
]
"""Any of the events, told apart by `kind` in their JSON form."""


Reported = OutcomeTold | Failed | Amended | DataAdded
"""Events that tell a result, or change one."""

_LARGEST_FLOAT = sys.float_info.max
_DIGITS = 400  # of an integer that Python reads whole: all that fit a float, and some more
_NAMED = 5  # parts of the path to a value that is nested too deeply
MOST_NESTED = 100
"""Depth of lists and mappings in an event that is written or read: Python itself ends at a thousand calls."""


def read_json(text: str) -> Any:
    """Read JSON in which integers may have any number of digits; one beyond all numbers is infinite.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.

    >>> read_json("[1, " + "9" * 5000 + "]")
    [1, inf]
    """
    return json.loads(
        text, parse_int=lambda digits: int(digits) if len(digits) < _DIGITS else float(digits)
    )


def read_event(plain: Any, place: str) -> Event:
    """Read an event from its JSON form.

    Args:
        plain: the event.
        place: of the event, for messages.

    Raises:
        InvalidStudy: it is no event, holds a number that is not finite or an outcome that is none,
            or is nested too deeply.

    >>> read_event({"kind": "told", "token": "1-a", "outcome": {"value": 10**310}}, "event 3")
    Traceback (most recent call last):
        ...
    steerbo.errors.InvalidStudy: event 3.outcome.value: inf is not allowed; expected a number below 1.8e+308 in size.
    """
    check_plain(plain, place)
    event: Event = from_dict(Event, plain, place, InvalidStudy)
    outcome = getattr(event, "outcome", None)
    if isinstance(outcome, Outcome) and isinstance(outcome.value, str | bool | None):
        raise InvalidStudy(f"{place}.outcome.value", outcome.value, "a number, or numbers by name")
    return event


def check_plain(plain: Any, place: str) -> None:
    """Refuse JSON data that no arithmetic can take: numbers that are no finite float, and data nested too deeply.

    Raises:
        InvalidStudy: naming the field.
    """
    level: list[tuple[str, Any]] = [(place, plain)]
    for _ in range(MOST_NESTED):
        deeper: list[tuple[str, Any]] = []
        for spot, value in level:
            kind = type(value)
            if kind is str:
                continue
            if kind is dict:
                deeper += [(f"{spot}.{name}", value[name]) for name in value]
            elif kind is list or kind is tuple:
                deeper += [(spot, each) for each in value]
            elif (kind is int and abs(value) > _LARGEST_FLOAT) or (
                kind is float and not math.isfinite(value)
            ):
                shown = value if kind is float else math.copysign(math.inf, value > 0 or -1)
                raise InvalidStudy(spot, shown, f"a number below {_LARGEST_FLOAT:.2g} in size")
        if not deeper:
            return
        level = deeper
    deepest = ".".join(level[0][0].split(".")[:_NAMED]) + ".…"
    raise InvalidStudy(
        deepest, level[0][1], f"lists and tables that are nested at most {MOST_NESTED} deep"
    )


class Log(Protocol):
    """Destination of events. `append` returns when the event is as durable as the log can make it."""

    def append(self, event: Event, /) -> None:
        """Add one event at the end."""


_BY_NAME = (
    "request",
    "values",
    "scope",
    "context",
    "realised",
    "note",
    "hyperparameters",
    "bounds",
)


def ended_round(event: Event) -> str | None:
    """Token of the round that an event ends; None: it ends none."""
    return event.token if isinstance(event, OutcomeTold | Failed | Abandoned) else None


def with_canonical_order(event: Event, order: Callable[[Any], Any]) -> Event:
    """Sort the mappings of an event in the canonical order of `Problem.in_order`."""
    fields = vars(event)
    changes: dict[str, Any] = {
        name: order(given) for name in _BY_NAME if (given := fields.get(name))
    }
    if (outcome := fields.get("outcome")) is not None:
        changes["outcome"] = with_checked(
            outcome, value=order(outcome.value), realised=order(outcome.realised)
        )
    if (failure := fields.get("failure")) is not None:
        changes["failure"] = with_canonical_order(failure, order)
    return with_checked(event, **changes) if changes else event
