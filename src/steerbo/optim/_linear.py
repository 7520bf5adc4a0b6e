"""Constraints on variables, translated to the coordinates of a search: the part of a box that is left."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..errors import InvalidProblem
from ..space import Categorical, ForbiddenCombination, Integer, Limit, OutcomeConstraint, Variable
from ._domain import ROUNDING, Box
from ._polytope import Forbidden, Polytope

Worst = Callable[[Mapping[str, float], float], float]
"""From weights of nature's draws, by variable, to the number that their sum exceeds at most with a probability."""
# of an integer programme: most nodes of its tree, most seconds, and SciPy's status where nothing is
_NODES, _SECONDS, _INFEASIBLE = 500, 5.0, 2
MOST_CORNERS = 256
"""Of values that may be seen before choosing: see `corners`."""


@dataclass(frozen=True)
class LinearRow:
    """One side of a linear constraint over the searched variables: `Σ weight · value` at most `bound`.

    `drawn`: whether others of its variables are not known yet, so that no rounded settings show
    whether they keep it.
    """

    limit: int
    weights: Mapping[str, float]
    bound: float
    drawn: bool = False

    def slack(self, values: Mapping[str, Any]) -> float:
        """Slack below the bound."""
        return self.bound - math.fsum(
            weight * values[name] for name, weight in self.weights.items()
        )

    def kept(self, values: Mapping[str, Any]) -> bool:
        """Whether the sum is within the bound, but for rounding."""
        left = self.slack(values)
        size = math.fsum(abs(weight * values[name]) for name, weight in self.weights.items())
        size += abs(self.bound)
        return left >= 0.0 or math.isclose(size, size - left)


@dataclass(frozen=True)
class Combination:
    """Combination of choices that the searched variables must not have together."""

    limit: int
    choices: Mapping[str, Sequence[Any]]

    def slack(self, values: Mapping[str, Any]) -> float:
        """Number of variables beyond one that are outside of the combination."""
        return sum(values[name] not in choices for name, choices in self.choices.items()) - 1.0

    def kept(self, values: Mapping[str, Any]) -> bool:
        """Whether at least one variable is outside of the combination."""
        return self.slack(values) >= 0.0


def substitute_known(
    limits: Sequence[Limit],
    searched: Sequence[str],
    known: Mapping[str, Any],
    kept: Sequence[str],
    worst: Worst,
) -> list[LinearRow | Combination]:
    """Substitute known and random variables into constraints: constraints on the searched variables alone.

    A sum's part that is drawn counts at that quantile which it stays below with the limit's
    probability; of a limit on both sides half of the allowed risk is for each. In a combination
    nature is assumed to draw whatever it may.

    Args:
        limits: of the problem.
        searched: the variables that are searched.
        known: values in the variables' units of those that are known.
        kept: names of known variables that stay at their current setting.
        worst: the value taken for sums of the others, which nature draws.
    """
    found: list[LinearRow | Combination] = []
    for i, limit in enumerate(limits):
        if not any(name in searched or name in kept for name in limit.names):
            continue
        own = [name for name in limit.names if name in searched]
        rest = [name for name in limit.names if name not in searched and name not in known]
        if isinstance(limit, OutcomeConstraint):
            continue
        if isinstance(limit, ForbiddenCombination):
            seen = [name for name in limit.names if name in known and name not in searched]
            if all(known[name] in limit.combination[name] for name in seen):
                found.append(Combination(i, {name: limit.combination[name] for name in own}))
            continue
        sides = [(1.0, limit.at_most), (-1.0, limit.at_least)]
        wrong = (1.0 - (limit.probability or 1.0)) / sum(end is not None for _, end in sides)
        for sign, end in sides:
            if end is not None:
                given = [
                    sign * limit.weights[n] * known[n]
                    for n in limit.names
                    if n in known and n not in searched
                ]
                drawn = (
                    worst({name: sign * limit.weights[name] for name in rest}, wrong)
                    if rest
                    else 0.0
                )
                weights = {name: sign * limit.weights[name] for name in own}
                bound = sign * end - math.fsum(given) - drawn
                found.append(LinearRow(i, weights, bound, drawn=bool(rest)))
    return found


