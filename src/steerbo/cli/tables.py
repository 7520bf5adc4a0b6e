"""Tables on the terminal, and the progress bar of an import.

No word of a table is cut: where the columns do not fit side by side, the cells of a row stand below
one another. Tables of rich break words at 60 columns, and take 25 times as long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from textwrap import wrap

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.text import Text

from .._text import escape_unprintable
from .._wording import counted
from ..core import Table
from ..plots.drawing import BLUE, GREEN
from ..study.progress import literal

HEADING, CHOSEN = f"bold {BLUE}", f"bold {GREEN}"
_WORD = re.compile(r"^\s*(?:→ )?\S+|\S+")  # the first with blanks or an arrow before it
_GAP = 2  # columns between cells
_LONGEST = 160  # characters of a cell


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


class ScreenTable:
    """A table for the screen under its title, as wide as it is itself; cells that are very long end in an ellipsis."""

    def __init__(self, table: Table) -> None:
        self.title, self.columns = table.title, [*map(escape_unprintable, table.columns)]
        self.cells = [
            [_shortened(escape_unprintable(cell)) for cell in row] for row in table.cells()
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The title, and the cells beside or below one another."""
        yield literal(self.title, HEADING)
        given = widths([*zip(self.columns, *self.cells, strict=True)], options.max_width - 2)
        if not self.cells:
            yield literal("  nothing yet")
        elif given is None:
            yield from self._one_below_another(console, options.max_width)
        else:
            yield from self._side_by_side(console, given)

    def _side_by_side(self, console: Console, given: Sequence[int]) -> Iterator[Segment]:
        """Segments, not a table of rich's: it takes seconds to lay out thousands of rounds."""
        inner = sum(given) + _GAP * (len(given) - 1)
        edge = Segment(f"{' ' * (inner + 2)}\n")
        yield edge
        for line in _lines(console, self.columns, given, bottom=True):
            yield Segment(f" {line} \n", console.get_style("bold"))
        yield Segment(f" {'─' * inner} \n")
        for cells in self.cells:
            style = console.get_style(CHOSEN if cells[0].startswith("→") else "none")
            for line in _lines(console, cells, given):
                yield Segment(f" {line} \n", style)
        yield edge

    def _one_below_another(self, console: Console, room: int) -> Iterator[Segment]:
        heads = [f"  {column}" for column in self.columns]
        head = max(map(cell_len, heads))
        for cells in self.cells:
            texts = [cell.strip() for cell in cells]
            right = max(map(cell_len, texts))
            left = min(head, max(room - right, room // 2) - _GAP)
            given = left, min(right, room - left - _GAP)
            for pair in zip(heads, texts, strict=True):
                yield from (Segment(f"{line}\n") for line in _lines(console, pair, given))
            yield Segment("\n")


def _lines(
    console: Console, cells: Sequence[str], given: Sequence[int], bottom: bool = False
) -> Iterator[str]:
    """Lines of cells that stand side by side, each folded within its width, on a common bottom line or top line."""
    folded = []
    for cell, width in zip(cells, given, strict=True):
        if cell_len(cell) <= width and cell.isprintable():
            folded.append([cell])  # nearly all: a wrap takes long
        else:
            lines = Text(cell).wrap(console, width, overflow="fold")
            folded.append([line.plain for line in lines])
    height = max(map(len, folded))
    blank = [[""] * (height - len(texts)) for texts in folded]
    columns = [
        more + texts if bottom else texts + more for more, texts in zip(blank, folded, strict=True)
    ]
    for parts in zip(*columns, strict=True):
        yield (" " * _GAP).join(
            set_cell_size(part, width) for part, width in zip(parts, given, strict=True)
        )


def hung(line: str, width: int) -> str:
    """A line "  heading   text" within `width`: further lines stand below the text, and no word is cut.

    >>> hung("  variable    ph: float, 4 to 8; left to itself uniform", 40).splitlines()
    ['  variable    ph: float, 4 to 8; left to', '              itself uniform']
    """
    head = re.match(r" +\S.{10} *|", line)
    below = head.end() if head is not None else 0
    room = max(width - below, 1)
    return line[:below] + f"\n{' ' * below}".join(
        wrap(line[below:], room, break_long_words=False, break_on_hyphens=False)
    )


def widths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Widths of the columns, so that all fit into `room` and no word is cut; None where that cannot be.

    Args:
        columns: the texts of each, header first.
        room: characters of a line.

    >>> widths([("set", "temperature + ph"), ("value", "7.4")], 80)
    [16, 5]
    >>> widths([("set", "temperature + ph"), ("value", "7.4")], 20), widths([("set", "temperature")], 8)
    ([13, 5], None)
    """
    words = [
        max((cell_len(word) for text in texts for word in _WORD.findall(text)), default=0)
        for texts in columns
    ]
    whole = [max(map(cell_len, texts)) for texts in columns]
    left = room - _GAP * (len(columns) - 1) - sum(words)
    if left < 0:
        return None
    while left > 0 and words != whole:
        narrow = max(
            (k for k in range(len(words)) if words[k] < whole[k]),
            key=lambda k: whole[k] / max(words[k], 1),
        )
        words[narrow] += 1
        left -= 1
    return words


@contextmanager
def import_bar(console: Console, lines: int) -> Iterator[Callable[[int], None]]:
    """Context with a progress bar; it yields a function that takes the number of lines read.

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
