"""Whatever things are called, they are drawn: as texts, not as formulas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from steerbo.plots import pictures
from steerbo.plots.drawing import legend_below, new_figure, panel, save_figure, words
from tests.hostile import HIDDEN, KINDS, SEEN, study


def turned(names: Sequence[str], k: int) -> list[str]:
    return [*names[k:], *names[:k]]


@pytest.mark.parametrize("first", range(0, len(SEEN), 3))
@pytest.mark.parametrize("kind", KINDS)
def test_names_are_texts(kind: str, first: int, tmp_path: Path) -> None:
    optimizer = study(kind, turned(SEEN, first)).optimizer
    for k, picture in enumerate(pictures(optimizer)):
        figure = picture.figure
        save_figure(figure, tmp_path / f"{k}.png")
        assert (tmp_path / f"{k}.png").stat().st_size > 1000
        for text in figure.findobj(Text):
            assert not text._preprocess_math(text.get_text())[1], "no formula"
            assert len(text.get_text()) < 120


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_older_logs_are_drawn(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.rounds.creation.unsafe", lambda text: "")
    drawn = ""
    for picture in pictures(study(kind, HIDDEN).optimizer):
        save_figure(picture.figure, tmp_path / "study.svg")
        drawn += (tmp_path / "study.svg").read_text(encoding="utf-8")
    assert "\\x1b[31mred" in drawn or kind == "causal"


@pytest.mark.parametrize("name", SEEN[:2] + SEEN[3:])
def test_words_are_shown_as_they_were_written(name: str) -> None:
    axes = new_figure((4.0, 3.0), 50).subplots()
    axes.plot([0], [1], label=words(name))
    (shown,) = axes.legend().get_texts()
    assert shown._preprocess_math(shown.get_text())[0].strip() == name.strip()


LONG = [
    f"{name} of the northernmost glasshouse, measured hourly" for name in ("acidity", "humidity", "warmth", "light")
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", [LONG, ["x" * 60, *(f"{c}" * 60 for c in "yzw")]], ids=["words", "one word"])
def test_no_label_leaves_its_picture(kind: str, names: list[str]) -> None:
    for picture in pictures(study(kind, names).optimizer):
        FigureCanvasAgg(picture.figure).draw()
        edge = picture.figure.bbox.padded(2.0)
        for text in picture.figure.findobj(Text):
            if text.get_visible() and any(letter.isalpha() for letter in text.get_text()):
                box = text.get_window_extent()
                inside = edge.x0 <= box.x0 <= box.x1 <= edge.x1 and edge.y0 <= box.y0 <= box.y1 <= edge.y1
                assert inside, (picture.title, text.get_text())


@pytest.mark.parametrize("label", ["W" * 48, "set dose after looking at age and pulse", "m" * 20])
@pytest.mark.parametrize("lines", [1, 5])
def test_a_legend_is_no_wider_than_its_figure(label: str, lines: int) -> None:
    shown, axes = panel()
    for k in range(lines):
        axes.plot([0, 1], [k, 1], label=label)
    legend_below(shown)
    (legend,) = shown.legends
    assert legend.get_window_extent().width <= shown.bbox.width
    assert "".join(legend.get_texts()[0].get_text().split()) == "".join(label.split())
