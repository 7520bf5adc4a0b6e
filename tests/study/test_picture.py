"""Pictures on a page: in the file itself, with a text for who does not see them."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from steerbo.rounds import Optimizer
from steerbo.study import picture
from tests.rounds.stub import Nearest, Stub


def test_titles_and_texts_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    from steerbo.plots import Picture

    def drawn(*_: Any) -> Any:
        yield Picture("<b>a title</b>", 'a "text" & more', Figure((4, 2)))

    monkeypatch.setattr(picture, "pictures", drawn)
    optimizer = Optimizer(Stub(), Nearest)
    found = picture.images(optimizer, optimizer.recommend())
    assert "<h2>&lt;b&gt;a title&lt;/b&gt;</h2>" in found
    assert 'alt="a &quot;text&quot; &amp; more"' in found
    assert 'width="384"' in found, "four inches of ninety-six"
    data = found.partition("base64,")[2].partition('"')[0]
    assert base64.b64decode(data).startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "pictures", "nowhere<script>:draw")
    optimizer = Optimizer(Stub(), Nearest)
    found = picture.images(optimizer, optimizer.recommend())
    assert found.startswith("<h2>Picture</h2><p>stub: pictures")
    assert "<script>" not in found
