"""By hand: every word, tables in and out, and one clear line for everything that is refused."""

from __future__ import annotations

import csv
import io
import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.errors import SteerboError
from steerbo.rounds import Scope
from steerbo.study import BY_HAND, MemoryLog, Study, read_study
from steerbo.study.export import rounds_csv
from steerbo.study.table import import_csv
from steerbo.testing import Case
from steerbo.typed import read_value
from tests.cli.test_app import call, refused
from tests.rounds.stub import Nearest, Stub
from tests.rounds.test_optimizer import stub_case
from tests.study.files import PROBLEM, STUDY, logged


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(PROBLEM + STUDY, encoding="utf-8")
    assert "begun" in call("new", path).stdout
    return path


def asked(study: Path) -> dict[str, Any]:
    (suggestion,) = json.loads(call("ask", study, "--json").stdout)
    return dict(suggestion)


def realised(suggestion: dict[str, Any]) -> list[str]:
    return ["--realised", "ph=6"] if "ph" not in suggestion["values"] else []


def test_a_study_by_hand(study: Path) -> None:
    assert "a place without a study" in refused(call("new", study), 2)
    first = call("ask", study)
    assert "set temperature = " in first.stdout
    assert "°C" in first.stdout
    token = logged(study)[-1].token  # type: ignore[union-attr]
    assert f"steerbo tell {study} {token} VALUE" in first.stdout
    second = asked(study)
    assert second["round"] == 2, "what people hold is not handed out again"
    result = call("tell", study, second["token"], "-1.5", "--cost", 2, *realised(second))
    assert result.exit_code == 0, result.output
    assert "2 of 10 spent, 1 pending" in result.stdout
    assert "amend" in refused(call("tell", study, second["token"], "3", "--cost", 2, *realised(second)), 2)
    assert call("amend", study, second["token"], "-2.5", "--reason", "typo").exit_code == 0
    assert call("fail", study, token, "--reason", "the pump broke", "--cost", 1).exit_code == 0
    third = asked(study)
    assert "1 abandoned" in call("abandon", study, third["token"]).stdout
    assert call("tell", study, third["token"], "-0.5", "--cost", 1, *realised(third)).exit_code == 0, "late"
    assert call("amend", study, third["token"], "--void").exit_code == 0
    shown = call("show", study)
    for words in ("-2.5", "failed", "void", "Recommended", "Why"):
        assert words in shown.stdout
    rounds = json.loads(call("show", study, "--json").stdout)["rounds"]
    assert [r["state"] for r in rounds] == ["failed", "told", "void"]
    kinds = [json.loads(line)["kind"] for line in call("export", study, "--format", "jsonl").stdout.splitlines()]
    assert kinds.count("amended") == 2
    assert "every checksum is right" in call("doctor", study).stdout
    by_log = call("show", study.with_suffix(".db"), "--json")
    assert json.loads(by_log.stdout)["rounds"] == rounds, "the log alone says everything"


def test_contexts_are_looked_at_in_stages(tmp_path: Path) -> None:
    place = str(tmp_path / "study.db")
    Study.create(place, Stub(), Nearest, rounds=5).close()
    first = call("ask", place).stdout
    assert "look at age" in first
    assert "--context age=…" in first
    token = first.partition("token ")[2].partition(":")[0]
    assert "not decided" in refused(call("tell", place, token, "1"), 2)
    assert "context.pulse" in refused(call("decide", place, token, "--context", "pulse=1"), 2)
    assert "NAME=VALUE" in refused(call("decide", place, token, "--context", "age"), 2)
    assert "age: 'old'" in refused(call("decide", place, token, "--context", "age=old"), 2)
    assert "look at pulse" in call("decide", place, token, "--context", "age=0.5").stdout
    assert "set rest = " in call("decide", place, token, "--context", "pulse=0.5").stdout
    assert call("tell", place, token, "1").exit_code == 0


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
        assert "3 taken, 1 refused" in result.stderr
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
    assert added.kind == "added"
    assert added.outcome.realised == {"temperature": 20.5, "ph": 6.25}
    (tmp_path / "export.csv").write_text(call("export", study).stdout)
    (tmp_path / "sheet.csv").write_text(call("ask", study, "--csv").stdout)
    for name, says in (("export", "1 taken, 0 refused"), ("sheet", "0 taken, 1 left as they are, 0 refused")):
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


def test_places_that_are_no_studies(tmp_path: Path, study: Path) -> None:
    assert "No such file" in refused(call("ask", tmp_path / "none.toml"), 2)
    assert "steerbo new" in refused(call("show", tmp_path / "none.db"), 2)
    study.with_suffix(".db").unlink()
    assert "steerbo new" in refused(call("ask", study), 2)
    assert "steerbo new" in refused(call("doctor", study), 2)
    (tmp_path / "other.db").write_text("no database" * 1000)
    assert "other.db" in refused(call("show", tmp_path / "other.db"), 2)
    assert "not a database" in refused(call("doctor", tmp_path / "other.db"), 2)
    assert "table in CSV" in refused(call("import", tmp_path / "other.db", tmp_path / "none.csv"), 2)
    assert "never made here" in refused(call("tell", _new(tmp_path), "9-zz", "1"), 2)
    assert "one of csv, jsonl" in refused(call("export", _new(tmp_path), "--format", "xml"), 2)


