"""How likely the next play must be to keep to a limit that holds on average."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import steerbo as sb
from steerbo.surrogate._constraints import kept_of, required_now

LIMIT = sb.OutcomeConstraint("heat", at_most=5, probability=0.9, on_average=True)


def play(heat: float | None = None, likely: float | None = 0.95) -> Any:
    note = {} if likely is None else {"likely": {"heat": likely}}
    return SimpleNamespace(suggestion=SimpleNamespace(note=note), realised={} if heat is None else {"heat": heat})


def test_before_any_play_it_is_what_was_asked() -> None:
    assert required_now(LIMIT, []) == pytest.approx(0.9)


def test_plays_that_kept_leave_something_over_and_those_that_broke_take_it() -> None:
    assert required_now(LIMIT, [play(4)] * 4) == pytest.approx(0.5)
    assert required_now(LIMIT, [*[play(4)] * 4, play(6)]) == pytest.approx(1.4)


def test_plays_drawn_at_random_count_for_nothing() -> None:
    assert kept_of(LIMIT, [play(6, likely=None), play(4)]) == (1, 1.0)


def test_what_is_not_known_yet_counts_as_it_was_expected() -> None:
    n, kept = kept_of(LIMIT, [play(None, likely=0.3), play(6, likely=0.3)])
    assert n == 2
    assert kept == pytest.approx(0.3)
