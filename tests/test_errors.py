"""One exception tree: every error says what is wrong in one line, and survives a process."""

from __future__ import annotations

import pickle

import pytest

from steerbo import errors
from steerbo._wording import PYTHON, SHELL
from steerbo.errors import InvalidOutcome, LogUnavailable, MissingExtra, SteerboError
from tests.hostile import MANY

TREE = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SteerboError)]


@pytest.mark.parametrize("kind", TREE)
def test_the_tree_is_documented_and_public(kind: type[SteerboError]) -> None:
    assert kind.__name__ in (errors.__doc__ or "")
    assert kind.__name__ in errors.__all__


@pytest.mark.parametrize(
    "error",
    [
        InvalidOutcome("value", float("nan"), "a finite number", "Use ‹fail›."),
        MANY,
        LogUnavailable("study.db", "disk I/O error", "Kept."),
        MissingExtra("matplotlib", "plots"),
    ],
)
def test_errors_survive_a_process(error: SteerboError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert [again.worded(w) for w in (PYTHON, SHELL)] == [error.worded(w) for w in (PYTHON, SHELL)]
