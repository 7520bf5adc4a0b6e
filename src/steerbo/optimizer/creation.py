"""The first event of every log: a method's name and options, the limits and the seed, read and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..errors import InvalidOption, InvalidOutcome, InvalidProblem, one_of
from ..record import to_plain
from ..text import unsafe
from .arithmetic import fingerprint
from .events import Created
from .problem import LARGEST, Problem, finite


def creation(
    problem: Problem, method: str | None, *, budget: Any, rounds: Any, seed: Any, options: Mapping[str, Any]
) -> Created:
    """The event that begins a study.

    Args:
        problem: what to optimise.
        method: a name, or None for the problem's default.
        budget: money that may be spent; None: no limit.
        rounds: suggestions that may be made; None: no limit.
        seed: a whole number not below 0.
        options: the method's options, by name.

    Raises:
        InvalidOption: a method, an option, a limit or the seed is not allowed.
        InvalidProblem: a name, a choice or a unit has characters that cannot be shown as they are.
    """
    for field, text in _texts(problem, problem.kind):
        if fault := unsafe(text):
            raise InvalidProblem(field, text, "a text of characters that can be seen", f"It has {fault}: leave it out.")
    name = method if method is not None else problem.default_method
    known = problem.methods()
    if name not in known:
        raise InvalidOption("method", name, one_of(known, name))
    names = [option.name for option in fields(known[name].Options)]
    for option, value in options.items():
        if option not in names:
            raise InvalidOption(option, value, f"an option of {name!r}, {one_of(names, option)}")
    try:
        chosen = known[name].Options(**options)
    except InvalidProblem as error:
        raise InvalidOption(error.field.partition(".")[2], error.value, error.allowed, error.hint) from None
    try:
        plain: dict[str, Any] | None = to_plain(problem)
    except InvalidProblem:  # it holds a Python function: fine in memory, refused by logs on disk
        plain = None
    return Created(
        name,
        to_plain(chosen),
        _seed(seed),
        fingerprint(),
        problem=plain,
        budget=_limit("budget", budget),
        rounds=_rounds(rounds),
    )


def _texts(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Every text in data, and where it is."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _texts(name, place)
            yield from _texts(part, f"{place}.{name}")
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from _texts(part, f"{place}.{i}")
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name), f"{place}.{field.name}")


def _seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidOption("seed", seed, "a whole number not below 0")
    return seed


def _limit(name: str, value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = finite(name, value)
    except InvalidOutcome:
        number = 0.0
    if number <= 0:
        raise InvalidOption(name, value, f"a finite number above 0 (at most {LARGEST:g}), or None for no limit")
    return number


def _rounds(rounds: Any) -> int | None:
    if rounds is None:
        return None
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise InvalidOption("rounds", rounds, "a whole number from 1, or None for no limit")
    return rounds