def limited(
    box: Box, variables: Sequence[Variable], left: Sequence[LinearRow | Combination]
) -> Box | None:
    """Restrict an encoded box, a coordinate for each variable; None: nothing is left. Without constraints the box.

    Of a variable of more steps than are searched one by one all values are searched: `on_steps`
    moves those found to steps.
    """
    if not left:
        return box
    names = [variable.name for variable in variables]
    rows = [each for each in left if isinstance(each, LinearRow)]
    weights, bounds = np.zeros((len(rows), len(names))), np.array([each.bound for each in rows])
    for k, row in enumerate(rows):
        for name, weight in row.weights.items():
            variable: Any = variables[names.index(name)]
            weights[k, names.index(name)] = weight * (variable.high - variable.low)
            bounds[k] -= weight * variable.low
    forbidden = [_codes(each, variables) for each in left if isinstance(each, Combination)]
    if _hopeless(weights, bounds) or any(not each for each in forbidden):
        return None
    if not box.dimension:
        return box
    logs = np.array([_logs(variable) for variable in variables])
    steps = np.array([*map(_share, variables, box.levels)])
    alone = ((weights != 0).sum(axis=1) == 1) & ((weights != 0) @ steps > 0)
    if not _end_on_steps(weights, bounds, steps, alone):
        return None
    drawn = np.array([row.drawn for row in rows], dtype=bool) & ~alone
    region = Polytope(
        box, weights, bounds - drawn * (np.abs(weights) @ (0.5 * steps)), forbidden, logs
    )
    if region.empty:
        return None
    if ((weights != 0) & (steps > 0))[~alone].any():
        numbers: list[Any] = [v for v in variables if not isinstance(v, Categorical)]
        middle = {v.name: 0.5 * (v.low + v.high) for v in numbers}
        if on_steps(numbers, middle, rows) is None:
            return None
    return region


def on_steps(
    variables: Sequence[Variable], values: Mapping[str, float], rows: Sequence[LinearRow]
) -> dict[str, Any] | None:
    """Nearest settings on the variables' steps that keep linear constraints, by shares of ranges; None: there are none.

    The search for them is given up in the end, at the nearest that were found; if there were none
    by then, at the nearest steps, which need not keep the constraints.

    Args:
        variables: numbers that may be moved.
        values: where to be near, in the variables' units.
        rows: constraints on these variables alone.

    >>> from steerbo.space import Integer
    >>> on_steps([Integer("a", 0, 10), Integer("b", 0, 10)], {"a": 2.2, "b": 2.7}, [LinearRow(0, {"a": 1, "b": 1}, 4)])
    {'a': 2, 'b': 2}
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # start-up time

    moved: list[Any] = [*variables]
    low = np.array([v.low for v in moved])
    ranges, steps = np.array([v.high for v in moved]) - low, np.array([*map(step_of, moved)])
    whole = steps > 0
    finest = (steps / ranges).min(where=whole, initial=1.0)  # a continuum counts in shares like it
    units = np.where(whole, steps, finest * ranges)
    near = np.array([values[v.name] for v in moved])
    near = np.where(whole, low + np.rint((near - low) / units) * units, near)
    first, last = (low - near) / units, (low + ranges - near) / units
    last = np.where(whole, np.floor(last + ROUNDING * ranges / units), last)
    own = [row for row in rows if row.weights]
    weights = np.array([[row.weights.get(v.name, 0.0) for v in moved] for row in own])
    room = np.array([row.bound for row in own]) - weights @ near
    sizes = np.abs(weights * units).max(axis=1)
    # numbers of units from there, each with how many at least
    away, one = weights * units / sizes[:, None], np.eye(len(moved))
    found = milp(
        np.append(0.0 * units, units / ranges / finest),
        integrality=np.append(whole, 0.0 * units),
        bounds=Bounds(np.append(first, 0.0 * units), np.append(last, ranges / units)),
        constraints=LinearConstraint(
            np.block([[away, 0.0 * away], [one, -one], [-one, -one]]),
            ub=np.concatenate([room / sizes, 0.0 * units, 0.0 * units]),
        ),
        options={"node_limit": _NODES, "time_limit": _SECONDS},
    )
    if found.x is None and found.status == _INFEASIBLE:
        return None
    moves = 0.0 * units if found.x is None else found.x[: len(moved)]
    ends = near + np.where(whole, np.rint(moves), moves) * units
    return {
        v.name: values[v.name] if x == values[v.name] else v.decode(v.encode([x]))[0]
        for v, x in zip(moved, ends, strict=True)
    }


def _hopeless(weights: Float[np.ndarray, "m d"], bounds: Float[np.ndarray, " m"]) -> bool:
    """Whether known values violate a constraint, whatever is set."""
    return bool(
        ((weights == 0).all(axis=1) & (bounds < -1e-9 * np.maximum(np.abs(bounds), 1.0))).any()
    )


def _codes(each: Combination, variables: Sequence[Variable]) -> Forbidden:
    by_name = {variable.name: (j, variable) for j, variable in enumerate(variables)}
    found: dict[int, tuple[float, ...]] = {}
    for name, choices in each.choices.items():
        j, variable = by_name[name]
        found[j] = tuple(variable.encode(list(choices)).tolist())
    return found


def step_of(variable: Any) -> float:
    """Distance of a number's settings, in its unit; 0 of a continuum, and of a category."""
    if isinstance(variable, Categorical):
        return 0.0
    return 1.0 if isinstance(variable, Integer) else variable.step or 0.0


