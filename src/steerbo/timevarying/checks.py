"""What is no time-varying problem, refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from ..errors import InvalidInput, InvalidProblem
from .check_prior import check_prior

if TYPE_CHECKING:
    from .problem import TimeVarying

MOST_VARIABLES, MOST_PRIORS = 1000, 1000
"""Of a problem."""
_MOST_PLACED = 1000  # points with coordinates, where nobody gave priors

_ALL_SET = (
    "Everything is set in every round here, so that all plays cost alike. Where some can be left to nature, it is a "
    "cost-varying problem: that takes it, and `drift`."
)
INSTEAD = {
    **dict.fromkeys(("costs", "prices", "control_sets", "tolerance", "value_of_one"), _ALL_SET),
    "nature": "Nature draws nothing here: what is not set is ‹seen›.",
    "drift": "Each of the `priors` says its own; without priors it is learned.",
    "moving_cost": "Nothing that moves has a price here. A cost-varying problem takes it: the variable's ‹change›.",
    "graph": "Here everything is set. What causes what is for causal problems.",
}
"""Of fields that other kinds have."""


def check_sizes(problem: TimeVarying) -> None:
    """Refuse names said twice, too many variables or priors, and an empty list of priors."""
    _ = problem.space
    for field, given, most in (
        ("variables", problem.variables, MOST_VARIABLES),
        ("priors", problem.priors, MOST_PRIORS),
    ):
        if len(given) > most:
            raise InvalidProblem(field, len(given), f"at most {most}")
    if not problem.variables:
        raise InvalidProblem("variables", [], "at least one variable that can be set")
    if not problem.priors:
        raise InvalidProblem("priors", problem.priors, "at least one prior", "Leave them out where you know none.")


def check_coordinates(problem: TimeVarying) -> None:
    """Refuse coordinates of a box, and those that do not fit the points of a finite domain."""
    if problem.coordinates is None:
        return
    if problem.sites is None:
        allowed = "no coordinates: the domain is a box, not a set of points"
        raise InvalidProblem("coordinates", len(problem.coordinates), allowed)
    if len(problem.coordinates) != len(problem.sites) or len({len(row) for row in problem.coordinates}) != 1:
        shape = [len(row) for row in problem.coordinates]
        raise InvalidProblem("coordinates", shape, f"{len(problem.sites)} rows of the same length, one a point")


def check_seen(problem: TimeVarying) -> None:
    """Refuse problems in which nothing is set, and laws of what is seen."""
    if problem.space.seen and not problem.settable:
        raise InvalidProblem("variables", list(problem.space.seen), "at least one that is not seen, to be set")
    for name in problem.space.seen:
        if problem.space[name].law is not None:
            allowed = "no law: what is seen is given in every round here, and never drawn"
            raise InvalidProblem(f"variables.{name}.law", problem.space[name].law, allowed)


def check_priors(problem: TimeVarying) -> None:
    """Refuse priors that give no covariances or means at the points of the domain, and too many points to make any."""
    if problem.automatic and problem.points is not None and len(problem.points) > _MOST_PLACED:
        allowed = f"priors of your own: made ones would take too much memory for {len(problem.points)} coordinates"
        raise InvalidProblem("priors", problem.priors, allowed, f"They are for {_MOST_PLACED} at most.")
    names = [prior.name for prior in (() if problem.automatic else problem.given)]
    for i, name in enumerate(names):
        if name and name in names[:i]:
            raise InvalidProblem(f"priors.{i}.name", name, "a name that no other prior has, or none")
    points = _corners(problem) if problem.points is None else problem.points
    for i, prior in enumerate(() if problem.automatic else problem.given):
        try:
            check_prior(prior, points, problem.points is not None, problem.categories)
        except InvalidInput as error:
            raise error.within(f"priors.{i}") from None


def _corners(problem: TimeVarying) -> Float[np.ndarray, "n d"]:
    """Some points of a box, to try functions on."""
    ends = [[v.decode([z])[0] for z in (0.0, 0.3, 1.0)] for v in problem.variables]
    return np.array([problem.place(values) for values in zip(*ends, strict=True)])
