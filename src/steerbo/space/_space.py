"""The variables of a problem together: rows of user values to arrays and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .. import _arrays
from ..errors import InvalidInput, InvalidOutcome, InvalidProblem, InvalidRequest, one_of
from ..records import record
from ._placed import duplicate
from .variables import Categorical, Float, Integer, SwitchingCost, Variables


@record
class Space:
    """Variables in order, each name once; none at all is a space too.

    Raises:
        InvalidProblem: two variables have one name.

    >>> space = Space([Float("ph", 4, 8), Categorical("line", ["a", "b"])])
    >>> space.encode([{"ph": 5, "line": "b"}])
    array([[0.25, 1.  ]])
    >>> space.decode([[0.25, 1.0]])
    [{'ph': 5.0, 'line': 'b'}]
    """

    variables: Variables

    def __post_init__(self) -> None:
        """Check the names."""
        twice = duplicate(self.names)
        if twice is not None:
            raise InvalidProblem("variables", twice, "every name once", "Rename one of the two.")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables' names."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def seen(self) -> tuple[str, ...]:
        """Names of the variables that are known before each choice."""
        return tuple(variable.name for variable in self.variables if variable.seen)

    @cached_property
    def ends(self) -> dict[str, tuple[float, float]]:
        """Bounds of numbers by name."""
        numbers = (v for v in self.variables if not isinstance(v, Categorical))
        return {v.name: (v.low, v.high) for v in numbers}

    @cached_property
    def changes(self) -> dict[str, SwitchingCost]:
        """Switching cost by hard-to-change variable."""
        return {
            variable.name: variable.change
            for variable in self.variables
            if variable.change is not None
        }

    @property
    def dimension(self) -> int:
        """Number of variables, d."""
        return len(self.variables)

    @property
    def categorical(self) -> _arrays.Bool[np.ndarray, " d"]:
        """Columns that hold codes of categories."""
        return np.array(
            [isinstance(variable, Categorical) for variable in self.variables], dtype=bool
        )

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[Float | Integer | Categorical]:
        return iter(self.variables)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Float | Integer | Categorical:
        return self.variables[self.index(name)]

    def index(self, name: str) -> int:
        """The column of the variable of this name.

        Raises:
            InvalidProblem: there is none.
        """
        if name not in self.names:
            raise InvalidProblem("name", name, one_of(self.names, name))
        return self.names.index(name)

    def subset(self, names: Iterable[str]) -> Space:
        """The space of these variables, in the order given."""
        return Space([self[name] for name in names])

    def encode(self, rows: Sequence[Mapping[str, Any]]) -> _arrays.Float[np.ndarray, "n d"]:
        """Rows of user values, each with every variable, to an array.

        Raises:
            InvalidOutcome: a value is missing or not one of its variable.
        """
        Z = np.empty((len(rows), self.dimension))
        for column, variable in enumerate(self.variables):
            try:
                values = [row[variable.name] for row in rows]
            except KeyError:
                raise InvalidOutcome(variable.name, None, "a value in every row") from None
            Z[:, column] = variable.encode(values)
        return Z

    def decode(
        self, Z: Sequence[Sequence[float]] | _arrays.Float[np.ndarray, "n d"]
    ) -> list[dict[str, Any]]:
        """An array (n, d) to rows of settable user values.

        Raises:
            InvalidProblem: the array is not (n, d) or not finite.
        """
        array = np.asarray(Z, dtype=float)
        if array.ndim != 2 or array.shape[1] != self.dimension:
            raise InvalidProblem("Z", array.shape, f"an array of shape (n, {self.dimension})")
        columns = [
            variable.decode(array[:, column]) for column, variable in enumerate(self.variables)
        ]
        rows = zip(*columns, strict=True) if columns else [()] * len(array)
        return [dict(zip(self.names, row, strict=True)) for row in rows]

    def check_settings(self, values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
        """Values of exactly the variables `names`, as Python values that can be SET.

        Raises:
            InvalidRequest: a name is unknown or missing, or a value cannot be set.
        """
        wanted = self._wanted(values, names, InvalidRequest)
        return {name: self[name].check_setting(values[name]) for name in wanted}

    def check_measured(self, values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
        """Values of exactly the variables `names`, as Python values that may have been MEASURED.

        Raises:
            InvalidOutcome: a name is unknown or missing, or a value cannot be one of its variable.
        """
        wanted = self._wanted(values, names, InvalidOutcome)
        return {name: self[name].check_measured(values[name]) for name in wanted}

    def _wanted(
        self, values: Mapping[str, Any], names: Iterable[str], error: type[InvalidInput]
    ) -> list[str]:
        wanted = [self.names[self.index(name)] for name in names]
        if not isinstance(values, Mapping):
            raise error("values", values, "values by variable name, such as {'ph': 6.4}")
        for name, value in values.items():
            if name not in wanted:
                known = wanted if name in self.names else self.names
                raise error(str(name), value, f"values for {one_of(known, name)}")
        for name in wanted:
            if name not in values:
                raise error(
                    name, None, f"a value for each of {', '.join(wanted)}", f"{name!r} is missing."
                )
        return wanted


def refuse_laws_of_seen(space: Space) -> None:
    """Refuse laws of seen variables, where nothing ever draws them.

    Raises:
        InvalidProblem: naming the variable.
    """
    for name in space.seen:
        if space[name].law is not None:
            allowed = "no law: what is seen is given in every round here, and never drawn"
            raise InvalidProblem(f"variables.{name}.law", space[name].law, allowed)
