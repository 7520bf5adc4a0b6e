"""Laws declared by their values: a table of weights, or a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import model_validator
from pydantic_core import ArgsKwargs

from ..errors import InvalidProblem
from ..record import record
from .atoms import Atoms, duplicate
from .fields import Choice, Choices, Number, Numbers, as_number, tag


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
