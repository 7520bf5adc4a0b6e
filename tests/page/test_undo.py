"""What was said last can be taken back, within the rules of `amend`."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.page.edit import last_said, undo_of
from steerbo.study import MemoryLog, Study


@pytest.fixture
def study() -> Study:
    return Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", seed=1)


def ask(study: Study) -> str:
    token: str = study.ask().token
    return token


def test_what_was_told_becomes_void_and_what_was_corrected_what_it_was(study: Study) -> None:
    token = ask(study)
    assert undo_of(study, token) is None, "nothing was said of it"
    assert last_said(study) is None
    study.tell(token, 7.0)
    found = undo_of(study, token)
    assert found is not None
    assert (found.number, found.said, found.now, found.then, found.outcome) == (1, 1, "7", "void", None)
    study.amend(token, 8.0)
    found = undo_of(study, token)
    assert found is not None
    assert (found.said, found.now, found.then) == (2, "8", "7")
    study.amend(token, void=True)
    found = undo_of(study, token)
    assert found is not None
    assert (found.said, found.now, found.then) == (3, "void", "8")


def test_a_round_that_broke_stays_broken(study: Study) -> None:
    token = ask(study)
    study.fail(token, "it leaked")
    assert undo_of(study, token) is None
    study.amend(token, 3.0)
    assert undo_of(study, token) is None, "`amend` makes no failure of an outcome"


def test_a_cost_that_was_said_late_cannot_be_unsaid(study: Study) -> None:
    token = ask(study)
    study.tell(token, 3.0)
    study.amend(token, 3.0, cost=5.0)
    assert undo_of(study, token) is None


def test_the_last_word_is_that_on_any_round(study: Study) -> None:
    first, second = ask(study), ask(study)
    study.tell(second, 2.0)
    study.tell(first, 1.0)
    found: Any = last_said(study)
    assert found.token == first
    study.amend(second, 2.5)
    found = last_said(study)
    assert (found.token, found.then) == (second, "2")
    study.add(3.0, {"x": 0.5})
    study.amend("added-1", 4.0)
    assert last_said(study) == found, "data that was added is another matter"
