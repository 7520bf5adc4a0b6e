"""What a line of a table says."""

from __future__ import annotations

import steerbo as sb
from steerbo.study.files.import_csv import Line, read_line, read_results

PROBLEM = sb.CostVarying(
    [
        sb.Float("ph", 4, 8, law=sb.Uniform()),
        sb.Categorical("line", ["a", "b"], law=sb.space.Discrete({"a": 0.5, "b": 0.5})),
    ],
    [["ph"], ["line"]],
)


def test_cells_become_numbers_choices_words_and_scopes() -> None:
    sheet = read_results(PROBLEM, "ph;line;value;cost;state;scope\n6,5;b;1,5;2;Told;ph + line\n")
    said = read_line(PROBLEM, sheet, sheet.rows[0])
    assert said.realised == {"ph": 6.5, "line": "b"}
    assert (said.value, said.cost, said.state, said.scope, said.charged) == (1.5, 2, "told", ["ph", "line"], None)


def test_what_became_of_a_line_is_said_with_its_number() -> None:
    assert str(Line(7, "left", "it has no value")) == "line 7: left, it has no value"
    assert [Line(1, fate, "").taken for fate in ("taken", "left", "refused")] == [True, False, False]
