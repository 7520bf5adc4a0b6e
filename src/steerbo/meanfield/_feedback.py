"""Reading of the outcomes that users report: tables by context and action, counts, payoffs. Errors name the row.

All functions take the names (`Simplex`, contexts × actions) and not the problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Float, Int
from .._parsing import Rows, parse_value
from ..core import finite
from ..errors import InvalidOutcome, InvalidRequest, one_of
from ..space import Simplex
from ..space.fields import plain

_SHOWN = 3  # names in an example


def typed_distribution(contexts: Sequence[str], given: str | Rows) -> Any:
    """Parse a distribution as typed: JSON, or rows with a column for each action and one called context.

    The context may be left out if the problem has only one.

    Raises:
        InvalidRequest: a row names no context, or one that another row named.
    """
    if isinstance(given, str):
        return with_context(contexts, parse_value(given))
    rows = [{"context": contexts[0], **row} for row in given] if len(contexts) == 1 else given
    table: dict[str, Any] = {}
    for row in rows:
        context = row.get("context")
        if context is None or context in table:
            raise InvalidRequest("current", row, "a column 'context' that names each context once")
        table[context] = {
            action: parse_value(cell) for action, cell in row.items() if action != "context"
        }
    return table


def with_context(contexts: Sequence[str], given: Any) -> Any:
    """Name the context of entries by action, or in their order, which is meant where there is only one.

    >>> with_context(["everyone"], {"a": 3, "b": 1}), with_context(["everyone"], [3, 1])
    ({'everyone': {'a': 3, 'b': 1}}, {'everyone': [3, 1]})
    """
    if len(contexts) > 1:
        return given
    by_action = isinstance(given, Mapping) and not given.keys() & set(contexts)
    in_order = (
        isinstance(given, list | tuple)
        and all(isinstance(x, int | float | None) for x in given)
        and len(given) > 0
    )
    return {contexts[0]: given} if by_action or in_order else given


def forms(simplex: Simplex, agents_in: Int[np.ndarray, " C"]) -> str:
    """Hint how a distribution is typed, with the names of the problem.

    >>> forms(Simplex(["everyone"], ["a", "b"]), np.array([40]))
    'Say how many are where, such as {"a": 40, "b": 0}; or which shares, such as {"a": 0.5, "b": 0.5}.'
    """
    shown, more = simplex.columns[:_SHOWN], ", …" * (len(simplex.columns) > _SHOWN)

    def table(numbers: Sequence[Sequence[float]]) -> str:
        entries = [
            [f'"{name}": {number}' for name, number in zip(shown, row, strict=False)]
            for row in numbers
        ]
        rows = ["{" + ", ".join(row) + more + "}" for row in entries]
        if len(rows) == 1:
            return rows[0]
        named = [f'"{context}": {row}' for context, row in zip(simplex.rows, rows, strict=True)]
        return "{" + ", ".join(named[:_SHOWN]) + ", …" * (len(named) > _SHOWN) + "}"

    agents = [[agents, 0, 0] for agents in agents_in.tolist()]
    shares = [[0.5, 0.5, 0] if len(shown) > 1 else [1.0] for _ in simplex.rows]
    return f"Say how many are where, such as {table(agents)}; or which shares, such as {table(shares)}."


def in_full(contexts: Sequence[str], realised: Mapping[str, Any]) -> dict[str, Any]:
    """Name the context of the tables among realised values, where there is only one: see `with_context`."""
    tables = ("distribution", "counts")
    return {
        name: with_context(contexts, x) if name in tables else x for name, x in realised.items()
    }


def as_shares(simplex: Simplex, given: Any, agents_in: Int[np.ndarray, " C"]) -> Any:
    """Turn numbers of agents by context and action into shares, where they add up to the agents of every context.

    Anything else is returned as it is, for `Simplex.check` to judge, but for whole numbers: they
    count agents.

    Raises:
        InvalidRequest: whole numbers of another sum. A share of 1 is written 1.0.

    >>> as_shares(Simplex(["everyone"], ["a", "b"]), {"a": 30, "b": 10}, np.array([40]))
    {'everyone': {'a': 0.75, 'b': 0.25}}
    >>> as_shares(Simplex(["everyone"], ["a", "b"]), {"a": 0.75, "b": 0.25}, np.array([40]))
    {'everyone': {'a': 0.75, 'b': 0.25}}
    """
    contexts = simplex.rows
    named = with_context(contexts, given)
    if not isinstance(named, Mapping) or named.keys() != set(contexts):
        return named
    if all(
        isinstance(row, list | tuple) and len(row) == len(simplex.columns) for row in named.values()
    ):
        named = {
            context: dict(zip(simplex.columns, row, strict=True)) for context, row in named.items()
        }
    for context, agents in zip(contexts, agents_in.tolist(), strict=True):
        row = named[context]
        if not isinstance(row, Mapping) or not row.keys() <= simplex.numbers.keys():
            return named
        total = (
            sum(row.values())
            if all(isinstance(x, int | float | np.integer) for x in row.values())
            else None
        )
        if (
            total is not None
            and total != agents
            and all(isinstance(x, int | np.integer) for x in row.values())
        ):
            allowed = f"numbers that add up to its {agents} agents" + f", not to {total}" * (
                total < 10**15
            )
            raise InvalidRequest(f"current.{context}", dict(row), allowed, _SHARES)
        if total != agents or not all(x >= 0 and x % 1 == 0 for x in row.values()):
            return named
    numbers = zip(contexts, agents_in.tolist(), strict=True)
    return {
        context: {action: x / agents for action, x in named[context].items()}
        for context, agents in numbers
    }


_SHARES = "If these are shares, write 1 as 1.0."
_AVERAGES = "Averages over a time are told as shares, the ‹distribution›."


def array(simplex: Simplex, named: Mapping[str, Mapping[str, float]]) -> Float[np.ndarray, "C A"]:
    """Return a checked table by context and action as an array; missing entries are zero.

    >>> array(Simplex(["day", "night"], ["a", "b"]), {"day": {"b": 1.0}})
    array([[0., 1.],
           [0., 0.]])
    """
    table = np.zeros(simplex.shape)
    for c, context in enumerate(simplex.rows):
        for action, share in named.get(context, {}).items():
            table[c, simplex.numbers[action]] = share
    return table


def is_table(simplex: Simplex, plain: Any) -> bool:
    """Return whether `plain` is a mapping of numbers by context and action.

    >>> is_table(Simplex(["day"], ["a", "b"]), {"day": {"b": 1.0}}), is_table(Simplex(["day"], ["a"]), {"b": 1.0})
    (True, False)
    """
    if not isinstance(plain, Mapping) or next(iter(plain), simplex.rows[0]) not in simplex.rows:
        return False
    rows = set(simplex.rows)
    return all(
        name in rows
        and isinstance(row, Mapping)
        and row.keys() <= simplex.numbers.keys()
        and not any(isinstance(cell, Mapping) for cell in row.values())
        for name, row in plain.items()
    )


def counts(
    simplex: Simplex,
    given: Any,
    agents_in: Int[np.ndarray, " C"],
    place: str = "realised.counts",
) -> Int[np.ndarray, "C A"]:
    """Read whole agents by context and action (or as rows); each row must sum to the agents of its context.

    Raises:
        InvalidOutcome: naming the row.

    >>> counts(Simplex(["day"], ["a", "b"]), {"day": {"a": 3}}, np.array([3]))
    array([[3, 0]])
    """
    rows = _rows(simplex, given, place)
    table = np.zeros(simplex.shape, dtype=np.int64)
    for c, (context, row) in enumerate(rows.items()):
        for action, number in row.items():
            # True is an int, too
            if (type(number) is not int and not isinstance(number, np.integer)) or number < 0:
                part = isinstance(number, float) and number > 0
                raise InvalidOutcome(
                    f"{place}.{context}.{action}",
                    number,
                    "a whole number of agents not below 0",
                    _AVERAGES * part,
                )
        total, wanted = sum(map(int, row.values())), int(agents_in[c])
        if total != wanted:
            hint = "If the contexts' numbers vary, tell the 'distribution' instead."
            raise InvalidOutcome(
                f"{place}.{context}", total, f"counts that add up to its {wanted} agents", hint
            )
        for action, number in row.items():
            table[c, simplex.numbers[action]] = number
    return table


_ROUNDED = 0.005  # how far, as a share, a sum may be off where numbers were rounded


def from_cells(
    simplex: Simplex,
    given: Mapping[str, Any],
    places: Mapping[str, tuple[int, int]],
    agents_in: Int[np.ndarray, " C"],
) -> dict[str, Any]:
    """Read numbers of agents, or shares, by the name of the cell; one that is left out is 0.

    Integers are numbers of agents, and shares are none: of a table with shares all are floats.

    Returns:
        `counts` where all are whole numbers of agents, else a `distribution`.

    Raises:
        InvalidOutcome: naming the cell, or the context whose sum is neither its number of agents
            nor 1.

    >>> simplex, places = Simplex(["all"], ["a", "b"]), {"a": (0, 0), "b": (0, 1)}
    >>> from_cells(simplex, {"a": 3, "b": 1}, places, np.array([4]))
    {'counts': {'all': {'a': 3, 'b': 1}}}
    >>> from_cells(simplex, {"a": 0.75, "b": 0.25}, places, np.array([4]))
    {'distribution': {'all': {'a': 0.75, 'b': 0.25}}}
    """
    numbers = np.zeros(simplex.shape)
    for name, number in given.items():
        numbers[places[name]] = finite(name, number, least=0.0)
    sums = numbers.sum(axis=1)
    whole = (numbers == np.rint(numbers)).all()
    counted = all(isinstance(number, int) for number in given.values())
    shares = (np.abs(sums - 1.0) <= _ROUNDED) & (not counted)
    agents = sums == agents_in if whole else np.abs(sums / agents_in - 1.0) <= _ROUNDED
    if whole and agents.all():
        return {"counts": simplex.named(numbers.astype(np.int64))}
    if (shares | agents).all():
        # shares as they were asked keep their last digits
        sums[np.isclose(sums, 1.0, rtol=0.0, atol=1e-12)] = 1.0
        return {"distribution": simplex.named(numbers / sums[:, None])}
    c = int(np.argmin(shares | agents))
    place = "sum of all actions" if len(simplex.rows) == 1 else f"sum of {simplex.rows[c]}"
    percent = (np.abs(sums / 100.0 - 1.0) <= _ROUNDED).all()
    hint = (
        "Divide percentages by 100."
        if percent
        else "Where the number of agents varies, give shares."
    )
    hint = _SHARES if sums[c] == 1.0 else hint
    allowed = f"{int(agents_in[c])}, the number of its agents, or shares that add up to 1"
    raise InvalidOutcome(place, float(sums[c]), allowed, hint)


def representative(
    simplex: Simplex,
    known: Mapping[str, Any],
    played: Mapping[str, Mapping[str, float]],
    needed: bool,
) -> dict[str, str]:
    """Read context and action of the representative agent; the context may be left out if there is only one.

    Raises:
        InvalidOutcome: naming `context` or `action`, if it is `needed` or no agent of this context
            took this action.
    """
    hint = "A representative agent's payoff means nothing without its context and action."
    who: dict[str, str] = {}
    for name, names in (("context", simplex.rows), ("action", simplex.columns)):
        if name in known:
            if known[name] not in names:
                raise InvalidOutcome(f"realised.{name}", known[name], one_of(names, known[name]))
            who[name] = str(known[name])
        elif needed:
            if name == "action" or len(names) > 1:
                raise InvalidOutcome(
                    f"realised.{name}", None, f"the {name} of the representative agent", hint
                )
            who[name] = names[0]
    if len(who) == 2 and not played[who["context"]].get(who["action"]):
        hint = "If the distribution really used was another one, tell it too."
        raise InvalidOutcome(
            "realised.action",
            who["action"],
            f"an action that agents of {who['context']!r} took",
            hint,
        )
    return who


def payoffs(simplex: Simplex, given: Any) -> dict[str, dict[str, float]]:
    """Read mean payoffs of cells by context and action, or in their order; None: no agent was there.

    The context may be left out if the problem has only one.

    Raises:
        InvalidOutcome: naming the cell.

    >>> payoffs(Simplex(["everyone"], ["a", "b"]), [3.0, None])
    {'everyone': {'a': 3.0}}
    """
    if isinstance(given, np.ndarray):
        given = given.tolist()
    return {
        context: {
            action: finite(f"value.{context}.{action}", payoff)
            for action, payoff in row.items()
            if payoff is not None
        }
        for context, row in _rows(simplex, with_context(simplex.rows, given), "value").items()
    }


def check_payoffs_match(
    value: Mapping[str, Mapping[str, float]], distribution: Mapping[str, Mapping[str, float]]
) -> None:
    """Check that exactly the cells that were played have a payoff.

    Raises:
        InvalidOutcome: naming the cell.
    """
    for context, row in distribution.items():
        for action in (name for name, share in row.items() if share > 0):
            if action not in value[context]:
                raise InvalidOutcome(
                    f"value.{context}.{action}",
                    None,
                    "the mean payoff of its agents",
                    "It was tried.",
                )
        for action, payoff in value[context].items():
            if not row.get(action):
                raise InvalidOutcome(
                    f"value.{context}.{action}", payoff, "nothing: no agent was in this cell"
                )


def _rows(simplex: Simplex, given: Any, place: str) -> dict[str, dict[str, Any]]:
    """Return entries by context and action, from a mapping or from rows in order."""
    if not isinstance(given, Mapping):
        try:
            given = dict(zip(simplex.rows, given, strict=True))
        except Exception:  # too few, too many, or not iterable
            whose = "" if len(simplex.rows) == 1 else f" for each of {', '.join(simplex.rows)}"
            actions = ", ".join(simplex.columns[:_SHOWN]) + ", …" * (len(simplex.columns) > _SHOWN)
            raise InvalidOutcome(place, given, f"numbers by action ({actions}){whose}") from None
    for context in given:
        if context not in simplex.rows:
            raise InvalidOutcome(
                f"{place}.{context}", given[context], one_of(simplex.rows, context)
            )
    rows: dict[str, dict[str, Any]] = {}
    for context in simplex.rows:
        row = given.get(context, {})
        if not isinstance(row, Mapping):
            try:
                row = dict(zip(simplex.columns, row, strict=True))
            except Exception:  # too few, too many, or not iterable
                allowed = (
                    f"{len(simplex.columns)} entries, one for each action, or entries by action"
                )
                raise InvalidOutcome(f"{place}.{context}", row, allowed) from None
        for action in row:
            if action not in simplex.numbers:
                raise InvalidOutcome(
                    f"{place}.{context}.{action}", row[action], one_of(simplex.columns, action)
                )
        rows[context] = {action: plain(x) for action, x in row.items()}
    return rows
