"""Laws of successive elimination: who is dropped stays dropped, and somebody always goes on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.timevarying.elimination import ActivePriors, summed_error_excess, tempered_excess

M = 4
ROUNDS = st.lists(
    st.tuples(st.dictionaries(st.integers(0, M - 1), st.floats(0.01, 9), max_size=M), st.integers(0, M - 1)),
    max_size=12,
)


@given(ROUNDS)
def test_somebody_always_goes_on_and_nobody_comes_back_by_itself(rounds: list[tuple[dict[int, float], int]]) -> None:
    some = ActivePriors.all_of(M)
    for number, (overrun, likeliest) in enumerate(rounds, 1):
        before, kept = some, some.alive.copy()
        some = some.drop(overrun, number, likeliest)
        np.testing.assert_array_equal(before.alive, kept, "drop changes nothing")
        assert some.alive.any()
        assert len(some.exhausted) <= 1, "said once"
        left = before.alive.copy()
        left[list(overrun)] = False
        if left.any():
            np.testing.assert_array_equal(some.alive, left)
            assert all(some.dropped[p] == (number, excess) for p, excess in overrun.items())
        else:
            assert some.candidates.tolist() == [likeliest]
            assert some.exhausted
        assert not some.restarted(before)


@given(ROUNDS)
def test_with_a_restart_all_are_back_and_it_is_said_each_time(rounds: list[tuple[dict[int, float], int]]) -> None:
    some, times = ActivePriors.all_of(M), 0
    for number, (overrun, likeliest) in enumerate(rounds, 1):
        before = some
        some = some.drop(overrun, number, likeliest, "restart")
        none_left = set(before.candidates.tolist()) <= set(overrun)
        times += none_left
        assert some.restarted(before) == none_left
        assert some.alive.all() or not none_left
        assert len(some.exhausted) == times
        assert not none_left or some.exhausted[-1] == number


def test_who_is_kept_and_rejected_once_more_is_not_dropped_again() -> None:
    last = ActivePriors.all_of(2).drop({0: 1.0, 1: 2.0}, 5, likeliest=1)
    assert last.drop({1: 3.0}, 6, likeliest=1) is last
    other = last.drop({1: 3.0}, 6, likeliest=0)
    assert other.candidates.tolist() == [0], "the likeliest goes on, also if it was rejected long ago"
    assert other.exhausted == (5,)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6), st.floats(0.1, 1.0), st.floats(0.01, 0.5))
def test_the_likeliest_is_never_rejected_by_evidence(evidence: list[float], temper: float, delta: float) -> None:
    logs = np.array(evidence)
    excess = tempered_excess(logs, temper, delta)
    assert excess[logs.argmax()] <= np.log(delta) + 1e-9, "the mean is no larger than the largest"
    np.testing.assert_allclose(tempered_excess(logs + 7.0, temper, delta), excess, atol=1e-9)
    np.testing.assert_allclose(tempered_excess(logs[::-1], temper, delta), excess[::-1], atol=1e-9)
    ratios = np.exp(temper * (logs[None] - logs[:, None])).mean(axis=1)
    np.testing.assert_allclose(excess, np.log(ratios) - np.log(1 / delta), atol=1e-8)


def test_errors_leave_their_band_on_either_side() -> None:
    for sign in (1, -1):
        assert summed_error_excess(sign * 5.0, 1.0, 4, 1.0) == pytest.approx(2.0)
        assert summed_error_excess(sign * 2.9, 1.0, 4, 1.0) < 0
