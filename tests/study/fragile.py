"""A study whose log cannot be written for a while."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from steerbo.core import Event, Suggestion
from steerbo.errors import LogUnavailable
from steerbo.study import DatabaseLog, Lease, Study
from tests.core.stub import Nearest, Stub
from tests.study.processes import measure


class Fragile(DatabaseLog):
    """Away for so many appends from now on; `late`: they are written before the connection is lost."""

    away = 0
    late = False

    def append(self, event: Event, lease: Lease | None = None) -> None:
        if self.away > 0 and not self.late:
            self.away -= 1
            raise LogUnavailable(self.place, "no route to host")
        super().append(event, lease)

    def _write(self, *arguments: Any) -> None:
        super()._write(*arguments)
        if self.away > 0:
            self.away -= 1
            raise LogUnavailable(self.place, "the connection was lost")


def started(path: Path, rounds: int = 9, **worker: Any) -> tuple[Study, Fragile]:
    log = Fragile(path)
    return Study.create(log, Stub(), Nearest, rounds=rounds, **worker), log


def decided(study: Study) -> Suggestion:
    suggestion = study.ask()
    while suggestion.observe:
        suggestion = study.decide(suggestion, measure(suggestion)["context"])
    result: Suggestion = suggestion
    return result


def unwritten(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*.unwritten.*") if file.suffix != ".part")  # not those being written


def opened(path: Path, said: list[str]) -> Study:
    return Study.open(path, Stub(), say=said.append)


CALLS: dict[str, Callable[[Study, Suggestion], Any]] = {
    "tell": lambda study, asked: study.tell(asked, 1.5),
    "fail": lambda study, asked: study.fail(asked, "the pump broke"),
    "add": lambda study, asked: study.add(2.5, {"age": 0.5, "dose": 0.25, "pulse": 0.75, "rest": 0.5}),
}
