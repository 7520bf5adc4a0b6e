"""State is a function of problem, method, seed and events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.core import Created, Event, Explanation, Fold, Optimizer
from steerbo.core.events import FORMAT
from steerbo.core.state import StudyState
from steerbo.errors import InvalidOption, InvalidProblem, OutcomeConflict
from tests.core.stub import Nearest, Stub, evaluate, look
from tests.sizes import examples


def played(rounds: int, limit: int = 20) -> Optimizer:
    optimizer = Optimizer(Stub(), Nearest, rounds=limit, seed=0)
    random = np.random.default_rng(0)
    for number in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, look(suggestion, random))
        if number % 4 == 3:
            optimizer.fail(suggestion, "a leak")
        else:
            optimizer.tell(suggestion, **evaluate(suggestion, random))
    return optimizer


EVENTS = played(9).events


@settings(deadline=None, max_examples=examples(20))
@given(st.integers(1, len(EVENTS)))
def test_any_beginning_leads_to_where_the_optimizer_was(until: int) -> None:
    """Taken in at once, or one by one after a beginning."""
    whole = StudyState.from_events(Stub(), EVENTS[:until])
    grown = StudyState.from_events(Stub(), EVENTS[:1])
    for event in EVENTS[1:until]:
        grown.apply(event)
    assert whole.events == grown.events == list(EVENTS[:until])
    assert list(whole.history) == list(grown.history)
    assert whole.refit() == grown.refit()
    if not whole.finished():
        assert whole.choose({}) == grown.choose({})


def appended(rows: list[int], row: int) -> list[int]:
    rows.append(row)
    return rows


@pytest.mark.parametrize("copied", [None, list])
@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=6))
def test_a_fold_is_a_function_of_rows(copied: Any, cuts: list[tuple[int, int]]) -> None:
    """Whatever rows it was read at before: longer ones, shorter ones, and such that another row came late."""
    rows, fold = list(range(400)), Fold(appended, list[int], copied)
    for length, late in cuts:
        rows = [*rows[:late], 1000 + late, *rows[late:]]
        assert fold.of(rows[:length]) == rows[:length]


def test_after_a_step_that_failed_a_fold_is_as_before() -> None:
    def checked(rows: list[int], row: int) -> list[int]:
        if row < 0:
            raise ValueError
        return appended(rows, row)

    fold = Fold(checked, list[int], list)
    for rows in ([*range(100)], [*range(150)]):
        with pytest.raises(ValueError, match=r"^$"):
            fold.of([*rows, -1, *range(100)])
        assert fold.of([*rows, 1]) == [*rows, 1]


def test_choosing_and_refitting_change_nothing() -> None:
    fold = StudyState.from_events(Stub(), EVENTS)
    before = list(fold.events), list(fold.history), fold.choose({})
    fold.refit()
    assert (list(fold.events), list(fold.history), fold.choose({})) == before


def test_a_refit_that_is_logged_already_is_not_made_again() -> None:
    """Its worker was lost between the refit and the round."""
    (position, *_) = [i for i, event in enumerate(EVENTS) if event.kind == "refitted"]
    assert StudyState.from_events(Stub(), EVENTS[:position]).refit() == EVENTS[position]
    assert StudyState.from_events(Stub(), EVENTS[: position + 1]).refit() is None


def test_limits_say_why_nothing_is_left() -> None:
    assert played(3, limit=3)._state.finished() == "all rounds are made"
    assert played(2, limit=3)._state.finished() == ""


def test_a_round_that_has_ended_is_not_decided() -> None:
    fold = StudyState.from_events(Stub(), EVENTS)
    with pytest.raises(OutcomeConflict, match=r"round 1 is told: there is nothing left to decide"):
        fold.decide(next(iter(fold.history)).suggestion, {"age": 0.5})


@pytest.mark.parametrize("events", [[], EVENTS[1:], "text", None])
def test_events_begin_with_how_the_study_was_created(events: list[Event]) -> None:
    with pytest.raises(InvalidOption, match=r"^events: "):
        StudyState.from_events(Stub(), events)


@pytest.mark.parametrize("format", [0, FORMAT + 1])
def test_another_format_is_refused(format: int) -> None:
    created = EVENTS[0]
    assert isinstance(created, Created)
    other = Created(**(vars(created) | {"format": format}))
    with pytest.raises(InvalidOption, match=rf"format: {format} is not allowed.*{FORMAT}.*Update steerbo"):
        StudyState.from_events(Stub(), [other])


def test_what_is_no_problem_is_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"^problem: 'stub'"):
        StudyState.from_events("stub", EVENTS)  # type: ignore[arg-type]


def test_an_explanation_is_computed_once_between_two_events(monkeypatch: pytest.MonkeyPatch) -> None:
    optimizer, explain, computed = played(6), Nearest.explain, 0

    def counted(method: Nearest) -> Explanation:
        nonlocal computed
        computed += 1
        return explain(method)

    monkeypatch.setattr(Nearest, "explain", counted)
    first = optimizer.explain()
    assert optimizer.explain() == first
    assert computed == 1
    told = next(r for r in optimizer.history if r.state == "told")
    assert told.outcome is not None
    for number, change in enumerate(({"value": told.outcome.value + 1.0}, {"void": True}), 2):
        optimizer.amend(told.suggestion.token, **change)
        assert optimizer.explain() == Optimizer.replay(Stub(), optimizer.events).explain()
        assert computed == 2 * number - 1, "once here, and once by the other"