def _new(folder: Path) -> Path:
    path = folder / "fresh.toml"
    path.write_text(PROBLEM + STUDY, encoding="utf-8")
    if not path.with_suffix(".db").exists():
        call("new", path)
    return path


def test_the_doctor_repairs_on_request(study: Path) -> None:
    for _ in range(3):
        asked(study)
    with closing(sqlite3.connect(study.with_suffix(".db"))) as connection, connection:
        connection.execute("UPDATE steerbo_event SET body = replace(body, '2-', '7-') WHERE position = 3")
    for command in (("show", study), ("backup", study, study.with_name("copy.db"))):
        assert "event 3" in refused(call(*command), 1)
    found = call("doctor", study)
    assert found.exit_code == 1
    assert "study: 2 events; event 3 " in found.stdout
    assert "--repair" in found.stderr
    mended = call("doctor", study, "--repair")
    assert mended.exit_code == 0
    assert "now holds 2 events of study" in mended.stdout
    assert asked(study)["round"] == 2, "people keep the rounds that they hold"


# -- whatever is typed ------------------------------------------------------------------------------------------------

CELLS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["nan", "inf", "-1", "1e400", "true", "[1]", "{}", "null", "1-0", "ph", '"', "\x00", "0.5"]
)


@settings(deadline=None, derandomize=True, max_examples=150)
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


def test_values() -> None:
    assert read_value("nan") != read_value("nan")
    assert read_value("[" * 100_000) == "[" * 100_000


def test_a_failure_needs_a_cost_where_money_counts(study: Path) -> None:
    asked(study)
    token = logged(study)[-1].token  # type: ignore[union-attr]
    assert "--charge AMOUNT" in refused(call("fail", study, token), 2)
    result = call("fail", study, token, "--charge", 2)
    assert "2 of 10 spent and a round whose cost nobody knows (charged 2)" in result.stdout
    assert "3 of 10 spent, 1 failed" in call("amend", study, token, "--cost", 3).stdout


def test_imported_costs_are_charged_on_request_only(study: Path, tmp_path: Path) -> None:
    table = tmp_path / "past.csv"
    table.write_text("value,cost,temperature,ph,scope\n1.0,40,20,6,ph + temperature\n2.0,40,22,6,\n")
    assert call("import", study, table).exit_code == 0
    assert ("spent", 0.0) in json.loads(call("show", study, "--json").stdout)["status"].items()
    with Study.open(study.with_suffix(".db")) as going:
        assert going.history.mean_cost(Scope(["temperature", "ph"])) == 40.0
    table.write_text("value,cost,temperature,ph\n3.0,4,20,6\n")
    assert call("import", study, table, "--charge").exit_code == 0
    assert ("spent", 4.0) in json.loads(call("show", study, "--json").stdout)["status"].items()


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


def test_before_anything_is_measured_nothing_is_expected(study: Path) -> None:
    shown = call("show", study).stdout
    assert "expected value unknown" in shown
    assert "nothing is measured yet" in shown
    assert "unknown" in next(line for line in shown.splitlines() if line.lstrip().startswith("→"))


def edited(study: Path, before: str, after: str) -> None:
    text = study.read_text(encoding="utf-8")
    assert before in text
    study.write_text(text.replace(before, after), encoding="utf-8")


def test_bounds_are_widened_in_a_running_study(study: Path) -> None:
    first = asked(study)
    edited(study, "high = 35", "high = 45")
    message = refused(call("ask", study), 2)
    assert "problem.variables.temperature.high: 45" in message
    assert "steerbo extend" in message
    said = call("extend", study)
    assert said.exit_code == 0, said.output
    assert "temperature can be set from 10 to 45 now" in said.stderr
    assert "can be set" not in call("extend", study).stderr, "twice is fine"
    assert call("tell", study, first["token"], 1, "--cost", 1, *realised(first)).exit_code == 0
    with Study.open(study.with_suffix(".db")) as going:
        assert going.problem.space["temperature"].high == 45  # type: ignore[union-attr]
    edited(study, "high = 45", "high = 40")
    assert "can be widened, not narrowed" in refused(call("extend", study), 2)
    edited(study, "high = 40", "high = 50")
    edited(study, '"cost-varying"', '"cost-varying"\nminimize = true')
    message = refused(call("extend", study), 2)
    assert "problem.minimize" in message
    assert "another study" in message


def test_nature_stays_as_it_was_where_bounds_are_widened(study: Path) -> None:
    edited(study, "low = 4, high = 8", "low = 3, high = 9")
    for command in ("extend", "ask"):
        message = refused(call(command, study), 2)
        assert "problem.variables.ph.law" in message
        assert 'expected law = { kind = "uniform", low = 4.0, high = 8.0 }' in message
        assert "then use `steerbo extend STUDY.TOML`" in message
        assert "another study" not in message
    edited(study, 'law = { kind = "uniform" }', 'law = { kind = "uniform", low = 4.0, high = 8.0 }')
    assert "steerbo extend" in refused(call("ask", study), 2)
    assert "ph can be set from 3 to 9 now" in call("extend", study).stderr
    assert call("ask", study).exit_code == 0


