"""Searches in step: each gets what it asked for, calls are shared, errors reach the caller."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from steerbo.optim._in_step import Asked, in_step


def test_searches_of_different_length_get_their_own_answers_by_shared_calls() -> None:
    calls: list[int] = []

    def answer(points: np.ndarray) -> list[np.ndarray]:
        calls.append(len(points))
        return [*(points[:, 0] + 1.0)]

    def count_to(top: float) -> Callable[[Asked], float]:
        def search(ask: Asked) -> float:
            at = 0.0
            while at < top:
                at = float(ask(np.array([at])))
            return at

        return search

    assert in_step(answer, [count_to(2.0), count_to(4.0), count_to(0.0)]) == [2.0, 4.0, 0.0]
    assert calls == [2, 2, 1, 1]


@pytest.mark.parametrize("where", ["in the answer", "in a search"])
def test_an_error_reaches_the_caller_and_no_thread_is_left(where: str) -> None:
    before = set(threading.enumerate())

    def fails(_: Any) -> Any:
        raise ZeroDivisionError

    def asks(ask: Asked) -> Any:
        return ask(ask(np.array([1.0])))

    answer, searches = (fails, [asks, asks]) if where == "in the answer" else (lambda points: [*points], [asks, fails])
    with pytest.raises(ZeroDivisionError):
        in_step(answer, searches)
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
        assert not thread.is_alive()
