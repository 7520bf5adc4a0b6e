"""Tables in and out: import, export, show."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.core import Scope
from steerbo.errors import SteerboError
from steerbo.study import BY_HAND, MemoryLog, Study, read_study
from steerbo.study.files.export import rounds_csv
from steerbo.study.files.import_csv import import_csv
from steerbo.testing import Case
from tests.cli.calls import PLANT, ask, asked, begin, call, refused, said
from tests.core.stub import Nearest, Stub, stub_case
from tests.sizes import examples
from tests.study.files import logged


def test_a_table_to_fill_in(study: Path, tmp_path: Path) -> None:
    table = list(csv.DictReader(io.StringIO(call("ask", study, "--csv", "--batch", 3).stdout)))
    assert len(table) == 3
    for i, row in enumerate(table):
        row.update(value=str(i), cost="1", ph=row["ph"] or "6.5")
    table[1]["value"] = "NaN"
    table.append({**table[0], "token": "", "value": "7"})
    results = tmp_path / "results.csv"
    with results.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    for again in (False, True):
        result = call("import", study, results)
        assert result.exit_code == 2
        lines = result.stdout.splitlines()
        assert lines[0] == f"line 2: taken, round 1{' (it was there already)' * again}"
        assert lines[1].startswith("line 3: refused, value: nan is not allowed; expected a finite number")
        assert lines[3] == "line 5: taken, added" + ("-1 (it was there already)" if again else " as added-1")
        assert f"{'0 new, 3 there already' if again else '3 new'}, 1 refused" in result.stderr
    exported = list(csv.DictReader(io.StringIO(call("export", study).stdout)))
    assert [row["value"] for row in exported] == ["0.0", "", "2.0", "7.0"]
    assert [(row["token"], row["state"]) for row in exported[3:]] == [("added-1", "added")]


def test_a_table_of_the_lab(study: Path, tmp_path: Path) -> None:
    text = study.read_text(encoding="utf-8").replace('name = "ph",', 'name = "ph", column = "Säure",')
    study.write_text(text + '[study.columns]\nvalue = "Ertrag"\n', encoding="utf-8")
    table = tmp_path / "table.csv"
    table.write_text("sep=;\nTemperature;Säure;Ertrag;Cost;Wer\n20,5;6,25;1;1;Anna\n", encoding="cp1252")
    result = call("import", study, table)
    assert result.exit_code == 0, result.output
    assert result.stderr.count("not read: 'Wer'") == 1
    added = logged(study)[-1]
    assert added.kind == "added", "and no model is fitted for a method that reads none"
    assert added.outcome.realised == {"temperature": 20.5, "ph": 6.25}
    (tmp_path / "export.csv").write_text(call("export", study).stdout)
    (tmp_path / "sheet.csv").write_text(call("ask", study, "--csv").stdout)
    for name, says in (
        ("export", "0 new, 1 there already, 0 refused"),
        ("sheet", "0 new, 1 left as they are, 0 refused"),
    ):
        result = call("import", study, tmp_path / f"{name}.csv")
        assert result.exit_code == 0, result.output
        assert says in result.stderr


def test_what_is_exported_is_imported() -> None:
    world: Case = stub_case()
    one = Study.create(MemoryLog(), Stub(), Nearest, rounds=9, seed=7)
    world.play(one.optimizer, 6)
    other = Study.create(MemoryLog(), Stub(), Nearest, rounds=9, seed=7)
    for _ in range(6):
        world.ask(other.optimizer)
    for line in import_csv(other, rounds_csv(one.problem, one.history)):
        assert line.taken, line
    assert [r.outcome for r in other.history] == [r.outcome for r in one.history]


BAD_TABLES = ["", "valeu\n1", "value,value\n1,2", "token,cost\n1-x,2", 'value,ph\n"1']


@pytest.mark.parametrize("text", BAD_TABLES)
def test_bad_tables(study: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.csv").write_text(text)
    result = call("import", study, tmp_path / "bad.csv")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert "line" in result.output


CELLS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["nan", "inf", "-1", "1e400", "true", "[1]", "{}", "null", "1-0", "ph", '"', "\x00", "0.5"]
)


@settings(deadline=None, derandomize=True, max_examples=examples(150))
@given(st.lists(st.lists(CELLS, max_size=6), max_size=5), st.booleans())
def test_tables_of_anything_are_read_or_refused(rows: list[list[str]], named: bool) -> None:
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=9, holder=BY_HAND)
    study.ask()
    refusal = ""
    written = io.StringIO()
    csv.writer(written).writerows([["token", "value", "cost", "age", "dose"], *rows] if named else rows)
    try:
        lines = import_csv(study, written.getvalue())
    except SteerboError as error:
        lines, refusal = [], str(error)
    assert all(line.message for line in lines)
    assert not refusal or "line" in refusal


@pytest.mark.slow
def test_bytes_without_a_grammar_are_refused(study: Path, tmp_path: Path) -> None:
    """Specifications and tables with some bytes changed: read, or refused with what is allowed."""
    fuzz = random.Random(0)
    good = study.read_bytes()
    refusals: list[str] = []
    table = b"token,value,cost,ph\n1-x,0.5,1,6\n,1.5,2,7\n"
    for i in range(300):
        data = bytearray(good if i % 2 else table)
        for _ in range(fuzz.randint(1, 6)):
            where = fuzz.randrange(len(data))
            data[where : where + fuzz.choice([0, 1, 3])] = bytes(
                fuzz.choices(b'"[]{}=,\n.-09aeN\xff\x00', k=fuzz.randint(0, 3))
            )
        try:
            if i % 2:
                (tmp_path / "fuzzed.toml").write_bytes(data)
                read_study(tmp_path / "fuzzed.toml")
            else:
                with Study.open(study.with_suffix(".db")) as going:
                    import_csv(going, data.decode(errors="replace"))
        except SteerboError as error:
            refusals.append(str(error))
    assert len(refusals) > 100
    assert all("expected" in refusal for refusal in refusals)


def test_imported_costs_are_charged_on_request_only(study: Path, tmp_path: Path) -> None:
    table = tmp_path / "past.csv"
    table.write_text("value,cost,temperature,ph,scope\n1.0,40,20,6,ph + temperature\n2.0,40,22,6,\n")
    assert call("import", study, table).exit_code == 0
    assert ("spent", 0.0) in json.loads(call("show", study, "--json").stdout)["status"].items()
    with Study.open(study.with_suffix(".db")) as going:
        assert going.history.mean_cost(Scope(["temperature", "ph"])) == 40.0
    table.write_text("value,cost,temperature,ph\n3.0,4,20,6\n")
    table.write_text(f"{table.read_text()}4.0,,21,6\n")
    for _ in range(2):
        (paid, unpaid) = call("import", study, table, "--charge").stdout.splitlines()[:2]
        assert "not charged" not in paid
        assert "not charged: it has no cost" in unpaid
    assert ("spent", 4.0) in json.loads(call("show", study, "--json").stdout)["status"].items()


def test_warnings_of_a_line_are_sentences(study: Path, tmp_path: Path) -> None:
    table = tmp_path / "past.csv"
    table.write_text("value,cost,temperature,ph\n1.0,1,200,65\n")
    (said,) = call("import", study, table).stdout.splitlines()
    assert "it is kept. If it is wrong, amend added-1. added-1: ph = 65 is far outside its range" in said
    assert ".;" not in said


def test_a_number_with_its_unit_or_a_bound_is_no_missing_value(study: Path, tmp_path: Path) -> None:
    """Whoever did what was advised left out what was measured."""
    table = tmp_path / "past.csv"
    table.write_text("value,cost,temperature,ph\n7.2 kg,1,20,6\n<0.1,1,20,6\n7.2,1,20 °C,6 pH\n")
    united, bounded, setting = call("import", study, table).stdout.splitlines()[:3]
    alone = "Write the number alone, in the unit that is expected."
    assert united.endswith(alone)
    assert bounded.endswith("It is a bound: write the number that was measured, or leave it out.")
    assert "missing" not in united + bounded
    assert alone in setting


def test_a_row_without_a_value_is_not_told_to_fail(study: Path, tmp_path: Path) -> None:
    """Data have no token to fail; a round has."""
    table = tmp_path / "past.csv"
    table.write_text("value,cost,temperature,ph\nn/a,1,20,6\n1e200,1,20,6\n")
    broken, large = call("import", study, table).stdout.splitlines()
    assert "If it stands for a missing value, say so: --missing value=n/a" in broken
    assert broken.endswith("leave the cell empty, and write failed in a column state.")
    assert large.endswith("Give it in a larger unit; where it is no measurement, leave it out.")
    token = asked(study)["token"]
    assert "use `steerbo fail STUDY TOKEN" in refused(call("tell", study, token, "n/a", "--cost", 1), 2)


def test_a_gap_in_a_column_of_a_variable_is_told_how_to_be_declared(study: Path, tmp_path: Path) -> None:
    table = tmp_path / "past.csv"
    table.write_text("value,cost,temperature,ph\n7.2,1,20,not read\n")
    [line] = call("import", study, table).stdout.splitlines()[:1]
    assert "ph: 'not read' is not allowed; expected a finite number" in line
    assert "If it stands for a missing value, say so: --missing 'ph=not read'," in line
    assert line.endswith('or ph = ["not read"] under [study.missing].')


def test_a_typo_in_a_table_is_said_and_amended(study: Path, tmp_path: Path) -> None:
    table = tmp_path / "past.csv"
    table.write_text("value,cost,temperature,ph\n1.0,1,20,65\n2.0,1,22,6\n")
    said = call("import", study, table).stdout.splitlines()
    assert said[0].startswith("line 2: taken, added as added-1; added-1: ph = 65 is far outside its range")
    assert said[1] == "line 3: taken, added as added-2"
    assert call("amend", study, "added-1", "--realised", "ph=6.5").exit_code == 0
    assert "it was there already" in call("import", study, table).stdout
    with Study.open(study.with_suffix(".db")) as going:
        assert [outcome.realised["ph"] for outcome in going.history.added] == [6.5, 6.0]
    suggestion = asked(study)
    told = call("tell", study, suggestion["token"], 1, "--cost", 1, "--realised", "ph=65")
    assert told.exit_code == 0
    assert told.stderr.startswith("steerbo: round 1: ph = 65 is far outside its range, 4 to 8; it is kept.")


def test_many_lines_of_new_data_are_one_sentence(study: Path, tmp_path: Path) -> None:
    """A table of thousands scrolled its refusals away."""
    table = tmp_path / "past.csv"
    rows = [f"{k},1,{20 + k / 100},6" for k in range(70)]
    rows[40] = "wrong,1,20,6"
    table.write_text("\n".join(["value,cost,temperature,ph", *rows]) + "\n")
    first, second, third = call("import", study, table).stdout.splitlines()
    assert first == "lines 2 to 41: taken, added as added-1 to added-40"
    assert second.startswith("line 42: refused")
    assert third == "lines 43 to 71: taken, added as added-41 to added-69"
    again = call("import", study, table).stdout.splitlines()
    assert again[0] == "lines 2 to 41: taken, added-1 to added-40 (it was there already)"
    few = json.loads(call("import", study, table, "--json").stdout)["lines"]
    assert len(few) == 70


def test_an_export_never_takes_the_place_of_something_else(study: Path, tmp_path: Path) -> None:
    asked(study)
    notes = tmp_path / "notes.txt"
    notes.write_text("of somebody")
    log = study.with_suffix(".db")
    before = {file: file.read_bytes() for file in (log, study, notes)}
    for file in before:
        for command in ("export", "report"):
            assert "a new file" in refused(call(command, study, "--out", str(file)), 2)
    assert all(file.read_bytes() == kept for file, kept in before.items() if file != log)
    assert call("show", study).exit_code == 0, "the log is one"
    table = tmp_path / "results.csv"
    for written in ("Day;Temp (°C);Yield (kg)\n3 May;21,5;9,8\n", "token;round;value\n1-a;1;9,8\n"):
        table.write_text(written, encoding="utf-8")
        assert "an earlier export" in refused(call("export", study, "--out", str(table)), 2)
        assert table.read_text(encoding="utf-8") == written
    for _ in range(2):
        assert call("export", study, "--out", str(tmp_path / "rounds.csv")).exit_code == 0
        assert call("report", study, "--out", str(tmp_path / "page.html")).exit_code == 0


@pytest.mark.parametrize(
    ("command", "name", "ending"),
    [(("export",), "rounds.pdf", ".csv"), (("export", "--format", "jsonl"), "events.csv", ".jsonl"),
     (("report",), "page.pdf", ".html")],
)  # fmt: skip
def test_a_name_that_promises_another_format_is_refused(
    study: Path, tmp_path: Path, command: tuple[str, ...], name: str, ending: str
) -> None:
    (do, *more) = command
    assert f"a name that ends in {ending}" in refused(call(do, study, *more, "--out", str(tmp_path / name)), 2)
    assert not (tmp_path / name).exists()


def test_failures_of_elsewhere_are_no_outcomes(study: Path, tmp_path: Path) -> None:
    table = tmp_path / "past.csv"
    table.write_text("state,temperature,ph,value\nfailed,25,5.5,0\ntold,25,5.5,1\nwet,25,5.5,2\n,26,5.5,3\n")
    said = call("import", study, str(table)).stdout
    assert [line.split(",")[0] for line in said.splitlines()[:4]] == [
        "line 2: left", "line 3: taken", "line 4: refused", "line 5: taken",
    ]  # fmt: skip
    with Study.open(study.with_suffix(".db")) as going:
        assert [outcome.value for outcome in going.history.added] == [1.0, 3.0]


def test_the_money_of_an_import_is_said(study: Path, tmp_path: Path) -> None:
    table = tmp_path / "others.csv"
    table.write_text("temperature,ph,value,cost\n20,6,1,1.5\n21,6,2,2\n")
    assert "not charged to the budget: 3.5, the cost of 2 new lines of data" in call("import", study, table).stderr
    assert "not charged" not in call("import", study, table).stderr
    assert "spent: 3.5, where it was 0" in call("import", study, table, "--charge").stderr
    assert "spent" not in call("import", study, table, "--charge").stderr
    assert "2 of 10 spent" in call("amend", study, "added-1", "--charge", "no", "--scope", "ph+temperature").stdout
    assert "true or false" in refused(call("amend", study, "added-1", "--charge", "perhaps"), 2)
    exported = list(csv.DictReader(io.StringIO(call("export", study).stdout)))
    assert [(row["charged"], row["scope"]) for row in exported] == [("0.0", "temperature + ph"), ("2.0", "")]


def test_sheets_are_headed_as_the_lab_does(study: Path, tmp_path: Path) -> None:
    text = study.read_text(encoding="utf-8").replace('name = "ph",', 'name = "ph", column = "Säure",')
    study.write_text(text + '[study.columns]\nvalue = "Ertrag"\nscope = "gestellt"\n', encoding="utf-8")
    for command in (("ask", study, "--csv"), ("export", study)):
        header = call(*command).stdout.splitlines()[0]
        assert header == "token,round,state,Ertrag,cost,charged,gestellt,temperature,Säure,reason"
    (tmp_path / "own.csv").write_text(
        "Temperature,säure,ertrag,cost,Gestellt\n20,6,1,2,temperature\n", encoding="utf-8"
    )
    assert "1 new" in call("import", study, tmp_path / "own.csv").stderr
    (scope,) = [event.scope for event in logged(study) if event.kind == "added"]
    assert scope is not None
    assert scope.set == ("temperature",)
    study.write_text(text + '[study.columns]\nvalue = "cost"\n', encoding="utf-8")
    assert "another header than that of 'cost'" in refused(call("check", study), 2)


def test_data_that_was_added_is_shown(study: Path, tmp_path: Path) -> None:
    asked(study)
    (tmp_path / "others.csv").write_text("temperature,ph,value,cost\n20,6.5,1.25,3\n21,6,2,2\n")
    call("import", study, tmp_path / "others.csv")
    call("amend", study, "added-1", "--charge", "yes", "--scope", "temperature")
    call("amend", study, "added-2", "--void")
    shown = call("show", study).stdout
    assert "Rounds, and data that was added" in shown
    assert "added-1" in shown
    assert "added-2" not in shown
    document = json.loads(call("show", study, "--json").stdout)
    assert len(document["rounds"]) == 1
    (data,) = document["data"]
    assert (data["token"], data["value"], data["cost"], data["state"]) == ("added-1", 1.25, 3.0, "added, charged")
    assert (data["nature"], data["hold"]) == ({"temperature": 20.0, "ph": 6.5}, "temperature")
    call("report", study)
    assert "added-1" in study.with_suffix(".html").read_text(encoding="utf-8")


def test_a_study_begins_anew_with_what_was_measured(study: Path, tmp_path: Path) -> None:
    """Another tolerance is another study; the refusal says how its outcomes are taken along."""
    (first, second, third, _) = (asked(study) for _ in range(4))
    for suggestion, value in ((first, "2"), (second, "3")):
        more = [] if "ph" in suggestion["values"] else ["--realised", "ph=6"]
        call("tell", study, suggestion["token"], value, "--cost", "1", *more)
    call("fail", study, third["token"], "--cost", "1")
    before, log = tmp_path / "before.csv", tmp_path / "second.db"
    call("export", study, "--out", before)
    text = study.read_text(encoding="utf-8")
    changed = tmp_path / "changed.toml"
    changed.write_text(
        text.replace("[problem]", '[problem]\ntolerance = { kind = "absolute", difference = 0.5 }'), encoding="utf-8"
    )
    said = call("extend", changed, "--log", study.with_suffix(".db")).stderr
    assert "`steerbo new STUDY.TOML --log second.db`" in said
    assert "--as-data" in said
    call("new", changed, "--log", log)
    assert "is unknown here" in call("import", log, before).stdout
    taken = call("import", log, before, "--as-data")
    assert taken.exit_code == 0, taken.output
    assert [line.split(", ")[0] for line in taken.stdout.splitlines()] == [
        "line 2: taken", "line 3: taken", "line 4: left", "line 5: left",
    ]  # fmt: skip
    assert "added-1 (it was there already)" in call("import", log, before, "--as-data").stdout
    rows = [*csv.DictReader(io.StringIO(call("export", log).stdout))]
    assert [(row["value"], row["charged"]) for row in rows] == [("2.0", "0.0"), ("3.0", "0.0")]


def test_what_counts_as_observed_is_said(tmp_path: Path) -> None:
    """In a causal problem a line that does not say what was set teaches something else."""
    study, table = tmp_path / "clinic.toml", tmp_path / "table.csv"
    study.write_text(
        '[problem]\nkind = "causal"\ngraph = "graph.txt"\nvariables = [\n'
        '  { kind = "float", name = "dose", low = 0, high = 1 },\n'
        '  { kind = "float", name = "age", low = 20, high = 90 },\n]\n'
        "[study]\nrounds = 5\n"
    )
    (tmp_path / "graph.txt").write_text("age -> dose -> y; age -> y\ntarget: y\nintervenable: dose\n")
    call("new", study)
    table.write_text("value,scope,dose,age\n1,dose,0.5,40\n2,,0.6,50\n3,dose (age),0.7,60\n")
    taken = call("import", study, table)
    assert taken.exit_code == 0, taken.output
    assert "observed, with nothing set: 1 new line of data; a column scope says what was set" in taken.stderr
    assert "with nothing set" not in call("import", study, table).stderr


def test_a_workbook_is_written_and_read_back(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="openpyxl is not installed: pip install 'steerbo[xlsx]'")
    study = begin(tmp_path, PLANT)
    token = ask(study)["token"]
    said("tell", study, token, 3.5, "--cost", 1, "--realised", "temperature=20", "--realised", "ph=6")
    book = tmp_path / "table.xlsx"
    assert said("export", study, "--out", book).strip() == str(book)
    assert said("export", study, "--out", book).strip() == str(book), "an earlier export is replaced"
    other = tmp_path / "other"
    other.mkdir()
    assert "1 new" in call("import", begin(other, PLANT), book, "--as-data").stderr
    book.write_bytes(b"PK\x03\x04 of somebody else")
    assert "is not an export" in refused(call("export", study, "--out", book), 2)
