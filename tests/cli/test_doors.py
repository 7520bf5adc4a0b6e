"""Tables as instruments, spreadsheets and people write them, through the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome
from steerbo.serve.forms import typed
from steerbo.study import Study
from steerbo.study.files.spreadsheet import decoded
from tests.cli.calls import call, refused

STUDY = """
[study]
rounds = 50
[problem]
kind = "cost-varying"
control_sets = [["x"]]
variables = [VARIABLE]
"""
NUMBER = '{ kind = "float", name = "x", low = 0, high = 10 }'


def begun(folder: Path, variable: str = NUMBER) -> Path:
    place = folder / "study.toml"
    place.write_text(STUDY.replace("VARIABLE", variable), encoding="utf-8")
    assert call("new", place).exit_code == 0
    return place


def table(place: Path, text: str) -> Path:
    file = place.parent / "a.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_minus_sign_of_typesetting_is_a_minus(tmp_path: Path) -> None:
    place = begun(tmp_path)
    result = call("import", place, table(place, "\u200bx ,value\u00a0\n1,\u22125\n2,\u22121.5\n3,1e\u22123\n"))
    assert result.exit_code == 0, result.output
    with Study.open(place.with_suffix(".db")) as study:
        assert [outcome.value for outcome in study.history.added] == [-5.0, -1.5, 1e-3]


@pytest.mark.parametrize("written", ["Cafe\u0301", "Caf\u00e9", " Caf\u00e9\u200b"])
@pytest.mark.parametrize("choice", ["Cafe\u0301", "Caf\u00e9"])
def test_letters_in_two_parts_are_the_same_letters(tmp_path: Path, written: str, choice: str) -> None:
    place = begun(tmp_path, f'{{ kind = "categorical", name = "x", choices = ["{choice}", "bar"] }}')
    result = call("import", place, table(place, f"x,value\n{written},1\n"))
    assert result.exit_code == 0, result.output
    with Study.open(place.with_suffix(".db")) as study:
        assert [outcome.realised["x"] for outcome in study.history.added] == ["Caf\u00e9"]


def test_a_table_without_outcomes_is_refused_with_its_columns_and_the_way_to_name_one(tmp_path: Path) -> None:
    place = begun(tmp_path)
    said = refused(call("import", place, table(place, "HOMO,LUMO,x,yield\n1,2,3,4\n")), 2)
    assert "a column 'value'" in said
    assert "'HOMO', 'LUMO', 'x', 'yield'" in said
    assert '[study.columns] value = "yield"' in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,yield,priority\n1,2,3\n", '[study.columns] value = "yield"'),
        ("# exported on Monday\nx,value\n1,2\n", "named in line 2: leave out the lines before it"),
        ('My data;\n;\n"x";"value"\n1,5;2\n', "named in line 3: leave out the lines before it"),
        ('[{"x": 1, "value": 2}]', "looks like JSON: write it as CSV"),
        ("<table><tr><th>x</th><th>value</th></tr></table>", "looks like HTML or XML"),
        ("@relation r\n@attribute x numeric\n", "looks like ARFF"),
        ('"x" "value"\n"1" 1.5 2\n', "separated by blanks: commas, semicolons, tabs and | are read"),
        ("x     value\n1.5   2\n", "separated by blanks"),
    ],
)
def test_what_is_no_table_yet_is_refused_with_what_to_do(text: str, said: str, tmp_path: Path) -> None:
    place = begun(tmp_path)
    assert said in refused(call("import", place, table(place, text)), 2)


@pytest.mark.parametrize("begin", [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PAR1\x15\x04", b"\x1f\x8b\x08\x00"])
def test_files_that_are_no_text_are_not_shown_as_columns(begin: bytes, tmp_path: Path) -> None:
    place, file = begun(tmp_path), tmp_path / "a.csv"
    file.write_bytes(begin + bytes(100))
    said = refused(call("import", place, file), 2)
    assert "It is no text: save it as CSV" in said
    assert len(said) < 300


@pytest.mark.parametrize(
    ("cell", "hint"),
    [("50 %", "Write 50 alone."), ("$3", "Write 3 alone."), ("2.0 ± 0.1", "Write 2.0 alone; its standard error is ")],
)
def test_signs_beside_a_number_are_left_out(cell: str, hint: str, tmp_path: Path) -> None:
    place = begun(tmp_path)
    said = call("import", place, table(place, f"x,value\n1,{cell}\n")).output
    assert hint in said
    assert "missing value" not in said, "which it does not stand for"


def test_columns_that_are_merely_not_read_are_no_misspelt_ones(tmp_path: Path) -> None:
    place = begun(tmp_path)
    result = call("import", place, table(place, "Date,Torsion,x,value\n2024,1,2,3\n"))
    assert "not read: 'Date', 'Torsion'\n" in result.stderr
    assert "did you mean" not in result.stderr


def test_equal_refusals_are_one_line(tmp_path: Path) -> None:
    place = begun(tmp_path)
    lines = ["2,PENDING\n"] * 1719 + ["2,3\n"] * 9
    result = call("import", place, table(place, "x,value\n" + "".join(lines)))
    assert result.exit_code == 2
    assert result.stdout.startswith("1719 lines, the first of them line 2: refused, value: 'PENDING'")
    assert len(result.stdout.splitlines()) == 10
    assert "9 new, 1719 refused" in result.stderr


def table_with_codes(outcomes: int = 60, codes: int = 15) -> str:
    """A table of a peak at 3 whose missing outcomes are -200."""
    random = np.random.default_rng(0)
    x = random.uniform(0, 10, outcomes)
    values = 5 - (x - 3) ** 2 / 4 + random.normal(0, 0.2, outcomes)
    values[random.choice(outcomes, codes, replace=False)] = -200
    lines = (f"{place:.3f},{value:.4f}\n" for place, value in zip(x, values, strict=True))
    return "x,value\n" + "".join(lines)


@pytest.mark.parametrize("said", ["nothing", "an option", "in the study file"])
def test_codes_for_missing_outcomes_are_left_out(tmp_path: Path, said: str) -> None:
    place = begun(tmp_path)
    if said == "in the study file":
        place.write_text(place.read_text() + '[study.missing]\nvalue = [-200, "n/a"]\n')
    words = ["--missing", "value=-200"] if said == "an option" else []
    result = call("import", place, table(place, table_with_codes()), *words)
    assert result.exit_code == 0, result.output
    if said == "nothing":
        assert "value = -200 in 15 of 60 outcomes" in result.stderr
    else:
        assert "45 new, 15 left as they are" in result.stderr
    with Study.open(place.with_suffix(".db")) as study:
        answer = study.recommend()
    assert answer.values["x"] == pytest.approx(3, abs=0.7)
    assert answer.mean == pytest.approx(5, abs=1)
    again = call("import", place, place.parent / "a.csv", *words)
    assert "0 new, " in again.stderr


def test_doubts_of_one_kind_about_one_column_are_said_once_with_their_lines(tmp_path: Path) -> None:
    place = begun(tmp_path)
    far = "".join(f"{k}00,{k}.77\n" for k in range(1, 6))
    result = call("import", place, table(place, table_with_codes(60, 12) + far))
    assert result.exit_code == 0
    (code,) = [line for line in result.stdout.splitlines() if "code for a missing value" in line]
    assert "The same holds for 9 more lines: " in code
    (outside,) = [line for line in result.stdout.splitlines() if "far outside its range" in line]
    assert outside.startswith("line 62: taken")
    assert outside.endswith("The same holds for 4 more lines: 63, 64, 65, 66.")
    assert result.stderr.count("code for a missing value") == 1
    assert "value = -200 in 12 of 65 outcomes" in result.stderr


def test_a_column_with_codes_that_is_none_is_refused(tmp_path: Path) -> None:
    place = begun(tmp_path)
    assert "did you mean 'value'" in refused(
        call("import", place, table(place, "x,value\n1,2\n"), "--missing", "vaule=0"), 2
    )


FLEET = """
[study]
rounds = 20
[problem]
kind = "mean-field"
actions = ["a", "b", "c", "d"]
agents = 40
counts = true
"""


def test_one_agent_of_forty_is_no_share(tmp_path: Path) -> None:
    place = tmp_path / "study.toml"
    place.write_text(FLEET)
    call("new", place)
    result = call("import", place, table(place, "a,b,c,d,value\n1,0,0,0,6\n10,10,10,10,7\n"))
    assert result.exit_code == 2
    assert "1.0 is not allowed; expected 40, the number of its agents" in result.stdout
    assert "If these are shares, write 1 as 1.0." in result.stdout
    shares = call("import", place, table(place, "a,b,c,d,value\n1,0,0,0,6\n0.25,0.25,0.5,0,7\n"))
    assert "2 new, 0 refused" in shares.stderr


def book(file: Path, **sheets: list[list[object]]) -> Path:
    from openpyxl import Workbook

    made = Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    made.save(file)
    return file


ROWS: list[list[object]] = [["x", "value"], [1, 2], [2, 3.5], [3, 4]]


def test_of_a_workbook_the_sheet_with_the_columns_is_read(tmp_path: Path) -> None:
    place = begun(tmp_path)
    notes: list[list[object]] = [["measured by Ann"], ["see x"]]
    for number, sheets in enumerate(({"data": ROWS, "notes": notes}, {"notes": notes, "data": ROWS})):
        result = call("import", place, book(tmp_path / f"{number}.xlsx", **sheets), "--repetitions")
        assert "3 new, 0 refused" in result.stderr, result.output
    said = refused(call("import", place, book(tmp_path / "b.xlsx", monday=ROWS, tuesday=ROWS)), 2)
    assert "the sheets monday and tuesday all have its columns" in said


def test_a_dry_run_says_what_would_happen_and_changes_nothing(tmp_path: Path) -> None:
    place = begun(tmp_path)
    result = call("import", place, table(place, "x,value\n1,2\n1e9,3\n2,high\n"), "--dry-run")
    assert result.exit_code == 2
    assert "line 2: taken" in result.stdout
    assert "x = 1e+09 is far outside its range" in result.stdout
    assert "line 4: refused" in result.stdout
    assert "a dry run, nothing is changed: 2 new, 1 refused" in result.stderr
    with Study.open(place.with_suffix(".db")) as study:
        assert not study.history.data
        assert len(study.events) == 1


@pytest.mark.parametrize(("written", "meant"), [("\u20135", "-5"), ("1\u2009250", "1250"), ("1_0", "10")])
def test_a_text_in_a_program_that_reads_as_a_number_is_guessed(written: str, meant: str) -> None:
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 10)], [["x"]]), "random", rounds=3)
    with pytest.raises(InvalidOutcome, match=f"Is it {meant}. Write {meant}\\."):
        optimizer.tell(optimizer.ask(), written)


@pytest.mark.parametrize("header", ["x [\u00b0C]", "x (\u00b0C)", "X / \u00b0C", "x"])
def test_a_header_may_have_the_unit(tmp_path: Path, header: str) -> None:
    place = begun(tmp_path, NUMBER.replace("}", ', unit = "\u00b0C" }'))
    assert "1 new" in call("import", place, table(place, f"{header},value\n1,2\n"), "--dry-run").stderr
    said = call("import", place, table(place, "x [K],value\n1,2\n"), "--dry-run").stderr
    assert "0 new, 1 refused" in said, "in another unit it is another number"
    assert "'x [K]' (did you mean 'x'?)" in said


def test_a_word_for_missing_is_answered_with_the_way_to_say_so(tmp_path: Path) -> None:
    place = begun(tmp_path)
    file = table(place, "x,value\n1,2\n2,NA\n3,NA\n")
    said = call("import", place, file, "--dry-run")
    assert "If it stands for a missing value, say so: --missing value=NA" in said.stdout
    assert "1 new, 0 refused" in call("import", place, file, "--dry-run", "--missing", "value=NA").stderr.replace(
        "2 left as they are, ", ""
    )


def test_a_text_in_a_column_of_a_limit_may_stand_for_a_missing_value(tmp_path: Path) -> None:
    limits = [sb.OutcomeConstraint("impurity", at_most=2.0)]
    place = tmp_path / "lab.db"
    Study.create(place, sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], limits=limits), rounds=9).close()
    said = call("import", place, table(place, "x,value,impurity\n0.1,2,n/a\n"), "--dry-run")
    assert "impurity: 'n/a' is not allowed" in said.stdout
    assert "say so: --missing impurity=n/a" in said.stdout


def test_a_column_with_missing_values_may_be_named_by_its_heading(tmp_path: Path) -> None:
    place = tmp_path / "study.toml"
    place.write_text(STUDY.replace("VARIABLE", NUMBER) + '[study.columns]\nvalue = "Yield (kg)"\n', encoding="utf-8")
    assert call("new", place).exit_code == 0
    said = call("import", place, table(place, "x,Yield (kg)\n1,2\n2,-9\n"), "--dry-run", "--missing", "Yield (kg)=-9")
    assert "1 new, 1 left as they are, 0 refused" in said.stderr


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u2009", "\u202f"])
def test_blanks_between_thousands_are_to_be_left_out(tmp_path: Path, blank: str) -> None:
    place = begun(tmp_path)
    said = call("import", place, table(place, f"x,value\n1,1{blank}250\n"), "--dry-run").stdout
    assert "Leave the thousands separators out." in said


@pytest.mark.parametrize(
    "coding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
def test_files_of_every_unicode_coding_are_read(coding: str) -> None:
    assert decoded("x,value\n1,\u22122\n".encode(coding)) == "x,value\n1,\u22122\n"


@pytest.mark.parametrize("number", ["1_0", "1e-400", "1e400", "\u0663", "\uff15", "0x10", "nan", "1.5e", "+-2"])
def test_a_number_is_one_that_people_write_at_every_door(tmp_path: Path, number: str) -> None:
    place = begun(tmp_path)
    taken = call("import", place, table(place, f"x,value\n{number},1\n1,{number}\n"))
    assert "0 new, 2 refused" in taken.stderr
    asked = call("ask", place, "--json")
    token = json.loads(asked.stdout)[0]["token"]
    for words in ((token, number), (token, "1", "--realised", f"x={number}"), (token, "1", "--cost", number)):
        said = call("tell", place, *words)
        assert said.exit_code == 2, words
        assert "number" in said.stderr
    assert call("abandon", place, token, "--charge", number).exit_code == 2
    with Study.open(place.with_suffix(".db")) as study:
        assert study.status.pending == (token,)
    text = NUMBER.replace("10", f'"{number}"')
    place.write_text(STUDY.replace("VARIABLE", text), encoding="utf-8")
    assert "high" in refused(call("check", place), 2)
    assert typed("value", number, comma=False) == number, "the page asks again"


def test_a_number_of_a_study_file_that_no_float_holds_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "study.toml"
    place.write_text(STUDY.replace("VARIABLE", NUMBER.replace("10", "1e-400")))
    assert "as small, as 1e-400" in refused(call("check", place), 2)


def test_a_key_of_fifty_thousand_parts_is_refused_unread(tmp_path: Path) -> None:
    place = tmp_path / "study.toml"
    for text in ("a." * 50_000 + "b = 1", '"a".' * 50_000 + "b = 1", "[" + "a . " * 50_000 + "b]"):
        place.write_text(text)
        assert "at most 50 deep" in refused(call("check", place), 2)
