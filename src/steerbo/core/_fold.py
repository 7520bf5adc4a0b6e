"""State as a function of results: parts of a method derive their knowledge from the history as it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from .determinism import one_blas_thread

S = TypeVar("S")
R = TypeVar("R")

_EVERY = 64  # rows between two copies of a state
FOLD_COPIES = 4
"""Copies of states that a fold keeps, where it keeps any."""


class Fold(Generic[R, S]):
    """A fold over rows, for rules that are sequential by nature. It is cached by prefix, so it is a function of rows.

    Args:
        step: returns the state after a row, given the one before it, which it may change.
        start: makes the state before the first row.
        copied: copies a state. Where rows begin with those of a copy, the fold goes on from there;
            None: there are no copies, and it begins anew where an earlier row is another.

    >>> total = Fold(lambda sum, row: sum + row, int)
    >>> total.of((1, 2)), total.of((1, 2, 3)), total.of((5, 2, 3))
    (3, 6, 10)
    """

    def __init__(
        self,
        step: Callable[[S, R], S],
        start: Callable[[], S],
        copied: Callable[[S], S] | None = None,
    ) -> None:
        self._step, self._start, self._copied = step, start, copied
        self._rows: Sequence[R] = ()
        self._state: S | None = None
        self._copies: list[tuple[int, S]] = []  # after so many rows

    def of(self, rows: Sequence[R]) -> S:
        """State after these rows: goes on from those it has, where rows begin with them, else begins anew."""
        if self._state is not None and rows is self._rows:
            return self._state
        number, state = self._nearest(rows)
        # steps change a state: if one fails, it is of no use
        self._rows, self._state = rows, None
        with one_blas_thread():  # it may be read outside of a decision, which rests on it later
            for count, row in enumerate(rows[number:], number + 1):
                state = self._step(state, row)
                if self._copied is not None and count % _EVERY == 0:
                    self._copies = [*self._copies, (count, self._copied(state))][-FOLD_COPIES:]
        self._state = state
        return state

    def _nearest(self, rows: Sequence[R]) -> tuple[int, S]:
        """Number of first rows for which the state is known, and this state."""
        known = self._rows
        if self._state is not None and rows[: len(known)] == known:
            return len(known), self._state
        self._copies = [each for each in self._copies if rows[: each[0]] == known[: each[0]]]
        if not self._copies or self._copied is None:
            return 0, self._start()
        number, state = self._copies[-1]
        return number, self._copied(state)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the copies, which take as much as the state each."""
        return {**vars(self), "_copies": []}
