"""Workbooks (.xlsx): their sheets as CSV, and tables as sheets. Needs openpyxl (`steerbo[xlsx]`)."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence

from ...errors import MissingExtra

SIGNATURE = b"PK\x03\x04"
"""Beginning of a zip archive, which a workbook is."""
_GROUPED = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")


def sheets_of(data: bytes) -> dict[str, str]:
    """Text of each sheet by its name, in their order; of formulae the results that were saved.

    Raises:
        ValueError: the archive is no workbook, or a damaged one.
        MissingExtra: openpyxl is not installed.
    """
    try:
        from openpyxl import load_workbook  # it is an extra
    except ImportError:
        raise MissingExtra("openpyxl", "xlsx") from None
    found: dict[str, str] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of colours and menus that openpyxl does not know
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            for sheet in book.worksheets:
                text = io.StringIO()
                csv.writer(text).writerows(
                    [_text_of(cell) for cell in row] for row in sheet.iter_rows(values_only=True)
                )
                found[sheet.title] = text.getvalue()
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


def _text_of(cell: object) -> str:
    """Text of a cell. A workbook knows its numbers: none is written so that 1.250 could be a thousand."""
    if cell is None:
        return ""
    if not isinstance(cell, float):
        return str(cell)
    text = f"{cell:.0f}" if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    return f"{text}0" if _GROUPED.fullmatch(text) else text
