"""Checks of a cost-varying problem: each refuses by name a field that is not allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from .._wording import counted
from ..core import Scope
from ..core.tolerance import Tolerance
from ..errors import InvalidOutcome, InvalidProblem, one_of
from ..space import Categorical, CurrentPolicy, Float, Integer, JointRows, Space

ControlSets = Sequence[Sequence[str]]

MOST_VARIABLES, MOST_SETS = 1000, 4096
"""Of a problem: as many sets as twelve variables have."""
MOST_HARD = 6
"""Hard-to-change variables of one control set: the choices of which to keep are two to their number."""
MOST_BEYOND = 0.01
"""Share of a column of `nature` that may lie beyond its variable's bounds."""

INSTEAD = {
    "prices": "Costs of rounds are given for each control set, as `costs`.",
    "moving_cost": "Each variable says what moving it costs: its ‹change›.",
    "graph": "Laws are stated here, also as rows of data, `nature`. With a graph it is a causal problem.",
    "priors": "How it changes with time is said by `drift`. Competing priors are for time-varying problems.",
    "actions": "Agents are for mean-field problems. Here they would be variables.",
}
"""Fields of other kinds of problems, and the field that says the same here."""


def check_sets(space: Space, control_sets: ControlSets, nature: JointRows | None) -> None:
    """Refuse unknown variables in a control set, repeated sets, and variables left to nature without a law."""
    names = space.names
    if not names:
        raise InvalidProblem("variables", [], "at least one variable")
    for field, given, most in (
        ("variables", names, MOST_VARIABLES),
        ("control_sets", control_sets, MOST_SETS),
    ):
        if len(given) > most:
            raise InvalidProblem(
                field,
                len(given),
                f"at most {most}",
                "Leave out the sets that are not worth a round.",
            )
    together = () if nature is None else check_nature(nature, space)
    if not control_sets:
        raise InvalidProblem("control_sets", control_sets, "at least one control set")
    before: dict[frozenset[str], int] = {}
    for i, control_set in enumerate(control_sets):
        where = f"control_sets.{i}"
        if not control_set:
            raise InvalidProblem(
                where, [], "at least one variable", "A set that controls nothing has no settings."
            )
        for name in control_set:
            if name not in names:
                raise InvalidProblem(where, name, one_of(names, name))
            if name in space.seen:
                hint = "It is seen before choosing, so it cannot be set: leave it out here, or leave out ‹seen›."
                raise InvalidProblem(
                    where, name, one_of([n for n in names if n not in space.seen], ""), hint
                )
        if len(set(control_set)) < len(control_set):
            raise InvalidProblem(where, list(control_set), "each variable once")
        if (twin := before.setdefault(frozenset(control_set), i)) != i:
            raise InvalidProblem(
                where,
                list(control_set),
                f"a set unlike the others (control_sets.{twin} is the same)",
            )
        for variable in space.variables:
            if (
                variable.law is None
                and not variable.seen
                and variable.name not in (*control_set, *together)
            ):
                reason = f"a law, because control set {list(control_set)} leaves {variable.name!r} to nature"
                hint = "Give it one, such as ‹law›. Rows of data for several variables go into `nature`."
                raise InvalidProblem(f"variables.{variable.name}.law", None, reason, hint)


def check_nature(nature: JointRows, space: Space) -> Sequence[str]:
    """Check rows of data against the variables of their columns, and return the columns.

    Raises:
        InvalidProblem: a column that is no variable or has a law of its own, only columns that are
            seen, a value that its variable does not have, more than 1 % of a column beyond its
            variable's bounds.
    """
    for j, name in enumerate(nature.columns):
        field = f"nature.columns.{j}"
        if name not in space:
            raise InvalidProblem(
                field, name, one_of(space.names, name), "Every column is a variable of the problem."
            )
        variable = space[name]
        if variable.law is not None:
            hint = "Leave out one of the two: the variable's ‹law›, or the column."
            raise InvalidProblem(field, name, "a variable without a law of its own", hint)
        for i, value in enumerate(nature.column(name)):
            try:
                variable.check_measured(value)
            except InvalidOutcome as error:
                raise InvalidProblem(
                    f"nature.rows.{i}.{j}", value, f"{error.allowed}, for {name}", error.hint
                ) from None
        if not isinstance(variable, Categorical):
            _check_bounds(nature.column(name), variable, j)
    if all(space[name].seen for name in nature.columns):
        hint = "Add a column that nature draws afterwards."
        raise InvalidProblem(
            "nature.columns", list(nature.columns), "at least one that is not ‹seen›", hint
        )
    return nature.columns


