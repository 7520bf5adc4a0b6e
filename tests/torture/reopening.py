"""How long a study of 1000 rounds takes to reopen, with hyperparameters as often learned as its method learns them.

To play 1000 rounds by every method takes an hour, and none of it is measured. So the method itself plays the first
rounds; then its choices are drawn at random, and whenever it would learn its hyperparameters anew it learns the last
ones again. Both leave what a replay has to read: as many events, points and refits of the same size.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from steerbo.core import Choice, Streams, find_method
from steerbo.meanfield import _gp as gp
from steerbo.meanfield import models
from steerbo.study import Study
from tests.core.stub import Stub
from tests.torture.kills import WINGS, world

ROUNDS, PLAYED = 1000, 50


def reopening(folder: Path) -> list[dict[str, Any]]:
    """For every wing: events, refits, and the seconds to reopen them, on the clock and of the processor."""
    return [_reopened(folder / f"{wing}.db", wing) for wing in WINGS]


def _reopened(place: Path, wing: str) -> dict[str, Any]:
    case, _ = WINGS[wing]
    if case.warns is not None:
        warnings.simplefilter("ignore", case.warns)
    with Study.create(place, case.problem, case.method, options=case.options, rounds=ROUNDS) as study:
        study.run(world(case), rounds=PLAYED)
        with ExitStack() as quickly:
            _choose_at_random(study, quickly)
            study.run(world(case))
    clock, processor = time.perf_counter(), time.process_time()
    with Study.open(place, case.problem) as study:
        found = {"seconds": time.perf_counter() - clock, "cpu_seconds": time.process_time() - processor}
        assert study.status.told == ROUNDS
        refits = sum(event.kind == "refitted" for event in study.events)
        about = {
            "wing": wing,
            "method": getattr(case.method, "name", case.method),
            "rounds": ROUNDS,
            "events": len(study.events),
            "refits": refits,
        }
        return {**about, **{name: round(seconds, 2) for name, seconds in found.items()}}


def _choose_at_random(study: Study, quickly: ExitStack) -> None:
    if isinstance(study.problem, Stub):  # it is quick by itself
        return
    method = find_method(study.problem, "random")
    chosen: Any = study.optimizer._method
    drawn = method(study.problem, method.Options(), Streams(1), study.history)
    note = list(study.history)[-1].suggestion.note  # what is behind a choice: replays read it

    def choose(request: Mapping[str, Any]) -> Choice:
        choice = drawn.choose(request)
        return replace(choice, note={**note, **choice.note})

    quickly.enter_context(patch.object(chosen, "choose", choose))
    quickly.enter_context(patch.object(chosen, "decide", drawn.decide))
    quickly.enter_context(patch("steerbo.gp._regression.GPRegression.fit", lambda model, _=None: model.hyperparameters))
    learn = gp.fit
    once = lambda kernel, data, start, *rest: (start, 0.0) if start else learn(kernel, data, start, *rest)  # noqa: E731
    quickly.enter_context(patch.object(models, "fit", once))
