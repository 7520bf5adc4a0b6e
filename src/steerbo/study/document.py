"""From a file to its tables: TOML, as people save it, and nothing that only looks like a file."""

from __future__ import annotations

import re
import tomllib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path
from typing import Any

from ..errors import InvalidStudy
from ..files import read_file
from ..text import shortened

DEEPEST = 50
"""Tables and lists in a study file lie no deeper in one another than this."""
_LONG = re.compile(r"[0-9_]{4300,}")  # digits of a number that Python refuses to read


def _about(text: str, message: str) -> str:
    """The line that is complained of, and what is most often wrong with one."""
    found = re.search(r"at line (\d+)", message)
    lines = text.splitlines()
    if found is None or int(found[1]) > len(lines):
        return ""
    line = lines[int(found[1]) - 1].strip()
    said = f"The line is: {shortened(line, 80)}"
    return f"{said} (numbers have decimal points)" if re.search(r"=\s*[+-]?\d+,\d", line) else said


def read_tables(path: Path | str) -> dict[str, Any]:
    """The tables of a study file.

    Raises:
        InvalidStudy: it is no file, cannot be read, is too large, or is no TOML in UTF-8.
    """
    text = _text(path)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        *lines, last = text.split("\n")
        where = f"at line {len(lines) + 1}, column {len(last) + 1}"
        message = str(error).replace("at end of document", where)
        raise InvalidStudy("study file", str(path), "TOML", f"({message}.) {_about(text, message)}".rstrip()) from None
    except RecursionError:
        raise _too_deep(path) from None
    except ValueError as error:  # a number of thousands of digits
        found = _LONG.search(text)
        where = f"line {text.count(chr(10), 0, found.start()) + 1}" if found else str(error)
        raise InvalidStudy("study file", str(path), "numbers with fewer digits", f"({where}.)") from None
    level: list[Any] = [tables]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
    if level:
        raise _too_deep(path)
    return tables


def _inside(value: Any) -> list[Any]:
    parts = value.values() if isinstance(value, dict) else value
    return [part for part in parts if isinstance(part, dict | list)]


def _too_deep(path: Path | str) -> InvalidStudy:
    return InvalidStudy("study file", str(path), f"tables and lists at most {DEEPEST} deep in one another")


def _text(path: Path | str) -> str:
    if not isinstance(path, str | Path):
        raise InvalidStudy("study file", path, "the name of a file")
    raw = read_file(path, "study file", InvalidStudy)
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InvalidStudy("study file", str(path), "TOML in UTF-8", "(It is in UTF-16: save it again as UTF-8.)")
    try:
        return raw.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        hint = f"(Byte {error.start}, in line {line}, is none: save it again as UTF-8.)"
        raise InvalidStudy("study file", str(path), "TOML in UTF-8", hint) from None
