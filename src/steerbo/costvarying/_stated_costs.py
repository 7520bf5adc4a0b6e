"""Stated costs of plays: a number for each control set, or a formula of what it holds and of what is seen before."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from .._arrays import Float
from .._wording import counted
from ..core.request import LARGEST
from ..errors import InvalidProblem
from ..optim import kronecker
from ..space import Space
from ..space.fields import Number
from ..space.formula import Formula, grid_of
from ..surrogate import Controlled, Part, Uncontrolled, drawn

_STEP = 1e-3  # of a variable's range, of the differences that stand for slopes
_DRAWS = 32  # of nature, together of all values that are seen before choosing and are not known


def _as_number(given: Any) -> Any:
    """A text that is a number, as that number; anything else as it is."""
    try:
        return float(given) if isinstance(given, str) else given
    except ValueError:
        return given


Cost = Annotated[Number | str | Callable[..., float], BeforeValidator(_as_number)]
"""Cost of a play: a number, or a formula as text or as a function."""


def check_costs(
    costs: Sequence[Cost] | None,
    control_sets: Sequence[Sequence[str]],
    space: Space,
    value_of_one: float | None,
) -> None:
    """Refuse costs that are not positive and finite, not one for each control set, or formulas where none may be.

    Raises:
        InvalidProblem: naming the one that is not allowed.
    """
    if costs is None:
        return
    if len(costs) != len(control_sets):
        raise InvalidProblem(
            "costs", costs, f"{counted(len(control_sets), 'cost')}, one for each control set"
        )
    for i, cost in enumerate(costs):
        if not isinstance(cost, int | float):
            _check_formula(i, cost, control_sets[i], space, value_of_one)
        elif isinstance(cost, bool) or not 0 < cost < math.inf:
            raise InvalidProblem(f"costs.{i}", cost, "a finite number above 0")


def _check_formula(
    i: int, cost: Cost, held: Sequence[str], space: Space, value_of_one: float | None
) -> None:
    field = f"costs.{i}"
    formula = Formula(cost, [*held, *space.seen], field)  # type: ignore[arg-type]
    if value_of_one is None:
        hint = "State what one unit of the objective is worth, `value_of_one`, or the mean cost of the set."
        raise InvalidProblem(field, cost, "a number, where value has no price", hint)
    if space.changes:
        hint = "State the mean cost of the set: what its moves cost comes on top."
        raise InvalidProblem(field, cost, "a number, where a variable is hard to change", hint)
    for values in grid_of(space, formula.reads):
        if not 0 < (found := formula(values)) <= LARGEST:
            allowed = f"a cost above 0, at most {LARGEST:g}"
            raise InvalidProblem(field, cost, allowed, f"At {values} it gives {found:g}.")


def cost_at(formula: Formula, values: Mapping[str, Any]) -> float:
    """Cost by a formula, from 0 to `LARGEST`, which stands for none: what is seen may lie beyond its range."""
    try:
        return min(max(formula(values), 0.0), LARGEST)
    except InvalidProblem:
        return LARGEST


class StatedCosts:
    """Costs of plays by formulas; a number is a formula that reads nothing.

    Args:
        costs: of each control set, checked.
        control_sets: names of the variables that each set holds.
        space: all variables.

    >>> import steerbo as sb
    >>> space = Space([sb.Float("heat", 0, 10), sb.Float("ph", 4, 8)])
    >>> costs = StatedCosts(["1 + heat", 3.0], [["heat"], ["ph"]], space)
    >>> costs.of(0, {"heat": 2.5}), costs.of(1, {"ph": 7.0}), costs.least.tolist()
    (3.5, 3.0, [1.0, 3.0])
    """

    def __init__(
        self, costs: Sequence[Cost], control_sets: Sequence[Sequence[str]], space: Space
    ) -> None:
        self.space = space
        self.formulas = [
            Formula(
                str(float(cost)) if isinstance(cost, int | float) else cost,
                [*held, *space.seen],
                f"costs.{i}",
            )
            for i, (cost, held) in enumerate(zip(costs, control_sets, strict=True))
        ]

    def of(self, i: int, known: Mapping[str, Any]) -> float | None:
        """Cost of a play of control set `i` at known values, in the user's units; None: the formula gives none."""
        cost = cost_at(self.formulas[i], known)
        return cost if cost < LARGEST else None

    def reads(self, i: int) -> tuple[str, ...]:
        """Variables that the cost of control set `i` depends on."""
        return self.formulas[i].reads

    @cached_property
    def _over_ranges(self) -> list[Float[np.ndarray, " k"]]:
        each = [(formula, grid_of(self.space, formula.reads)) for formula in self.formulas]
        return [np.array([formula(values) for values in grid]) for formula, grid in each]

    @cached_property
    def means(self) -> Float[np.ndarray, " m"]:
        """Mean cost of each control set over the ranges of what it reads, (m,)."""
        return np.array([costs.mean() for costs in self._over_ranges])

    @cached_property
    def least(self) -> Float[np.ndarray, " m"]:
        """Smallest cost of each control set, (m,)."""
        return np.array([costs.min() for costs in self._over_ranges])

    def along(self, i: int, parts: Sequence[Part]) -> CostAlong:
        """Cost of control set `i` as a function of its encoded settings.

        Args:
            i: number of the control set.
            parts: of all variables, the time behind them or not.
        """
        return CostAlong(self.formulas[i], self.space, parts)


