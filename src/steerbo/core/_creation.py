"""Creation of a study: the first event of its log, with the method, its options, the limits and the seed checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any, TypedDict

from .._text import unsafe
from .._validation import collecting_errors
from ..errors import InvalidInput, InvalidOption, InvalidProblem, combine, one_of
from ..records import to_dict
from ..space import Learned, refuse_far_law
from ..space.fields import whole
from ._constraints import check_declared
from ._method import Method
from ._problem import Problem
from ._stopping import read_budget, read_rounds, read_stop
from .determinism import fingerprint
from .events import LARGEST_SEED, Created
from .registry import find_method, name_of, packages, place_of_problem


class MethodOptions(TypedDict, total=False):
    """Options of steerbo's own methods, for type checkers.

    Each method checks its own. Options of other packages' methods are given as a dict:
    ``Optimizer(problem, Mine, **options)``.
    """

    acquisition: str | None
    alike: float
    alpha: float
    beta: float
    candidates: int
    caution: float
    confidence: str | float
    delta: float
    delta_b: float
    embedding: str
    epsilon: float
    explore_cycles: int | None
    explore_fraction: float
    failures: int
    first_plays: int
    initial: int | None
    iterations: int
    kernel: str
    length: float
    limit: int
    mode: str
    notice_changes: bool
    on_exhausted: str
    patience: float
    plays: Any
    prior: str | int | None
    starting_points: int
    starts: int
    successes: int
    switch_every: float | None
    temper: float


_CHANGES = "Leave it out, or take a cost-varying problem: that takes it."
_LIMITS = ("problem", "method", "budget", "rounds", "stop", "seed", "log")
_SURE = 0.75  # how alike a mistyped limit is


def created_event(
    problem: Problem,
    method: str | type[Method[Any, Any]] | None,
    *,
    budget: Any,
    rounds: Any,
    stop: Any = None,
    seed: Any,
    options: Mapping[str, Any],
) -> tuple[Created, type[Method[Any, Any]]]:
    """The event that begins a study, and the class of its method.

    Args:
        problem: the problem to optimise.
        method: a name, a place "package.module:Class", a class, or None for the default of the
            problem's kind.
        budget: money that may be spent; None: no limit.
        rounds: suggestions that may be made; None: no limit.
        stop: when enough is known; see `Optimizer`.
        seed: a whole number from 0 to 2**128 - 1; all that is drawn follows from it.
        options: the method's options, by name.

    Raises:
        InvalidOption: a method, an option, a limit or the seed is not allowed.
        InvalidProblem: a name, a choice or a unit has characters that cannot be shown as they are.
    """
    if not isinstance(problem, Problem):
        raise InvalidProblem("problem", problem, "a problem, such as a ‹CostVarying›")
    wrong: list[InvalidInput] = [
        InvalidProblem(
            field, text, "a text of characters that can be seen", f"It has {fault}: leave it out."
        )
        for field, text in _texts(problem, "problem")
        if (fault := unsafe(text))
    ]
    wrong += _unsuitable(problem)
    collecting_errors(wrong, lambda: check_declared(problem))
    for variable in problem.space:
        collecting_errors(wrong, partial(refuse_far_law, variable))
    chosen = collecting_errors(wrong, lambda: _options(problem, method, options))
    limit = collecting_errors(wrong, lambda: read_budget(budget))
    most = collecting_errors(wrong, lambda: read_rounds(rounds))
    known = collecting_errors(wrong, lambda: (read_stop(stop, chosen[0]),)) if chosen else None
    number = collecting_errors(
        wrong, lambda: whole("seed", seed, 0, InvalidOption, most=LARGEST_SEED)
    )
    if wrong or chosen is None or number is None:
        raise combine(wrong)
    try:
        plain: dict[str, Any] | None = to_dict(problem)
    except InvalidProblem:  # it holds a Python function: fine in memory, refused by logs on disk
        plain = None
    solver, plain_options = chosen
    return Created(
        name_of(solver),
        plain_options,
        number,
        fingerprint(packages(type(problem), solver)),
        problem=plain,
        problem_class=place_of_problem(problem),
        budget=limit,
        rounds=most,
        stop=known[0] if known else None,
    ), solver


def _unsuitable(problem: Problem) -> Iterator[InvalidInput]:
    """Fields of variables that this kind of problem does not use."""
    if not problem.changeable:
        hint = f"A {problem.kind} problem has no costs of changes. {problem.instead.get('change', _CHANGES)}"
        for name, change in problem.space.changes.items():
            yield InvalidProblem(f"{name}.change", change, "nothing", hint)
    if not problem.learns:
        hint = f"A {problem.kind} problem does not learn laws: state one, such as ‹Uniform›."
        for v in problem.space:
            if isinstance(v.law, Learned):
                yield InvalidProblem(f"{v.name}.law", v.law, "a law that is stated", hint)


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


def _options(
    problem: Problem, said: Any, options: Any
) -> tuple[type[Method[Any, Any]], dict[str, Any]]:
    """The method, and its options as plain data."""
    method = find_method(problem, said)
    if not isinstance(options, Mapping):
        raise InvalidOption("options", options, "values by the option's name")
    kind = method.Options
    names = [option.name for option in fields(kind)]
    wrong: list[InvalidInput] = [
        InvalidOption(
            str(option), options[option], *_unknown(method.name, names, option, options[option])
        )
        for option in options
        if option not in names
    ]
    given = {option: value for option, value in options.items() if option in names}
    try:
        chosen = kind(**given)
    except InvalidInput as error:
        wrong += [
            fault.moved(fault.field.partition(".")[2], InvalidOption) for fault in error.errors
        ]
    if wrong:
        raise combine(wrong)
    return method, to_dict(chosen) | _nothing(chosen)


def _unknown(method: str, names: list[str], option: object, given: object) -> tuple[str, str]:
    """Allowed options in the place of an unknown one, and a hint at the limit or the options that may be meant."""
    if option == "options" and isinstance(given, Mapping):
        each = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return "each option as an argument of its own", f"Write {each}."
    limit = get_close_matches(str(option), _LIMITS, n=1, cutoff=_SURE)
    known = f"an option of {method!r}, {one_of(names, '' if limit else option)}"
    return (
        known if names else f"nothing: {method!r} has no options",
        f"Did you mean {limit[0]!r}?" if limit else "",
    )


def _nothing(options: Any) -> dict[str, None]:
    """Options that are None though their default is not: a plain form leaves these out, and would be read as that."""
    defaults = {
        each.name: getattr(each.default, "default", each.default) for each in fields(options)
    }
    return {
        name: None
        for name, default in defaults.items()
        if getattr(options, name) is None is not default
    }
