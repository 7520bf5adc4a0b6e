"""Time-varying problems: the domain, the places available in a round, and the candidate priors.

`ask(available=…)` restricts a round to listed points, a mask or bounds, which are logged as plain
data in the variables' units (`read_available`). Values seen before choosing restrict it to the
points that have them, and constraints on settings remove the rest: what is left are `Places`, encoded
(`TimeVarying.within`). Surrogates know a place of a finite domain by its number, a place of a box
by its coordinates (`place_of`, `settings`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import product
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Strict, model_validator
from pydantic_core import PydanticCustomError

from .._arrays import Float as Floats
from .._parsing import Rows, parse_value, read_listed
from .._wording import decimal_readings, show_plain
from ..core import (
    TIME,
    ConstrainedProblem,
    History,
    RequestField,
    Scope,
    Ways,
    check_traded,
    traded_lines,
)
from ..core.answers import as_text
from ..errors import InvalidProblem, InvalidRequest
from ..gp import noise_lines
from ..gp.drift import check_clock
from ..optim import Box, corners, limited, refuse_conflict, substitute_known
from ..records import record
from ..space import (
    Categorical,
    CurrentPolicy,
    Float,
    Integer,
    Limit,
    Limits,
    Space,
    Variable,
    check_limits,
    refuse_averages,
    violated,
)
from ..space.fields import KnownNoise, ListField, Number, as_number
from ._priors import Prior
from ._validation import (
    INSTEAD,
    UnlikelyLengthscale,
    check_coordinates,
    check_priors,
    check_seen,
    check_sizes,
    unlikely_lengthscales,
)
from .data import ANYWHERE, Place, Places

_COMMAS = "Write numbers with a point, 0.5: commas separate numbers here."
_POINTS = "List the points that are available, with the values of all variables that are set."
_NOTHING = "If nothing can be chosen there is nothing to ask: wait for the next round."


def parse_available(problem: TimeVarying, given: str | Rows) -> Any:
    """Parse typed places: points as rows, JSON, or values of the one variable between commas or semicolons.

    Raises:
        InvalidRequest: "0,5", which is one number or two; or a text that is no JSON, where there
            are several variables.
    """
    if not isinstance(given, str):
        return [
            {name: problem.read_cell(name, cell) for name, cell in row.items()} for row in given
        ]
    if given.lstrip().startswith(("[", "{")):
        if isinstance(found := parse_value(given), str):
            raise InvalidRequest(
                "available",
                given,
                _typed(problem),
                "It begins like JSON, but cannot be read as JSON.",
            )
        return found
    name, *more = problem.settable or ("",)
    if more:
        raise InvalidRequest("available", given, _typed(problem))
    if not isinstance(problem.space[name], Categorical | Integer) and decimal_readings(given):
        hint = f"Two numbers are {given.replace(',', '; ')}."
        raise InvalidRequest("available", given, "numbers that can be read in one way only", hint)
    return [problem.read_cell(name, cell) for cell in read_listed("available", given)]


def _typed(problem: TimeVarying) -> str:
    """Forms in which places can be typed, with the names of the problem.

    >>> import steerbo as sb
    >>> _typed(sb.TimeVarying([sb.Float("x", 0, 1)]))
    'bounds such as {"x": [0.0, 1.0]}, points such as [{"x": 0.0}]‹table of points›'
    """
    settable = [problem.space[name] for name in problem.settable]
    numbers = {v.name: [v.low, v.high] for v in settable if not isinstance(v, Categorical)}
    point = {v.name: v.choices[0] if isinstance(v, Categorical) else v.low for v in settable}
    bounds = f"bounds such as {show_plain(numbers)}, " * bool(numbers)
    return f"{bounds}points such as {show_plain([point])}‹table of points›"


def read_available(problem: TimeVarying, given: Any) -> Any:
    """Check and normalise the available places: numbers of points, `{"low", "high"}`, or `{"points"}`; None: all.

    Raises:
        InvalidRequest: no place is available, or a place is not part of the domain.
    """
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple | range | Mapping):
        raise InvalidRequest(
            "available", given, "a list of points, a mask, or bounds by variable name"
        )
    if not len(given):
        raise InvalidRequest("available", given, "at least one point", _NOTHING)
    if problem.choices is not None:
        return _sites(problem, given)
    return (
        _bounds(problem, given)
        if isinstance(given, Mapping)
        else {"points": [_point(problem, row) for row in given]}
    )


def _sites(problem: TimeVarying, given: Any) -> list[int] | None:
    assert problem.choices is not None
    n, first = len(problem.choices), problem.space[problem.settable[0]]
    boolean = all(isinstance(flag, bool) for flag in given)
    choices = first.choices if isinstance(first, Categorical) else ()
    if isinstance(given, Mapping):
        chosen = _sites_within(problem, given)
    elif boolean and not (len(problem.settable) == 1 and any(isinstance(c, bool) for c in choices)):
        if len(given) != n:
            raise InvalidRequest(
                "available", f"a mask of length {len(given)}", f"{n} truth values, one a point"
            )
        chosen = [i for i, flag in enumerate(given) if flag]
    else:
        numbers = {choice: i for i, choice in enumerate(problem.choices)}
        chosen = sorted({numbers[tuple(_settings_of(problem, row).values())] for row in given})
    if not chosen:
        raise InvalidRequest("available", given, "at least one point", _NOTHING)
    return chosen if len(chosen) < n else None


def _sites_within(problem: TimeVarying, given: Mapping[str, Any]) -> list[int]:
    """Numbers of the points of a finite domain within bounds."""
    bounds = _bounds(problem, given)
    columns = {problem.space.index(name): name for name in given}
    ends = {name: (bounds["low"][j], bounds["high"][j]) for j, name in columns.items()}
    assert problem.choices is not None
    rows = (dict(zip(problem.settable, row, strict=True)) for row in problem.choices)
    return [
        k
        for k, row in enumerate(rows)
        if all(low <= row[name] <= high for name, (low, high) in ends.items())
    ]


def _settings_of(problem: TimeVarying, row: Any) -> dict[str, Any]:
    names = problem.settable
    if isinstance(row, list | tuple) and len(row) == len(names):
        row = dict(zip(names, row, strict=True))
    elif not isinstance(row, Mapping) and len(names) == 1:
        row = {names[0]: row}
    if not isinstance(row, Mapping):
        raise InvalidRequest("available", row, f"points: values of {', '.join(names)}")
    try:
        return problem.space.check_settings(row, names)
    except InvalidRequest as error:
        raise error.within("available") from None


def _point(problem: TimeVarying, row: Any) -> list[float]:
    known = problem.coordinates_of(_settings_of(problem, row))
    # seen values take their place: see `within`
    return [known.get(name, 0.0) for name in problem.space.names]


def _bounds(problem: TimeVarying, given: Mapping[str, Any]) -> dict[str, list[float]]:
    for name in given:
        if name not in problem.settable:
            raise InvalidRequest(
                f"available.{name}", given[name], f"bounds of {', '.join(problem.settable)}"
            )
    low, high = [], []
    for variable in problem.variables:
        if isinstance(variable, Categorical) and variable.name in given:
            allowed = "no bounds: it is a category"
            raise InvalidRequest(
                f"available.{variable.name}", given[variable.name], allowed, _POINTS
            )
        ends = _ends(variable)
        pair = given.get(variable.name, ends)
        numbers = (
            [as_number(end) for end in pair]
            if isinstance(pair, list | tuple) and len(pair) == 2
            else [None]
        )
        if None in numbers or not ends[0] <= numbers[0] <= numbers[1] <= ends[1]:  # type: ignore[operator]
            allowed = f"a pair (low, high) with {ends[0]:g} <= low <= high <= {ends[1]:g}"
            hint = _NOTHING if None not in numbers and numbers[0] > numbers[1] else ""  # type: ignore[operator]
            if isinstance(pair, list | tuple):
                texts = any(isinstance(end, str) for end in pair)
                hint = hint or _COMMAS * (texts or len(pair) > 2)
            raise InvalidRequest(f"available.{variable.name}", pair, allowed, hint)
        low.append(float(numbers[0]))  # type: ignore[arg-type]
        high.append(float(numbers[1]))  # type: ignore[arg-type]
    return {"low": low, "high": high}


def _sites_now(
    problem: TimeVarying, asked: Sequence[int] | None, context: Mapping[str, Any]
) -> Places:
    """Sites that have the values seen before, of those asked for by their numbers among `choices`.

    A measured context between the points of a finite domain counts as the nearest.
    """
    if not problem.space.seen:
        return Places(sites=asked)
    key = tuple(v.decode(v.encode([context[v.name]]))[0] for v in problem.variables if v.seen)
    points = problem.sites_by_context[key]
    return Places(sites=points if asked is None else [points[k] for k in asked])


def _listed(
    problem: TimeVarying, rows: Sequence[Sequence[float]], context: Mapping[str, Any]
) -> Places:
    """Listed points of a box, where these values were seen before."""
    columns = _columns_seen(problem, context)
    rows = [[columns.get(j, x) for j, x in enumerate(row)] for row in rows]
    return Places(
        points=encoded(problem, rows), given=[_values(problem, row) | dict(context) for row in rows]
    )


def _part(
    problem: TimeVarying,
    asked: Mapping[str, Sequence[float]] | None,
    context: Mapping[str, Any],
) -> Places:
    """Part of a box, where these values were seen before."""
    if asked is None and not problem.space.seen:
        return ANYWHERE
    low, high = zip(*map(_ends, problem.variables), strict=True)
    ends, columns = asked or {"low": low, "high": high}, _columns_seen(problem, context)
    rows = [[columns.get(j, x) for j, x in enumerate(ends[end])] for end in ("low", "high")]
    return Places(bounds=encoded(problem, rows))


def _columns_seen(problem: TimeVarying, context: Mapping[str, Any]) -> dict[int, float]:
    """Coordinates that were seen before, by column."""
    known = problem.coordinates_of(context)
    return {problem.space.index(name): known[name] for name in problem.space.seen}


def _ends(variable: Variable) -> tuple[float, float]:
    """The smallest and the largest coordinate of a variable; categories by number."""
    if isinstance(variable, Categorical):
        return 0.0, len(variable.choices) - 1.0
    return float(variable.low), float(variable.high)


def check_possible(problem: TimeVarying) -> None:
    """Refuse constraints on unknown variables, and constraints that leave no place in some context.

    Raises:
        InvalidProblem: naming the limits that clash.
    """
    limits = problem.limits or ()
    check_limits(limits, problem.space)
    refuse_averages(limits, "in time-varying problems")
    for corner in corners(limits, [v for v in problem.variables if v.seen]) if limits else ():
        _check_corner(problem, corner)


def _check_corner(problem: TimeVarying, seen: Mapping[str, Any]) -> None:
    limits = problem.limits or ()
    box = plain_box(problem, None, seen)

    def possible(some: Sequence[int]) -> bool:
        return restricted_box(problem, box, [limits[i] for i in some]) is not None

    where = "".join(f", where {name} is {x}" for name, x in seen.items())
    refuse_conflict(limits, possible, f"limits with at least one feasible point{where}")


def encoded(problem: TimeVarying, rows: Sequence[Sequence[float]]) -> Floats[np.ndarray, "n d"]:
    """Encode points in the variables' units, categories by number, (n, d)."""
    columns = zip(problem.variables, zip(*rows, strict=True), strict=True)
    return np.column_stack(
        [np.array(x) if isinstance(v, Categorical) else v.encode(x) for v, x in columns]
    )


