"""Whatever things are called, they are drawn: as texts, not as formulas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from steerbo.plots import Picture, pictures
from steerbo.plots.drawing import (
    legend_below,
    name_beside,
    new_figure,
    on,
    save_figure,
    side_by_side,
    told_apart,
    words,
)
from tests.hostile import HIDDEN, KINDS, SEEN, study
from tests.sizes import size


def turned(names: Sequence[str], k: int) -> list[str]:
    return [*names[k:], *names[:k]]


@pytest.mark.parametrize("first", range(0, len(SEEN), size(3, 5)))
@pytest.mark.parametrize("kind", KINDS)
def test_names_are_texts(kind: str, first: int, tmp_path: Path) -> None:
    optimizer = study(kind, turned(SEEN, first)).optimizer
    for k, picture in enumerate(pictures(optimizer)):
        figure = picture.figure
        save_figure(figure, tmp_path / f"{k}.png", dpi=50)
        assert (tmp_path / f"{k}.png").stat().st_size > 1000
        for text in figure.findobj(Text):
            assert not text._preprocess_math(text.get_text())[1], "no formula"
            assert len(text.get_text()) < 120


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_older_logs_are_drawn(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.core._creation.unsafe", lambda text: "")
    drawn = ""
    for picture in pictures(study(kind, HIDDEN).optimizer):
        save_figure(picture.figure, tmp_path / "study.svg")
        drawn += (tmp_path / "study.svg").read_text(encoding="utf-8")
    assert "\\x1b[31mred" in drawn or kind == "causal"


@pytest.mark.filterwarnings("error")
def test_outcomes_near_the_largest_float_are_drawn_without_a_warning(tmp_path: Path) -> None:
    figure = new_figure((4.0, 3.0))
    figure.subplots().plot([0.0, 1.0], [0.0, 1e308])
    save_figure(figure, tmp_path / "large.png")


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
        FigureCanvasAgg(picture.figure).figure.draw_without_rendering()
        edge = picture.figure.bbox.padded(2.0)
        for text in picture.figure.findobj(Text):
            if text.get_visible() and any(letter.isalpha() for letter in text.get_text()):
                box = text.get_window_extent()
                inside = edge.x0 <= box.x0 <= box.x1 <= edge.x1 and edge.y0 <= box.y0 <= box.y1 <= edge.y1
                assert inside, (picture.title, text.get_text())


def test_a_picture_is_drawn_once_when_it_is_looked_at() -> None:
    drawn = iter(["figure", "another"])
    picture = Picture("a title", "a text", lambda: next(drawn))
    assert (picture.figure, picture.figure) == ("figure", "figure")
    assert next(drawn) == "another"
    assert Picture("a title", "a text", "figure").figure == "figure"


@pytest.mark.parametrize("label", ["W" * 48, "set dose after looking at age and pulse", "m" * 20])
@pytest.mark.parametrize("lines", [1, 5])
def test_a_legend_is_no_wider_than_its_figure(label: str, lines: int) -> None:
    axes = on(None)
    shown = axes.figure
    for k in range(lines):
        axes.plot([0, 1], [k, 1], label=f"{label}{k}")
    legend_below(shown)
    (legend,) = shown.legends
    assert legend.get_window_extent().width <= shown.bbox.width
    assert len(legend.get_texts()) == lines
    assert "".join(legend.get_texts()[0].get_text().split()) == "".join(f"{label}0".split())


def test_a_legend_names_each_label_of_its_panels_once() -> None:
    shown, left, right = side_by_side()
    left.plot([0], [0], label="one")
    right.plot([0], [0], label="one")
    right.plot([0], [0], label="two")
    legend_below(shown, left, right)
    assert [text.get_text() for text in shown.legends[0].get_texts()] == ["one", "two"]


def test_names_that_begin_alike_and_end_alike_are_numbered() -> None:
    same = "a" * 40
    found = told_apart([f"{same}{k}{same}" for k in "xy"], 20)
    assert len(set(found)) == 2
    assert all(len(name) <= 20 for name in found)
    assert len(set(told_apart([f"{k}{same}" for k in "xy"], 10))) == 2
    assert told_apart(["same", "same"], 10) == ["same", "same"]


# -- names beside marks ------------------------------------------------------------------------------------------------


def test_a_name_that_would_cover_a_mark_is_left_out_where_it_may_be() -> None:
    for always, written in ((True, 25), (False, 25)):
        axes = new_figure((1.5, 1.5)).subplots()
        axes.set(xlim=(0, 1), ylim=(0, 1))
        places = {(0.4 + 0.05 * (k % 5), 0.4 + 0.05 * (k // 5)): f"a long name {k}" for k in range(25)}
        name_beside(axes, places, [9.0] * 25, always=always)
        assert len(axes.texts) == written if always else len(axes.texts) < written
