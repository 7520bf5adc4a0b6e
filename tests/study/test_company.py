"""What a worker knows of others."""

from __future__ import annotations

import time

from steerbo.study._queue import CHEAP, QUIET, UNKNOWN, ContentionEstimate


def test_others_are_gone_after_some_quiet_calls() -> None:
    company = ContentionEstimate()
    assert company.matters, "others may have come at the same time"
    company.called()
    assert not company.matters
    company.heard(1)
    for _ in range(QUIET):
        company.called()
        assert company.matters
    company.called()
    assert not company.matters
    company.met()
    assert company.matters


def test_what_costs_little_is_not_worth_a_wait() -> None:
    company = ContentionEstimate()
    while company.cost > CHEAP:
        company.timed(lambda: None)
    assert not company.matters
    company.given()
    assert company.cost == UNKNOWN, "another has chosen: nobody here knows what that costs by now"
    assert company.matters


def test_the_dearest_choice_of_late() -> None:
    def choose() -> str:
        began = time.thread_time()
        while time.thread_time() - began < 0.06:
            pass
        return "chosen"

    company = ContentionEstimate()
    assert company.timed(choose) == "chosen"
    assert company.cost >= 0.06
    company.timed(lambda: None)
    assert company.cost >= 0.8 * 0.06
