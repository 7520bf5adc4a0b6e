"""Spreadsheets written by people: any encoding, separator, decimal mark and further columns, read without guessing.

A cell that can be read in two ways is refused by name: a value a thousand times too large would go
unnoticed.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from ..._parsing import folded, parse_value, without_unit
from ..._text import from_cell, normalised, with_hyphen
from ..._wording import listed
from ...errors import InvalidInput, InvalidOutcome
from .workbook import SIGNATURE, sheets_of

_SEPARATORS = ",;\t|"
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(e[+-]?[0-9]+)?", re.IGNORECASE)  # 0,5
_DOT = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)  # 0.5
# 1,234: a decimal mark, or one of thousands
_THOUSAND = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
_GROUPED = re.compile(  # 1,234,567.8
    r"[+-]?[1-9][0-9]{0,2}(?:([.,'’_ \u00a0\u2009\u202f])[0-9]{3})(?:\1[0-9]{3})*(?:[.,][0-9]+)?"
)
_SEP = re.compile(r'"?sep=(.)"?[^\S\r\n]*(?:\r\n|\r|\n|$)', re.IGNORECASE)

_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Beginning of a compound file, as workbooks of before 2007 are, and those with a password."""
_OLD_BOOK = (
    "it is an old workbook (.xls), or has a password: save it as .xlsx without one, or as CSV"
)
_NO_TEXT = "it is neither a workbook nor text in UTF-8, UTF-16 or Windows' Western encoding"

Mark = Literal["comma", "dot", "both", "neither"]


