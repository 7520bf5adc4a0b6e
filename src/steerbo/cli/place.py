"""A study as people name it: a study file, whose log is the SQLite file beside it, or a log itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidStudy, LogUnavailable
from ..masking import CREDENTIALS, has_secrets, split_name, to_type
from .screen import echo

if TYPE_CHECKING:
    from ..rounds import Problem
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

WAIT = 10.0
"""Seconds that a command for people waits for a log that is away. What was answered is kept."""


def open_study(place: str) -> Study:
    """The study, for people."""
    from ..study import BY_HAND, DatabaseLog, Study, read_study, resume

    if not place.endswith(".toml"):
        return Study.open(place, holder=BY_HAND, wait=WAIT, say=Errors().say)
    specification = read_study(place)
    if not specification.log.exists():
        raise InvalidStudy("log", str(specification.log), "a study's log", f"`steerbo new {to_type(place)}` makes one.")
    log = DatabaseLog(specification.log, make=False)
    return resume(specification, log, Errors(), begin=False, holder=BY_HAND, wait=WAIT)


@contextmanager
def answering(place: str, call: str, token: str, given: Callable[[Problem | None], dict[str, Any]]) -> Iterator[Study]:
    """The study, for an answer about one of its rounds.

    Where its log cannot be reached the answer waits in a file, as well as it can be read without the problem.
    """
    from ..study import read_study
    from ..study.keeping import Keeping
    from ..study.spill import Spill

    try:
        opened = open_study(place)
    except LogUnavailable as error:
        url, name = (str(read_study(place).log), "") if place.endswith(".toml") else split_name(place)
        spill = Spill.of(url, name)
        kept = Keeping(spill, Errors().say).leave(spill.answer(call, token, given(None)))
        raise LogUnavailable(error.place, error.said, kept) from None
    with opened as going:
        yield going


def title(place: str) -> str:
    """What a study is called on a page or in another store: by its name there, its database, or its file."""
    url, name = split_name(place)
    if "://" not in url:
        return Path(url).stem
    path = url.partition("?")[0].rstrip("/").rpartition("/")[2]
    return name or (Path(path).stem if "@" not in path and ":" not in path else "study")


def explain_credentials(place: str) -> None:
    """Where commands were printed without the secrets that `place` has: where else these may stand."""
    if has_secrets(place):
        echo(CREDENTIALS, err=True)


def headers(place: str) -> dict[str, str]:
    """How the study file says that tables of outcomes are headed; a log says nothing of it."""
    from ..study import read_study

    return read_study(place).settings.columns if place.endswith(".toml") else {}


class Errors:
    """Warnings go to standard error."""

    def began(self, suggestion: Any) -> None:
        """Nothing."""

    def ended(self, study: Any) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """One line."""
        echo(message, err=True)
