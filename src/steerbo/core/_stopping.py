"""Stopping rule: a study ends when the possible gain, by the bounds, is not worth another play."""

from __future__ import annotations

import math
from typing import Any, Literal

from ..errors import InvalidOption, InvalidOutcome
from ._history import History
from ._method import Method
from .answers import Explanation, Table, numeral
from .numbers import finite

ENOUGH: Literal["enough"] = "enough"
Stop = float | Literal["enough"]
"""A difference that is not worth looking for, or "enough": what could still be gained is less than a play costs."""
_ROWS = 12  # of the curve


def read_stop(value: Any, method: type[Method[Any, Any]]) -> Stop | None:
    """Check a stopping rule; None: no stop before the limits.

    Raises:
        InvalidOption: it is neither the word nor a number above 0, or the method has no bounds.
    """
    if value is None:
        return None
    if not method.has_bounds():
        raise InvalidOption("stop", value, f"nothing with {method.name!r}", "This method has no bounds to stop by.")
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
    ('stop when less can be gained than a play costs', 'stop when less than 0.5 can be gained')
    """
    if stop is None:
        return "no stop before the limits"
    return "stop when less " + ("can be gained than a play costs" if stop == ENOUGH else f"than {stop:g} can be gained")


def stopping_threshold(history: History) -> float | None:
    """Smallest gain that is worth a play: the stated difference, or the latest cost; None where unknown."""
    if history.stop != ENOUGH:
        return history.stop
    return next((played.paid for played in reversed(list(history)) if played.paid is not None), None)


def is_converged(history: History, gain: float | None) -> str:
    """Reason why the possible gain is not worth another play, or an empty string."""
    least = stopping_threshold(history)
    if gain is None or least is None or not gain < least:
        return ""
    less = f"the {numeral(least)} that the latest play cost" if history.stop == ENOUGH else numeral(least)
    return f"enough is known: at most {numeral(gain, beside=least)} can still be gained, less than {less}"


def with_curve(explanation: Explanation, history: History, gain: float | None) -> Explanation:
    """Add the possible gain at each round, and now, to an explanation; unchanged without a stopping rule."""
    if history.stop is None:
        return explanation
    known = [(played.number, played.gain) for played in history if played.gain is not None]
    now = gain is not None and math.isfinite(gain)
    shown = known[:: max(1, math.ceil(len(known) / _ROWS))]
    shown += known[-1:] if known and shown[-1] != known[-1] else []
    rows: tuple[tuple[Any, ...], ...] = (*shown, *((("now", gain),) if now else ()))
    least = stopping_threshold(history)
    rule = f"The study is to {stop_text(history.stop)}"
    if least is None:
        rule += "; the cost of a play is unknown, so it goes on: tell costs, or let it stop at a difference"
    elif history.stop == ENOUGH:
        rule += f", {numeral(least)} of late"
    if not now:
        rule += "; how much that is the bounds do not say yet"
    table = Table("What could still be gained, by the bounds", ("before round", "at most"), rows)
    return Explanation(
        f"{explanation.summary.removesuffix('.')}. {rule}.", (*explanation.tables, *((table,) if rows else ()))
    )
