"""Templates: what users wrote is text."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from steerbo.page.report import HERE, STATIC, rendered


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