def plain_box(
    problem: TimeVarying,
    bounds: Floats[np.ndarray, "2 d"] | None,
    seen: Mapping[str, Any] | None = None,
) -> Box:
    """Build the encoded box: all of it, or within encoded bounds, in a context."""
    variables = problem.variables
    low, high = (
        encoded(problem, [*zip(*map(_ends, variables), strict=True)])
        if bounds is None
        else bounds.copy()
    )
    levels: list[np.ndarray | None] = []
    for j, v in enumerate(variables):
        if v.name in (seen or {}):
            low[j] = high[j] = v.encode([(seen or {})[v.name]])[0]
        known = v.levels
        if v.seen and low[j] == high[j]:
            known = low[[j]]  # measured, whether or not it could be set
        elif known is not None:
            inside = known[(known >= low[j]) & (known <= high[j])]
            # bounds between two settings leave none: the nearest one then
            nearest = np.abs(known - (low[j] + high[j]) / 2).argmin()
            known = inside if inside.size else known[[nearest]]
            low[j], high[j] = min(low[j], known[0]), max(high[j], known[-1])
        levels.append(known)
    return Box(low, high, levels, problem.space.categorical)


def restricted_box(problem: TimeVarying, box: Box, limits: Sequence[Limit]) -> Box | None:
    """Restrict a box by constraints; None where nothing is left."""
    left = substitute_known(limits, problem.space.names, {}, (), lambda weights, wrong: 0.0)
    found = limited(box, problem.variables, left)
    return None if found is None else found.reduced


