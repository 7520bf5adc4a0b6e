"""Outcomes beside the expectation of a model that was not told them: cross-validation, for every kind."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .._evidence import BOUND
from .answers import LeftOut
from .determinism import one_blas_thread
from .events import DataAdded, OutcomeTold
from .state import StudyState


def left_out(state: StudyState, folds: int) -> Iterator[LeftOut]:
    """Yield outcomes, in the order in which they came, as they were expected without their fold.

    The k-th fold has every `folds`-th outcome from the k-th on, so that each fold spreads over the
    whole study. Outcomes of which the method expects nothing are left out.
    """
    events: dict[str, OutcomeTold | DataAdded] = {}
    for name, outcome, played in state.history.outcomes():
        events[name] = state.history.data[name] if played is None else OutcomeTold(name, outcome)
    names = [result.name for result in state.history.results if result.name in events]
    expected: dict[str, LeftOut] = {}
    for k in range(min(folds, len(names))):
        fold = names[k::folds]
        untold = state.without(fold)
        for name in fold:
            if found := _expected(untold, name, events[name]):
                expected[name] = found
    yield from (expected[name] for name in names if name in expected)


def _expected(state: StudyState, name: str, event: OutcomeTold | DataAdded) -> LeftOut | None:
    """The outcome of an event beside a state's expectation of it."""
    with one_blas_thread():
        expected = state.method.expected_outcome(event)
    if expected is None:
        return None
    value, mean, deviation = expected
    deviation = math.hypot(deviation, event.outcome.sem or 0.0)
    width = BOUND * deviation
    return LeftOut(name, value, mean, deviation, mean - width, mean + width)
