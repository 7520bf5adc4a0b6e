"""What is no cost-varying problem, refused by name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..errors import InvalidProblem, InvalidRequest, one_of
from ..wording import counted
from .nature import check_nature

if TYPE_CHECKING:
    from .problem import CostVarying

MOST_VARIABLES, MOST_SETS = 1000, 4096
"""Of a problem: as many sets as twelve variables have."""
MOST_HARD = 6
"""Hard-to-change variables of one control set: the ways to keep some of them are two to their number."""


INSTEAD = {
    "prices": "What plays cost is said for each control set, as `costs`.",
    "moving_cost": "Each variable says what moving it costs: its ‹change›.",
    "graph": "Laws are stated here, also as rows of data, `nature`. With a graph it is a causal problem.",
    "priors": "How it changes with time is said by `drift`. Competing priors are for time-varying problems.",
    "actions": "Agents are for mean-field problems. Here they would be variables.",
}


def check_sets(problem: CostVarying) -> None:
    """Refuse sets of unknown variables, sets said twice, and variables that a set leaves to nature without a law."""
    names = problem.space.names
    if not names:
        raise InvalidProblem("variables", [], "at least one variable")
    for field, given, most in (
        ("variables", names, MOST_VARIABLES),
        ("control_sets", problem.control_sets, MOST_SETS),
    ):
        if len(given) > most:
            raise InvalidProblem(field, len(given), f"at most {most}", "Leave out what nobody would play.")
    together = () if problem.nature is None else check_nature(problem.nature, problem.space)
    if not problem.control_sets:
        raise InvalidProblem("control_sets", problem.control_sets, "at least one control set")
    seen: dict[frozenset[str], int] = {}
    for i, control_set in enumerate(problem.control_sets):
        where = f"control_sets.{i}"
        if not control_set:
            raise InvalidProblem(where, [], "at least one variable", "A set that controls nothing has no settings.")
        for name in control_set:
            if name not in names:
                raise InvalidProblem(where, name, one_of(names, name))
            if name in problem.space.seen:
                hint = "It is seen before choosing, so it cannot be set: leave it out here, or leave out ‹seen›."
                raise InvalidProblem(where, name, one_of([n for n in names if n not in problem.space.seen], ""), hint)
        if len(set(control_set)) < len(control_set):
            raise InvalidProblem(where, list(control_set), "each variable once")
        if (twin := seen.setdefault(frozenset(control_set), i)) != i:
            raise InvalidProblem(where, list(control_set), f"a set unlike the others (control_sets.{twin} is the same)")
        for variable in problem.variables:
            if variable.law is None and not variable.seen and variable.name not in (*control_set, *together):
                reason = f"a law, because control set {list(control_set)} leaves {variable.name!r} to nature"
                hint = "Give it one, such as ‹law›. Rows of data for several variables go into `nature`."
                raise InvalidProblem(f"variables.{variable.name}.law", None, reason, hint)


def check_changes(problem: CostVarying) -> None:
    """Refuse a price of changing what nobody moves, and more of them in a set than can be chosen among."""
    for name in problem.space.changes:
        if not any(name in control_set for control_set in problem.control_sets):
            hint = "No control set holds it, so nobody moves it: leave out ‹change›."
            raise InvalidProblem(f"variables.{name}.change", problem.space.changes[name], "nothing", hint)
    for i, control_set in enumerate(problem.control_sets):
        hard = [name for name in control_set if name in problem.space.changes]
        if len(hard) > MOST_HARD:
            hint = "Each may stay or move in each round: leave out ‹change› where it matters least."
            allowed = f"at most {MOST_HARD} variables with a price of changing"
            raise InvalidProblem(f"control_sets.{i}", hard, allowed, hint)


def check_worth(problem: CostVarying) -> None:
    """Refuse a tolerance where money and value are one: it would say the same again, and otherwise."""
    if problem.value_of_one is not None and problem.tolerance is not None:
        hint = "With ‹value_of_one› a dearer set is worth it if it gives that much more: leave out ‹tolerance›."
        raise InvalidProblem("tolerance", problem.tolerance, "nothing beside ‹value_of_one›", hint)


def check_current(problem: CostVarying) -> None:
    """Refuse a place to stand that no control set holds, or that cannot be set."""
    if problem.current is None:
        return
    sets = [set(names) for names in problem.control_sets]
    if set(problem.current) not in sets:
        allowed = one_of((" + ".join(names) for names in problem.control_sets), "")
        hint = "What one holds today are the variables of one control set: add one for it, or leave out ‹current›."
        raise InvalidProblem("current", " + ".join(problem.current), f"values of a control set, {allowed}", hint)
    for name, value in problem.current.items():
        try:
            problem.space[name].check_setting(value)
        except InvalidRequest as error:
            raise InvalidProblem(f"current.{name}", value, error.allowed) from None


def check_costs(problem: CostVarying) -> None:
    """Refuse costs that are no prices, or not one for each control set."""
    if problem.costs is not None:
        if len(problem.costs) != len(problem.control_sets):
            raise InvalidProblem(
                "costs", problem.costs, f"{counted(len(problem.control_sets), 'number')}, one for each control set"
            )
        for i, cost in enumerate(problem.costs):
            if not 0 < cost < math.inf:
                raise InvalidProblem(f"costs.{i}", cost, "a finite number above 0")
