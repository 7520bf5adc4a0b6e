"""What a worker knows of others."""

from __future__ import annotations

import time

from steerbo.study.workers import CHEAP, QUIET, UNKNOWN, ContentionEstimate


def test_others_are_gone_after_some_quiet_calls() -> None:
    contention = ContentionEstimate()
    assert contention.worth_queueing, "others may have come at the same time"
    contention.note_call()
    assert not contention.worth_queueing
    contention.note_events(1)
    for _ in range(QUIET):
        contention.note_call()
        assert contention.worth_queueing
    contention.note_call()
    assert not contention.worth_queueing
    contention.note_conflict()
    assert contention.worth_queueing


def test_what_costs_little_is_not_worth_a_wait() -> None:
    contention = ContentionEstimate()
    while contention.cost > CHEAP:
        with contention.timing():
            pass
    assert not contention.worth_queueing
    contention.note_choice_by_another()
    assert contention.cost == UNKNOWN, "another has chosen: nobody here knows what that costs by now"
    assert contention.worth_queueing


def test_the_dearest_choice_of_late() -> None:
    contention = ContentionEstimate()
    with contention.timing():
        began = time.thread_time()
        while time.thread_time() - began < 0.06:
            pass
    assert contention.cost >= 0.06
    with contention.timing():
        pass
    assert contention.cost >= 0.8 * 0.06
