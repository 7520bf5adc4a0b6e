"""Workbooks as Excel saves them."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from steerbo._wording import number_hint
from steerbo.errors import InvalidOutcome
from steerbo.study.files.spreadsheet import decoded, read_sheet
from steerbo.study.files.workbook import SIGNATURE


def saved(*rows: list[Any]) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


@pytest.mark.parametrize("number", [21.5, 6.125, 1.25, 1250, 1250.0, 1.25e-7, -2.5, 123.456, 2.0**60])
def test_numbers_are_those_that_the_workbook_has(number: float) -> None:
    sheet = read_sheet(decoded(saved(["y"], [number])), {"y": ["y"]})
    assert float(sheet.number("y", sheet.rows[0].cells["y"])) == number


def test_texts_are_asked_about() -> None:
    data = saved(["Temp (°C)", "ph"], [21.5, 6.125], [None, "6,25"], ["1,250", 6])
    sheet = read_sheet(decoded(data), {"t": ["Temp (°C)"], "ph": ["ph"]})
    assert [float(sheet.number("ph", row.cells["ph"])) for row in sheet.rows] == [6.125, 6.25, 6.0]
    with pytest.raises(InvalidOutcome, match="one way"):
        sheet.number("t", sheet.rows[2].cells["t"])


@pytest.mark.parametrize(
    ("number", "shown", "read"),
    [(0.07, "0.0%", "7 %"), (0.07, "0.0\\ %", "7 %"), (7.5, '0.0"%"', "7.5"), (7.5, "0.0\\%", "7.5")],
)
def test_percentages_have_their_sign_as_in_csv(number: float, shown: str, read: str) -> None:
    """A cell that shows 81 % holds 0.81, unless the sign is a text: it was read as that beside others that hold 81."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["humidity", "note"])
    book.active.append([number, True])
    book.active["A2"].number_format = shown
    written = io.BytesIO()
    book.save(written)
    sheet = read_sheet(decoded(written.getvalue()), {"h": ["humidity"]})
    assert sheet.rows[0].cells == {"h": read}
    assert number_hint("7 %") == "Write 7 alone."


def test_archives_of_other_kinds_are_refused() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("content.xml", "<office/>")
    whole = saved(["y"], [1.0])
    for data in (archive.getvalue(), SIGNATURE, whole[: len(whole) // 2]):
        with pytest.raises(ValueError, match="no workbook"):
            decoded(data)
