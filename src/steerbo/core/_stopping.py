"""End of a study: limits on money and rounds, and the stopping rule; revisions of these, and wider bounds of variables.

A stopping rule ends a study when the possible gain, by the bounds, is not worth another play.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, Literal

from .._text import unsafe
from .._wording import numeral
from ..errors import InvalidOption, InvalidOutcome, InvalidProblem, one_of
from ..space.fields import whole
from ..space.variables import NumericVariable
from ._history import History
from ._method import Method
from ._problem import Problem
from .answers import Explanation, Table, gain_text
from .events import BoundsExtended, Event, LimitsRevised
from .request import LARGEST, finite

ENOUGH: Literal["enough"] = "enough"
Stop = float | Literal["enough"]
"""A difference that is not worth looking for, or "enough": the possible gain is worth less than the cost of a play.

Where the problem states no `value_of_one`, a unit of the objective is one of money.
"""
_ROWS = 12  # of the curve
_OR_NONE = "; leave it out for no limit"


def read_rounds(value: Any) -> int | None:
    """A limit of rounds, checked; None: no limit."""
    return None if value is None else whole("rounds", value, 1, InvalidOption, more=_OR_NONE)


def read_budget(value: Any) -> float | None:
    """A limit of money, checked; None: no limit."""
    if value is None:
        return None
    try:
        number = finite("budget", value)
    except InvalidOutcome:
        number = 0.0
    if number <= 0:
        raise InvalidOption(
            "budget", value, f"a finite number above 0 (at most {LARGEST:g}){_OR_NONE}"
        )
    return number


def read_stop(value: Any, method: type[Method[Any, Any]]) -> Stop | None:
    """Check a stopping rule; None: no stop before the limits.

    Raises:
        InvalidOption: it is neither the word nor a number above 0, or the method has no bounds.
    """
    if value is None:
        return None
    if not method.has_bounds():
        raise InvalidOption(
            "stop", value, f"nothing with {method.name!r}", "This method has no bounds to stop by."
        )
    try:
        number = 0.0 if isinstance(value, str) and value == ENOUGH else finite("stop", value)
    except InvalidOutcome:
        number = -1.0
    if number < 0 or (number == 0 and not isinstance(value, str)):
        allowed = f"{ENOUGH!r}, or a number above 0: the difference that is not worth looking for"
        raise InvalidOption("stop", value, f"{allowed}; leave it out to go on to the limits")
    return number or ENOUGH


def stop_text(stop: Stop | None) -> str:
    """A rule in words.

    >>> stop_text("enough"), stop_text(0.5)
    ('stop when less can be gained than a round costs', 'stop when less than 0.5 can be gained')
    """
    if stop is None:
        return "no stop before the limits"
    return "stop when less " + (
        "can be gained than a round costs" if stop == ENOUGH else f"than {stop:g} can be gained"
    )


def worth(problem: Problem, gain: float | None) -> float | None:
    """Worth of a gain in the unit of the costs; None where the problem does not state it."""
    return None if gain is None or problem.value_of_one is None else problem.value_of_one * gain


def stopping_threshold(problem: Problem, history: History) -> float | None:
    """Smallest gain that pays for a play: the stated difference, or the latest cost, in money; None where unknown.

    The cost of a failure is none of a play: an expensive mishap would end a study of which much is
    still unknown. Nor is a switching cost, which need not be paid again: it is taken off the gain
    of choices that need it.
    """
    if history.stop != ENOUGH:
        return history.stop
    for played in reversed(list(history)):
        if played.outcome is not None and (cost := played.outcome.cost) is not None:
            return max(cost - problem.switching_cost_of(played, history), 0.0)
    return None


def is_converged(problem: Problem, history: History, gain: float | None) -> str:
    """Reason why the possible gain does not pay for another play, or an empty string; no gain: nothing stops it."""
    if gain is None:
        return ""
    least, money = stopping_threshold(problem, history), worth(problem, gain)
    compared = gain if money is None or history.stop != ENOUGH else money
    if compared is None or least is None or not compared < least:
        return ""
    most = f"at most {gain_text(gain, money, beside=least if compared is gain else 0.0)} can still be gained"
    if problem.moves_stepwise:
        most += " within reach of today's settings"
    unmoved = ", switching aside" if problem.space.changes else ""
    less = (
        f"the {numeral(least)} that the latest round cost{unmoved}"
        if history.stop == ENOUGH
        else numeral(least)
    )
    return f"enough is known: {most}, less than {less}"


def with_curve(
    explanation: Explanation, problem: Problem, history: History, gain: float | None
) -> Explanation:
    """Add the possible gain at each round, and now, to an explanation; unchanged without a stopping rule.

    Where the problem states the worth of a unit of the objective, a further column has the gain in
    money.
    """
    if history.stop is None:
        return explanation
    known = [(played.number, played.gain) for played in history if played.gain is not None]
    now = gain is not None and math.isfinite(gain)
    shown = known[:: max(1, math.ceil(len(known) / _ROWS))]
    shown += known[-1:] if known and shown[-1] != known[-1] else []
    rows: tuple[tuple[Any, ...], ...] = (*shown, *((("now", gain),) if now else ()))
    columns: tuple[str, ...] = ("before round", "at most")
    if problem.value_of_one is not None:
        rows, columns = tuple((*row, worth(problem, row[1])) for row in rows), (*columns, "worth")
    least = stopping_threshold(problem, history)
    rule = f"The study will {stop_text(history.stop)}"
    if least is None:
        rule += (
            "; the cost of a round is unknown, so it goes on: tell costs, or set stop to a number"
        )
    elif history.stop == ENOUGH:
        rule += f", {numeral(least)} of late" + (
            ", switching aside" if problem.space.changes else ""
        )
    if not now:
        rule += "; the bounds do not say yet how much can be gained"
    table = Table("What can still be gained at most", columns, rows)
    return Explanation(
        f"{explanation.summary.removesuffix('.')}. {rule}.",
        (*explanation.tables, *((table,) if rows else ())),
    )


def read_revision(
    history: History, given: Mapping[str, Any], method: type[Method[Any, Any]]
) -> LimitsRevised | None:
    """Check a change, and return its event; None where it changes nothing.

    Args:
        history: the rounds so far.
        given: some of `budget` (money; None: no limit), `rounds` (None: no limit), `stop` (when
            enough is known) and `columns` (headers of a lab's own tables, by the column's own
            name).
        method: the study's.

    Raises:
        InvalidOption: naming the option and its allowed values.
    """
    reading: dict[str, Callable[[Any], Any]] = {
        "budget": read_budget,
        "columns": _columns,
        "rounds": read_rounds,
        "stop": lambda stop: read_stop(stop, method),
    }
    for name in given:
        if name not in reading:
            raise InvalidOption(name, given[name], one_of(reading, name))
    before = standing(history)
    wanted = {name: read(given[name]) for name, read in reading.items() if name in given}
    changes = {name: (before[name], new) for name, new in wanted.items() if new != before[name]}
    return (
        LimitsRevised(changes, datetime.now(UTC).isoformat(timespec="seconds")) if changes else None
    )


def standing(history: History) -> dict[str, Any]:
    """Current values of the fields that can be revised."""
    return {
        "budget": history.budget,
        "columns": history.columns,
        "rounds": history.limit,
        "stop": history.stop,
    }


def overruled_settings(history: History, name: str, value: Any) -> str:
    """Time at which a limit was lowered from this larger value; empty where it never had it."""
    if name == "stop":
        return ""
    now = standing(history)[name]
    larger = now is not None and (value is None or value > now)
    when = [event.when for event in history.revisions if name in event.changes]
    once = any(
        name in event.changes and event.changes[name][0] == value for event in history.revisions
    )
    return when[-1] if larger and once else ""


def revised_text(event: LimitsRevised) -> list[str]:
    """Table of changed limits: old and new values, and the time of the change.

    >>> revised_text(LimitsRevised({"budget": (30.0, 50.0), "rounds": (9, None)}, "2026-01-02T03:04:05+00:00"))
    ['budget 50 since 2026-01-02 03:04 UTC, before 30', 'no limit of rounds since 2026-01-02 03:04 UTC, before 9']
    """
    when = f"{event.when[:16].replace('T', ' ')} UTC"
    limits = {name: pair for name, pair in event.changes.items() if name != "columns"}
    return [
        f"{limit_text(name, new)} since {when}, before {_before(name, old)}"
        for name, (old, new) in limits.items()
    ]


def _before(name: str, old: Any) -> str:
    if name == "stop":
        return stop_text(old)
    return "none" if old is None else f"{old:g}"


def limit_text(name: str, value: Any) -> str:
    """A limit in words.

    >>> limit_text("budget", 30.0), limit_text("rounds", None)
    ('budget 30', 'no limit of rounds')
    """
    if name == "stop":
        return stop_text(value)
    return f"no limit of {name}" if value is None else f"{name} {value:g}"


def _columns(given: Any) -> dict[str, str]:
    known = isinstance(given, Mapping) and all(
        isinstance(text, str) for pair in given.items() for text in pair
    )
    if not known or any(map(unsafe, given)):
        raise InvalidOption(
            "columns", given, "headers by the column's own name, such as {'value': 'Yield'}"
        )
    return {name: given[name] for name in sorted(given)}


def read_bounds(problem: Problem, bounds: Any) -> dict[str, tuple[Any, Any]]:
    """Check new bounds by variable: each is wider than the present one. Unchanged bounds are left out.

    Raises:
        InvalidProblem: naming the variable and its allowed values.
    """
    known = {
        variable.name: variable
        for variable in problem.space
        if isinstance(variable, NumericVariable)
    }
    if not known or "variables" not in {field.name for field in fields(problem)}:  # type: ignore[arg-type]
        raise InvalidProblem(
            "bounds", bounds, f"nothing: a {problem.kind} problem like this has no bounds to widen"
        )
    if not isinstance(bounds, Mapping):
        raise InvalidProblem(
            "bounds", bounds, "pairs (low, high) by variable, such as {'ph': (3, 9)}"
        )
    for name, pair in bounds.items():
        if name not in known:
            raise InvalidProblem(f"bounds.{name}", pair, f"bounds of {one_of(known, name)}")
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise InvalidProblem(f"bounds.{name}", pair, "a pair (low, high)")
        known[name].widened(*pair)
    found = {name: tuple(bounds[name]) for name in known if name in bounds}
    wider = {name: pair for name, pair in found.items() if pair != _bounds_of(problem, name)}
    extended(problem, wider)
    return wider


def extended(problem: Problem, bounds: Mapping[str, tuple[Any, Any]]) -> Problem:
    """Copy the problem with wider bounds; laws of nature's values stay as they are.

    Raises:
        InvalidProblem: the problem does not allow them (its points have coordinates, say).
    """
    variables = []
    for variable in problem.space:
        if variable.name in bounds and isinstance(variable, NumericVariable):
            old_low, old_high = _bounds_of(problem, variable.name)
            low, high = bounds[variable.name]
            variable = variable.widened(min(low, old_low), max(high, old_high))
        variables.append(variable)
    return replace(problem, variables=tuple(variables))  # type: ignore[type-var]


def after(problem: Problem, event: Event) -> Problem:
    """Problem from an event on."""
    return extended(problem, event.bounds) if isinstance(event, BoundsExtended) else problem


def _bounds_of(problem: Problem, name: str) -> tuple[Any, Any]:
    variable: Any = problem.space[name]
    return variable.low, variable.high
