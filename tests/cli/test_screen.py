"""Whatever a log holds or a program says, what reaches the terminal is text."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

import steerbo.cli
from steerbo._text import unsafe
from steerbo.cli.tables import ScreenTable
from steerbo.core import Scope, Suggestion, Table
from steerbo.study import Display, Study
from tests import hostile
from tests.cli.calls import call
from tests.study.files import write_plant


@pytest.fixture(params=hostile.KINDS)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A log of an older version, with everything in it that newer ones refuse."""
    names = [name for name in hostile.HIDDEN if request.param != "mean-field" or "caf" not in name]
    with pytest.MonkeyPatch.context() as before:
        before.setattr("steerbo.core._creation.unsafe", lambda text: "")
        before.setattr("steerbo.core.reports._kept", lambda reason: reason)
        begun = hostile.study(request.param, names, tmp_path / "study.db")
        begun.fail(begun.ask(), "caf\udce9 \x1b]0;title\x07")
        begun.close()
    return iter([tmp_path / "study.db"])


def lines(text: str) -> str:
    return text.replace("\n", "").replace("\t", "")


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
def test_older_logs_are_shown_as_text(log: Iterator[Path]) -> None:
    place = str(next(log))
    with Study.open(place) as study:
        token = next(r.suggestion.token for r in study.history)
    commands = [["show", place], ["show", place, "--json"], ["export", place], ["export", place, "--format", "jsonl"]]
    commands += [
        ["ask", place],
        ["ask", place, "--json"],
        ["ask", place, "--csv"],
        ["report", place],
        ["doctor", place],
    ]
    commands += [["tell", place, "\x1b[31m", "1"], ["tell", place, token, "\x9b"], ["fail", place, "\u202e"]]
    for words in commands:
        done = call(*words)
        assert unsafe(lines(done.output)) == "", words
        assert "Traceback" not in done.output
        assert (done.exit_code == 0) == (words[0] not in ("tell", "fail")), (words, done.output)
        if "--json" in words:
            json.loads(done.stdout)


@pytest.mark.parametrize("name", hostile.SEEN)
def test_names_are_no_markup(name: str) -> None:
    shown = Console(file=io.StringIO(), width=1000, highlight=False, emoji=False)
    shown.print(ScreenTable(Table(name, (name,), ((name[:80],),))))
    assert isinstance(shown.file, io.StringIO)
    title, _, head, _, cell, *_ = (line.strip() for line in [*shown.file.getvalue().splitlines(), "", ""])
    assert [title, head, cell] == [name, name, name[:80]]


@pytest.mark.parametrize("terminal", [True, False])
def test_the_live_line_is_text(terminal: bool) -> None:
    written = io.StringIO()
    display = Display(Console(file=written, force_terminal=terminal, color_system=None, width=200))
    with display:
        display.began(Suggestion("1-a", 1, Scope(["[red]a[/red]\x1b]0;t\x07", ":cat:"]), {}))
        display.say("[bold]b[/] :cat: \x1b[2J\u202e")
    said = written.getvalue()
    assert "[bold]b[/] :cat: \\x1b[2J\\u202e" in said
    assert "\x1b]0" not in said
    assert "\x1b[2J" not in said
    assert "\x07" not in said
    assert not terminal or "round 1: [red]a[/red]\\x1b]0;t\\x07 + :cat:" in said


def test_what_a_command_says_is_text(tmp_path: Path) -> None:
    said = "\\x1b]0;title\\x07\\x1b[31mtoo hot\\x1b[0m\\x9b2J"
    path = write_plant(tmp_path, f"sys.exit('{said}')")
    done = call("run", path, "--rounds", "1")
    assert unsafe(lines(done.output)) == ""
    assert "failed with exit code 1: too hot\n" in done.output
    assert unsafe(lines(call("show", path).output)) == ""


def test_there_is_one_way_to_the_terminal() -> None:
    folder = Path(steerbo.cli.__file__).parent
    written = re.compile(r"typer\.echo|(?<!\.)\bprint\(")
    assert [file.name for file in folder.glob("*.py") for _ in written.finditer(file.read_text())] == ["app.py"]
