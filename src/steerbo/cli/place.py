"""A study as people name it: a study file, whose log is the SQLite file beside it, or a log itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidStudy

if TYPE_CHECKING:
    from ..study import Study

Place = Annotated[
    str,
    typer.Argument(metavar="STUDY", help="The study file, or its log: a file or a database URL.", show_default=False),
]
StudyFile = Annotated[Path, typer.Argument(metavar="STUDY.TOML", help="The study file.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document to standard output.")]
LogPlace = Annotated[
    str | None, typer.Option(help="An SQLite file or a database URL; default: STUDY.db beside the study file.")
]


def open_study(place: str) -> Study:
    """The study, for people."""
    from ..study import BY_HAND, DatabaseLog, Study, read_study, resume

    if not place.endswith(".toml"):
        return Study.open(place, holder=BY_HAND)
    specification = read_study(place)
    if not specification.log.exists():
        raise InvalidStudy("log", str(specification.log), "a study's log", f"`steerbo new {place}` makes one.")
    return resume(specification, DatabaseLog(specification.log), _Errors(), holder=BY_HAND)


def headers(place: str) -> dict[str, str]:
    """How the study file says that tables of outcomes are headed; a log says nothing of it."""
    from ..study import read_study

    return read_study(place).settings.columns if place.endswith(".toml") else {}


class _Errors:
    """Warnings go to standard error."""

    def began(self, suggestion: Any) -> None:
        """Nothing."""

    def ended(self, study: Any) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """One line."""
        typer.echo(message, err=True)
