"""Laws of the values that nature draws, as declared: frozen data in user units, readable in a study file.

`law.on(low, high)` places a law on a variable's bounds and returns its `Distribution`. `Discrete`
and `Empirical` are declared by their values, with weights or as a sample.

A joint law declared by its data: rows that were measured together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import BeforeValidator, Discriminator, model_validator
from pydantic_core import ArgsKwargs, PydanticCustomError

from ..errors import InvalidProblem, one_of
from ..records import record
from ._placed import (
    Atoms,
    BetaDistribution,
    Distribution,
    LogNormalDistribution,
    NormalDistribution,
    TruncatedNormalDistribution,
    UniformDistribution,
    duplicate,
    is_flat,
    parent_of,
    reach,
    too_far,
)
from ._scipy_law import Scipy, from_frozen
from .fields import (
    Choice,
    Choices,
    ListField,
    Number,
    Numbers,
    Positive,
    Text,
    as_choice,
    as_number,
    is_interval,
    listed,
    tag,
    tagged,
)

__all__ = ["MOST_CELLS", "JointRows"]


@record
class Discrete:
    """Finitely many values with weights, which need not sum to one. Also takes one mapping from value to weight.

    >>> Discrete({1: 0.2, 2: 0.8}) == Discrete(values=[1, 2], weights=[0.2, 0.8])
    True
    """

    values: Choices | Mapping[Choice, Number]
    weights: Numbers = ()
    kind: Literal["discrete"] = tag("discrete")

    @model_validator(mode="before")
    @classmethod
    def _split(cls, given: Any) -> Any:
        """Split a mapping from value to weight into the two lists that are stored: keys of JSON are texts only."""
        fields = given.kwargs if isinstance(given, ArgsKwargs) else given
        if (
            not isinstance(fields, dict)
            or not isinstance(fields.get("values"), Mapping)
            or "weights" in fields
        ):
            return given
        pairs = fields["values"]
        split = {**fields, "values": list(pairs), "weights": list(pairs.values())}
        return ArgsKwargs(given.args, split) if isinstance(given, ArgsKwargs) else split

    def __post_init__(self) -> None:
        """Refuse tables that are no law."""
        if isinstance(self.values, Mapping):
            raise InvalidProblem(
                "weights",
                self.weights,
                "nothing beside a mapping",
                "Give values and weights as two lists.",
            )
        if not self.values:
            raise InvalidProblem("values", self.values, "at least one value")
        if len(self.weights) != len(self.values):
            raise InvalidProblem(
                "weights", self.weights, f"{len(self.values)} weights, one for each value"
            )
        if min(self.weights) < 0 or max(self.weights) <= 0:
            raise InvalidProblem(
                "weights", self.weights, "weights that are not negative and not all 0"
            )
        twice = duplicate(self.values)
        if twice is not None:
            raise InvalidProblem("values", twice, "every value once", "Add up its weights.")

    def on(self, low: float, high: float) -> Atoms:
        """Place the law: its values as numbers; the bounds do not matter."""
        return Atoms.of(_numbers(self.values, "values"), self.weights)


@record
class Empirical:
    """A sample whose points are equally likely; points that appear k times weigh k times as much.

    >>> Empirical([3.0, 1.0, 3.0]).on(0, 5).atoms
    (array([1., 3.]), array([0.33333333, 0.66666667]))
    """

    sample: Choices
    kind: Literal["empirical"] = tag("empirical")

    def __post_init__(self) -> None:
        """Refuse an empty sample."""
        if not self.sample:
            raise InvalidProblem("sample", self.sample, "at least one point")

    def on(self, low: float, high: float) -> Atoms:
        """Place the law: its points as numbers; the bounds do not matter."""
        return Atoms.of(_numbers(self.sample, "sample"), [1.0] * len(self.sample))


def table(law: Discrete | Empirical) -> tuple[list[Any], list[float]]:
    """The values of a law with atoms as declared, and their weights; a sample's points may repeat.

    >>> table(Empirical(["b", "a", "b"]))
    (['b', 'a', 'b'], [1.0, 1.0, 1.0])
    """
    if isinstance(law, Discrete):
        return list(law.values), list(law.weights)
    return list(law.sample), [1.0] * len(law.sample)


def _numbers(values: Any, field: str) -> list[float]:
    for value in values:
        if as_number(value) is None:
            hint = "Texts, true and false belong to a ‹Categorical›; in a file, write values and weights as two lists."
            raise InvalidProblem(field, value, "numbers", hint)
    return [float(value) for value in values]


@record
class Uniform:
    """Equally likely everywhere between `low` and `high`; the variable's bounds where left out.

    On an Integer it is uniform over the whole values, on a Categorical over the choices.

    >>> Uniform().on(4, 8).ppf([0.25, 0.5])
    array([5., 6.])
    """

    low: Number | None = None
    high: Number | None = None
    kind: Literal["uniform"] = tag("uniform")

    def on(self, low: float, high: float) -> UniformDistribution:
        """Place the law on a variable's bounds."""
        return UniformDistribution(*_ends(self.low, self.high, low, high))