def _check_bounds(values: Sequence[Any], variable: Float | Integer, j: int) -> None:
    """As for a variable's own law, a few values may lie beyond the bounds of its settings."""
    beyond = [i for i, value in enumerate(values) if not variable.low <= value <= variable.high]
    if len(beyond) > MOST_BEYOND * len(values):
        limits = f"[{variable.low:g}, {variable.high:g}]"
        here = f"{len(beyond)} of {counted(len(values), 'row')}"
        allowed = f"at most 1 % of {variable.name!r} outside {limits} (here {here})"
        hint = "Widen the variable's bounds, or leave out what was measured wrongly."
        raise InvalidProblem(f"nature.rows.{beyond[0]}.{j}", values[beyond[0]], allowed, hint)


def check_switching_costs(space: Space, control_sets: ControlSets) -> None:
    """Refuse a switching cost of a variable that no set controls, and too many of them in one set."""
    for name in space.changes:
        if not any(name in control_set for control_set in control_sets):
            hint = "No control set holds it, so it is never moved: leave out ‹change›."
            raise InvalidProblem(f"variables.{name}.change", space.changes[name], "nothing", hint)
    for i, control_set in enumerate(control_sets):
        hard = [name for name in control_set if name in space.changes]
        if len(hard) > MOST_HARD:
            hint = "Each may stay or move in each round: leave out ‹change› where it matters least."
            allowed = f"at most {MOST_HARD} variables with a price of changing"
            raise InvalidProblem(f"control_sets.{i}", hard, allowed, hint)


def check_value_of_one(value_of_one: float | None, tolerance: Tolerance | None) -> None:
    """Refuse a tolerance beside the price of a unit of value: it would weigh quality against money a second time."""
    if value_of_one is not None and tolerance is not None:
        hint = "‹value_of_one› already says when a more expensive set is worth it: leave out ‹tolerance›."
        raise InvalidProblem("tolerance", tolerance, "nothing beside ‹value_of_one›", hint)


def read_current(
    current: Mapping[str, Any] | None, space: Space, control_sets: ControlSets
) -> CurrentPolicy | None:
    """Read today's settings; refuse those that are not of one control set, or that cannot be set."""
    if current is None:
        return None
    if set(current) not in [set(names) for names in control_sets]:
        allowed = one_of((" + ".join(names) for names in control_sets), "")
        hint = "‹current› holds the variables of one control set: add that set, or leave out ‹current›."
        raise InvalidProblem(
            "current", " + ".join(current), f"values of a control set, {allowed}", hint
        )
    policy = CurrentPolicy(current, space, space.seen)
    for name in policy.formulas:
        if name in space.changes:
            hint = "Changing this variable costs money, so its present value is needed: give it."
            raise InvalidProblem(f"current.{name}", current[name], "a value", hint)
    return policy


def cheaper_supersets(scopes: Sequence[Scope]) -> Iterator[str]:
    """Name the sets whose stated cost is below that of a part of them: that is seldom meant.

    >>> print(*cheaper_supersets([Scope(["t"], price=3.0), Scope(["t", "ph"], price=1.0)]))
    t + ph costs 1 a round, and t, which is a part of it, 3: is that meant?
    """
    for whole, part in permutations(scopes, 2):
        if whole.price is None or part.price is None or not set(part.set) < set(whole.set):
            continue
        if whole.price < part.price:
            less = f"{whole} costs {whole.price:g} a round, and {part}, which is a part of it, {part.price:g}"
            yield f"{less}: is that meant?"