def test_what_is_changed_in_a_study_file_is_named(study: Path) -> None:
    edited(study, '"°C"', '"K"')
    message = refused(call("show", study), 2)
    assert "problem.variables.temperature.unit: " in message
    assert "°C" in message


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
    for _ in range(2):
        assert call("export", study, "--out", str(tmp_path / "rounds.csv")).exit_code == 0
        assert call("report", study, "--out", str(tmp_path / "page.html")).exit_code == 0


def test_failures_of_elsewhere_are_no_outcomes(study: Path, tmp_path: Path) -> None:
    table = tmp_path / "past.csv"
    table.write_text("state,temperature,ph,value\nfailed,25,5.5,0\ntold,25,5.5,1\nwet,25,5.5,2\n,26,5.5,3\n")
    said = call("import", study, str(table)).stdout
    assert [line.split(",")[0] for line in said.splitlines()[:4]] == [
        "line 2: left", "line 3: taken", "line 4: refused", "line 5: taken",
    ]  # fmt: skip
    with Study.open(study.with_suffix(".db")) as going:
        assert [outcome.value for outcome in going.history.added] == [1.0, 3.0]


def test_what_changes_nothing_says_so(study: Path) -> None:
    asked(study)
    token = logged(study)[-1].token  # type: ignore[union-attr]
    assert call("abandon", study, token, "--charge", 1).stderr == ""
    assert "1 of 10 spent" in call("show", study).stdout
    assert "round 1 was abandoned already: nothing is changed" in call("abandon", study, token).stderr
    assert "--charge AMOUNT" in refused(call("abandon", study, token, "--charge", 2), 2)
    assert call("fail", study, token, "--charge", 2, "--reason", "pump").stderr == ""
    assert "round 1 was failed already: nothing is changed" in call("fail", study, token, "--reason", "no pump").stderr
    assert "amend" in refused(call("fail", study, token, "--charge", 3), 2)
    assert "charge" in refused(call("fail", study, token, "--cost", 1, "--charge", 1), 2)
    assert "3 of 10 spent" in call("amend", study, token, "--charge", 3).stdout
    assert "4 of 10 spent" in call("amend", study, token, "--cost", 4).stdout


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
    assert "1 taken" in call("import", study, tmp_path / "own.csv").stderr
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
    assert (data["nature"], data["steer"]) == ({"temperature": 20.0, "ph": 6.5}, "temperature")
    call("report", study)
    assert "added-1" in study.with_suffix(".html").read_text(encoding="utf-8")


def test_a_raised_budget_is_seen_by_whoever_reads_the_log(study: Path) -> None:
    asked(study)
    study.write_text(study.read_text(encoding="utf-8").replace("budget = 10", "budget = 25"), encoding="utf-8")
    result = call("show", study)
    assert "0 of 10 spent" in result.stdout
    assert "study.toml says budget 25, which the next ask or run will go by; the log had budget 10" in result.stderr
    assert "budget 25 from here on" in call("ask", study).stderr
    shown = call("show", study.with_suffix(".db")).stdout
    assert "0 of 25 spent" in shown
    assert "budget 25 since 20" in shown
    assert "before 10" in shown
    study.write_text(study.read_text(encoding="utf-8").replace("budget = 25", "budget = 10"), encoding="utf-8")
    assert "budget 10 from here on" in call("extend", study).stderr
    study.write_text(study.read_text(encoding="utf-8").replace("budget = 10", "budget = 25"), encoding="utf-8")
    assert "`steerbo extend STUDY.TOML`" in refused(call("ask", study), 2)
    assert call("extend", study).exit_code == 0
    assert "0 of 25 spent" in call("show", study).stdout
    call("report", study.with_suffix(".db"))
    assert "budget 25 since 20" in study.with_suffix(".html").read_text(encoding="utf-8")


def test_headers_are_known_by_the_log_alone(tmp_path: Path) -> None:
    path = tmp_path / "lab.toml"
    path.write_text(PROBLEM + STUDY + '[study.columns]\nvalue = "Ertrag"\n', encoding="utf-8")
    call("new", path)
    assert ",Ertrag," in call("ask", path.with_suffix(".db"), "--csv").stdout.splitlines()[0]
    (tmp_path / "own.csv").write_text("temperature,ph,ertrag,cost\n20,6,1,2\n", encoding="utf-8")
    assert "1 taken" in call("import", path.with_suffix(".db"), tmp_path / "own.csv").stderr


def test_there_is_nothing_to_look_at(study: Path) -> None:
    token = asked(study)["token"]
    for words in ((), ("--context", "ph=6")):
        assert "nothing to look at, all is set: use `steerbo tell" in refused(call("decide", study, token, *words), 2)
    assert [path.name for path in study.parent.iterdir() if "unwritten" in path.name] == []
