"""Variables that take one of a few choices without order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Literal

import jaxtyping as jt
import numpy as np

from ..errors import InvalidInput, InvalidOutcome, InvalidProblem, InvalidRequest, one_of
from ..record import record
from .atoms import Atoms, duplicate
from .change import Change
from .discrete import Discrete, Empirical, table
from .distribution import Distribution
from .fields import Choices, Flag, Text, as_choice, tag
from .laws import GivenLaw, Law, Uniform
from .variable import MOST_LEVELS, Lawful, finite


@record
class Categorical(Lawful):
    """A variable that takes one of at least two choices without order: texts, numbers, True, False.

    Its law is `Uniform()`, `Discrete` or `Empirical` over the choices. Encoded values are the choices' places 0..c−1.
    Where it is `seen`, it is known before each choice, and given to `ask`. A `change` has no distance, only `fixed`.

    Raises:
        InvalidProblem: choices or law are not allowed.

    >>> Categorical("line", ["a", "b", "c"]).encode(["c", "a"])
    array([2., 0.])
    """

    name: Text
    choices: Choices
    law: GivenLaw | None = None
    unit: str = ""
    seen: Flag = field(default=None, kw_only=True)
    change: Change | None = field(default=None, kw_only=True)
    kind: Literal["categorical"] = tag("categorical")

    def __post_init__(self) -> None:
        """Check choices and law."""
        if len(self.choices) < 2:
            raise InvalidProblem(f"{self.name}.choices", self.choices, "at least two choices")
        if len(self.choices) > MOST_LEVELS:
            raise InvalidProblem(f"{self.name}.choices", len(self.choices), f"at most {MOST_LEVELS} choices")
        twice = duplicate(self.choices)
        if twice is not None:
            raise InvalidProblem(f"{self.name}.choices", twice, "every choice once (1, 1.0 and true are the same)")
        if self.law is not None:
            _ = self.distribution
        self._check_change()
        if self.change is not None and self.change.per_unit:
            hint = "Choices have no distance: say ‹fixed›."
            raise InvalidProblem(f"{self.name}.change.per_unit", self.change.per_unit, "0", hint)

    @property
    def levels(self) -> jt.Float[np.ndarray, " c"]:
        """The codes 0..c−1."""
        return np.arange(len(self.choices), dtype=float)

    def encode(self, values: Sequence[Any] | jt.Shaped[np.ndarray, " n"]) -> jt.Float[np.ndarray, " n"]:
        """Choices (n,) to their codes.

        Raises:
            InvalidOutcome: one of them is unknown.
        """
        try:
            return np.array([self._codes[value] for value in values], dtype=float)
        except (KeyError, TypeError):
            return np.array([self._codes[self.check_measured(value)] for value in values], dtype=float)

    def decode(self, z: Sequence[float] | jt.Float[np.ndarray, " n"]) -> list[bool | int | float | str]:
        """Codes (n,), rounded and clipped, to choices."""
        codes = np.clip(np.rint(finite(self.name, z)), 0, len(self.choices) - 1).astype(int)
        return [self.choices[code] for code in codes.tolist()]

    def check_setting(self, value: Any) -> bool | int | float | str:
        """The choice equal to `value`.

        Raises:
            InvalidRequest: there is none.
        """
        return self._known(value, InvalidRequest)

    def check_measured(self, value: Any) -> bool | int | float | str:
        """The choice equal to `value`.

        Raises:
            InvalidOutcome: there is none.
        """
        return self._known(value, InvalidOutcome)

    @cached_property
    def _codes(self) -> dict[bool | int | float | str, int]:
        return {choice: code for code, choice in enumerate(self.choices)}

    def _known(self, value: Any, error: type[InvalidInput]) -> bool | int | float | str:
        choice = as_choice(value)
        code = None if choice is None else self._codes.get(choice)
        if code is None or isinstance(self.choices[code], bool) != isinstance(choice, bool):
            allowed = one_of([str(choice) for choice in self.choices], value)
            raise error(self.name, value, allowed, "Mind the type." if str(value) in map(str, self.choices) else "")
        return self.choices[code]

    def _place(self, law: Law) -> Distribution:
        if isinstance(law, Uniform) and law.low is None and law.high is None:
            return Atoms.of(self.levels, np.ones(len(self.choices)))
        if not isinstance(law, Discrete | Empirical):
            raise InvalidProblem(
                f"{self.name}.law", law, "‹Uniform› without bounds, ‹Discrete› or ‹Empirical› over the choices"
            )
        values, weights = table(law)
        try:
            return Atoms.of([self._codes[self.check_measured(value)] for value in values], weights)
        except InvalidOutcome as error:
            raise error.moved(f"{self.name}.law", InvalidProblem) from None

    def _code(self, x: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        return x