_OTHER_NAMES = {
    "mu": "It is called mean.",
    "loc": "It is called mean.",
    "sigma": "It is called sd.",
    "std": "It is called sd.",
    "scale": "It is called sd.",
}


@record
class Normal:
    """The normal law, not truncated: a little of its mass (at most 1 %) may lie outside the variable's bounds.

    >>> Normal(22, 3).on(10, 35).ppf([0.025, 0.5]).round(2)
    array([16.12, 22.  ])
    """

    mean: Number
    sd: Positive
    kind: Literal["normal"] = tag("normal")
    instead: ClassVar[Mapping[str, str]] = _OTHER_NAMES

    def on(self, low: float, high: float) -> NormalDistribution:
        """Return the distribution; the bounds do not matter."""
        return NormalDistribution(self.mean, self.sd)


@record
class TruncatedNormal:
    """The normal law conditioned on [low, high]; the variable's bounds where left out.

    With `moments="parent"`, mean and sd are those of the normal law before it is truncated; with
    `moments="truncated"` those that the truncated law itself has.

    >>> round(TruncatedNormal(0.5, 0.02**0.5, moments="truncated").on(0, 1).parent_sd, 4)
    0.1418
    """

    mean: Number
    sd: Positive
    low: Number | None = None
    high: Number | None = None
    moments: Literal["parent", "truncated"] = "parent"
    kind: Literal["truncated-normal"] = tag("truncated-normal")
    instead: ClassVar[Mapping[str, str]] = _OTHER_NAMES

    def on(self, low: float, high: float) -> TruncatedNormalDistribution | UniformDistribution:
        """Place the law on a variable's bounds; uniform where the parent is too wide to tell the difference (1e-8).

        Raises:
            InvalidProblem: no normal law, truncated to these bounds, has these moments; or the
                bounds lie more than 10 000 parent standard deviations from its mean; or sd is below
                1e-9 of their distance.
        """
        low, high = _ends(self.low, self.high, low, high)
        smallest = 1e-9 * (high - low)
        if self.sd < smallest:
            raise InvalidProblem(
                "sd",
                self.sd,
                f"at least {smallest:.4g} on [{low:g}, {high:g}]",
                "A constant is ‹Discrete›.",
            )
        mean, sd = (self.mean, self.sd) if self.moments == "parent" else self._parent(low, high)
        if too_far(mean, sd, low, high):
            allowed = (
                f"such that the parent's mean lies within 10000 of its sds of [{low:g}, {high:g}]"
            )
            raise InvalidProblem("mean", self.mean, allowed, "Widen the bounds, or change sd.")
        if is_flat(mean, sd, low, high):
            return UniformDistribution(low, high)
        return TruncatedNormalDistribution(mean, sd, low, high)

    def _parent(self, low: float, high: float) -> tuple[float, float]:
        margin = 1e-6 * (high - low)
        if not low + margin <= self.mean <= high - margin:
            raise InvalidProblem(
                "mean", self.mean, f"a mean between the bounds {low:g} and {high:g}"
            )
        widest = reach(self.mean, low, high)
        if not self.sd < widest * (1 - 1e-6):
            most = (
                f"the most that a truncated normal about {self.mean:g} has on [{low:g}, {high:g}]"
            )
            allowed = f"below {widest:.6g}, {most}"
            raise InvalidProblem(
                "sd", self.sd, allowed, "Use ‹Uniform›, or ‹Beta› where it must be wider."
            )
        return parent_of(self.mean, self.sd, low, high)


@record
class LogNormal:
    """The law of a positive value whose natural logarithm is normal. `mean` and `sd` are those of the LOGARITHM.

    >>> LogNormal(0, 1).on(1e-3, 100).ppf([0.025, 0.5]).round(2)
    array([0.14, 1.  ])
    """

    mean: Number
    sd: Positive
    kind: Literal["log-normal"] = tag("log-normal")

    def on(self, low: float, high: float) -> LogNormalDistribution:
        """Return the distribution; the bounds do not matter."""
        return LogNormalDistribution(self.mean, self.sd)