def box_now(
    problem: TimeVarying, bounds: Floats[np.ndarray, "2 d"] | None, asked: Any = None
) -> Box:
    """The box that is searched where these bounds are available, which were `asked` for.

    Raises:
        InvalidRequest: limits leave nothing of it.
    """
    box = restricted_box(problem, plain_box(problem, bounds), problem.limits or ())
    if box is None:
        raise _nothing(problem, asked)
    return box


def without_violations(
    problem: TimeVarying, places: Places, context: Mapping[str, Any], asked: Any
) -> Places:
    """Remove the places, of those `asked` for, that violate a constraint; boxes are left as they are.

    Raises:
        InvalidRequest: nothing is left.
    """
    if problem.sites is not None:
        numbers = range(len(problem.sites)) if places.sites is None else places.sites
        rows = (
            dict(zip(problem.space.names, problem.sites[k], strict=True)) | dict(context)
            for k in numbers
        )
        left = [
            k
            for k, row in zip(numbers, rows, strict=True)
            if not violated(problem.limits or (), row)
        ]
        if not left:
            raise _nothing(problem, asked)
        return ANYWHERE if len(left) == len(problem.sites) else Places(sites=left)
    if places.points is None:
        return places
    broken = [bool(violated(problem.limits or (), values)) for values in places.given]
    kept = np.flatnonzero(~np.array(broken))
    if not kept.size:
        raise _nothing(problem, asked)
    return places.only(kept)


