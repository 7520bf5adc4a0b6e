"""How far an import has come: a bar on a terminal, nothing elsewhere; all of it on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..plots.drawing import BLUE, GREEN
from ..words import counted


@contextmanager
def import_bar(console: Console, lines: int) -> Iterator[Callable[[int], None]]:
    """Inside the context a bar is shown; what it gives is told how many of the lines were read.

    When all of them were, the model learns from them, which after thousands takes as long again.
    """
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(None, complete_style=BLUE, finished_style=GREEN),
        TextColumn("{task.completed:.0f} of {task.total:.0f}"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    task = bar.add_task("lines read", total=lines)

    def read(so_far: int) -> None:
        learns = f"learning from {counted(lines, 'line')}"
        bar.update(task, completed=so_far, description=learns if so_far >= lines else "lines read")
        bar.refresh()

    if not console.is_terminal:  # rich 13 ends a line that it never began
        yield read
        return
    with bar:
        yield read
