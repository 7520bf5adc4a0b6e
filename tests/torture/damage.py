"""Flipped bits and cuts anywhere in a file with several studies: every event comes back, or an error names the log."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from steerbo.errors import InvalidStudy
from steerbo.storage.database import body_of
from steerbo.storage.doctor import repair
from steerbo.study import Study
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.kills import world

NAMES = ("first", "second", "third")


def damage(folder: Path, number: int) -> dict[str, int]:
    """`number` damaged copies of one log with three studies: how many were whole all the same, refused, and repaired.

    Raises:
        AssertionError: an event came back that was none, or a repair took something from a study that was whole.
    """
    folder.mkdir()
    path = folder / "study.db"
    before = {}
    for seed, name in enumerate(NAMES):
        with Study.create(path, Stub(), Nearest, name=name, rounds=10, seed=seed) as study:
            study.run(world(stub_case()))
            before[name] = [body_of(event) for event in study.events]
    whole, random = path.read_bytes(), np.random.default_rng(0)
    counts = {"copies": number, "studies": len(NAMES), "whole": 0, "refused": 0, "repaired": 0, "wrong": 0}
    for _ in range(number):
        data = bytearray(whole)
        if random.random() < 0.3:
            del data[int(random.integers(len(data))) :]
        for _ in range(int(random.integers(1, 9)) if data else 0):
            data[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
        for file in folder.iterdir():
            file.unlink()
        path.write_bytes(bytes(data))
        found = {name: _read(path, name) for name in NAMES}
        counts["wrong"] += sum(events not in (None, before[name]) for name, events in found.items())
        if None not in found.values():
            counts["whole"] += 1
            continue
        counts["refused"] += 1
        try:
            repair(path)
        except InvalidStudy:  # nothing of it can be read
            counts["wrong"] += any(events is not None for events in found.values())
            continue
        counts["repaired"] += 1
        for name, events in found.items():
            after = _read(path, name) or []
            counts["wrong"] += after != (before[name][: len(after)] if events is None else events)
    assert counts["wrong"] == 0, counts
    return counts


def _read(path: Path, name: str) -> list[str] | None:
    """The events of a study; None where it is refused."""
    try:
        with Study.open(path, Stub(), name=name) as study:
            return [body_of(event) for event in study.events]
    except InvalidStudy:
        return None