@record
class Beta:
    """The Beta(a, b) law stretched onto [low, high]; the variable's bounds where left out.

    Shapes from .001 to a million: beyond, a float cannot hold its quantiles.

    >>> Beta(2, 2).on(10, 20).mean
    15.0
    """

    a: Positive
    b: Positive
    low: Number | None = None
    high: Number | None = None
    kind: Literal["beta"] = tag("beta")

    def __post_init__(self) -> None:
        """Refuse shapes whose quantiles no float can hold."""
        for field in ("a", "b"):
            if not 1e-3 <= getattr(self, field) <= 1e6:
                raise InvalidProblem(field, getattr(self, field), "a number from 0.001 to 1e6")

    def on(self, low: float, high: float) -> BetaDistribution:
        """Place the law on a variable's bounds."""
        return BetaDistribution(self.a, self.b, *_ends(self.low, self.high, low, high))


Stated = Annotated[
    Uniform | Normal | TruncatedNormal | LogNormal | Beta | Discrete | Empirical | Scipy,
    Discriminator("kind"),
]
"""Any law that describes nature by itself."""


def _stated(law: object) -> object:
    return tagged(
        from_frozen(law),
        {member.kind: member for member in get_args(get_args(Stated)[0])},
        'a law such as Normal(22, 3), in a file { kind = "normal", mean = 22, sd = 3 }, or one of scipy.stats',
    )


@record
class Learned:
    """A law learned from every round that leaves the variable to nature; `law="learned"` is `law=Learned()`.

    Args:
        prior: the law believed at first; it is trusted as long as the observed values agree with
            it. None: uniform on the bounds or the choices, with the weight of one round.

    >>> Learned(Normal(22, 3)).on(10, 35).mean
    22.0
    """

    prior: Annotated[Stated, BeforeValidator(_stated)] | None = None
    kind: Literal["learned"] = tag("learned")

    @property
    def at_first(self) -> Stated:
        """Law before anything is observed."""
        return Uniform() if self.prior is None else self.prior

    def on(self, low: float, high: float) -> Distribution:
        """Place the law before any observation on a variable's bounds."""
        return self.at_first.on(low, high)


Law = Annotated[
    Uniform | Normal | TruncatedNormal | LogNormal | Beta | Discrete | Empirical | Scipy | Learned,
    Discriminator("kind"),
]
"""Any declared law; in a file its `kind` tells which."""


def _given(law: object) -> object:
    if isinstance(law, str) and law in ("learned", "uniform"):  # laws that need no numbers
        return Learned() if law == "learned" else Uniform()
    if isinstance(law, Learned) or (isinstance(law, Mapping) and law.get("kind") == "learned"):
        return law
    return _stated(law)


GivenLaw = Annotated[Law, BeforeValidator(_given)]
"""A law, or a frozen distribution of scipy.stats, which becomes one; "learned" and "uniform" are laws, too."""


def share_outside(law: Distribution, low: float, high: float) -> float:
    """The probability of a value strictly outside [low, high].

    >>> round(share_outside(Normal(0, 1).on(-1, 1), -1, 1), 4)
    0.3173
    """
    if law.atoms is not None:
        values, weights = law.atoms
        return float(weights[(values < low) | (values > high)].sum())
    first, last = law.support
    if (
        low <= first and last <= high
    ):  # most laws end at a variable's bounds: no special function is imported to say 0
        return 0.0
    return float(law.cdf(low) + (1 - law.cdf(high)))


def _ends(
    own_low: float | None, own_high: float | None, low: float, high: float
) -> tuple[float, float]:
    """A law's own bounds, and the variable's where it has none."""
    low, high = low if own_low is None else own_low, high if own_high is None else own_high
    if not is_interval(low, high):
        raise InvalidProblem(
            "low", low, f"below the law's high, which is {high}, by at least 1e-10 of their size"
        )
    return float(low), float(high)


MOST_CELLS = 100_000
"""Rows times columns at most: the problem is written into the log as a whole."""
_POSITIONAL = 2  # arguments that may be given without their names


def _small(rows: int, columns: int) -> None:
    if rows * columns > MOST_CELLS:
        hint = "All of them are copied into the study's log: leave rows out, every second one, say."
        raise InvalidProblem(
            "rows", f"{rows} rows of {columns}", f"at most {MOST_CELLS} cells", hint
        )


