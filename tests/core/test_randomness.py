"""Draws are keyed: on the seed, the round and what they are for, and on nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from steerbo.core import Streams, keyed

key = st.tuples(st.integers(0, 2**128 - 1), st.integers(0, 10**6), st.text(st.characters(exclude_categories=["Cs"])))


@given(key, key)
def test_other_keys_draw_otherwise(one: tuple[int, int, str], other: tuple[int, int, str]) -> None:
    drawn = [keyed(*k).integers(2**63, size=2).tolist() for k in (one, other)]
    assert (drawn[0] == drawn[1]) == (one == other)


@given(st.integers(0, 2**64))
def test_a_stream_does_not_depend_on_what_was_drawn_before(seed: int) -> None:
    streams = Streams(seed)
    first = streams(3, "search").random(4)
    streams(2, "search").random(100)
    np.testing.assert_array_equal(first, Streams(seed)(3, "search").random(4))
    assert 0 <= streams.integer(3, "search") < 2**32


def test_the_bits_are_those_of_every_version() -> None:
    """A log's past is read back, but what comes next is drawn: numbers that change would change every study."""
    assert keyed(0, 1, "start").random(2).tolist() == [0.21470152373761564, 0.0055343283262608844]
    assert Streams(7).integer(12, "polish 3") == 796270177


def test_neighbouring_keys_are_independent() -> None:
    """Kolmogorov and Smirnov's test at a false alarm in a thousand; the seed is fixed."""
    drawn = [keyed(seed, round, "x").random() for seed in range(20) for round in range(50)]
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 3.3 / np.sqrt(len(drawn))
