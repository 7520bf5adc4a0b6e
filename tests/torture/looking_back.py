"""What is left of a long session, held against what its workers were told: see `lifetime`."""

from __future__ import annotations

import json
import statistics
import time
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from steerbo.core import Optimizer
from steerbo.study import Study, read_events
from steerbo.testing import Case
from steerbo.testing.case import bits, values_of


def looked_back(place: str, kind: str, case: Case, file: Path, rounds: int) -> dict[str, Any]:
    """What there is, against what was acknowledged; and what it leads to, by every way to it.

    Args:
        place, kind: the log, and the name of the study in it.
        case: what was played.
        file: notes of what was acknowledged.
        rounds: so many were to be played.

    Raises:
        AssertionError: something is missing, is there twice, or differs.
    """
    notes = _noted(file)
    with warnings.catch_warnings():
        if case.warns is not None:
            warnings.simplefilter("ignore", case.warns)
        events = read_events(place, name=kind)
        began = time.process_time()
        with Study.open(place, name=kind) as study:
            reopened, status = time.process_time() - began, study.status
            replayed = [Optimizer.replay(case.problem, events) for _ in range(2)]
            for other in replayed:
                assert study.events[0] == other.events[0]  # whose order is another in a log
                assert values_of(study.events[1:]) == values_of(other.events[1:])
                assert bits(study.recommend()) == bits(other.recommend())
            study.revise(rounds=rounds + 1)
            for other in replayed:
                other.recorder(study.events[-1])
            everyone: list[Any] = [study, *replayed]
            after = [bits(optimizer.ask()) for optimizer in everyone]
    assert len(set(after)) == 1, "the next suggestion hangs on how one came there"
    logged: Counter[tuple[str, Any]] = Counter((event.kind, getattr(event, "token", None)) for event in events)
    names = {"tell": "told", "fail": "failed", "amend": "amended"}
    wanted: Counter[tuple[str, Any]] = Counter(
        (names[note["call"]], note["token"]) for note in notes if note["call"] in names
    )
    twice = sum(count - 1 for (what, _), count in logged.items() if what in ("asked", "told", "failed"))
    lost = sum((wanted - logged).values())
    assert (lost, twice, len(status.pending), status.rounds) == (0, 0, 0, rounds), (lost, twice, status)
    asks = [note for note in notes if note["call"] == "ask"]
    quarter = max(1, len(asks) // 4)
    return {
        "events": len(events),
        "amended": sum(event.kind == "amended" for event in events),
        "failed": sum(event.kind == "failed" for event in events),
        "lost": lost,
        "twice": twice,
        "ms an ask, first and last quarter": [
            round(statistics.median(n["ms"] for n in part), 1) for part in (asks[:quarter], asks[-quarter:])
        ],
        "MB of a worker, first and last quarter": [
            max(n["mb"] for n in part) for part in (asks[:quarter], asks[-quarter:])
        ],
        "reopened in s of processor time": round(reopened, 2),
        "ms an ask by round": _thinned(asks),
    }


def _noted(notes: Path) -> list[dict[str, Any]]:
    """What was noted; a killed worker may have left half a line."""
    found = []
    for line in notes.read_text().splitlines():
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def _thinned(asks: list[dict[str, Any]]) -> list[list[float]]:
    """Pairs of a round and the median of the milliseconds around it: at most sixty."""
    width = -(-len(asks) // 60)
    parts = [asks[i : i + width] for i in range(0, len(asks), width)]
    return [[statistics.median(n[name] for n in part) for name in ("round", "ms")] for part in parts]
