"""Late outcomes, what is held for them, and filters that are written down and read back."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo import Optimizer
from steerbo.core import FOLD_COPIES, Asked, History
from steerbo.core.determinism import one_blas_thread
from steerbo.timevarying import Decay, MaternInTime, Periodic
from steerbo.timevarying._filters import Filters, observe
from steerbo.timevarying.data import Datum
from steerbo.timevarying.surrogates import FiniteSurrogate
from tests.sizes import examples
from tests.timevarying.cases import METHODS, OTHERS, case
from tests.timevarying.compare import compare, outcomes, world


def bits(surrogate: FiniteSurrogate, time: float) -> list[bytes]:
    return [part.tobytes() for part in (*surrogate.posterior(time), surrogate.evidence, surrogate.surprise)]


def again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing, protocol=5))


def known(optimizer: Any, events: int) -> History:
    """What was known after so many events."""
    return Optimizer.replay(optimizer.problem, optimizer.events[:events]).history


@pytest.mark.parametrize("lag", [2, 7])
def test_few_outcomes_are_filtered_again_where_they_come_late_all_the_time(lag: int, monkeypatch: Any) -> None:
    """As with several workers: of so many neighbours the first one is told last."""
    filtered = 0

    def counted(filters: Filters, datum: Datum) -> Filters:
        nonlocal filtered
        filtered += 1
        return observe(filters, datum)

    monkeypatch.setattr("steerbo.timevarying.surrogates.observe", counted)
    problem, data = world([Decay(0.03)]), outcomes(1500)
    surrogate = FiniteSurrogate(problem)
    for start in range(0, len(data), lag):
        one, *others = data[start : start + lag]
        for datum in (*others, one):
            before = filtered
            surrogate.add(datum)
            assert len(surrogate.evidence)
            assert filtered - before <= 64 + lag, "back to the last copy"
        assert len(surrogate._filtered._copies) <= FOLD_COPIES
    compare(problem, surrogate, data, data[-1].time)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200, 255, 256, 257, 400])
def test_filters_are_written_down_and_read_back_to_the_last_bit(n: int) -> None:
    problem, data = (
        world([Decay(0.05), Decay(0.2), MaternInTime(8.0), None, Periodic(12.0, 1.2)], X=4),
        outcomes(480, X=4),
    )
    surrogate = FiniteSurrogate(problem)
    with one_blas_thread():
        for datum in data[:n]:
            surrogate.add(datum)
        other = again(surrogate)
        assert bits(other, 1e4) == bits(surrogate, 1e4)
        for datum in data[n : n + 80]:
            surrogate.add(datum)
            other.add(datum)
        assert bits(other, 1e4) == bits(surrogate, 1e4)


@settings(deadline=None, max_examples=examples(25), derandomize=True)
@given(st.lists(st.integers(0, 60), min_size=40, max_size=90), st.integers(0, 89), st.integers(0, 500))
def test_also_where_outcomes_come_late(delays: list[int], cut: int, early: int) -> None:
    data = outcomes(len(delays) + 170)
    arrival = sorted(range(len(delays)), key=lambda i: (i + delays[i], i))
    one = FiniteSurrogate(world([Decay(0.05), MaternInTime(6.0)]))
    with one_blas_thread():
        for datum in data[:170]:
            one.add(datum)
        for i in arrival[:cut]:
            one.add(data[170 + i])
        two = again(one)
        assert bits(one, 1e4) == bits(two, 1e4)
        late = Datum(data[early % 170].time, early % 170 + 0.5, 3, 0.25)
        one.add(late)
        two.add(late)
        for i in arrival[cut:]:
            one.add(data[170 + i])
            two.add(data[170 + i])
        assert bits(one, 1e4) == bits(two, 1e4)


@pytest.mark.filterwarnings("ignore::steerbo.timevarying.PriorWarning")
@pytest.mark.parametrize("name", [*METHODS, *OTHERS])
def test_every_method_chooses_the_same_when_read_back(name: str) -> None:
    played = case(name, **METHODS[name]) if name in METHODS else OTHERS[name]()
    optimizer = played.play(played.start(), 5)
    ours = optimizer._state.method
    theirs = again(ours)
    for _ in range(3):
        before = len(optimizer.events)
        played.play(optimizer, 1)
        asked, *rest = optimizer.events[before:]
        assert isinstance(asked, Asked)
        with one_blas_thread():
            choice = theirs.choose(asked.request)
        assert (dict(choice.values), dict(choice.note)) == (dict(asked.values), dict(asked.note))
        for event in (asked, *rest):
            theirs.history.apply(event)
    assert theirs.recommend() == ours.recommend()
