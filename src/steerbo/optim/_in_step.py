"""Searches by a library that ask for one value at a time, run in step: values for all of them are found at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from .._arrays import Float

Asked = Callable[[Float[np.ndarray, " d"]], Any]
"""From a point to the answer there."""


class _Ended(BaseException):
    """End of a search whose caller has stopped answering."""


def in_step(
    answer: Callable[[Float[np.ndarray, "n d"]], Sequence[Any]],
    searches: Sequence[Callable[[Asked], Any]],
) -> list[Any]:
    """Run searches and return their results; `answer` gets the points that all who still search ask for.

    One call for several points takes little more time than one for a single point. Each search has
    a thread of its own, of which one runs at a time; all answers are found in the caller's.

    >>> def double(points):
    ...     return [*(2.0 * points)]
    >>> in_step(double, [lambda ask, k=k: ask(ask(np.array([k]))) for k in (1.0, 2.0)])
    [array([4.]), array([8.])]
    """
    if len(searches) == 1:
        return [searches[0](lambda point: answer(point[None])[0])]
    said: SimpleQueue[tuple[int, str, Any]] = SimpleQueue()
    answers: list[SimpleQueue[Any]] = [SimpleQueue() for _ in searches]

    def ask(k: int, point: Float[np.ndarray, " d"]) -> Any:
        said.put((k, "asks", point))
        if (found := answers[k].get()) is None:
            raise _Ended
        return found

    def search(k: int) -> None:
        try:
            said.put((k, "found", searches[k](lambda point: ask(k, point))))
        except BaseException as error:
            said.put((k, "failed", error))

    threads = [
        Thread(target=copy_context().run, args=(search, k), daemon=True)
        for k in range(len(searches))
    ]
    found: dict[int, Any] = {}
    try:
        for thread in threads:
            thread.start()
        while len(found) < len(searches):
            asked: dict[int, Float[np.ndarray, " d"]] = {}
            while len(asked) + len(found) < len(searches):
                k, what, told = said.get()
                if what == "failed":
                    raise told
                (asked if what == "asks" else found)[k] = told
            some = sorted(asked)  # in whatever order they asked
            if some:
                for k, one in zip(some, answer(np.array([asked[k] for k in some])), strict=True):
                    answers[k].put(one)
    finally:
        for queue in answers:
            queue.put(None)
    return [found[k] for k in range(len(searches))]
