"""A long import shows how far it has come, on a terminal only."""

from __future__ import annotations

import io

from rich.console import Console

from steerbo.cli.tables import import_bar


def shown(terminal: bool) -> str:
    written = io.StringIO()
    with import_bar(Console(file=written, force_terminal=terminal, width=80), 5000) as read:
        read(250)
        read(5000)
    return written.getvalue()


def test_a_terminal_is_shown_how_many_lines_were_read_and_then_what_is_waited_for() -> None:
    text = shown(terminal=True)
    assert text.index("250 of 5000") < text.index("learning from 5000 lines")


def test_files_and_pipes_get_no_bar() -> None:
    assert shown(terminal=False) == ""
