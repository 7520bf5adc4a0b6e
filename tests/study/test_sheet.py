"""A lab's own spreadsheets: every way in which Excel and people write them, and no number read in a way not meant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidOutcome
from steerbo.study import MemoryLog, Study
from steerbo.study.files.export import suggestions_csv
from steerbo.study.files.import_csv import Line, ignored, import_csv, read_results
from steerbo.study.files.spreadsheet import decoded, read_sheet
from tests.study.sheets import LAW, PROBLEM, begin


@pytest.fixture
def study() -> Iterator[Study]:
    with begin() as going:
        yield going


def learned(study: Study) -> list[tuple[float, float | None, dict[str, float]]]:
    return [(o.value, o.cost, o.realised) for o in study.history.added]


TABLE = "temperature,ph,value,cost\n20.5,6.25,-3.5,1\n"
WRITTEN = {
    "plain": TABLE.encode(),
    "byte order mark": TABLE.encode("utf-8-sig"),
    "UTF-16 with tabs": TABLE.replace(",", "\t").encode("utf-16"),
    "UTF-16 without a mark": TABLE.encode("utf-16-le"),
    "CRLF": TABLE.replace("\n", "\r\n").encode(),
    "CR": TABLE.replace("\n", "\r").encode(),
    "tabs": TABLE.replace(",", "\t").encode(),
    "bars": TABLE.replace(",", " | ").encode(),
    "semicolons, decimal commas": TABLE.replace(",", ";").replace(".", ",").encode(),
    "semicolons, decimal dots": TABLE.replace(",", ";").encode(),
    "tabs, decimal commas": TABLE.replace(",", "\t").replace(".", ",").encode(),
    "quoted decimal commas": b'temperature,ph,value,cost\n"20,5","6,25","-3,5",1\n',
    "sep=": b"sep=;\r\n" + TABLE.replace(",", ";").replace("\n", "\r\n").encode(),
    "capitals": b"Temperature, pH ,VALUE,Cost\n20.5,6.25,-3.5,1\n",
    "other order": b"cost,value,ph,temperature\n1,-3.5,6.25,20.5\n",
    "empty columns and rows": b",,,,\ntemperature,ph,value,cost,,\n20.5,6.25,-3.5,1,,\n,,,,,\n\n",
    "empty columns by semicolons": b"temperature;ph;value;cost\n20.5;6.25;-3.5;1;;\n;;;\n",
    "neutralised formulas": b"temperature,ph,value,cost\n'+20.5,6.25,'-3.5,1\n",
}


@pytest.mark.parametrize("data", WRITTEN.values(), ids=WRITTEN)
def test_however_it_is_written(study: Study, data: bytes) -> None:
    for _ in range(2):
        (line,) = import_csv(study, decoded(data))
        assert line.taken, line
    assert learned(study) == [(-3.5, 1.0, {"temperature": 20.5, "ph": 6.25})], "twice is once"


def test_columns_that_nobody_asked_for_are_ignored_and_said(study: Study) -> None:
    sheet = read_results(PROBLEM, "Operator,temperature,ph,value,cots\nAnna,20,6,1,5\n")
    assert ignored(PROBLEM, sheet) == ["'Operator'", "'cots' (did you mean 'cost'?)"]
    sheet = read_results(PROBLEM, "temperature;pH-Wert;value\n20;6;1\n")
    assert ignored(PROBLEM, sheet) == ["'pH-Wert' (did you mean 'ph'?)"]
    (line,) = import_csv(study, 'Operator,temperature,ph,value\n"Anna, the 2nd",20,6,1\n')
    assert line.taken, line


OVEN = sb.CostVarying([sb.Float("oven", 150, 250, unit="°C")], [["oven"]])


@pytest.mark.parametrize("heading", ["Ofentemp. [°C]", "ofentemp. (°C)", "Ofentemp. / °C", "oven [°C]", "Ofentemp."])
def test_a_unit_may_stand_behind_the_labs_own_heading(heading: str) -> None:
    sheet = read_results(OVEN, f"{heading};value\n180;7\n", {"oven": "Ofentemp."})
    assert sheet.columns == ("value", "oven")


def test_columns_are_guessed_by_the_labs_own_headings() -> None:
    table = "Ofentemp. [K];Ertrag (kg);Kosten [EUR];Bemerkung\n180;7;1;gut\n"
    named = {"oven": "Ofentemp.", "value": "Ertrag", "cost": "Kosten"}
    with pytest.raises(InvalidOutcome, match=r'value = "Ertrag \(kg\)"'):
        read_results(OVEN, table, named)
    sheet = read_results(OVEN, table, {**named, "value": "Ertrag (kg)"})
    assert ignored(OVEN, sheet, named) == [
        "'Ofentemp. [K]' (did you mean 'oven'?)",
        "'Kosten [EUR]' (did you mean 'cost'?)",
        "'Bemerkung'",
    ]


def test_a_number_of_two_readings_is_hinted_at_once() -> None:
    sheet = read_sheet("ph;value\n6,5;1.200\n", {"ph": ["ph"], "value": ["value"]})
    with pytest.raises(InvalidOutcome) as refused:
        sheet.number("value", "1.200")
    assert refused.value.hint == "Write 1200, or with another decimal: 1.2000."


NUMBERS = {  # a column of values: what is taken of it, None where a line is refused
    "1,234": (None,),
    "1,234 1,5": (1.234, 1.5),
    "1,234 0,123": (1.234, 0.123),
    "0.681 -0.125 0,681": (0.681, -0.125, 0.681),
    "1,234 2.5": (None, 2.5),
    "1.234": (None,),
    "1.234 1.5": (1.234, 1.5),
    "1.234 1,5": (None, 1.5),
    "1.234,5 2": (None, 2.0),
    "1,234.5 2": (None, 2.0),
    "1,234,567": (None,),
    "1 234 2": (None, 2.0),
    "1_000": (None,),
    "1'234": (None,),
    "-0,5 1e3 +2,5e-1": (-0.5, 1000.0, 0.25),
    "1,5 2.5": (1.5, 2.5),
    "12 % 3": (None, 3.0),
    "nan inf 1": (None, None, 1.0),
}


@pytest.mark.parametrize(("cells", "taken"), NUMBERS.items(), ids=NUMBERS)
def test_numbers_have_one_meaning_or_none(study: Study, cells: str, taken: tuple[float | None, ...]) -> None:
    column = cells.replace("1 234", "1\u00a0234").replace("12 %", "12\u00a0%").split(" ")
    lines = import_csv(study, "temperature;ph;value\n" + "".join(f"20;6;{cell}\n" for cell in column))
    assert [line.taken for line in lines] == [number is not None for number in taken]
    assert [value for value, _, _ in learned(study)] == [number for number in taken if number is not None]
    for line in lines:
        assert line.taken or "value: " in line.message, "refused by name"


def test_measured_values_have_one_meaning_too(study: Study) -> None:
    lines = import_csv(study, "temperature;ph;value;cost\n20.125;6;1;1\n20;6.125;1;1\n20;6;1;1.125\n")
    assert [line.message.partition(":")[0] for line in lines] == ["temperature", "ph", "cost"]


def test_a_decimal_comma_in_a_table_with_commas_is_seen(study: Study) -> None:
    for table in ("temperature,ph,value,cost\n20,6,7,5,1\n", "temperature,ph,value,cost\n20,6,7,5,\n"):
        (line,) = import_csv(study, table)
        assert "5 cells" in line.message
        assert "decimal comma" in line.message
    assert not learned(study)


@given(
    st.lists(
        st.lists(st.decimals(-99999, 99999, places=4).map(lambda d: str(float(d))), min_size=4, max_size=4),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([";", "\t", "|"]),
    st.booleans(),
)
def test_decimal_commas_and_dots_say_the_same_or_nothing(rows: list[list[str]], separator: str, commas: bool) -> None:
    names = {"a": ["a"], "b": ["b"], "c": ["c"], "d": ["d"]}
    plain = "\n".join(separator.join(row) for row in [list(names), *rows])
    sheet = read_sheet(plain.replace(".", ",") if commas else plain, names)
    for row, expected in zip(sheet.rows, rows, strict=True):
        for name, number in zip(names, expected, strict=True):
            with suppress(InvalidOutcome):  # "1,234" where nothing tells
                assert float(sheet.number(name, row.cells[name])) == float(number)


def test_the_lab_heads_its_columns_otherwise(study: Study) -> None:
    headers = {"temperature": "Temp (°C)", "value": "cost", "cost": "EUR"}
    (line,) = import_csv(study, "EUR;cost;TEMP (°C);pH\n2;7,5;20;6\n", headers)
    assert line.taken, line
    assert learned(study) == [(7.5, 2.0, {"temperature": 20.0, "ph": 6.0})]
    with pytest.raises(InvalidOutcome, match="'Yield' or 'value'"):
        import_csv(study, "temperature,ph\n1,2\n", {"value": "Yield"})
    with pytest.raises(InvalidOutcome, match=r'Say in `headers`: value = "values"'):
        import_csv(study, "temperature,ph,values\n1,2,3\n")
    with pytest.raises(InvalidOutcome, match="'ph' is there twice"):
        import_csv(study, "temperature,ph,PH,ph,value\n1,2,3,4,5\n")


def test_variables_that_differ_in_capitals_only() -> None:
    law = sb.Uniform()
    problem = sb.CostVarying([sb.Float("t", 0, 9, law=law), sb.Float("T", 0, 9, law=law)], [["t"], ["T"]])
    with begin(problem) as study:
        (line,) = import_csv(study, "T,t,value\n1,2,3\n")
        assert learned(study) == [(3.0, None, {"t": 2.0, "T": 1.0})], line


def test_choices_in_other_capitals() -> None:
    lines = sb.Categorical("line", ["North", "South"], law=sb.Uniform())
    dose = sb.Categorical("dose", [0.5, 1.0], law=sb.Uniform())
    with begin(sb.CostVarying([lines, dose], [["line"], ["dose"]])) as study:
        taken, refused = import_csv(study, "line;dose;value\nnorth;0,5;3\nwest;1;3\n")
        assert taken.taken, taken
        assert learned(study)[0][2] == {"line": "North", "dose": 0.5}
        assert "'west'" in refused.message


# -- what steerbo wrote itself -----------------------------------------------------------------------------------------


def test_a_sheet_that_is_filled_in_little_by_little(study: Study) -> None:
    suggestions = study.ask(3)
    sheet = suggestions_csv(study.problem, suggestions)
    events = study.events
    assert [line.fate for line in import_csv(study, sheet)] == ["left"] * 3
    assert study.events == events
    header, *lines = (line.split(",") for line in sheet.splitlines())
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    rows[0] |= {"value": "1.5", "cost": "2", "ph": rows[0]["ph"] or "6"}
    rows[1] |= {"state": "failed", "reason": "pump", "cost": "1"}
    filled = "\n".join(",".join(row) for row in (header, *(row.values() for row in rows)))
    for _ in range(2):
        assert [line.fate for line in import_csv(study, filled)] == ["taken", "taken", "left"]
    assert [r.state for r in study.history] == ["told", "failed", "open"]
    assert study.history.spent == 3
    rows[1] |= {"value": "3"}
    filled = "\n".join(",".join(row) for row in (header, *(row.values() for row in rows)))
    assert "no value where the state is 'failed'" in str(import_csv(study, filled)[1])


def test_lines_say_what_became_of_them() -> None:
    assert str(Line(3, "left", "round 2 has no value here")) == "line 3: left, round 2 has no value here"


# -- files beside a study file -----------------------------------------------------------------------------------------


def test_headers_in_the_study_file(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    with_columns = LAW.replace("LAW", "sample = [1.0, 2.0]").replace('"ph", low', '"ph", column = "Acidity", low')
    file.write_text(with_columns + '[study.columns]\nvalue = "Yield"\n')
    read = sb.study.read_study(file)
    assert read.settings.columns == {"ph": "Acidity", "value": "Yield"}
    file.write_text(LAW.replace("LAW", "sample = [1.0, 2.0]"))
    assert sb.study.read_study(file).problem == read.problem, "a header is no part of the problem"
    for columns, says in {
        'valeu = "Yield"': "study.columns.valeu.*did you mean 'value'",
        'ph = "pH"': "'Acidity', as the variable's column says",
        'value = "Acidity"': "another header than that of",
        'value = " "': "the header of a column",
    }.items():
        file.write_text(f"{with_columns}[study.columns]\n{columns}\n")
        with pytest.raises(sb.errors.InvalidStudy, match=says):
            sb.study.read_study(file)


@pytest.mark.parametrize(
    ("names", "cell", "scope"),
    [
        (["ph", "heat"], "pH", "ph"),
        (["ph", "heat"], " HEAT  + pH", "ph + heat"),
        (["ph", "PH"], "PH", "PH"),
        (["ph", "PH"], "pH", None),
    ],
)
def test_the_names_of_a_scope_are_read_as_those_of_columns(names: list[str], cell: str, scope: str | None) -> None:
    variables = [sb.Float(name, 0, 10, law=sb.Uniform()) for name in names]
    problem = sb.CostVarying(variables, [[names[0]], [names[1]], names])
    study = Study.create(MemoryLog(), problem, rounds=9, seed=0)
    (line,) = list(import_csv(study, f"{names[0]},{names[1]},value,scope\n1,2,3,{cell}\n"))
    assert line.fate == ("refused" if scope is None else "taken"), line
    if scope is not None:
        played = study.history.data["added-1"].scope
        assert played is not None
        assert list(played.set) == scope.split(" + ")
