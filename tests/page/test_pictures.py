"""Pictures on a page: drawn, with a text for who does not see them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from steerbo.core import Optimizer, Recommendation, Scope
from steerbo.page import pictures, report
from steerbo.plots import Picture
from steerbo.plots import rounds as drawing_of_kinds
from steerbo.space import LinearConstraint
from tests.core.stub import Nearest, Stub


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


def test_a_picture_that_fails_is_a_sentence_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = pytest.importorskip("matplotlib.figure")

    class Broken(figure.Figure):  # type: ignore[misc, name-defined]
        def savefig(self, *_: Any, **more: Any) -> None:
            raise ZeroDivisionError("no round")

    def three(*_: Any) -> Any:
        yield Picture("first", "", figure.Figure((4, 2)))
        yield Picture("second", "", Broken((4, 2)))
        yield Picture("third", "", figure.Figure((4, 2)))
        raise KeyError("age")

    monkeypatch.setattr(drawing_of_kinds, "import_module", lambda _: SimpleNamespace(draw=three))
    optimizer = Optimizer(Stub(), Nearest)
    first, second, third, last = pictures.drawn(optimizer, optimizer.recommend())
    assert first.png
    assert third.png
    assert second == pictures.Drawn("second: this picture could not be drawn (ZeroDivisionError: no round).")
    assert not last.png
    assert last.title.endswith("It failed: KeyError: 'age'.")
    assert "second: this picture could not be drawn" in report(optimizer, "a study")


class Bold(Nearest):
    """Recommends what a limit forbids."""

    def recommend(self, history: Any) -> Recommendation:
        return Recommendation(Scope(["dose"]), {"dose": 0.9})


def test_an_answer_that_breaks_a_limit_is_a_sentence_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "every_limit", (LinearConstraint({"dose": 1}, at_most=0.5),))
    text = report(Optimizer(Stub(), Bold), "a study")
    assert "breaks a limit of the problem: dose at most 0.5" in text
