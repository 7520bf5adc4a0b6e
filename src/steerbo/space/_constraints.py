"""Constraints: weighted sums of variables, forbidden combinations of settings, and bounds on measured outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator
from pydantic_core import PydanticCustomError

from ..errors import InvalidProblem, InvalidRequest, one_of
from ..records import record
from ._space import Space
from .fields import Flag, ListField, Number, Text, as_choice, check_ends, listed, tag, tagged
from .variables import Categorical

_NO_OTHERS: Mapping[str, tuple[float, float]] = MappingProxyType({})
_CLOSE = 1e-9  # of the sizes that are added up: nearer than this to a limit is at it


@record
class LinearConstraint:
    """A bound on a weighted sum of variables, each in its own unit: ``2 a + b`` at most 5, say.

    It holds for the values that are set, given the values seen before choosing. Where a control set
    leaves one of the variables to nature, it holds with a `probability` under the laws, which must
    be given then.

    Args:
        weights: a number by variable.
        at_most: the largest sum that is allowed.
        at_least: the smallest one. Both may be given, also the same number twice.
        probability: with which it holds where nature draws some of the variables.

    Raises:
        InvalidProblem: no weights, no bound, or bounds the wrong way round.

    >>> print(LinearConstraint({"a": 1, "b": -2}, at_most=5))
    a − 2 b at most 5
    """

    weights: Mapping[str, Number] = field(hash=False)
    at_most: Number | None = None
    at_least: Number | None = None
    probability: float | None = field(default=None, kw_only=True)
    kind: Literal["linear"] = tag("linear")

    def __post_init__(self) -> None:
        """Check weights and bounds."""
        if not self.weights or not any(self.weights.values()):
            raise InvalidProblem(
                "weights", dict(self.weights), "a number that is not 0, by variable"
            )
        check_ends(self)
        if self.probability is not None and not 0 < self.probability < 1:
            raise InvalidProblem("probability", self.probability, "a number above 0 and below 1")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables in the sum, sorted: a log may keep no order."""
        return tuple(sorted(name for name, weight in self.weights.items() if weight))

    def sum(self, values: Mapping[str, Any]) -> float:
        """The weighted sum of `values`, which are in the variables' units."""
        return math.fsum(self.weights[name] * values[name] for name in self.names)

    def sums(
        self, values: Mapping[str, Any], ends: Mapping[str, tuple[float, float]]
    ) -> tuple[float, float]:
        """Least and largest sum at some values, whatever the other variables are between their `ends`."""
        terms = [
            [self.weights[name] * x for x in ((values[name],) if name in values else ends[name])]
            for name in self.names
        ]
        return math.fsum(map(min, terms)), math.fsum(map(max, terms))

    def breaks(
        self, values: Mapping[str, Any], ends: Mapping[str, tuple[float, float]] = _NO_OTHERS
    ) -> bool:
        """Whether values violate it by more than rounding, whatever other variables are between their `ends`."""
        (least, most), close = self.sums(values, ends), self._close(values)
        above = self.at_most is not None and least > self.at_most + close
        return above or (self.at_least is not None and most < self.at_least - close)

    def may_break(
        self,
        values: Mapping[str, Any],
        ends: Mapping[str, tuple[float, float]],
        than: Mapping[str, Any],
    ) -> bool:
        """Whether some of the other variables' values break it, by more than they do with other values, `than`."""
        (least, most), (low, high) = self.sums(values, ends), self.sums(than, ends)
        close = self._close(values)
        above = self.at_most is not None and most > max(self.at_most, high) + close
        return above or (self.at_least is not None and least < min(self.at_least, low) - close)

    def _close(self, values: Mapping[str, Any]) -> float:
        """Rounding error of the sum."""
        known = (name for name in self.names if name in values)
        size = math.fsum(abs(self.weights[name] * values[name]) for name in known)
        return _CLOSE * max(size, abs(self.at_most or 0.0), abs(self.at_least or 0.0))

    def room(self, values: Mapping[str, Any]) -> float:
        """Slack at values of all its variables, in the units of the sum."""
        total = self.sum(values)
        above = math.inf if self.at_most is None else self.at_most - total
        return min(above, math.inf if self.at_least is None else total - self.at_least)

    def __str__(self) -> str:
        weights = [(name, float(self.weights[name])) for name in self.names]
        parts = [
            (weight, name if abs(weight) == 1 else f"{abs(weight):g} {name}")
            for name, weight in weights
        ]
        text = ("−" if parts[0][0] < 0 else "") + parts[0][1]
        text += "".join(f" {'−' if weight < 0 else '+'} {term}" for weight, term in parts[1:])
        surely = (
            ""
            if self.probability is None
            else f", with probability {self.probability:g} where nature has a part"
        )
        if self.at_most is not None and self.at_most == self.at_least:
            return f"{text} exactly {self.at_most:g}{surely}"
        bounds = (("at least", self.at_least), ("at most", self.at_most))
        return f"{text} {' and '.join(f'{word} {end:g}' for word, end in bounds if end is not None)}{surely}"


