"""What seldom played arms get: less with every play, the same whatever arms are called."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.bandit import needs_initial_plays, split_initial_plays, underexplored

PLAYS = st.lists(st.integers(0, 50), min_size=1, max_size=6).map(np.array)


@pytest.mark.parametrize("m", [1, 3, 7])
def test_no_arm_is_neglected_for_long_and_none_is_played_for_it_often(m: int) -> None:
    plays = np.zeros(m, dtype=int)
    for t in range(1, 2000):
        due = underexplored(plays)
        assert due is None or plays[due] == plays.min()
        plays[0 if due is None else due] += 1
        if t > 20 * m:
            assert plays.min() >= math.log2(t) - 1
    assert plays[1:].max(initial=0) <= math.log2(2000) + 1


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 5)), min_size=1, max_size=6))
def test_first_plays_end_and_go_to_the_arm_played_least(rows: list[tuple[int, int, int]]) -> None:
    plays, told, needed = np.array(rows).T
    for _ in range(40):
        arm = needs_initial_plays(plays, told, needed)
        if arm is None:
            break
        assert not plays[arm] or (told[arm] < needed[arm] and plays[arm] < needed[arm])
        plays[arm] += 1
    assert arm is None, "pending plays count, so that it ends also where nothing is told"
    assert ((plays > 0) & ((told >= needed) | (plays >= needed))).all()


@given(st.lists(st.integers(1, 30), min_size=1, max_size=80).map(np.array), st.integers(1, 60))
def test_first_plays_are_shared_out_so_that_there_are_not_too_many(wanted: np.ndarray, most: int) -> None:
    shares = split_initial_plays(wanted, most)
    assert shares.sum() <= max(most, 0) or (shares == wanted).all()
    assert (shares <= wanted).all()
    assert (shares >= (len(wanted) <= most)).all(), "each has one, where there are so many"
    assert (shares == wanted).all() == (wanted.sum() <= most)
    assert shares.sum() >= min(most, len(wanted))


def test_an_arm_of_many_is_neglected_by_rounds_of_an_average_arm() -> None:
    plays = np.ones(40, dtype=int)
    assert underexplored(plays) == 0
    plays[1:] = 2
    assert underexplored(plays, many=True) is None
    plays[1:] = 4
    assert underexplored(plays, many=True) == 0
