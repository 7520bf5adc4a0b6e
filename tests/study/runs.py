"""Runs of a study, and the lines that they leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steerbo.core import Event, Failed, Optimizer
from steerbo.records import to_dict
from steerbo.study import LEASE, DatabaseLog, Study, read_study, resume, run_study
from tests.study.files import (
    Watcher,
    logged,
)


def run(path: Path, rounds: int | None = None, watcher: Watcher | None = None) -> Optimizer:
    """What the command line does."""
    study = read_study(path)
    assert study.objective is not None
    watcher = watcher or Watcher()
    with resume(study, DatabaseLog(study.log), watcher, lease=LEASE) as going:
        run_study(going, going.session, study.objective, watcher, failures=study.settings.failures, rounds=rounds)
    assert list(going.events) == logged(path) or going.events[1:] == tuple(logged(path)[1:])
    return going.optimizer


def plain(optimizer: Optimizer) -> list[Any]:
    """Events as data, without the times at which they were logged: two runs have other ones."""
    return [{**to_dict(event, Event), "when": None} for event in optimizer.events]


def failures(optimizer: Optimizer | Study) -> list[Failed]:
    return [event for event in optimizer.events if isinstance(event, Failed)]
