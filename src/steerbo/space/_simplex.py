"""Products of simplices: for every row (a context) a distribution over the columns (the actions)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Float, Int
from .._wording import counted
from ..errors import InvalidInput, InvalidProblem, one_of
from ..records import record
from ._placed import duplicate
from .fields import ListField, Text, plain

_TOLERANCE = 1e-6  # how far from one a row may sum


@record
class Simplex:
    """Tables with one probability distribution over `columns` in each of `rows`.

    Raises:
        InvalidProblem: no rows or columns, or a name twice.

    >>> Simplex(["morning", "evening"], ["stay", "move"]).check({"morning": {"stay": 1}, "evening": [0.5, 0.5]})
    array([[1. , 0. ],
           [0.5, 0.5]])
    """

    rows: Annotated[Sequence[Text], ListField]
    columns: Annotated[Sequence[Text], ListField]

    def __post_init__(self) -> None:
        """Check the names."""
        for field in ("rows", "columns"):
            names = getattr(self, field)
            if not names:
                raise InvalidProblem(field, names, "at least one name")
            twice = duplicate(names)
            if twice is not None:
                raise InvalidProblem(field, twice, "every name once")

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each column, by its name."""
        return {name: a for a, name in enumerate(self.columns)}

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns, (C, A)."""
        return len(self.rows), len(self.columns)

    def check(
        self, table: Any, place: str = "distribution", error: type[InvalidInput] = InvalidProblem
    ) -> Float[np.ndarray, "C A"]:
        """A table as an array whose rows sum to one exactly as well as floats can; one that does stays as it is.

        Args:
            table: an array (C, A), or probabilities by column name (left out: 0) by row name.
            place: the field that errors name.
            error: the kind of error.

        Raises:
            InvalidInput: (of the given kind) naming the row: unknown names, no probabilities, a sum
                other than 1.
        """
        if isinstance(table, Mapping):
            for name in table:  # first: a row with its name mistyped is also a row left out
                if name not in self.rows:
                    raise error(f"{place}.{name}", table[name], one_of(self.rows, name))
            rows = [self._row(table, name, place, error) for name in self.rows]
        else:
            try:
                rows = list(islice(table, len(self.rows) + 1))
            except Exception:
                raise error(
                    place,
                    table,
                    f"a table of {counted(self.shape[0], 'row')} and {counted(self.shape[1], 'column')}",
                ) from None
        if len(rows) != len(self.rows):
            raise error(place, table, f"{counted(len(self.rows), 'row')}: {', '.join(self.rows)}")
        return np.array(
            [
                self._checked(row, f"{place}.{name}", error)
                for row, name in zip(rows, self.rows, strict=True)
            ]
        )

    def named(self, table: Float[np.ndarray, "C A"]) -> dict[str, dict[str, float]]:
        """A table as probabilities by column name by row name, the form that `check` reads."""
        return {
            name: dict(zip(self.columns, row, strict=True))
            for name, row in zip(self.rows, np.asarray(table).tolist(), strict=True)
        }

    def _row(
        self, table: Mapping[Any, Any], name: str, place: str, error: type[InvalidInput]
    ) -> Any:
        row = table.get(name)
        if not isinstance(row, Mapping):
            if row is None:
                raise error(f"{place}.{name}", None, "a distribution for every row")
            return row
        for column in row:
            if column not in self.numbers:
                raise error(f"{place}.{name}.{column}", row[column], one_of(self.columns, column))
        return [row.get(column, 0.0) for column in self.columns]

    def _checked(self, row: Any, place: str, error: type[InvalidInput]) -> Float[np.ndarray, " A"]:
        try:
            given = [plain(x) for x in row] if isinstance(row, list | tuple) else row
            values = np.empty(0) if isinstance(row, range) else np.asarray(given)
        except Exception:  # rows of different lengths, or whatever the row's own class raises
            values = np.empty(0)
        if values.shape != (len(self.columns),) or values.dtype.kind not in "iuf":
            raise error(
                place, row, f"{counted(len(self.columns), 'number')}, for {', '.join(self.columns)}"
            )
        probabilities = values.astype(float)
        # as a list: most rows are short. Of NaN neither comparison holds
        if not all(0.0 <= x <= 1 + _TOLERANCE for x in probabilities.tolist()):
            raise error(place, row, "probabilities from 0 to 1")
        total = float(probabilities.sum())
        if abs(total - 1) > _TOLERANCE:
            raise error(place, row, f"probabilities that sum to 1, not to {total:.8g}")
        # rounding error of a sum of shares that were divided by it
        rounding = len(probabilities) * sys.float_info.epsilon
        return probabilities if abs(total - 1) <= rounding else probabilities / total


def largest_remainders(probabilities: ArrayLike, agents: ArrayLike) -> Int[np.ndarray, "... A"]:
    """Whole agents in the given proportions, along the last axis: rounded down, the rest to the largest remainders.

    Each row sums to its number of agents exactly; ties go to the earlier column. `agents`
    broadcasts over leading axes.

    >>> largest_remainders([0.5, 0.3, 0.2], 4)
    array([2, 1, 1])
    """
    p = np.asarray(probabilities, dtype=float)
    total = np.asarray(agents, dtype=np.int64)[..., None]
    exact = p / p.sum(axis=-1, keepdims=True) * total
    whole = np.floor(exact).astype(np.int64)
    remainders = np.round(exact - whole, 12)  # rounding noise must not decide a tie
    order = np.argsort(-remainders, axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1)
    return np.asarray(whole + (rank < total - whole.sum(axis=-1, keepdims=True)))


def multinomial(
    probabilities: ArrayLike, agents: ArrayLike, random: np.random.Generator
) -> Int[np.ndarray, "... A"]:
    """Whole agents that choose independently with the given probabilities, along the last axis.

    >>> int(multinomial([0.5, 0.5], 10, np.random.default_rng(0)).sum())
    10
    """
    p = np.asarray(probabilities, dtype=float)
    return random.multinomial(np.asarray(agents, dtype=np.int64), p / p.sum(axis=-1, keepdims=True))