def _several(value: object) -> tuple[Any, ...]:
    choices = tuple(
        as_choice(each)
        for each in (listed(value) if isinstance(value, list | tuple | range) else (value,))
    )
    if None in choices:
        raise PydanticCustomError("choices", "choices: texts, finite numbers, true or false")
    return choices


@record
class ForbiddenCombination:
    """A forbidden combination of settings: a choice or whole number by variable, or a list of them.

    Raises:
        InvalidProblem: no variable, or an empty list.

    >>> print(ForbiddenCombination({"material": "zinc", "coating": ["oil", "wax"]}))
    not coating oil or wax with material zinc
    """

    combination: Mapping[str, Annotated[Any, BeforeValidator(_several)]] = field(hash=False)
    kind: Literal["forbid"] = tag("forbid")

    def __post_init__(self) -> None:
        """Refuse an empty combination."""
        if not self.combination:
            raise InvalidProblem(
                "combination", {}, "at least one variable, with its forbidden values"
            )
        for name, choices in self.combination.items():
            if not choices:
                raise InvalidProblem(f"combination.{name}", [], "at least one value")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables in the combination."""
        return tuple(sorted(self.combination))

    def breaks(self, values: Mapping[str, Any]) -> bool:
        """Whether values of all its variables are the forbidden combination."""
        return all(values[name] in choices for name, choices in self.combination.items())

    def room(self, values: Mapping[str, Any]) -> float:
        """Number of variables that differ from the combination, less one."""
        return float(
            sum(values[name] not in choices for name, choices in self.combination.items()) - 1
        )

    def __str__(self) -> str:
        each = (f"{name} {' or '.join(map(str, self.combination[name]))}" for name in self.names)
        return f"not {' with '.join(each)}"


@record
class OutcomeConstraint:
    """A bound on a further outcome that each round measures: a pressure of at most 5, say.

    Its value is learned from the rounds, each of which tells it among the `realised` values.
    Suggestions satisfy the bound with the given probability under the learned model.

    Args:
        name: name of the outcome; no variable has it.
        at_most, at_least: the bounds; one or both.
        probability: with which each suggested play satisfies the bounds.
        on_average: whether the probability is meant on average over plays: a play may then be less
            likely to satisfy them, in order to learn more. Answers satisfy them with the
            probability in any case. For cost-varying problems; `cheap-first` makes use of it.

    Raises:
        InvalidProblem: no bound, bounds the wrong way round, or no probability.

    >>> print(OutcomeConstraint("pressure", at_most=5))
    pressure at most 5 with probability 0.95
    """

    name: Text
    at_most: Number | None = None
    at_least: Number | None = None
    probability: float = 0.95
    on_average: Flag = field(default=None, kw_only=True)
    kind: Literal["measured"] = tag("measured")

    def __post_init__(self) -> None:
        """Check bounds and probability."""
        check_ends(self, "below")
        if not 0 < self.probability < 1:
            raise InvalidProblem("probability", self.probability, "a number above 0 and below 1")

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the outcome, as a tuple."""
        return (self.name,)

    def breaks(self, values: Mapping[str, Any]) -> bool:
        """Whether the measured value violates it."""
        return self.room(values) < 0

    def room(self, values: Mapping[str, Any]) -> float:
        """Slack at the measured value, in the outcome's unit."""
        above = math.inf if self.at_most is None else self.at_most - values[self.name]
        return float(
            min(above, math.inf if self.at_least is None else values[self.name] - self.at_least)
        )

    def __str__(self) -> str:
        bounds = (("at least", self.at_least), ("at most", self.at_most))
        text = " and ".join(f"{word} {end:g}" for word, end in bounds if end is not None)
        surely = f"with probability {self.probability:g}{' on average over rounds' if self.on_average else ''}"
        return f"{self.name} {text} {surely}"


_KINDS: Mapping[str, type] = {
    "linear": LinearConstraint,
    "forbid": ForbiddenCombination,
    "measured": OutcomeConstraint,
}


def _given(limit: object) -> object:
    return tagged(
        limit, _KINDS, "a limit: ‹LinearConstraint›, ‹ForbiddenCombination› or ‹OutcomeConstraint›"
    )


