"""Threads share an optimizer."""

from __future__ import annotations

import copy
import os
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from steerbo.core import Optimizer
from steerbo.core.determinism import CallLock
from steerbo.errors import SteerboError
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.kills import world


@pytest.mark.parametrize("number", [2, 8])
def test_threads_share_an_optimizer(number: int) -> None:
    optimizer, rounds = Optimizer(Stub(), Nearest, rounds=60), list[str]()
    measure, every = world(stub_case()), sys.getswitchinterval()

    def play(_: int) -> None:
        while (suggestion := optimizer.ask()) is not None:
            while suggestion.observe:
                suggestion = optimizer.decide(suggestion, measure(suggestion)["context"])
            rounds.append(suggestion.token)
            optimizer.tell(suggestion, **measure(suggestion))
            assert optimizer.recommend()
            told = optimizer.status.told
            assert len(list(optimizer.history)) >= told

    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(number) as pool:
            list(pool.map(play, range(number)))
    finally:
        sys.setswitchinterval(every)
    assert len(rounds) == len(set(rounds)) == optimizer.status.told == 60
    assert Optimizer.replay(Stub(), optimizer.events).to_json() == optimizer.to_json()


def test_a_copy_has_a_lock_of_its_own() -> None:
    lock = CallLock()
    with lock:
        for other in (copy.deepcopy(lock), pickle.loads(pickle.dumps(lock))):
            assert _free_elsewhere(other)
        assert not _free_elsewhere(lock)
        assert lock.free


def _free_elsewhere(lock: CallLock) -> bool:
    found = list[bool]()
    thread = threading.Thread(target=lambda: found.append(lock.free))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_forked_in_the_middle_of_another_threads_call_is_told_so() -> None:
    lock, inside, over = CallLock(), threading.Event(), threading.Event()

    def call() -> None:
        with lock:
            inside.set()
            over.wait()

    thread = threading.Thread(target=call)
    thread.start()
    inside.wait()
    child = os.fork()
    if not child:
        try:
            with pytest.raises(SteerboError, match="open the study anew"), lock:
                pass
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    over.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    child = os.fork()
    if not child:
        with lock:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