def _share(variable: Any, levels: Float[np.ndarray, " k"] | None) -> float:
    """Share of its range that a step is, of more levels than are searched one by one; 0 of others."""
    return 0.0 if levels is not None else step_of(variable) / (variable.high - variable.low)


def _end_on_steps(
    weights: Float[np.ndarray, "m d"],
    bounds: Float[np.ndarray, " m"],
    steps: Float[np.ndarray, " d"],
    alone: Bool[np.ndarray, " m"],
) -> bool:
    """Move bounds of limits on one variable `alone` inwards to its steps; False: no step is left between them.

    Args:
        weights: of shares of ranges, (m, d).
        bounds: of the sums, (m,); those of these limits are changed.
        steps: shares of ranges, (d,); 0 for a variable that needs none.
        alone: marks the limits, (m,).
    """
    first = np.zeros(len(steps))
    last = np.array([math.floor(1.0 / step + ROUNDING / step) if step else 0.0 for step in steps])
    for k in np.flatnonzero(alone).tolist():
        j = int(weights[k].nonzero()[0][0])
        number, slack = bounds[k] / weights[k, j] / steps[j], ROUNDING / steps[j]
        if weights[k, j] > 0.0:
            end = last[j] = min(last[j], math.floor(number + slack))
        else:
            end = first[j] = max(first[j], math.ceil(number - slack))
        bounds[k] = weights[k, j] * (end * steps[j])
    return bool((first <= last).all())


def _logs(variable: Variable) -> float:
    return (
        0.0
        if isinstance(variable, Categorical) or variable.scale != "log"
        else math.log(variable.high / variable.low)
    )


def corners(limits: Sequence[Limit], variables: Sequence[Variable]) -> Iterator[dict[str, Any]]:
    """Extreme contexts of the constrained variables: ends of numbers, forbidden values, and all choices.

    Raises:
        InvalidProblem: there are too many of them.

    >>> from steerbo.space import Float, LinearConstraint
    >>> list(corners([LinearConstraint({"a": 1, "b": 1}, at_most=5)], [Float("b", 0, 4), Float("c", 0, 1)]))
    [{'b': 0.0}, {'b': 4.0}]
    """
    concerned = {name for limit in limits for name in limit.names}
    seen = [variable for variable in variables if variable.name in concerned]
    ends = [_ends(variable, limits) for variable in seen]
    if math.prod(len(each) for each in ends) > MOST_CORNERS:
        hint = f"Their ends make more than {MOST_CORNERS} combinations."
        raise InvalidProblem(
            "limits", [v.name for v in seen], "limits over fewer variables that are ‹seen›", hint
        )
    for values in product(*ends):
        yield {variable.name: value for variable, value in zip(seen, values, strict=True)}


def _ends(variable: Variable, limits: Sequence[Limit]) -> Sequence[Any]:
    if isinstance(variable, Categorical):
        return variable.choices
    forbidden = [
        limit.combination.get(variable.name, ())
        for limit in limits
        if isinstance(limit, ForbiddenCombination)
    ]
    return list(
        dict.fromkeys([variable.low, variable.high, *(x for each in forbidden for x in each)])
    )


def minimal_conflict(count: int, possible: Callable[[Sequence[int]], bool]) -> list[int]:
    """Find a minimal conflict among constraints that leave nothing together: none of it can be left out.

    >>> minimal_conflict(3, lambda some: not {0, 2} <= set(some))
    [0, 2]
    """
    left = list(range(count))
    for i in range(count):
        fewer = [k for k in left if k != i]
        if not possible(fewer):
            left = fewer
    return left


def refuse_conflict(
    limits: Sequence[object],
    possible: Callable[[Sequence[int]], bool],
    allowed: str,
    remedies: tuple[str, str] = (
        "Loosen it, or widen the bounds.",
        "These clash within the variables' bounds: loosen one, or widen the bounds.",
    ),
) -> None:
    """Refuse constraints that leave nothing together, naming a conflict of which none can be left out.

    Args:
        limits: the constraints, as they are to be shown.
        possible: from the numbers of some constraints to whether they leave something.
        allowed: constraints that would be allowed, in words.
        remedies: hints where one constraint alone leaves nothing, and where several conflict.

    Raises:
        InvalidProblem: the constraints leave nothing.

    >>> refuse_conflict(["a at most 5"], lambda some: True, "constraints that leave something")
    """
    every = range(len(limits))
    if not possible(every):
        clash = [str(limits[k]) for k in minimal_conflict(len(limits), possible)]
        raise InvalidProblem("limits", clash, allowed, remedies[len(clash) > 1])
