"""Threads on one study: no round is out twice, none is lost, and nothing is said against the log."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from steerbo.errors import SteerboError
from steerbo.study import Study
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.kills import world


def play(study: Study, evaluated: list[str]) -> None:
    """By hand, as people write it; between the calls it is read, too."""
    measure = world(stub_case())
    while (suggestion := study.ask()) is not None:
        while suggestion.observe:
            suggestion = study.decide(suggestion, measure(suggestion)["context"])
        evaluated.append(suggestion.token)
        study.tell(suggestion, **measure(suggestion))
        assert [played.number for played in study.history] == sorted(played.number for played in study.history)
        assert study.status.told <= len(evaluated)
        study.recommend()


def threads(place: str, name: str, number: int, rounds: int) -> dict[str, Any]:
    """So many threads play a study, another Study in the same process with them."""
    evaluated, accused = list[str](), list[str]()
    began = time.monotonic()
    Study.create(place, Stub(), Nearest, name=name, rounds=rounds).close()
    with Study.open(place, name=name) as study, Study.open(place, name=name) as beside, warnings.catch_warnings():
        warnings.simplefilter("ignore")

        def work(which: Study) -> None:
            try:
                play(which, evaluated)
            except (SteerboError, AssertionError, RuntimeError) as error:
                accused.append(f"{type(error).__name__}: {error}")

        with ThreadPoolExecutor(number + 1) as pool:
            list(pool.map(work, [*[study] * number, beside]))
        study.refresh()
        told = study.status.told
    with Study.open(place, name=name) as again:
        lost = rounds - again.status.told
    found = {
        "threads": number,
        "rounds": told,
        "doubles": sum(times - 1 for times in Counter(evaluated).values()),
        "false accusations": accused,
        "lost": lost,
        "seconds": round(time.monotonic() - began, 2),
    }
    assert (found["doubles"], found["lost"], accused) == (0, 0, []), found
    return found
