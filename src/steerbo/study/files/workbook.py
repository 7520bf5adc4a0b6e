"""Workbooks (.xlsx): their sheets as CSV, and tables as sheets. Needs openpyxl (`steerbo[xlsx]`)."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zipfile import ZipFile

from ..._files import LARGEST_TABLE
from ..._parsing import is_number
from ..._wording import number_text
from ...errors import MissingExtra

SIGNATURE = b"PK\x03\x04"
"""Beginning of a zip archive, which a workbook is."""
_GROUPED = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")
_UNITS = re.compile(r'"[^"]*"|\\.')  # texts in the format of a number


class _TooLargeError(Exception):
    """A workbook holds more than a table may."""


def sheets_of(data: bytes) -> dict[str, str]:
    """Text of each sheet by its name, in their order; of formulae the results that were saved.

    Raises:
        ValueError: the archive is no workbook, a damaged one, or one that unpacks to too much.
        MissingExtra: openpyxl is not installed.
    """
    try:
        from openpyxl import load_workbook  # it is an extra
    except ImportError:
        raise MissingExtra("openpyxl", "xlsx") from None
    found: dict[str, str] = {}
    left = LARGEST_TABLE
    try:
        with ZipFile(io.BytesIO(data)) as archive:  # which reads no more of a file than it states
            if sum(each.file_size for each in archive.infolist()) > LARGEST_TABLE:
                raise _TooLargeError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of colours and menus that openpyxl does not know
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            for sheet in book.worksheets:
                text = io.StringIO()
                lines = csv.writer(text)
                for row in sheet.rows:
                    left -= lines.writerow([_text_of(cell) for cell in row])
                    if left < 0:
                        raise _TooLargeError
                found[sheet.title] = text.getvalue()
    except _TooLargeError:
        said = f"it unpacks to more than {LARGEST_TABLE / 1e6:g} MB: save the table by itself"
        raise ValueError(said) from None
    except Exception as error:  # openpyxl names none, and zip and XML have their own
        raise ValueError(f"it is a zip archive, and no workbook: {error}") from None
    return found


def workbook_of(sheets: Mapping[str, Iterable[Sequence[object]]]) -> bytes:
    """Workbook with a sheet for each table, by its title; numbers are numbers, and no text is a formula.

    Raises:
        MissingExtra: openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook  # it is an extra
    except ImportError:
        raise MissingExtra("openpyxl", "xlsx") from None
    book = Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _text_of(cell: Any) -> str:
    """Text of a cell. A workbook knows its numbers: none is written so that 1.250 could be a thousand.

    One that is shown as a percentage has its sign, as in CSV: 81 % is 81 of a variable in per cent.
    A sign in quotes, or behind a backslash, is a unit and multiplies nothing.
    """
    value = cell.value
    if value is None:
        return ""
    if is_number(value) and "%" in _UNITS.sub("", cell.number_format):
        return f"{number_text(100.0 * value)} %"
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.0f}" if value.is_integer() and abs(value) < 2**53 else repr(value)
    return f"{text}0" if _GROUPED.fullmatch(text) else text