@record
class JointRows:
    """Joint law of several variables: rows of data, each of them equally likely.

    Args:
        rows: a list of rows, a list of mappings, an array (m, k), or a DataFrame of pandas or
            polars, in the variables' units. There are at least two, with no gaps.
        columns: the names of the k variables that they are values of, in their order; of a
            DataFrame, or of mappings, the columns to take. A DataFrame's may be left out: then all
            of them.

    Raises:
        InvalidProblem: a gap, a row of another length, a column that is not there, more than 100
            000 cells.

    >>> weather = JointRows([[18.0, 0.9], [25.0, 0.5], [31.0, 0.3]], ["temperature", "humidity"])
    >>> weather.column("humidity")
    (0.9, 0.5, 0.3)
    """

    rows: Annotated[Sequence[Choices], ListField]
    columns: Annotated[Sequence[Text], ListField]
    kind: Literal["joint-rows"] = tag("joint-rows")

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        """Data that name their columns as rows in the order of `columns`."""
        fields = given.kwargs if isinstance(given, ArgsKwargs) else given
        args = given.args if isinstance(given, ArgsKwargs) else ()
        if not isinstance(fields, Mapping | None) or len(args) > _POSITIONAL:
            return given
        fields = {**dict(zip(("rows", "columns"), args, strict=False)), **(fields or {})}
        fields["rows"], fields["columns"] = _in_order(fields.get("rows"), fields.get("columns"))
        fields = {name: value for name, value in fields.items() if value is not None}
        return ArgsKwargs((), fields) if isinstance(given, ArgsKwargs) else fields

    def __post_init__(self) -> None:
        """Refuse tables that are no joint law."""
        if not self.columns:
            raise InvalidProblem("columns", self.columns, "at least one variable")
        if (twice := duplicate(self.columns)) is not None:
            raise InvalidProblem("columns", twice, "every name once")
        for i, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise InvalidProblem(
                    f"rows.{i}",
                    list(row),
                    f"{len(self.columns)} values, one for each of the columns",
                )
        if len(self.rows) < 2:
            hint = "A constant needs no law: leave the variable out, or hold it in every set."
            raise InvalidProblem(
                "rows", [list(row) for row in self.rows], "at least two rows", hint
            )
        _small(len(self.rows), len(self.columns))

    def __str__(self) -> str:
        return f"{len(self.rows)} rows of {', '.join(self.columns)}"

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.columns)}

    def column(self, name: str) -> tuple[Choice, ...]:
        """The values of one variable, in the order of the rows."""
        j = self._places[name]
        return tuple(row[j] for row in self.rows)


def _in_order(rows: Any, columns: Any) -> tuple[Any, Any]:
    """Read data as rows in the order of `columns`; anything else is returned as it is, and refused later."""
    if hasattr(rows, "to_numpy") and hasattr(rows, "columns"):
        there = [str(name) for name in rows.columns]
        wanted = there if columns is None else _names(columns)
        for name in wanted:
            if there.count(name) != 1:
                raise InvalidProblem(
                    "columns", name, f"a column that the data have once, {one_of(there, name)}"
                )
        rows = np.asarray(rows.to_numpy(), dtype=object)[:, [there.index(name) for name in wanted]]
        columns = wanted
    if isinstance(rows, np.ndarray):
        if rows.ndim != 2:
            raise InvalidProblem(
                "rows", rows.shape, "an array (m, k): one row for each time, one column a variable"
            )
        _small(*rows.shape)
        rows = rows.tolist()
    if (
        isinstance(rows, list | tuple)
        and rows
        and isinstance(rows[0], Mapping)
        and columns is not None
    ):
        columns = _names(columns)
        rows = [_of(row, i, columns) for i, row in enumerate(rows)]
    if isinstance(rows, list | tuple) and rows and isinstance(rows[0], list | tuple):
        _small(len(rows), len(rows[0]))
        _whole_rows(rows)
    return rows, columns


def _whole_rows(rows: Sequence[Any]) -> None:
    for i, row in enumerate(rows):
        for j, value in enumerate(row if isinstance(row, list | tuple) else ()):
            if as_choice(value) is None:
                hint = "Rows with gaps do not show how variables vary together: leave them out."
                raise InvalidProblem(
                    f"rows.{i}.{j}", value, "a finite number, a text, true or false", hint
                )


def _names(columns: Any) -> list[str]:
    try:
        return [str(name) for name in listed(columns)]
    except PydanticCustomError:
        raise InvalidProblem("columns", columns, "a list of names") from None


def _of(row: Any, i: int, names: Sequence[str]) -> list[Any]:
    for name in names:
        if not isinstance(row, Mapping) or name not in row:
            raise InvalidProblem(f"rows.{i}", row, f"a value for each of {', '.join(names)}")
    return [row[name] for name in names]
