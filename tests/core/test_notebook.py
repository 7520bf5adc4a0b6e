"""Notebooks show answers as HTML: all that they say, every sign of a user's escaped, and no secret."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Table
from steerbo.core.answers import html_lines
from steerbo.study import Study
from tests.hostile import KINDS, SEEN, study

ALLOWED = {"table", "thead", "tbody", "tr", "th", "td", "div"}


class Reader(HTMLParser):
    """What a browser makes of it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        assert [name for name, _ in attrs] in ([], ["style"])

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"


def read(shown: Any) -> Reader:
    reader = Reader()
    reader.feed(shown._repr_html_())
    assert set(reader.tags) <= ALLOWED
    return reader


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_of_every_kind_is_escaped(kind: str) -> None:
    names = ["<script>alert(1)</script>", "a & b", '"><img src=x>', "{{7*7}}", *SEEN]
    made = study(kind, names).optimizer
    waiting = made.pending or (made.ask(),)
    for shown in (made, *waiting, made.recommend(), made.explain(), made.status):
        text = read(shown).text
        assert text.strip()
    assert "script" in read(made.recommend()).text + read(made).text + read(made.explain()).text


def test_a_suggestion_says_what_to_do() -> None:
    problem = sb.CostVarying([sb.Float("ph", 4, 8), sb.Float("weather", 0, 9, seen=True)], [["ph"]])
    suggestion = sb.Optimizer(problem, seed=0).ask(context={"weather": 3.0})
    assert suggestion is not None
    text = read(suggestion).text.split("\n")
    assert f"Round 1, token {suggestion.token}: hold ph" in text
    assert text[text.index("having seen") + 1 :][:2] == ["weather", "3"]
    assert text[text.index("set") + 1] == "ph"


def test_a_recommendation_has_a_row_for_each_scope() -> None:
    variables = [sb.Float("t", 0, 1, law=sb.Uniform()), sb.Float("ph", 4, 8, law=sb.Uniform())]
    optimizer = sb.Optimizer(sb.CostVarying(variables, [["t"], ["ph"]], costs=[1.0, 2.0]), seed=0)
    assert "no rounds" in read(optimizer).text or "0 rounds" in read(optimizer).text
    for _ in range(4):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 1.0, realised={"t": 0.5, "ph": 6.0, **suggestion.values})
    shown = read(optimizer.recommend())
    assert shown.tags.count("tr") == 3
    assert shown.text.count("→ ") == 1
    assert read(optimizer).tags.count("tr") == 5


def test_tables_keep_their_cells_and_texts_their_lines() -> None:
    table = Table("Sets", ("set", "mean"), (("<ph>", 1.25),))
    shown = read(table)
    assert [line for line in shown.text.split("\n") if line] == ["Sets", "set", "mean", "<ph>", "1.25"]
    assert html_lines("a\n  b\x1b[31m") == '<div style="white-space: pre-wrap">a\n  b\\x1b[31m</div>'


def test_a_study_shows_no_place_and_no_secret(tmp_path: Path) -> None:
    with Study.create(tmp_path / "sesame.db", sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]])) as made:
        assert "sesame" not in made._repr_html_()
