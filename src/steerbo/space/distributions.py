"""Laws of the values that nature draws, as declared: frozen data in user units, readable in a study file.

`law.on(low, high)` places a law on a variable's bounds and returns its `Distribution`. `Discrete` and `Empirical` are
declared by their values, with weights or as a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Discriminator, model_validator
from pydantic_core import ArgsKwargs

from ..errors import InvalidProblem
from ..records import record
from ._placed import (
    Atoms,
    BetaDistribution,
    Distribution,
    LogNormalDistribution,
    NormalDistribution,
    UniformDistribution,
    duplicate,
)
from ._truncated import TruncatedNormalDistribution, is_flat, parent_of, reach, too_far
from .fields import Choice, Choices, Number, Numbers, Positive, as_number, is_interval, tag, tagged
from .scipy_law import Scipy, from_frozen


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
        """A mapping from value to weight as the two lists that are stored: keys of JSON could only be texts."""
        fields = given.kwargs if isinstance(given, ArgsKwargs) else given
        if not isinstance(fields, dict) or not isinstance(fields.get("values"), Mapping) or "weights" in fields:
            return given
        pairs = fields["values"]
        split = {**fields, "values": list(pairs), "weights": list(pairs.values())}
        return ArgsKwargs(given.args, split) if isinstance(given, ArgsKwargs) else split

    def __post_init__(self) -> None:
        """Refuse tables that are no law."""
        if isinstance(self.values, Mapping):
            raise InvalidProblem(
                "weights", self.weights, "nothing beside a mapping", "Give values and weights as two lists."
            )
        if not self.values:
            raise InvalidProblem("values", self.values, "at least one value")
        if len(self.weights) != len(self.values):
            raise InvalidProblem("weights", self.weights, f"{len(self.values)} weights, one for each value")
        if min(self.weights) < 0 or max(self.weights) <= 0:
            raise InvalidProblem("weights", self.weights, "weights that are not negative and not all 0")
        twice = duplicate(self.values)
        if twice is not None:
            raise InvalidProblem("values", twice, "every value once", "Add up its weights.")

    def on(self, low: float, high: float) -> Atoms:
        """Its values as numbers; the bounds do not matter."""
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
        """Its points as numbers; the bounds do not matter."""
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
        """Placed on a variable's bounds."""
        return UniformDistribution(*_ends(self.low, self.high, low, high))


@record
class Normal:
    """The normal law, not truncated: a little of its mass (at most 1 %) may lie outside the variable's bounds.

    >>> Normal(22, 3).on(10, 35).ppf([0.025, 0.5]).round(2)
    array([16.12, 22.  ])
    """

    mean: Number
    sd: Positive
    kind: Literal["normal"] = tag("normal")

    def on(self, low: float, high: float) -> NormalDistribution:
        """Itself: the bounds do not matter."""
        return NormalDistribution(self.mean, self.sd)


