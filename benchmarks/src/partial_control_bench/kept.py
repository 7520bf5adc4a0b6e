"""Kept runs as files of lines: plain while they are played, packed (`.gz`) in the store. The name is the plain one."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .errors import BenchError


def packed(file: Path) -> Path:
    """Where a file's packed content is."""
    return file.with_name(f"{file.name}.gz")


def there(file: Path) -> bool:
    """Whether a file is there, plain or packed."""
    return file.is_file() or packed(file).is_file()


def text_of(file: Path) -> str:
    """The content of a file that is plain or packed.

    Raises:
        BenchError: it is neither.
    """
    if file.is_file():
        return file.read_text(encoding="utf-8")
    if not packed(file).is_file():
        raise BenchError(f"{file}: there is no such file; `pcb run` writes one")
    return gzip.decompress(packed(file).read_bytes()).decode("utf-8")


def kept_in(folder: Path, begins: str = "") -> list[Path]:
    """The files of lines in a folder, by their plain names, in order."""
    found = {
        file.name.removesuffix(".gz")
        for end in ("", ".gz")
        for file in folder.glob(f"{begins}*.jsonl{end}")
    }
    return [folder / name for name in sorted(found)]


def made_plain(file: Path) -> Path:
    """Unpack, so that lines can be added; a last line that was cut off by a crash is cut away."""
    if not file.exists() and packed(file).is_file():
        file.write_text(text_of(file), encoding="utf-8")
        packed(file).unlink()
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and (content := file.read_bytes()) and not content.endswith(b"\n"):
        os.truncate(file, content.rfind(b"\n") + 1)
    return file


def pack(file: Path) -> Path:
    """Pack a plain file, always to the same bytes, and take it away."""
    with packed(file).open("wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as inside:
        inside.write(file.read_bytes())
    file.unlink()
    return packed(file)


def rows_in(file: Path, *columns: str) -> set[tuple[str, ...]]:
    """The words of these columns in every row of a table; none where the file is not there."""
    if not file.exists():
        return set()
    with file.open(encoding="utf-8", newline="") as lines:
        return {tuple(row[column] for column in columns) for row in csv.DictReader(lines)}


def append_row(file: Path, row: Mapping[str, Any]) -> None:
    """Add a row to a table, after its header if it is the first."""
    new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, [*row])
        if new:
            writer.writeheader()
        writer.writerow(row)


def play_missing(
    file: Path, studies: Iterable[tuple[Mapping[str, Any], Callable[[], Mapping[str, Any]]]]
) -> None:
    """Play the studies that a table lacks, and add a row of each.

    Args:
        file: the table.
        studies: pairs: the columns that name a study, the same ones in all, and how to play it,
            which returns its row, these columns included.
    """
    done: set[tuple[str, ...]] | None = None
    for named, play in studies:
        if done is None:
            done = rows_in(file, *named)
        if tuple(map(str, named.values())) not in done:
            append_row(file, play())