Limit = LinearConstraint | ForbiddenCombination | OutcomeConstraint
"""Any limit; in a file its `kind` tells which."""
Limits = Annotated[
    Sequence[Annotated[Annotated[Limit, Discriminator("kind")], BeforeValidator(_given)]], ListField
]
"""The type of a problem's field that holds limits."""


def outcomes_of(limits: Sequence[Limit] | None) -> dict[str, OutcomeConstraint]:
    """The limits on further outcomes, by the outcome's name."""
    return {limit.name: limit for limit in limits or () if isinstance(limit, OutcomeConstraint)}


def violated(
    limits: Sequence[Limit],
    values: Mapping[str, Any],
    ends: Mapping[str, tuple[float, float]] = _NO_OTHERS,
) -> list[int]:
    """Indices of the limits that these values break, whatever other numbers are between their `ends`.

    >>> limits = LinearConstraint({"a": 1, "b": 1}, at_most=5), LinearConstraint({"a": 1}, at_least=1)
    >>> violated(limits, {"a": 0.5, "b": 5})
    [0, 1]
    >>> violated(limits, {"a": 3.5}, {"b": (2, 4)})
    [0]
    """
    found = list[int]()
    for i, limit in enumerate(limits):
        if isinstance(limit, LinearConstraint):
            broken = {*values, *ends} >= set(limit.names) and limit.breaks(values, ends)
        else:
            broken = values.keys() >= set(limit.names) and limit.breaks(values)
        if broken:
            found.append(i)
    return found


MOST_LIMITS = 1000  # of a problem
# in tables of outcomes, and of results learned from them
RESERVED_NAMES = (
    "value",
    "objective",
    "cost",
    "time",
    "token",
    "scope",
    "reason",
    "state",
    "round",
    "charge",
    "sem",
)


def check_limits(limits: Sequence[Limit], space: Space) -> None:
    """Refuse limits on names that are no variables, or not of the right kind.

    Raises:
        InvalidProblem: naming the limit and the variable.
    """
    if len(limits) > MOST_LIMITS:
        raise InvalidProblem("limits", len(limits), f"at most {MOST_LIMITS}")
    _check_outcomes(limits, space)
    for i, limit in enumerate(limits):
        if isinstance(limit, OutcomeConstraint):
            continue
        place = f"limits.{i}.{'weights' if isinstance(limit, LinearConstraint) else 'combination'}"
        for name in limit.names:
            if name not in space:
                raise InvalidProblem(place, name, one_of(space.names, name))
            if isinstance(limit, LinearConstraint):
                if isinstance(space[name], Categorical):
                    numbers = [v.name for v in space if not isinstance(v, Categorical)]
                    hint = "It is a category, which has no size. Combinations are for ‹ForbiddenCombination›."
                    raise InvalidProblem(
                        f"{place}.{name}", limit.weights[name], one_of(numbers, ""), hint
                    )
            else:
                _check_choices(f"{place}.{name}", limit.combination[name], space, name)
        if not any(not space[name].seen for name in limit.names):
            hint = "All of its variables are seen before choosing, so no setting can satisfy it."
            raise InvalidProblem(
                place, list(limit.names), "at least one variable that can be set", hint
            )


def refuse_averages(limits: Sequence[Limit], where: str) -> None:
    """Refuse limits on average over plays where only each play by itself is kept within them, as `where` says.

    Raises:
        InvalidProblem: naming the limit.
    """
    for i, limit in enumerate(limits):
        if isinstance(limit, OutcomeConstraint) and limit.on_average:
            hint = f"Each round by itself keeps it with this probability {where}."
            raise InvalidProblem(f"limits.{i}.on_average", True, "this left out", hint)


def _check_outcomes(limits: Sequence[Limit], space: Space) -> None:
    named: set[str] = set()
    for i, limit in enumerate(limits):
        if not isinstance(limit, OutcomeConstraint):
            continue
        if limit.name in (*space.names, *RESERVED_NAMES) or limit.name in named:
            hint = (
                "It is another outcome, told beside the value, so it is no variable: limits on variables are "
                "‹LinearConstraint›."
            )
            raise InvalidProblem(
                f"limits.{i}.name", limit.name, "a name that nothing else has", hint
            )
        named.add(limit.name)


def _check_choices(place: str, choices: Sequence[Any], space: Space, name: str) -> None:
    variable = space[name]
    if variable.levels is None:
        hint = "A single value of a continuous number cannot be forbidden: use ‹LinearConstraint›."
        raise InvalidProblem(
            place, list(choices), "a category, whole numbers, or a number with a ‹step›", hint
        )
    for choice in choices:
        try:
            variable.check_setting(choice)
        except InvalidRequest as error:
            raise InvalidProblem(place, choice, error.allowed, error.hint) from None