def _values(problem: TimeVarying, point: Sequence[float]) -> dict[str, Any]:
    """Values of a point in the variables' units, categories by number."""
    return {v.name: _value(v, x) for v, x in zip(problem.variables, point, strict=True)}


def _value(variable: Variable, coordinate: float) -> Any:
    if isinstance(variable, Categorical):
        return variable.choices[round(coordinate)]
    return round(coordinate) if isinstance(variable, Integer) else coordinate


def _nothing(problem: TimeVarying, asked: Any) -> InvalidRequest:
    limits = "; ".join(map(str, problem.limits or ()))
    hint = (
        f"The problem's limits are: {limits}. When nothing can be chosen there is nothing to ask."
    )
    return InvalidRequest(
        "available", asked, "a point that satisfies the limits in this context", hint
    )


_AVAILABLE = (
    "The choices available now: values such as a,b (or 0,5; 0,75), bounds in JSON such as "
    '{"x": [0.2, 0.3]}‹table of points›'
)
_SHOWN = 20  # priors in a description
_ONE_OUTCOME = (
    "Priors are of the value alone. Without them the drift of each outcome is learned; "
    "with them, bound the others by ‹limits›."
)
MOST_SITES, MOST_SITES_WITHOUT = 4096, 400
"""Largest finite domains, with priors and without; a larger one is searched as a box."""


def _given_priors(value: object) -> object:
    if isinstance(value, str) and value != "auto":
        raise PydanticCustomError("priors", "a list of priors, or the word 'auto'")
    return value


