"""Templates: what users wrote is text."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from steerbo.core import Table
from steerbo.page.report import HERE, STATIC, rendered
from steerbo.page.wording import glued, too_wide


def test_what_users_wrote_is_text() -> None:
    shown = rendered("error.html", title="<b>", detail='<script>"&', keyed=False)
    assert "&lt;script&gt;&#34;&amp;" in shown
    assert "<b>" not in shown


def test_a_name_that_is_not_given_is_an_error_and_no_gap() -> None:
    with pytest.raises(UndefinedError):
        rendered("error.html", title="x", keyed=False)


def test_nothing_is_marked_as_safe_and_nothing_comes_from_elsewhere() -> None:
    files: list[Path] = [*(HERE / "templates").iterdir(), *STATIC.iterdir()]
    assert len(files) > 8
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "|safe" not in text.replace(" ", ""), file
        assert "http://" not in text, file
        assert "https://" not in text, file
        assert "autoescape" not in text, file


@pytest.mark.parametrize(
    ("columns", "row", "wide"),
    [
        (("scope", "rounds", "price", "at best, next round"), ("dose after looking at blood", 3, 6.5, 0.105), False),
        (("hold", "rounds", "stated cost", "at best"), ("temperature + ph", 33, 1.0, 9.9), False),
        (
            ("temperature", "hold", "settings", "expected"),
            ("12.7 °C", "vent + mist", "vent = 0.2, mist = 0 l/h", 8.4),
            True,
        ),
        (tuple("abcdefghijkl"), tuple(1.5 + k for k in range(12)), False),
        ((), (), False),
    ],
)
def test_tables_with_texts_that_are_wide_are_lists_on_a_telephone(
    columns: tuple[str, ...], row: tuple[object, ...], wide: bool
) -> None:
    table = Table("t", columns, (row,) if row else ())
    assert too_wide(table) == wide


def test_numbers_are_not_parted_from_their_units() -> None:
    for text, shown in {
        "temperature 24.97 °C": "temperature 24.97\xa0°C",
        "vent 0.557, mist 5 l/h": "vent 0.557, mist 5\xa0l/h",
        "dose = 0.5, line = north": "dose =\xa00.5, line = north",
        "The last 20 of 49 rounds are shown": "The last 20 of 49 rounds are shown",
    }.items():
        assert glued(text) == shown
