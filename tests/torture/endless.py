"""Files that never end, are larger than memory, or make whoever opens them wait, at every door that takes a file."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from steerbo.causal.graphs.equivalence import graphs_of_file
from steerbo.cli import main
from steerbo.errors import SteerboError
from steerbo.storage.doctor import examine
from steerbo.storage.outbox_files import OutboxFiles
from steerbo.study import Study, read_study
from tests.study.files import write_study
from tests.study.sheets import LAW

MOST = 20_000_000
"""Bytes of Python's memory that a refusal may take."""


def made(folder: Path) -> dict[str, Path]:
    """A device, a pipe that nobody writes to, and a file of 4 GiB that takes no room."""
    folder.mkdir(exist_ok=True)
    os.mkfifo(folder / "pipe.csv")
    with (folder / "sparse.csv").open("wb") as file:
        file.truncate(2**32)
    (folder / "device.csv").symlink_to("/dev/zero")
    return {name: folder / f"{name}.csv" for name in ("device", "pipe", "sparse")}


def doors(folder: Path) -> dict[str, Callable[[Path], object]]:
    """All that read a file, by name."""
    study = write_study(folder)

    def command(*arguments: object) -> None:
        result = CliRunner().invoke(main, [str(each) for each in arguments])
        assert isinstance(result.exception, SystemExit), result.exception
        raise SteerboError(result.output) if result.exit_code else AssertionError(result.output)

    def law(path: Path) -> None:
        (folder / "law.toml").write_text(LAW.replace("LAW", f'file = "{path}", column = "temp"'), encoding="utf-8")
        read_study(folder / "law.toml")

    def waiting(path: Path) -> None:
        kept = folder / "log.db.unwritten.1-tell-x.json"
        kept.symlink_to(path)
        try:
            ((_, found),) = OutboxFiles("", ((folder, "log.db.unwritten."),)).waiting()
        finally:
            kept.unlink()
        assert isinstance(found, SteerboError)
        raise found

    return {
        "study file": read_study,
        "law": law,
        "graph": graphs_of_file,
        "log": Study.open,
        "doctor": _unwell,
        "what waits in a file": waiting,
        "check": lambda path: command("check", path),
        "import": lambda path: command("import", study, path),
        "policy --contexts": lambda path: command("policy", study, "--contexts", path),
    }


def _unwell(path: Path) -> None:
    raise SteerboError(str(found)) if (found := examine(path)).damaged else AssertionError(str(found))


def endless(folder: Path) -> dict[str, Any]:
    """Every door refuses every such file, in words, and without reading it."""
    files = made(folder)
    for door, enter in doors(folder).items():
        for kind, path in files.items():
            tracemalloc.start()
            try:
                enter(path)
            except SteerboError:
                peak = tracemalloc.get_traced_memory()[1]
            else:
                raise AssertionError(f"{door} took the {kind}")
            finally:
                tracemalloc.stop()
            assert peak < MOST, f"{door} took {peak} bytes for a {kind}"
    return {"doors": len(doors(folder)), "files": len(files), "refused": len(doors(folder)) * len(files)}
