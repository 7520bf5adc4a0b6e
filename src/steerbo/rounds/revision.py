"""What may be changed of a study without making it another one: its limits, and how its tables are headed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from ..errors import InvalidOption, one_of
from .creation import read_budget, read_rounds
from .events import Revised
from .history import History
from .method import Method
from .stopping import read_stop, stop_text


def read_revision(history: History, given: Mapping[str, Any], method: type[Method[Any, Any]]) -> Revised | None:
    """The event of a change, checked; None where it changes nothing.

    Args:
        history: what is there.
        given: some of `budget` (money; None: no limit), `rounds` (None: no limit), `stop` (when enough is known) and
            `columns` (headers of a lab's own tables, by the column's own name).
        method: the study's.

    Raises:
        InvalidOption: naming what is not allowed, and what is.
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
    return Revised(changes, datetime.now(UTC).isoformat(timespec="seconds")) if changes else None


def standing(history: History) -> dict[str, Any]:
    """What can be revised, as it stands."""
    return {"budget": history.budget, "columns": history.columns, "rounds": history.limit, "stop": history.stop}


def left_behind(history: History, name: str, value: Any) -> str:
    """When a limit was lowered from a larger one that it once had; empty where this is no such limit."""
    if name == "stop":
        return ""
    now = standing(history)[name]
    larger = now is not None and (value is None or value > now)
    when = [event.when for event in history.revisions if name in event.changes]
    once = any(name in event.changes and event.changes[name][0] == value for event in history.revisions)
    return when[-1] if larger and once else ""


def revised_text(event: Revised) -> list[str]:
    """What limits were, and are, since when.

    >>> revised_text(Revised({"budget": (30.0, 50.0), "rounds": (9, None)}, "2026-01-02T03:04:05+00:00"))
    ['budget 50 since 2026-01-02 03:04 UTC, before 30', 'no limit of rounds since 2026-01-02 03:04 UTC, before 9']
    """
    when = f"{event.when[:16].replace('T', ' ')} UTC"
    limits = {name: pair for name, pair in event.changes.items() if name != "columns"}
    return [f"{limit_text(name, new)} since {when}, before {_before(name, old)}" for name, (old, new) in limits.items()]


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
    known = isinstance(given, Mapping) and all(isinstance(text, str) for pair in given.items() for text in pair)
    if not known:
        raise InvalidOption("columns", given, "headers by the column's own name, such as {'value': 'Yield'}")
    return {name: given[name] for name in sorted(given)}
