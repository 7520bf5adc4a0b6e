"""Pictures on a page: drawn, with a text for who does not see them."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.page import pictures, report
from steerbo.plots import Picture
from steerbo.rounds import Optimizer
from tests.rounds.stub import Nearest, Stub


def test_titles_and_texts_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = pytest.importorskip("matplotlib.figure")

    def two(*_: Any) -> Any:
        yield Picture("<b>a title</b>", 'a "text" & more', figure.Figure((4, 2)))

    monkeypatch.setattr(pictures, "pictures", two)
    optimizer = Optimizer(Stub(), Nearest)
    (found,) = pictures.drawn(optimizer, optimizer.recommend())
    assert found.png.startswith(b"\x89PNG")
    assert found.width == 384, "four inches of ninety-six"
    text = report(optimizer, "a study")
    assert "&lt;b&gt;a title&lt;/b&gt;" in text
    assert 'alt="a &#34;text&#34; &amp; more" width="384"' in text


def test_what_cannot_be_drawn_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "pictures", "nowhere<script>:draw")
    optimizer = Optimizer(Stub(), Nearest)
    (found,) = pictures.drawn(optimizer, optimizer.recommend())
    assert found.png == b""
    assert found.title.startswith("stub: pictures")
    assert "nowhere<script>" not in report(optimizer, "a study")
