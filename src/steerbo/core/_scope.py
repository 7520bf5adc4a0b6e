"""Scopes: the variables set in a round, the variables observed first, and the price. Arms of bandits are scopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from ..errors import InvalidProblem, one_of
from ..records import Record, record
from ..space.fields import ListField

Names = Annotated[Sequence[str], ListField]


def _looking(look: Any) -> Any:
    """Without the variables that look at nothing."""
    if not isinstance(look, Mapping):
        return look  # to be refused
    return {name: seen for name, seen in look.items() if not isinstance(seen, list | tuple) or seen}


@record
class Scope(Record):
    """Variables set in a round, after observing others, and their price; all others are left to nature.

    Two scopes are equal that set, look at and keep the same, in whatever order and at whatever price. A scope can be
    the key of a dict.

    Args:
        set: the variables that are set.
        look: for each of them the variables to look at first; those that are set without looking are left out.
        keep: the variables that stay as they were in the round before.
        price: the cost of a play, where the problem states it.

    Raises:
        InvalidProblem: a variable stands twice, or what looks at something is not set.

    >>> scope = Scope(["dose", "rest"], {"dose": ["age"]})
    >>> print(scope)
    dose after looking at age, and rest without looking
    >>> scope.to_dict()
    {'set': ['dose', 'rest'], 'look': {'dose': ['age']}, 'keep': []}
    >>> scope == Scope(["rest", "dose"], {"dose": ["age"]}, price=2.0)
    True
    """

    set: Names = ()
    look: Annotated[Mapping[str, Names], BeforeValidator(_looking)] = Field(default_factory=dict)
    keep: Names = ()
    price: Annotated[float | None, Field(ge=0, allow_inf_nan=False)] = None

    @model_validator(mode="after")
    def _check(self) -> Scope:
        names = [*self.set, *self.keep]
        if len(frozenset(names)) < len(names):
            raise InvalidProblem("set", names, "every variable once, among what is set and what is kept")
        for name, seen in self.look.items():
            if name not in self.set:
                raise InvalidProblem("look", name, one_of(self.set, name))
            if len(frozenset(seen)) < len(seen):
                raise InvalidProblem(f"look.{name}", list(seen), "each variable once")
        object.__setattr__(self, "look", {name: self.look[name] for name in self.set if name in self.look})
        return self

    @classmethod
    def of(cls, contexts: Mapping[str, Any]) -> Scope:
        """Make a scope from the observed variables by each set variable.

        >>> print(Scope.of({"x1": ["c"]}))
        x1 after looking at c
        """
        if not isinstance(contexts, Mapping):
            raise InvalidProblem("contexts", contexts, "names to look at, by variable that is set")
        return cls(tuple(contexts), contexts)

    @cached_property
    def _parts(self) -> tuple[frozenset[str], frozenset[tuple[str, frozenset[str]]], frozenset[str]]:
        look = frozenset((name, frozenset(seen)) for name, seen in self.look.items())
        return frozenset(self.set), look, frozenset(self.keep)

    def __eq__(self, other: object) -> bool:
        """Whether the same is set, looked at and kept."""
        return self is other or (isinstance(other, Scope) and self._parts == other._parts)

    def __hash__(self) -> int:
        """Equal for equal scopes."""
        return hash(self._parts)

    @cached_property
    def actions(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Observed variables by each set variable."""
        return tuple((name, tuple(self.look.get(name, ()))) for name in self.set)

    @cached_property
    def contexts(self) -> tuple[str, ...]:
        """Observed variables, each once."""
        return tuple(dict.fromkeys(name for _, seen in self.actions for name in seen))

    def __str__(self) -> str:
        """Describe the scope in words."""
        if self.look:
            hows = (f"after looking at {_and(seen)}" if seen else "without looking" for _, seen in self.actions)
            said = ", and ".join(f"{name} {how}" for name, how in zip(self.set, hows, strict=True))
        else:
            said = " + ".join(self.set) or "nothing"
        return said + (f", keeping {_and(self.keep)}" if self.keep else "")


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
