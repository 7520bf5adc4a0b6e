"""Logs for the doctor."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from steerbo.storage.database import body_of
from steerbo.study import DatabaseLog, Study
from tests.core.stub import Nearest, Stub, stub_case

NAMES = ("first", "second", "third")
Bodies = dict[str, list[str]]


def played(place: Path | str) -> Bodies:
    """Three studies in one place."""
    found = {}
    for seed, name in enumerate(NAMES):
        with Study.create(place, Stub(), Nearest, name=name, seed=seed) as study:
            stub_case().play(study.optimizer, 3)
            found[name] = [body_of(event) for event in study.events]
    return found


def read(place: Path | str) -> Bodies:
    found = {}
    for name in NAMES:
        with closing(DatabaseLog(place, name, make=False)) as log:
            found[name] = [body_of(event) for event in log.read()]
    return found
