"""What: a domain that may change, an objective that drifts, and several opinions of how."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from jaxtyping import Float as Floats
from pydantic import BeforeValidator, Strict, model_validator
from pydantic_core import PydanticCustomError

from ..core import ConstrainedProblem, History, RequestField, Scope
from ..records import record
from ..space import Categorical, Limits, Space, Variable
from ..space.fields import ListField, Number
from .available import read_available, typed_available
from .checks import INSTEAD, check_coordinates, check_priors, check_seen, check_sizes
from .given_seen import GivenSeen
from .limits import box_now, check_possible, listed
from .priors import Prior

_AVAILABLE = (
    "What can be chosen now: values such as a,b (or 0,5; 0,75), bounds in JSON such as "
    '{"x": [0.2, 0.3]}, or a file, CSV or JSON, with a column for every variable and a line for every point'
)
_SHOWN = 20  # priors in a description
MOST_SITES, MOST_SITES_AUTOMATIC = 4096, 400
"""A domain with more points than these is searched as a box; fewer where nobody gave priors: there are 27 then."""


def _given_priors(value: object) -> object:
    if isinstance(value, str) and value != "auto":
        raise PydanticCustomError("priors", "a list of priors, or the word 'auto'")
    return value


@record
class TimeVarying(ConstrainedProblem):
    """A time-varying objective with several candidate priors (Ziomek, Adachi & Osborne 2025).

    Each round one point of what is available now is tried; wanted is the best one *now*. `ask(time=…)` says what
    time it is (default: the number of the round; it must not run backwards), `ask(available=…)` what can be chosen:
    on a finite domain a list of its points (values of the one variable, or mappings) or a mask over all of them; on a
    box bounds by variable name, such as ``{"x": (0, 0.5)}``, or a list of points.

    The domain is finite where all variables together have at most 4096 settings (400 where nobody gave priors), else a
    box.

    Args:
        variables: what can be set.
        priors: the candidates; one of them should be right. "auto": generic ones, in units of the outcomes; see
            `steerbo.timevarying.automatic`.
        coordinates: for a finite domain: what kernels and means see of each point, one row a point; None: the values.
        minimize: whether smaller values are better.
        limits: what may not be set together: `LinearConstraint` and `ForbiddenCombination`, at what is seen before
            choosing; and `OutcomeConstraint`, limits on further outcomes, which are learned.

    Raises:
        InvalidProblem: naming the field, the value and what is allowed.

    >>> import steerbo as sb
    >>> from steerbo.timevarying import SquaredExponential
    >>> problem = sb.TimeVarying([sb.Float("x", 0, 1)], [sb.Prior(SquaredExponential(0.2), drift=sb.Decay(0.1))])
    >>> optimizer = sb.Optimizer(problem, seed=1)
    >>> suggestion = optimizer.ask(time=8.5, available={"x": (0.5, 1)})
    >>> optimizer.tell(suggestion, value=2.0)
    >>> 0.5 <= suggestion.values["x"] <= 1
    True
    >>> sb.TimeVarying([sb.Float("x", 0, 1)]).priors  # nobody knows how it drifts
    'auto'
    """

    variables: Annotated[Sequence[Variable], ListField]
    priors: Annotated[Annotated[Sequence[Prior], ListField] | Literal["auto"], BeforeValidator(_given_priors)] = "auto"
    coordinates: Annotated[Sequence[Annotated[Sequence[Number], ListField]], ListField] | None = None
    minimize: Annotated[bool, Strict()] = False
    limits: Limits | None = None
    kind: Literal["time-varying"] = "time-varying"
    takes: ClassVar[tuple[RequestField, ...]] = (RequestField("available", _AVAILABLE, typed_available),)
    instead: ClassVar[Mapping[str, str]] = INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.timevarying:draw"

    @model_validator(mode="after")
    def _check(self) -> TimeVarying:
        check_sizes(self)
        check_coordinates(self)
        check_seen(self)
        check_priors(self)
        check_possible(self)
        return self

    @property
    def automatic(self) -> bool:
        """Whether nobody gave priors."""
        return self.priors == "auto"

    @property
    def given(self) -> tuple[Prior, ...]:
        """The priors; where nobody gave any, a method makes them of the outcomes."""
        assert not isinstance(self.priors, str)
        return tuple(self.priors)

    # -- the domain ----------------------------------------------------------------------------------------------------

    @cached_property
    def space(self) -> Space:
        """All variables, in order."""
        return Space(self.variables)

    @cached_property
    def settable(self) -> tuple[str, ...]:
        """Names of the variables that are set: all but those that are seen."""
        return tuple(name for name in self.space.names if name not in self.space.seen)

    @cached_property
    def sites(self) -> tuple[tuple[Any, ...], ...] | None:
        """The settings of a finite domain, the last variable running fastest; None for a box."""
        levels = [variable.levels for variable in self.variables]
        most = MOST_SITES_AUTOMATIC if self.automatic and self.coordinates is None else MOST_SITES
        if any(k is None for k in levels) or math.prod(len(k) for k in levels if k is not None) > most:
            return None
        choices = [v.decode(k) for v, k in zip(self.variables, levels, strict=True) if k is not None]
        return tuple(product(*choices))

    @cached_property
    def points(self) -> Floats[np.ndarray, "X d"] | None:
        """What kernels and means see of a finite domain, (X, d); categories without coordinates are numbered."""
        if self.coordinates is not None:
            return np.array(self.coordinates, dtype=np.float64)
        if self.sites is None:
            return None
        return np.array([self.place(site) for site in self.sites])

    @cached_property
    def categories(self) -> tuple[tuple[Any, ...] | None, ...]:
        """The categories of each coordinate of points that is a number of one; None of the others."""
        if self.coordinates is not None:
            return (None,) * len(self.coordinates[0])
        return tuple(tuple(v.choices) if isinstance(v, Categorical) else None for v in self.variables)

    @cached_property
    def categorical(self) -> tuple[bool, ...]:
        """Which coordinates of points are numbers of categories."""
        return tuple(known is not None for known in self.categories)

    def place(self, values: Sequence[Any]) -> Floats[np.ndarray, " d"]:
        """Values of all variables as coordinates, (d,): numbers as they are, categories numbered."""
        return np.array([*self.coordinates_of(dict(zip(self.space.names, values, strict=True))).values()])

    @cached_property
    def _numbers(self) -> dict[tuple[Any, ...], int]:
        return {site: i for i, site in enumerate(self.sites or ())}

    def site(self, values: Mapping[str, Any]) -> int:
        """Which point of a finite domain this is, or the nearest one, if numbers were measured between points."""
        row = tuple(values[name] for name in self.space.names)
        if row in self._numbers:
            return self._numbers[row]
        snapped = [v.decode(v.encode([x]))[0] for v, x in zip(self.variables, row, strict=True)]
        return self._numbers[tuple(snapped)]

    def describe(self) -> tuple[tuple[str, str], ...]:
        """The limits and the priors."""
        limits = tuple(("limit", str(limit)) for limit in self.limits or ())
        if self.automatic:
            made = "made of the outcomes: three lengthscales, three rates of forgetting, three noises"
            return (*limits, ("priors", made))
        named = [(prior.name or f"prior {i + 1}", prior) for i, prior in enumerate(self.given[:_SHOWN])]
        more = len(self.given) - len(named)
        said = [("prior", f"{name}: {prior}") for name, prior in named]
        return (*limits, *said, *((("priors", f"and {more} more"),) if more else ()))

    @cached_property
    def choices(self) -> tuple[tuple[Any, ...], ...] | None:
        """What can be set on a finite domain, in the order of `sites`; None for a box."""
        if self.sites is None:
            return None
        columns = [self.space.index(name) for name in self.settable]
        return tuple(dict.fromkeys(tuple(site[j] for j in columns) for site in self.sites))

    def within(self, available: Any, context: Mapping[str, Any]) -> Any:
        """What can be chosen, see `read_available`, where this is seen; on a finite domain by numbers of `sites`."""
        given = self._given_seen(available, context) if self.space.seen else available
        return listed(self, given, context) if self.limits else given

    @cached_property
    def _given_seen(self) -> GivenSeen:
        return GivenSeen(self)

    def coordinates_of(self, values: Mapping[str, Any]) -> dict[str, float]:
        """Some variables' values as coordinates: numbers as they are, categories numbered."""
        known = ((v, values[v.name]) for v in self.variables if v.name in values)
        return {v.name: float(v.encode([x])[0] if isinstance(v, Categorical) else x) for v, x in known}

    @cached_property
    def scope(self) -> Scope:
        """Of every suggestion: everything is set that is not seen."""
        return Scope(self.settable)

    # -- what users say ------------------------------------------------------------------------------------------------

    @property
    def timed(self) -> bool:
        """Always."""
        return True

    def read_request(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """Time and what is available, checked. Time is always there; `available` only where something is not."""
        read = super().read_request(request, history)
        available = read_available(self, read.pop("available")) if "available" in read else None
        return read if available is None else {**read, "available": available}

    def read_asked(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """See `Problem.read_asked`; something must keep to the limits."""
        read = super().read_asked(request, history)
        if self.limits:
            left = self.within(read.get("available"), read.get("context", {}))
            if self.sites is None and not (left and "points" in left):
                box_now(self, left)
        return read

    def read_scope(self, scope: Any) -> Scope:
        """All variables: there is nothing else to play."""
        return super().read_scope(scope) or self.scope