def decoded(data: bytes, has: Callable[[str], bool] | None = None) -> str:
    """The text of a file as spreadsheets write it: UTF-8, 16 or 32, with or without a mark; else Windows' Western one.

    Of a workbook (.xlsx) the first sheet, as CSV; of several the one that has the wanted columns.

    Args:
        data: of the file.
        has: whether a sheet, as CSV, is one that is wanted. Where none is, and for None, the first
            is read.

    Raises:
        ValueError: it is none of these, or a workbook of which several sheets are wanted.
        MissingExtra: a workbook, and openpyxl is not installed.

    >>> decoded("ph;°C".encode("utf-16")), decoded("°C".encode("cp1252"))
    ('ph;°C', '°C')
    """
    if data.startswith(SIGNATURE):
        sheets = sheets_of(data)
        wanted = [name for name, text in sheets.items() if has is not None and has(text)]
        if len(wanted) > 1:
            raise ValueError(
                f"the sheets {listed(wanted)} all have its columns: save the one that is meant by itself"
            )
        return sheets[wanted[0]] if wanted else next(iter(sheets.values()), "")
    try:
        # by a mark, or by where its first characters have zeros
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        raise ValueError(_OLD_BOOK if data.startswith(_COMPOUND) else _NO_TEXT) from None


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Args:
        number: of the line in the file.
        cells: those that are not empty, by column.
        width: how many cells it has.
        missing: cells that hold a code for a missing value, by column; they count as empty.
    """

    number: int
    cells: dict[str, str]
    width: int
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spreadsheet:
    """A table in text.

    Args:
        columns: names of the columns that were wanted and are there.
        ignored: headers of columns that are not read.
        rows: lines with anything in them.
        width: columns of the first line.
        mark: which decimal mark the numbers use, as far as they tell.
        local: whether numbers may be written as in countries with decimal commas, to judge by the
            separator.
        headers: all of them, as the table has them.
        headed: the header of each column that was wanted and is there, by its own name.
    """

    columns: tuple[str, ...]
    ignored: tuple[str, ...]
    rows: tuple[Row, ...]
    width: int
    mark: Mark
    local: bool
    headers: tuple[str, ...] = ()
    headed: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def whole(self) -> frozenset[str]:
        """Names of the columns in which no number has a decimal mark."""
        broken = {
            name for row in self.rows for name, cell in row.cells.items() if not cell.isdecimal()
        }
        return frozenset(self.columns) - broken

    def number(self, name: str, cell: str, error: type[InvalidInput] = InvalidOutcome) -> str:
        """Write a number with a point as decimal mark; any other cell stays as it is.

        Raises:
            InvalidOutcome: (or the given kind of error) it can be read in two ways, or groups
                thousands.
        """
        plain = cell.strip()
        if _THOUSAND.fullmatch(plain):
            comma = "," in plain
            known = (comma and self.mark == "comma") or (not comma and self.mark == "dot")
            if known or (not comma and self.mark == "neither" and not self.local):
                return plain.replace(",", ".")
            hint = f"Write {re.sub('[.,]', '', plain)}, or with another decimal: {plain.replace(',', '.')}0."
            # the hint says both readings: "a number" would add one of them
            raise error(name, cell, "a cell that can be read in one way only", hint)
        if _COMMA.fullmatch(plain):
            return plain.replace(",", ".")
        if _GROUPED.fullmatch(plain):
            hint = "Leave the thousands separators out."
            raise error(name, cell, "a number without thousands separators", hint)
        return plain


def without_codes(sheet: Spreadsheet, codes: Mapping[str, Sequence[Any]]) -> Spreadsheet:
    r"""Empty the cells that hold a code for a missing value.

    Args:
        sheet: the table.
        codes: numbers and texts that stand for a missing value, by column.

    >>> sheet = read_sheet("ph,yield\n6.5,-200\n6.0,n/a\n", {"ph": ["ph"], "value": ["yield"]})
    >>> [row.missing for row in without_codes(sheet, {"value": [-200, "n/a"]}).rows]
    [{'value': '-200'}, {'value': 'n/a'}]
    """

    def emptied(row: Row) -> Row:
        missing = {
            name: cell
            for name, cell in row.cells.items()
            if _is_code(sheet, name, cell, codes.get(name, ()))
        }
        cells = {name: cell for name, cell in row.cells.items() if name not in missing}
        return replace(row, cells=cells, missing=missing)

    return replace(sheet, rows=tuple(map(emptied, sheet.rows)))


def _is_code(sheet: Spreadsheet, name: str, cell: str, codes: Sequence[Any]) -> bool:
    if not codes:
        return False
    number = parse_value(sheet.number(name, cell))
    return any(
        code == number or (isinstance(code, str) and folded(code) == folded(cell)) for code in codes
    )


def read_sheet(
    text: str,
    labels: Mapping[str, Sequence[str]],
    error: type[InvalidInput] = InvalidOutcome,
    units: Mapping[str, str] = MappingProxyType({}),
) -> Spreadsheet:
    r"""Read a table in CSV, separated by commas, semicolons, tabs or bars: by the one that finds most columns.

    Headers are compared without regard to capitals and spaces, unless two columns differ in nothing
    else. Empty lines, and empty columns at the end, are nothing. A first line `sep=;`, as Excel
    writes it, is obeyed.

    Args:
        text: the file.
        labels: the wanted columns, and how each may be headed, the likeliest header first.
        error: the kind of error.
        units: of wanted columns, which may stand in their cells, beside the number.

    Raises:
        InvalidOutcome: (or the given kind of error) it is no table, or a column is there twice.

    >>> sheet = read_sheet("PH ; yield; mood\n6,5;10;good", {"ph": ["ph"], "value": ["yield"]})
    >>> sheet.columns, sheet.ignored, sheet.number("ph", sheet.rows[0].cells["ph"])
    (('value', 'ph'), ('mood',), '6.5')
    >>> read_sheet("t\n4,00 °C", {"t": ["t"]}, units={"t": "°C"}).rows[0].cells
    {'t': '4,00'}
    """
    text = text.removeprefix("\ufeff")
    told = _SEP.match(text)
    separators = told[1] if told else _SEPARATORS
    tables = [
        _lines(text[told.end() :] if told else text, separator, bool(told), error)
        for separator in separators
    ]
    found = [_places(table[0][1], labels) for table in tables]
    widths = [[len(cells) for _, cells in table] for table in tables]
    wider = [sum(width > head for width in rest) for head, *rest in widths]  # decimal commas?
    best = max(range(len(tables)), key=lambda k: (len(found[k]), widths[k][0], -wider[k]))
    ((start, header), *lines), places = tables[best], found[best]
    for name, where in places.items():
        if len(where) > 1:
            hint = "Rename or remove the others."
            raise error(
                f"line {start}",
                header[where[0]],
                f"each column once ({name!r} is there twice)",
                hint,
            )
    rows = tuple(_row(number, cells, places, units) for number, cells in lines)
    used = {k for where in places.values() for k in where}
    ignored = tuple(name for k, name in enumerate(header) if k not in used and name)
    mark = _mark(cell for row in rows for cell in row.cells.values())
    return Spreadsheet(
        tuple(places),
        ignored,
        rows,
        len(header),
        mark,
        separators[best] == ";",
        tuple(filter(None, header)),
        {name: header[where[0]] for name, where in places.items()},
    )


def _lines(
    text: str, separator: str, told: bool, error: type[InvalidInput]
) -> list[tuple[int, list[str]]]:
    """Lines with anything in them, and their numbers; cells without the spaces about them.

    Empty cells at the end are nothing, unless commas separate: there a decimal comma may have
    pushed the cells on.
    """
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    found: list[tuple[int, list[str]]] = []
    try:
        for row in rows:
            cells = [with_hyphen(from_cell(normalised(cell))) for cell in row]
            while separator != "," and cells and not cells[-1]:
                cells.pop()
            if any(cells):
                found.append((rows.line_num + told, cells))
    except csv.Error as complaint:
        raise error(
            f"line {rows.line_num + told}", text[:80], "a table in CSV", f"({complaint})"
        ) from None
    return found or [(1, [])]


def _places(header: list[str], labels: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """Find the position of each wanted column: exact headers first, then likelier ones."""
    found: dict[str, list[int]] = {}
    taken: set[int] = set()
    heads, loosely = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for k, head in enumerate(header):
        heads[head].append(k)
        loosely[folded(head)].append(k)
    for rank in range(max(map(len, labels.values()), default=0)):
        wanted = {name: headed[rank] for name, headed in labels.items() if len(headed) > rank}
        alike = Counter(map(folded, wanted.values()))
        for exact in (True, False):
            for name, label in wanted.items():
                if name in found or (not exact and alike[folded(label)] > 1):
                    continue
                alike_here = heads.get(label, []) if exact else loosely.get(folded(label), [])
                same = [k for k in alike_here if k not in taken]
                if same:
                    found[name] = same
                    taken.update(same)
    return found


def _row(
    number: int,
    cells: list[str],
    places: Mapping[str, list[int]],
    units: Mapping[str, str],
) -> Row:
    given = {
        name: without_unit(cells[k], units.get(name, ""))
        for name, (k,) in places.items()
        if k < len(cells) and cells[k]
    }
    return Row(number, given, len(cells))


def _mark(cells: Iterable[str]) -> Mark:
    """The decimal mark, by the cells that have one and could not be numbers of thousands."""
    comma = dot = False
    for cell in cells:
        if not _THOUSAND.fullmatch(cell):
            comma = comma or _COMMA.fullmatch(cell) is not None
            dot = dot or _DOT.fullmatch(cell) is not None
    if comma:
        return "both" if dot else "comma"
    return "dot" if dot else "neither"
