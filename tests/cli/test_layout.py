"""Tables on the screen: no word is cut, whatever the width."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from steerbo.cli import main
from steerbo.cli.tables import _WORD, ScreenTable, widths
from steerbo.core import Table

ROUNDS = Table(
    "Rounds",
    ("round", "token", "hold", "set", "nature", "value"),
    (
        (1, "1-7bc0", "temperature + humidity", "temperature = 23.1 °C, humidity = 70 %", "acidity = 6.1", 7.4),
        (12, "12-7bc0", "acidity", "acidity = 5.5", "temperature = 19 °C, humidity = 45 %", None),
    ),
)


def shown(table: Table, width: int) -> str:
    screen = Console(file=io.StringIO(), width=width, highlight=False, emoji=False)
    screen.print(ScreenTable(table))
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


@pytest.mark.parametrize("width", [200, 100, 80, 60, 40, 30])
def test_no_word_is_cut(width: int) -> None:
    text = shown(ROUNDS, width)
    lines = [line.rstrip() for line in text.splitlines()]
    assert max(map(len, lines)) <= width
    words = {word for row in (ROUNDS.columns, *ROUNDS.cells()) for cell in row for word in cell.split()}
    assert words <= set(text.split())


def test_where_words_do_not_fit_side_by_side_rows_are_lists() -> None:
    lines = [line.strip() for line in shown(ROUNDS, 40).splitlines()]
    assert "token   12-7bc0" in lines
    assert not any("round" in line and "token" in line for line in lines)


def test_a_table_without_rows_says_so() -> None:
    assert "nothing yet" in shown(Table("Rounds", ("round", "token"), ()), 80)


def test_marked_rows_are_whole_too() -> None:
    rows = (("→ temperature", "23.51 °C, give or take a little"), ("  temperature + ph", "24.45 °C, give or take more"))
    for width in range(30, 60):
        text = shown(Table("Expected outcome of each", ("hold", "settings"), rows), width)
        assert text.split().count("temperature") == 2
        assert "→ temperature" in text


@given(
    st.lists(st.lists(st.text("ab ", max_size=30), min_size=2, max_size=2), min_size=1, max_size=6), st.integers(1, 120)
)
def test_widths_fit_and_hold_every_word(columns: list[list[str]], room: int) -> None:
    found = widths(columns, room)
    words = [max((len(word) for text in column for word in _WORD.findall(text)), default=0) for column in columns]
    gaps = 2 * (len(columns) - 1)
    if found is None:
        assert sum(words) + gaps > room
        return
    assert sum(found) + gaps <= room
    assert all(
        word <= width <= max(map(len, column)) for word, width, column in zip(words, found, columns, strict=True)
    )
    whole = [max(map(len, column)) for column in columns]
    assert found == whole or sum(found) + gaps == room, "no room is wasted"


STUDIES = sorted((Path(__file__).parents[2] / "examples").glob("*/study.toml"))


@pytest.mark.parametrize("width", [100, 80, 60])
@pytest.mark.parametrize("study", STUDIES, ids=lambda path: path.parent.name)
def test_check_keeps_to_the_width(study: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(study.parent)
    said = CliRunner().invoke(main, ["check", "study.toml"]).stdout
    assert "is a valid study" in said
    assert max(map(len, said.splitlines())) <= width


def test_check_says_what_is_left_of_a_law_that_is_truncated(tmp_path: Path) -> None:
    """A parent at an end of the range has another mean and another spread within it."""
    variable = '[[problem.variables]]\nkind = "float"\nname = "{}"\nlow = 0\nhigh = 1\nlaw = {}\n'
    law = '{{ kind = "truncated-normal", mean = {}, sd = 0.1 }}'
    problem = '[problem]\nkind = "cost-varying"\ncontrol_sets = [["x"], ["y"]]\n'
    path = tmp_path / "lab.toml"
    text = problem + variable.format("x", law.format(0.0)) + variable.format("y", law.format(0.5))
    path.write_text(text + "[study]\nrounds = 9\n", encoding="utf-8")
    shown = " ".join(CliRunner().invoke(main, ["check", str(path)]).stdout.split())
    assert "sd = 0.1); within the bounds its mean is 0.07979 and its standard deviation 0.06028" in shown
    assert shown.count("within the bounds") == 1
