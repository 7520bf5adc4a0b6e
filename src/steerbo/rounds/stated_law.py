"""What a problem says that nature does with one of its variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..space import Empirical, Learned, Variable


@dataclass(frozen=True)
class StatedLaw:
    """What a problem says that nature does with a variable which a round does not set.

    Args:
        variable: the variable.
        sample: the values that the law comes from, where it comes from values.
        group: what it is drawn together with: variables of one group may depend on each other.
        given: what is seen before choosing and is part of its law.
        learned: whether the law is learned from what was realised, and so cannot be wrong for long.
    """

    variable: Variable
    sample: Sequence[Any] | None = None
    group: str | None = None
    given: tuple[str, ...] = ()
    learned: bool = False

    @classmethod
    def of(cls, variable: Variable, seen: Sequence[str] = ()) -> StatedLaw:
        """The law that a variable states by itself; one that is learned is learned given what is `seen`."""
        learned = isinstance(variable.law, Learned)
        law = variable.law.at_first if isinstance(variable.law, Learned) else variable.law
        given = tuple(name for name in seen if name != variable.name) if learned else ()
        return cls(variable, law.sample if isinstance(law, Empirical) else None, given=given, learned=learned)
