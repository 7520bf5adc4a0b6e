"""State as a function of results: what parts of a method know is derived from the history as it stands, not kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from .determinism import one_blas_thread

S = TypeVar("S")
R = TypeVar("R")


class Fold(Generic[R, S]):
    """A fold over rows, for rules that are sequential by nature. It is cached by prefix, so it is a function of rows.

    Args:
        step: returns the state after a row, given the one before it, which it may change.
        start: makes the state before the first row.

    >>> total = Fold(lambda sum, row: sum + row, int)
    >>> total.of((1, 2)), total.of((1, 2, 3)), total.of((5, 2, 3))
    (3, 6, 10)
    """

    def __init__(self, step: Callable[[S, R], S], start: Callable[[], S]) -> None:
        self._step, self._start = step, start
        self._rows: Sequence[R] = ()
        self._state: S | None = None

    def of(self, rows: Sequence[R]) -> S:
        """State after these rows: goes on from those it has, where rows begin with them, else begins anew."""
        m, state = len(self._rows), self._state
        if state is not None and rows is self._rows:
            return state
        if state is None or rows[:m] != self._rows:
            m, state = 0, self._start()
        self._state = None  # steps change a state: if one fails, it is of no use
        with one_blas_thread():  # it may be read outside of a decision, which rests on it later
            for row in rows[m:]:
                state = self._step(state, row)
        self._rows, self._state = rows, state
        return state