@record
class TimeVarying(ConstrainedProblem):
    """A time-varying objective with several candidate priors (Ziomek, Adachi & Osborne 2025).

    Each round tries one of the points available now, and the best point *now* is wanted.
    `ask(time=…)` gives the time (default: rounds are counted, on from past data; it must not run
    backwards), `ask(available=…)` the available points: bounds by variable name, such as
    ``{"x": (0, 0.5)}``, a list of points (values of the one variable, or mappings), or on a finite
    domain a mask over all points.

    The domain is finite where all variables together have at most 4096 settings (400 without
    priors), else a box.

    Args:
        variables: the variables that can be set.
        priors: the candidates; one of them should be right. "auto": none. Method ``learned-drift``,
            the default then, learns how the objective drifts; methods that compare or believe
            priors need some.
        coordinates: for a finite domain: each point's coordinates for kernels and means, one row a
            point; None: the values.
        minimize: whether smaller values are better.
        noise: without priors: standard deviation of repeated measurements of the objective, in its
            unit, believed within a third. None: it is learned. A prior states its own.
        limits: constraints on settings: `LinearConstraint` and `ForbiddenCombination`, given the
            values seen before choosing; and `OutcomeConstraint`, limits on further outcomes, which
            are learned.
        current: how the system is run today: of every variable that is set, a value, or a formula
            of the time and of values seen before choosing, such as ``"55 - 1.1 * outdoor"`` (or a
            Python function of these). It is played first, unless there are data. Method
            ``learned-drift`` learns how much better or worse it is to differ from it, and leaves it
            step by step.
        outcomes: further outcomes that the value is traded against, and which way is better, such as
            ``{"energy": "minimize"}``; without priors. Every `tell` reports them among the realised
            values, and how each drifts is learned. The answer is the trade-off *now*: the plays that
            none betters in everything (`tradeoff`).

    Raises:
        InvalidProblem: naming the field, its value and the allowed values.

    >>> import steerbo as sb
    >>> from steerbo.timevarying import SquaredExponential
    >>> problem = sb.TimeVarying([sb.Float("x", 0, 1)], [sb.Prior(SquaredExponential(0.2), drift=sb.Decay(0.1))])
    >>> optimizer = sb.Optimizer(problem, seed=1)
    >>> suggestion = optimizer.ask(time=8.5, available={"x": (0.5, 1)})
    >>> optimizer.tell(suggestion, value=2.0)
    >>> 0.5 <= suggestion.values["x"] <= 1
    True
    >>> sb.TimeVarying([sb.Float("x", 0, 1)]).priors  # how it drifts is learned
    'auto'
    """

    variables: Annotated[Sequence[Variable], ListField]
    priors: Annotated[
        Annotated[Sequence[Prior], ListField] | Literal["auto"], BeforeValidator(_given_priors)
    ] = "auto"
    coordinates: Annotated[Sequence[Annotated[Sequence[Number], ListField]], ListField] | None = (
        None
    )
    minimize: Annotated[bool, Strict()] = False
    noise: KnownNoise | None = None
    limits: Limits | None = None
    current: Mapping[str, Any] | None = field(default=None, hash=False)
    outcomes: Ways | None = field(default=None, hash=False)
    kind: Literal["time-varying"] = "time-varying"
    takes: ClassVar[tuple[RequestField, ...]] = (
        RequestField("available", _AVAILABLE, parse_available),
    )
    instead: ClassVar[Mapping[str, str]] = INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.timevarying:draw"

    @model_validator(mode="after")
    def _check(self) -> TimeVarying:
        check_clock(True, self.space.names)
        check_sizes(self.variables, self.priors)
        check_coordinates(self.coordinates, self.sites)
        check_seen(self.space)
        if not self.automatic:
            if self.noise is not None:
                hint = "Each prior states its own: Prior(…, noise=…)."
                raise InvalidProblem(
                    "TimeVarying.noise", self.noise, "None where there are priors", hint
                )
            points = self._some_points() if self.points is None else self.points
            check_priors(self.given, points, self.points is not None, self.axes)
        check_possible(self)
        _ = self.today  # is checked
        check_traded(self, {} if self.automatic else {"priors": _ONE_OUTCOME})
        return self

    def _some_points(self) -> Floats[np.ndarray, "n d"]:
        """Points of a box at which functions are tried."""
        box = plain_box(self, None)
        return box.snap(np.outer([0.0, 0.3, 1.0], box.high))

    @property
    def automatic(self) -> bool:
        """Whether no priors are given."""
        return self.priors == "auto"

    @property
    def given(self) -> tuple[Prior, ...]:
        """The given priors."""
        assert not isinstance(self.priors, str)
        return tuple(self.priors)

    # -- the domain --------------------------------------------------------------------------------

    @cached_property
    def space(self) -> Space:
        """All variables, in order."""
        return Space(self.variables)

    @cached_property
    def sites(self) -> tuple[tuple[Any, ...], ...] | None:
        """The settings of a finite domain, the last variable running fastest; None for a box."""
        levels = [variable.levels for variable in self.variables]
        most = MOST_SITES_WITHOUT if self.automatic and self.coordinates is None else MOST_SITES
        if (
            any(k is None for k in levels)
            or math.prod(len(k) for k in levels if k is not None) > most
        ):
            return None
        choices = [
            v.decode(k) for v, k in zip(self.variables, levels, strict=True) if k is not None
        ]
        return tuple(product(*choices))

    @cached_property
    def axes(self) -> Space:
        """Axes of the coordinates of points: all variables, or the `coordinates` that points have of their own."""
        if self.coordinates is None:
            return self.space
        ends = ((min(column), max(column)) for column in zip(*self.coordinates, strict=True))
        return Space(
            [
                Float(f"coordinate {j}", low, high if high > low else low + max(abs(low), 1.0))
                for j, (low, high) in enumerate(ends, 1)
            ]
        )

    @cached_property
    def points(self) -> Floats[np.ndarray, "X d"] | None:
        """Encoded points (X, d) of a finite domain; None of a box."""
        rows = self.sites if self.coordinates is None else self.coordinates
        if rows is None:
            return None
        return self.axes.encode([dict(zip(self.axes.names, row, strict=True)) for row in rows])

    @cached_property
    def _numbers(self) -> dict[tuple[Any, ...], int]:
        return {site: i for i, site in enumerate(self.sites or ())}

    def site(self, values: Mapping[str, Any]) -> int:
        """Index of a point of a finite domain, the nearest one if numbers were measured between points."""
        row = tuple(values[name] for name in self.space.names)
        if row in self._numbers:
            return self._numbers[row]
        snapped = [v.decode(v.encode([x]))[0] for v, x in zip(self.variables, row, strict=True)]
        return self._numbers[tuple(snapped)]

    @cached_property
    def today(self) -> CurrentPolicy | None:
        """Settings of today, `current`, as a function of the time and of values seen before choosing."""
        if self.current is None:
            return None
        if set(self.current) != {*self.settable}:
            raise InvalidProblem(
                "current", [*self.current], f"settings of {', '.join(self.settable)}"
            )
        return CurrentPolicy(self.current, self.space, [TIME.name, *self.space.seen])

    @property
    def moves_stepwise(self) -> bool:
        """See `Problem.moves_stepwise`."""
        return bool(self.current)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """The limits, how the system is run today, and the priors."""
        limits = tuple(("limit", str(limit)) for limit in self.limits or ())
        if self.today is not None:
            limits = (*limits, ("today's settings", as_text(self.shown(self.today.in_words()))))
        if self.automatic:
            return (
                *limits,
                *traded_lines(self.traded),
                *noise_lines(self.noise),
                ("priors", "none: how the objective drifts is learned from the outcomes"),
            )
        named = [
            (prior.name or f"prior {i + 1}", prior) for i, prior in enumerate(self.given[:_SHOWN])
        ]
        more = len(self.given) - len(named)
        said = [("prior", f"{name}: {prior}") for name, prior in named]
        return (*limits, *said, *((("priors", f"and {more} more"),) if more else ()))

    @cached_property
    def unlikely_lengthscales(self) -> list[UnlikelyLengthscale]:
        """Lengthscales of the priors that are probably in another unit than the variable; none without priors."""
        if self.automatic:
            return []
        found = unlikely_lengthscales(self.given, self.axes)
        if self.points is None:
            return found
        spread = np.ptp(self.points, axis=0)  # coordinates may all be the same
        return [each for each in found if spread[each.coordinate] > 0.0]

    @cached_property
    def choices(self) -> tuple[tuple[Any, ...], ...] | None:
        """Settings of a finite domain, in the order of `sites`; None for a box."""
        if self.sites is None:
            return None
        columns = [self.space.index(name) for name in self.settable]
        return tuple(dict.fromkeys(tuple(site[j] for j in columns) for site in self.sites))

    def within(self, asked: Any, context: Mapping[str, Any]) -> Places:
        """Places that can be chosen in a context, of those asked for: see `read_available`."""
        if self.sites is not None:
            places = _sites_now(self, asked, context)
        elif asked is not None and "points" in asked:
            places = _listed(self, asked["points"], context)
        else:
            places = _part(self, asked, context)
        return without_violations(self, places, context, asked) if self.limits else places

    @cached_property
    def sites_by_context(self) -> dict[tuple[Any, ...], list[int]]:
        """Numbers of the points of a finite domain that have the same seen values, in order."""
        found: dict[tuple[Any, ...], list[int]] = {}
        columns = [self.space.index(name) for name in self.space.seen]
        for i, site in enumerate(self.sites or ()):
            found.setdefault(tuple(site[j] for j in columns), []).append(i)
        return found

    def coordinates_of(self, values: Mapping[str, Any]) -> dict[str, float]:
        """Values of some variables as coordinates: numbers as they are, categories numbered."""
        known = ((v, values[v.name]) for v in self.variables if v.name in values)
        return {
            v.name: float(v.encode([x])[0] if isinstance(v, Categorical) else x) for v, x in known
        }

    @cached_property
    def scope(self) -> Scope:
        """Scope of every suggestion: all variables that are not seen are set."""
        return Scope(self.settable)

    # -- users' input ------------------------------------------------------------------------------

    @property
    def timed(self) -> bool:
        """Whether the objective may move: always."""
        return True

    def read_request(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """Check the time and the available points. The result has `available` only where some points are not."""
        read = super().read_request(request, history)
        available = read_available(self, read.pop("available")) if "available" in read else None
        return read if available is None else {**read, "available": available}

    def read_asked(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """See `Problem.read_asked`; some point must keep to the limits."""
        read = super().read_asked(request, history)
        if self.limits:
            asked = read.get("available")
            left = self.within(asked, read.get("context", {}))
            if self.sites is None and left.points is None:
                box_now(self, left.bounds, asked)
        return read

    def too_coarse(
        self, values: Mapping[str, Any], rounded: Mapping[str, Any], request: Mapping[str, Any]
    ) -> set[str]:
        """See `Problem.too_coarse`; listed points are written in full, and bounds are kept."""
        found, asked = super().too_coarse(values, rounded, request), request.get("available")
        if isinstance(asked, Mapping):
            for j, name in enumerate(self.space.names):
                if name in values and name in self.settable:
                    x = values[name]
                    low = asked["low"][j] if "low" in asked else x
                    high = asked["high"][j] if "high" in asked else x
                    if not (isinstance(x, str) or min(low, x) <= rounded[name] <= max(high, x)):
                        found.add(name)
        return found

    def read_scope(self, scope: Any) -> Scope:
        """Return the only scope: all variables."""
        return super().read_scope(scope) or self.scope


def place_of(problem: TimeVarying, values: Mapping[str, Any]) -> Place:
    """Place of values of all variables: number of a site, or encoded."""
    return problem.space.encode([values])[0] if problem.sites is None else problem.site(values)


def settings(problem: TimeVarying, place: Place, among: Places = ANYWHERE) -> dict[str, Any]:
    """Values to set at a place, by variable; of a listed one as they were given. Seen variables are left out."""
    if (number := among.number(place)) is not None:
        values = dict(among.given[number])
    elif problem.sites is not None:
        values = dict(zip(problem.space.names, problem.sites[place], strict=True))
    else:
        values = problem.space.decode(place[None])[0]
    return {name: values[name] for name in problem.settable}
