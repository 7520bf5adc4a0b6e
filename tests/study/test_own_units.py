"""Cells and typed texts may have the unit of their column; one with another unit is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import steerbo as sb
from steerbo._parsing import without_unit
from steerbo.errors import InvalidOutcome
from steerbo.study import MemoryLog, Study, add_frame, read_study
from steerbo.study.files.import_csv import import_csv
from tests.cli.calls import call
from tests.serve.players import Person, served

PROBLEM = sb.CostVarying(
    [
        sb.Float("oven", 0, 100, law=sb.Uniform(), unit="°C"),
        sb.Float("press", 0, 9, law=sb.Uniform(), unit="bar"),
        sb.Categorical("hold", [10, 20], law=sb.Uniform(), unit="min"),
    ],
    [["oven"], ["oven", "press"]],
)
HEADERS = {"value": "Yield (kg)", "cost": "EUR"}


def begun() -> Study:
    return Study.create(MemoryLog(), PROBLEM, "random", budget=100.0)


@pytest.mark.parametrize(
    ("text", "unit", "plain"),
    [
        ("4,00 €", "EUR", "4,00"),
        ("€ 4.00", "EUR", "4.00"),
        ("4 EUR", "€", "4"),
        ("20 ºC", "°C", "20"),
        ("20℃", "°C", "20"),
        ("3 μm", "µm", "3"),
        ("−5 °C", "°C", "−5"),
        ("20 1/min", "1/min", "20"),
        ("12 345,5 kg", "kg", "12 345,5"),
        ("1,234 kg", "kg", "1,234"),
    ],
)
def test_the_own_unit_is_left_out(text: str, unit: str, plain: str) -> None:
    assert without_unit(text, unit) == plain


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("5 mm", "m"),
        ("20 °F", "°C"),
        ("5 bar", ""),
        ("12 kW/h", "kW"),
        ("201/min", "1/min"),
        ("2.0 ± 0.1 kg", "kg"),
        ("10² m", "m"),
        ("4 $", "EUR"),
        ("kg", "kg"),
        ("under 5 kg", "kg"),
    ],
)
def test_any_other_text_stays_as_it_is(text: str, unit: str) -> None:
    assert without_unit(text, unit) == text


def test_cells_with_their_columns_units_are_numbers_and_show_the_decimal_mark() -> None:
    table = "oven;press;hold;Yield (kg);EUR\n20 °C;5 bar;10 min;1,250 kg;4,00 €\n21;4,5;20;2 kg;3\n"
    with begun() as study:
        for line in import_csv(study, table, HEADERS):
            assert line.taken, line
        first, second = study.history.added
    assert (first.value, first.cost) == (1.25, 4.0)
    assert first.realised == {"oven": 20.0, "press": 5.0, "hold": 10}
    assert second.realised == {"oven": 21.0, "press": 4.5, "hold": 20}


def test_a_cell_with_another_unit_is_refused_with_the_unit_that_is_expected() -> None:
    with begun() as study:
        (line,) = import_csv(study, "oven;press;hold;Yield (kg)\n68 °F;5;10;1\n", HEADERS)
        assert not line.taken
        assert "expected a finite number in °C" in line.message
        (line,) = import_csv(study, "oven;press;hold;Yield (kg)\n20;5;10;900 g\n", HEADERS)
        assert "'900 g' is not allowed" in line.message
        (line,) = import_csv(study, "oven;press;hold;Yield (kg)\n20;5;10;1,234 kg\n", HEADERS)
        assert "can be read in one way only" in line.message


def test_frames_too() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"oven": ["20 °C"], "press": [5.0], "hold": [10], "value": [1.0]})
    with begun() as study:
        (line,) = add_frame(study, frame)
        assert line.taken, line
        assert study.history.added[0].realised["oven"] == 20.0


STUDY = """
[study]
rounds = 9
[study.columns]
value = "Yield (kg)"
cost = "EUR"
[problem]
kind = "cost-varying"
control_sets = [["oven"]]
[[problem.variables]]
kind = "float"
name = "oven"
low = 0
high = 100
unit = "°C"
[[problem.variables]]
kind = "float"
name = "rain"
low = 0
high = 50
unit = "mm"
law = { kind = "empirical", file = "rain.csv", column = "rain" }
"""


def of_file(folder: Path) -> Path:
    (folder / "rain.csv").write_text("rain\n3 mm\n4,5 mm\n", encoding="utf-8")
    place = folder / "study.toml"
    place.write_text(STUDY, encoding="utf-8")
    assert call("new", place).exit_code == 0
    return place


def test_samples_of_laws_too(tmp_path: Path) -> None:
    law = read_study(of_file(tmp_path)).problem.space["rain"].law
    assert isinstance(law, sb.space.Empirical)
    assert list(law.sample) == [3.0, 4.5]


def test_numbers_typed_on_the_command_line_too(tmp_path: Path) -> None:
    place = of_file(tmp_path)
    token = re.findall(r"1-[0-9a-f]+", call("ask", place).output)[0]
    words = ("--realised", "rain=5 mm", "--cost", "4 €")
    assert "7.4 t" in call("tell", place, token, "7.4 t", *words).output
    assert call("tell", place, token, "7.4 kg", *words).exit_code == 0
    with Study.open(tmp_path / "study.db") as study:
        outcome = study.history[token].outcome
    assert outcome is not None
    assert (outcome.value, outcome.cost, outcome.realised["rain"]) == (7.4, 4.0, 5.0)


def test_numbers_typed_on_the_page_too(tmp_path: Path) -> None:
    with served(of_file(tmp_path).with_suffix(".db")) as client:
        person = Person(client, languages="de")
        assert person.send("ask").status_code == 303
        (token,) = person.open
        told = {"value": "7,4 kg", "cost": "4,00 €", "realised:rain": "5,5 mm", "realised:oven": "20 °C"}
        wrong = person.send(f"rounds/{token}/tell", **{**told, "realised:rain": "5 cm"})
        assert wrong.status_code == 422
        assert 'value="5 cm"' in wrong.text
        assert person.send(f"rounds/{token}/tell", **told).status_code == 303
        (played,) = person.rounds()
        outcome = played["outcome"]
        assert (outcome["value"], outcome["cost"]) == (7.4, 4.0)
        assert outcome["realised"] == {"oven": 20.0, "rain": 5.5}
        assert "is expected" in client.get("/page/oven/predict?what:oven=20 °C").text


def test_a_heading_may_lack_its_unit_where_it_is_no_other_columns() -> None:
    """A lab that calls the outcome "Yield (kg)" heads a table with "yield"."""
    study = begun()
    study.revise(columns=HEADERS)
    (line,) = import_csv(study, "yield;oven;press;hold;EUR\n7,5;20;1;10;3\n", study.history.columns)
    assert line.fate == "taken"
    (added,) = study.history.data.values()
    assert (added.outcome.value, added.outcome.cost) == (7.5, 3.0)
    with pytest.raises(InvalidOutcome, match="expected a column 'Oven \\(%\\)'"):
        import_csv(study, "oven;press;hold\n7,5;1;10\n", {"value": "Oven (%)"})