class CostAlong:
    """A formula's cost as a function of encoded settings, with slopes by differences.

    What is seen before choosing is as it is; where it is not known, costs are means over its law.
    """

    def __init__(self, formula: Formula, space: Space, parts: Sequence[Part]) -> None:
        self._formula, self._space = formula, space
        every = dict(zip(space.names, parts, strict=False))
        held = [name for name, part in every.items() if isinstance(part, Controlled)]
        self._columns = {name: held.index(name) for name in formula.reads if name in held}
        unset = [name for name in formula.reads if name not in held]
        self._cases = _cases(space, parts[: len(space)], unset)

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Costs at points, (r,)."""
        decoded = {
            name: self._space[name].decode(points[:, j]) for name, j in self._columns.items()
        }
        rows = [
            dict(zip(decoded, row, strict=True)) for row in zip(*decoded.values(), strict=True)
        ] or [{}] * len(points)
        return np.array(
            [
                np.mean([cost_at(self._formula, {**row, **case}) for case in self._cases])
                for row in rows
            ]
        )

    def curved(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """Costs (r,), their gradients (r, c) and Hessians (r, c, c), by differences; flat along a category.

        Between values that a variable may take the cost is straight.
        """
        r, c = points.shape
        smooth, stepped = self._numeric
        inside, rise, bend = points.copy(), np.zeros((r, c)), np.zeros((r, c, c))
        inside[:, smooth] = np.clip(points[:, smooth], _STEP, 1.0 - _STEP)

        def moved(by: Mapping[int, float]) -> Float[np.ndarray, " r"]:
            there = inside.copy()
            for j, step in by.items():
                there[:, j] += step
            return self.values(there)

        middle = self.values(inside)
        for j in smooth:
            up, down = moved({j: _STEP}), moved({j: -_STEP})
            rise[:, j] = (up - down) / (2.0 * _STEP)
            bend[:, j, j] = (up - 2.0 * middle + down) / _STEP**2
        for j, k in combinations(smooth, 2):
            corners = [
                sign * other * moved({j: sign * _STEP, k: other * _STEP})
                for sign, other in product((1, -1), repeat=2)
            ]
            bend[:, j, k] = bend[:, k, j] = np.sum(corners, axis=0) / (4.0 * _STEP**2)
        for j, gap in stepped.items():
            low, high = np.maximum(inside[:, j] - gap, 0.0), np.minimum(inside[:, j] + gap, 1.0)
            below, above = inside.copy(), inside.copy()
            below[:, j], above[:, j] = low, high
            rise[:, j] = (self.values(above) - self.values(below)) / (high - low)
        return self.values(points), rise, bend

    @cached_property
    def _numeric(self) -> tuple[list[int], dict[int, float]]:
        """Columns along which any value may be set; and those with steps, with the distance of neighbours."""
        smooth, stepped = list[int](), dict[int, float]()
        for name, j in self._columns.items():
            levels = self._space[name].levels
            if levels is None:
                smooth.append(j)
            elif not self._space.categorical[self._space.index(name)]:
                stepped[j] = float(np.diff(levels).min(initial=1.0))
        return smooth, stepped


def _cases(space: Space, parts: Sequence[Part], reads: Sequence[str]) -> list[dict[str, Any]]:
    """Values of the variables that a formula reads beside settings: as seen, or draws of nature where they are not."""
    unknown = any(isinstance(parts[space.index(name)], Uncontrolled) for name in reads)
    spread = kronecker(_DRAWS if unknown else 1, len(parts))
    # the middles of equal parts of each law, in an order of its own
    unit = (spread.argsort(axis=0).argsort(axis=0) + 0.5) / len(spread)
    rows = drawn(parts, unit)
    columns = [space[name].measured_at(rows[:, space.index(name)]) for name in reads]
    return [dict(zip(reads, row, strict=True)) for row in zip(*columns, strict=True)] or [{}]
