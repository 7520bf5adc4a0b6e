"""Nothing that lies on a disk is unpickled: poison in every file and every column, and at every door that reads one."""

from __future__ import annotations

import io
import pickle
import shutil
import sqlite3
import sys
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.errors import SteerboError
from steerbo.storage.doctor import examine, repair
from steerbo.study import Study, restore
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.endless import doors
from tests.torture.kills import world

BESIDE = ("snapshot", "pickle", "pkl", "state", "cache", "prepared", "npz", "npy", "joblib")
"""How files are called in which programs keep what they have computed; earlier versions kept `.snapshot`."""
COLUMNS = {
    "steerbo_study": ("study", "format", "events", "tip"),
    "steerbo_event": ("study", "position", "body", "checksum"),
    "steerbo_lease": ("token", "holder", "until", "lapses"),
}


class _Poison:
    """Its pickle calls a function when it is read."""

    def __reduce__(self) -> Any:
        return _swallowed, ()


def _swallowed() -> None:
    raise AssertionError("a pickle was read")


def poisons() -> dict[str, bytes]:
    """Pickles of every protocol, and numpy's files that hold one."""
    made = {f"protocol {number}": pickle.dumps(_Poison(), number) for number in range(pickle.HIGHEST_PROTOCOL + 1)}
    array, file = np.array([_Poison()], dtype=object), io.BytesIO()
    np.save(file, array, allow_pickle=True)
    made["npy"] = file.getvalue()
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        archive.writestr("events.npy", made["npy"])
    return {**made, "npz": file.getvalue()}


class _Watch:
    """Counts what pickles ask for, of this process, as Python audits it: an audit hook stays for good."""

    def __init__(self) -> None:
        self.on, self.found = False, 0
        sys.addaudithook(self._hear)

    def _hear(self, event: str, _: Any) -> None:
        self.found += self.on and event == "pickle.find_class"

    @contextmanager
    def __call__(self) -> Iterator[None]:
        self.on = True
        try:
            yield
        finally:
            self.on = False


def unpickled(folder: Path, every: int = 1) -> dict[str, Any]:
    """Poison everywhere; how many files and columns were poisoned, and how many pickles were read: none.

    Args:
        folder: which is made.
        every: each place gets every poison, or the first, the `every`-th after it and so on.

    Raises:
        AssertionError: one was.
    """
    folder.mkdir()
    watch, tried, used = _Watch(), Counter[str](), [*poisons().values()][::every]
    with watch(), suppress(AssertionError):
        pickle.loads(pickle.dumps(_Poison()))
    assert watch.found == 1, "the watch does not hear"
    whole = folder / "whole.db"
    with Study.create(whole, Stub(), Nearest, rounds=9) as study:
        study.run(world(stub_case()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for poison in used:
            for place in _beside(whole, folder / "beside", poison):
                tried["files beside a log"] += 1
                _open(watch, place)
            for place in _columns(whole, folder / "columns.db", poison):
                tried["columns of a log"] += 1
                _open(watch, place)
            for place in (folder / "poison.csv", folder / "poison.toml", folder / "poison.db", folder / "poison.txt"):
                place.write_bytes(poison)
                for enter in doors(folder).values():
                    tried["files at a door"] += 1
                    with watch(), suppress(SteerboError, AssertionError, SystemExit, UnicodeError):
                        enter(place)
    assert watch.found == 1, f"{watch.found - 1} pickles were read"
    return {"poisons": len(used), **tried, "pickles read": 0}


def _beside(whole: Path, folder: Path, poison: bytes) -> Iterator[Path]:
    """Copies of a log with a poisoned file beside it."""
    for ending in BESIDE:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        place = folder / "study.db"
        shutil.copy(whole, place)
        for name in (f"study.db.{ending}", f"study.{ending}", f"study.db.unwritten.{ending}.json"):
            (folder / name).write_bytes(poison)
        yield place


def _columns(whole: Path, place: Path, poison: bytes) -> Iterator[Path]:
    """Copies of a log with poison in one column."""
    for table, columns in COLUMNS.items():
        for column in columns:
            shutil.copy(whole, place)
            with closing(sqlite3.connect(place)) as log, suppress(sqlite3.IntegrityError):
                if table == "steerbo_lease":
                    log.execute("insert into steerbo_lease values ('study', '1-x', 'nobody', 1.0, 0)")
                log.execute(f"update {table} set {column} = ?", (poison,))
                log.commit()
            yield place


def _open(watch: _Watch, place: Path) -> None:
    """Everything that reads a log."""
    again = place.with_name("again.db")
    again.unlink(missing_ok=True)
    with watch():
        for read in (_play, examine, lambda path: restore(path, again), repair):
            with suppress(SteerboError):
                read(place)


def _play(place: Path) -> None:
    with Study.open(place, Stub(), say=lambda _: None) as study:
        study.revise(rounds=20)
        study.ask()
        study.refresh()
