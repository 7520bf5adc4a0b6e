"""Validation of time-varying problems: sizes, coordinates, seen variables, and priors on the domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._arrays import Float
from .._wording import counted
from ..errors import InvalidInput, InvalidOutcome, InvalidProblem, one_of
from ..records import record
from ..space import Categorical, Space, Variable, refuse_laws_of_seen
from ._priors import Bumps, Covariance, Prior, check_covariance, spatial
from ._units import values_at, widths

_TRIED = 64  # points
# lengthscales in ranges: below, each place is its own; above, all are one
_SHORT, _LONG = 0.05, 10.0


@record
class UnlikelyLengthscale:
    """A lengthscale of a prior that is probably in another unit than the coordinate.

    Args:
        prior: number of the prior.
        coordinate: number of the coordinate.
        lengthscale: as stated.
        range: width of the coordinate's range, in the same unit.
    """

    prior: int
    coordinate: int
    lengthscale: float
    range: float


def unlikely_lengthscales(priors: Sequence[Prior], axes: Space) -> list[UnlikelyLengthscale]:
    """Find lengthscales below a twentieth of the range of a coordinate, or above ten ranges.

    >>> from ._priors import SquaredExponential
    >>> from ..space import Float as Number
    >>> [found] = unlikely_lengthscales([Prior(SquaredExponential(0.4))], Space([Number("oven", 30, 60)]))
    >>> found.lengthscale, found.range
    (0.4, 30.0)
    """
    found = []
    for i, prior in enumerate(priors):
        # kernels of one's own have any attributes
        stated = getattr(prior.kernel, "lengthscale", None)
        if stated is None:
            continue
        lengthscales = [stated] * len(axes) if isinstance(stated, float) else list(stated)
        for j, (lengthscale, width) in enumerate(
            zip(lengthscales, widths(axes).tolist(), strict=True)
        ):
            if axes.categorical[j] or _SHORT * width <= lengthscale <= _LONG * width:
                continue
            found.append(UnlikelyLengthscale(i, j, lengthscale, width))
    return found


def check_prior(
    prior: Prior,
    points: Float[np.ndarray, "n d"],
    finite: bool,
    axes: Space,
) -> None:
    """Refuse a prior whose kernel or mean does not fit the domain.

    Args:
        prior: one candidate.
        points: (n, d) all points of a finite domain, else some at which functions are tried;
            encoded.
        finite: whether `points` are all points of the domain.
        axes: the variables along which they have coordinates.

    Raises:
        InvalidProblem: naming the field, its value and the allowed values.
    """
    have = len(points) if finite else "infinitely many"
    if isinstance(prior.kernel, Covariance):
        if not finite or len(prior.kernel.matrix) != len(points):
            raise InvalidProblem(
                "kernel.matrix", len(prior.kernel.matrix), f"one row a point, and there are {have}"
            )
    else:
        few = points[:_TRIED]
        K = _called(
            "kernel",
            spatial(prior.kernel, axes),
            (few, few),
            (len(few), len(few)),
        )
        check_covariance("kernel", K)
    if isinstance(prior.mean, tuple):
        if not finite or len(prior.mean) != len(points):
            raise InvalidProblem(
                "mean", len(prior.mean), f"one number a point, and there are {have}"
            )
    elif isinstance(prior.mean, Bumps):
        if len(prior.mean.centres[0]) != points.shape[1]:
            allowed = f"{counted(points.shape[1], 'coordinate')} each"
            raise InvalidProblem("mean.centres", prior.mean.centres[0], allowed)
        for centre in prior.mean.centres:
            for x, variable in zip(centre, axes, strict=True):
                _check_coordinate(x, variable)
    elif callable(prior.mean):
        _called("mean", prior.mean, (values_at(axes, points),), (len(points),))


def _check_coordinate(x: float | str, variable: Variable) -> None:
    """Refuse a coordinate of a hill that is no number, or names no category."""
    if isinstance(variable, Categorical):
        names = variable.choices
        if x not in (range(len(names)) if not isinstance(x, str) else names):
            raise InvalidProblem(
                "mean.centres",
                x,
                f"{one_of(map(str, names), x)}, or a number from 0 to {len(names) - 1}",
            )
    elif isinstance(x, str):
        raise InvalidProblem("mean.centres", x, "a number: this coordinate is no category")
    else:
        try:
            variable.encode([x])
        except InvalidOutcome as error:
            raise error.moved("mean.centres", InvalidProblem) from None


def _called(
    field: str, function: Any, arguments: tuple[np.ndarray, ...], shape: tuple[int, ...]
) -> np.ndarray:
    try:
        found = np.asarray(function(*arguments), dtype=np.float64)
    except InvalidInput:
        raise
    except Exception as error:
        width = arguments[0].shape[1]
        raise InvalidProblem(
            field, function, f"a function of points (n, {width})", f"It failed ({error})."
        ) from None
    if found.shape != shape or not np.isfinite(found).all():
        got = found.shape if found.shape != shape else "values that are not finite"
        raise InvalidProblem(field, got, f"an array of finite numbers of shape {shape}")
    return found


MOST_VARIABLES, MOST_PRIORS = 1000, 1000
"""Largest numbers of variables and priors in a problem."""

_ALL_SET = (
    "Everything is set in every round here, so all rounds cost alike. If something can be left to nature, use a "
    "cost-varying problem, which takes this field and `drift`."
)
INSTEAD = {
    **dict.fromkeys(("costs", "prices", "control_sets", "tolerance", "value_of_one"), _ALL_SET),
    "nature": "Nature draws nothing here: what is not set is ‹seen›.",
    "drift": "Each of the `priors` says its own; without priors it is learned.",
    "moving_cost": "Moving costs nothing here. In a cost-varying problem a variable's ‹change› is what it costs.",
    "graph": "Here all variables are set. A graph is for causal problems.",
}
"""Hints for fields that other kinds of problems have."""


def check_sizes(variables: Sequence[Variable], priors: Sequence[Prior] | str) -> None:
    """Refuse too many variables or priors, and empty lists of either."""
    for field, given, most in (
        ("variables", variables, MOST_VARIABLES),
        ("priors", priors, MOST_PRIORS),
    ):
        if len(given) > most:
            raise InvalidProblem(field, len(given), f"at most {most}")
    if not variables:
        raise InvalidProblem("variables", [], "at least one variable that can be set")
    if not priors:
        raise InvalidProblem(
            "priors", priors, "at least one prior", "Leave them out where you know none."
        )


def check_coordinates(
    coordinates: Sequence[Sequence[float]] | None, sites: Sequence[Any] | None
) -> None:
    """Refuse coordinates of a box, and coordinates that do not fit the points of a finite domain."""
    if coordinates is None:
        return
    if sites is None:
        allowed = "no coordinates: the domain is a box, not a set of points"
        raise InvalidProblem("coordinates", len(coordinates), allowed)
    if len(coordinates) != len(sites) or len({len(row) for row in coordinates}) != 1:
        shape = [len(row) for row in coordinates]
        raise InvalidProblem(
            "coordinates", shape, f"{len(sites)} rows of the same length, one a point"
        )


def check_seen(space: Space) -> None:
    """Refuse problems in which nothing is set, and laws of seen variables."""
    if space.seen and len(space.seen) == len(space.names):
        raise InvalidProblem(
            "variables", list(space.seen), "at least one that is not seen, to be set"
        )
    refuse_laws_of_seen(space)


def check_priors(
    priors: Sequence[Prior],
    points: Float[np.ndarray, "n d"],
    finite: bool,
    axes: Space,
) -> None:
    """Refuse priors with one name, and priors without covariances or means at the points; see `check_prior`."""
    names = [prior.name for prior in priors]
    for i, name in enumerate(names):
        if name and name in names[:i]:
            raise InvalidProblem(
                f"priors.{i}.name", name, "a name that no other prior has, or none"
            )
    for i, prior in enumerate(priors):
        try:
            check_prior(prior, points, finite, axes)
        except InvalidInput as error:
            raise error.within(f"priors.{i}") from None
