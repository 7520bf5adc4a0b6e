"""Flipped bits and cuts anywhere in a log's file: every event comes back, or an error names the log."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from steerbo.errors import InvalidStudy
from steerbo.study import Study
from steerbo.study.database import body_of
from steerbo.study.doctor import examine, repair
from tests.optimizer.stub import Stub
from tests.optimizer.test_optimizer import stub_case
from tests.torture.kills import world


def damage(folder: Path, number: int) -> dict[str, int]:
    """`number` damaged copies of one log: how many were whole all the same, refused, and repaired."""
    folder.mkdir()
    path = folder / "study.db"
    with Study.create(path, Stub(), rounds=30) as study:
        study.run(world(stub_case()))
        before = [body_of(event) for event in study.events]
    whole, random = path.read_bytes(), np.random.default_rng(0)
    counts = {"copies": number, "whole": 0, "refused": 0, "repaired": 0, "wrong": 0}
    for _ in range(number):
        data = bytearray(whole)
        if random.random() < 0.3:
            del data[int(random.integers(len(data))) :]
        for _ in range(int(random.integers(1, 9)) if data else 0):
            data[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
        for file in folder.iterdir():
            file.unlink()
        path.write_bytes(bytes(data))
        try:
            with Study.open(path, Stub()) as study:
                found = [body_of(event) for event in study.events]
            counts["whole" if found == before else "wrong"] += 1
        except InvalidStudy:
            counts["refused"] += 1
            if examine(path).events:
                repair(path)
                with Study.open(path, Stub()) as study:
                    found = [body_of(event) for event in study.events]
                counts["repaired" if found == before[: len(found)] else "wrong"] += 1
    assert counts["wrong"] == 0, counts
    return counts