@record
class TruncatedNormal:
    """The normal law conditioned on [low, high]; the variable's bounds where left out.

    With `moments="parent"`, mean and sd are those of the normal law before it is truncated; with `moments="truncated"`
    those that the truncated law itself has.

    >>> round(TruncatedNormal(0.5, 0.02**0.5, moments="truncated").on(0, 1).parent_sd, 4)
    0.1418
    """

    mean: Number
    sd: Positive
    low: Number | None = None
    high: Number | None = None
    moments: Literal["parent", "truncated"] = "parent"
    kind: Literal["truncated-normal"] = tag("truncated-normal")

    def on(self, low: float, high: float) -> TruncatedNormalDistribution | UniformDistribution:
        """Placed on a variable's bounds; uniform where the parent is too wide to tell the difference (1e-8).

        Raises:
            InvalidProblem: no normal law, truncated to these bounds, has these moments; or the bounds lie more than
                10 000 parent standard deviations from its mean; or sd is below 1e-9 of their distance.
        """
        low, high = _ends(self.low, self.high, low, high)
        smallest = 1e-9 * (high - low)
        if self.sd < smallest:
            raise InvalidProblem(
                "sd", self.sd, f"at least {smallest:.4g} on [{low:g}, {high:g}]", "A constant is ‹Discrete›."
            )
        mean, sd = (self.mean, self.sd) if self.moments == "parent" else self._parent(low, high)
        if too_far(mean, sd, low, high):
            allowed = f"such that the parent's mean lies within 10000 of its sds of [{low:g}, {high:g}]"
            raise InvalidProblem("mean", self.mean, allowed, "Widen the bounds, or change sd.")
        if is_flat(mean, sd, low, high):
            return UniformDistribution(low, high)
        return TruncatedNormalDistribution(mean, sd, low, high)

    def _parent(self, low: float, high: float) -> tuple[float, float]:
        margin = 1e-6 * (high - low)
        if not low + margin <= self.mean <= high - margin:
            raise InvalidProblem("mean", self.mean, f"a mean between the bounds {low:g} and {high:g}")
        widest = reach(self.mean, low, high)
        if not self.sd < widest * (1 - 1e-6):
            allowed = (
                f"below {widest:.6g}, the most that a truncated normal about {self.mean:g} has on [{low:g}, {high:g}]"
            )
            raise InvalidProblem("sd", self.sd, allowed, "Use ‹Uniform›, or ‹Beta› where it must be wider.")
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
        """Itself: the bounds do not matter."""
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
        """Placed on a variable's bounds."""
        return BetaDistribution(self.a, self.b, *_ends(self.low, self.high, low, high))


Stated = Annotated[
    Uniform | Normal | TruncatedNormal | LogNormal | Beta | Discrete | Empirical | Scipy,
    Discriminator("kind"),
]
"""Any law that says by itself what nature does."""


def _stated(law: object) -> object:
    return tagged(
        from_frozen(law),
        {member.kind: member for member in get_args(get_args(Stated)[0])},
        'a law such as Uniform(), in a file { kind = "uniform" }, or a frozen distribution of scipy.stats',
    )


@record
class Learned:
    """A law learned from every round that leaves the variable to nature; `law="learned"` is `law=Learned()`.

    Args:
        prior: the law believed at first; it is trusted as long as the observed values agree with it. None: uniform on
            the bounds or the choices, with the weight of one round.

    >>> Learned(Normal(22, 3)).on(10, 35).mean
    22.0
    """

    prior: Annotated[Stated, BeforeValidator(_stated)] | None = None
    kind: Literal["learned"] = tag("learned")

    @property
    def at_first(self) -> Stated:
        """The law before anything is seen."""
        return Uniform() if self.prior is None else self.prior

    def on(self, low: float, high: float) -> Distribution:
        """The law before anything is seen, placed on a variable's bounds."""
        return self.at_first.on(low, high)


Law = Annotated[
    Uniform | Normal | TruncatedNormal | LogNormal | Beta | Discrete | Empirical | Scipy | Learned,
    Discriminator("kind"),
]
"""Any declared law; in a file its `kind` tells which."""


def _given(law: object) -> object:
    if isinstance(law, str) and law == "learned":
        return Learned()
    if isinstance(law, Learned) or (isinstance(law, Mapping) and law.get("kind") == "learned"):
        return law
    return _stated(law)


GivenLaw = Annotated[Law, BeforeValidator(_given)]
"""A law, or a frozen distribution of scipy.stats, which becomes one; the word "learned" is the law `Learned()`."""


def share_outside(law: Distribution, low: float, high: float) -> float:
    """The probability of a value strictly outside [low, high].

    >>> round(share_outside(Normal(0, 1).on(-1, 1), -1, 1), 4)
    0.3173
    """
    if law.atoms is not None:
        values, weights = law.atoms
        return float(weights[(values < low) | (values > high)].sum())
    return float(law.cdf(low) + (1 - law.cdf(high)))


def _ends(own_low: float | None, own_high: float | None, low: float, high: float) -> tuple[float, float]:
    """A law's own bounds, and the variable's where it has none."""
    low, high = low if own_low is None else own_low, high if own_high is None else own_high
    if not is_interval(low, high):
        raise InvalidProblem("low", low, f"below the law's high, which is {high}, by at least 1e-10 of their size")
    return float(low), float(high)
