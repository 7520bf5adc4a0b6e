"""By hand: every word, tables in and out, and one clear line for everything that is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from steerbo._parsing import parse_value
from steerbo.study import Study
from tests.cli.calls import PLANT, asked, call, refused, said
from tests.core.stub import Nearest, Stub
from tests.study.files import PROBLEM, STUDY, logged


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
    assert "2 of 10 spent, 1 open" in result.stdout
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
    assert shown.stdout.startswith("Recommended"), "the answer first"
    assert shown.stdout.index("Why") < shown.stdout.index("Rounds"), "the rounds last"
    latest = call("show", study, "--rounds", 1).stdout
    assert "Rounds, the last 1 of 3" in latest
    assert f"steerbo show {study} --rounds all" in latest
    assert token not in latest.partition("Rounds,")[2]
    assert "0 or more" in refused(call("show", study, "--rounds", "few"), 2)
    assert len(json.loads(call("show", study, "--json", "--rounds", 2).stdout)["rounds"]) == 2
    told = json.loads(call("show", study, "--json", "--timeline").stdout)["timeline"]
    assert told[0]["what"] == "round 3 taken out"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", each["when"]) for each in told)
    assert "round 1 broke: the pump broke" in " ".join(call("show", study, "--timeline").stdout.split())
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


def test_a_mistyped_look_is_said_and_taken_back(tmp_path: Path) -> None:
    place = str(tmp_path / "study.db")
    Study.create(place, Stub(), Nearest, rounds=5).close()
    token = json.loads(call("ask", place, "--json").stdout)[0]["token"]
    wrong = call("decide", place, token, "--context", "age=610", "--json")
    assert "age = 610 is far outside its range" in wrong.stderr
    assert "age = 610 is far outside its range" in json.loads(wrong.stdout)["warnings"][0]
    refused(call("decide", place, token, "--context", "age=0.61"), 2)
    right = json.loads(call("decide", place, token, "--context", "age=0.61", "--again", "--json").stdout)
    assert (right["context"], right["warnings"], right["observe"]) == ({"age": 0.61}, [], ["pulse"])
    assert "set rest = " in call("decide", place, token, "--context", "pulse=0.5").stdout
    told = call("tell", place, token, "1", "--realised", "age=-61", "--json")
    assert "age = -61" in json.loads(told.stdout)["warnings"][0]
    assert "age = -61" in told.stderr
    right = call("amend", place, token, "--realised", "age=0.6", "--json")
    assert (json.loads(right.stdout)["warnings"], right.stderr) == ([], "")


@pytest.mark.parametrize("name", ["batch", "self", "request", "place"])
def test_what_is_no_name_of_a_request_is_refused(name: str, tmp_path: Path) -> None:
    place = str(tmp_path / "study.db")
    Study.create(place, Stub(), Nearest, rounds=5).close()
    assert f"{name}: 3" in refused(call("ask", place, "--given", f"{name}=3"), 2)
    assert f"{name}: 3" in refused(call("policy", place, "--context", "age=0.5", "--given", f"{name}=3"), 2)


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
    assert "is unknown here" in refused(call("tell", _new(tmp_path), "9-zz", "1"), 2)
    assert "one of csv, xlsx, jsonl" in refused(call("export", _new(tmp_path), "--format", "xml"), 2)


def _new(folder: Path) -> Path:
    path = folder / "fresh.toml"
    path.write_text(PROBLEM + STUDY, encoding="utf-8")
    if not path.with_suffix(".db").exists():
        call("new", path)
    return path


def test_values() -> None:
    assert parse_value("nan") == "nan", "no number that people write"
    assert parse_value("[" * 100_000) == "[" * 100_000


def test_a_failure_needs_a_cost_where_money_counts(study: Path) -> None:
    asked(study)
    token = logged(study)[-1].token  # type: ignore[union-attr]
    assert "--charge AMOUNT" in refused(call("fail", study, token), 2)
    result = call("fail", study, token, "--charge", 2)
    assert "2 of 10 spent and a round of unknown cost (charged 2)" in result.stdout
    assert "3 of 10 spent, 1 failed" in call("amend", study, token, "--cost", 3).stdout


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
    again = call("extend", study)
    assert "can be set" not in again.stderr, "twice is fine"
    assert "study.toml has the bounds and limits of its log: nothing is changed" in again.stderr
    assert call("tell", study, first["token"], 1, "--cost", 1, *realised(first)).exit_code == 0
    with Study.open(study.with_suffix(".db")) as going:
        assert going.problem.space["temperature"].high == 45  # type: ignore[union-attr]
    edited(study, "high = 45", "high = 40")
    message = refused(call("extend", study), 2)
    assert "problem.variables.temperature.high: 40.0 is not allowed; expected at least 45, as in the log" in message
    assert "Bounds can be widened, not narrowed" in message
    assert "write high = 45.0 for temperature into the study file" in message
    edited(study, "high = 40", "high = 50")
    edited(study, '"cost-varying"', '"cost-varying"\nminimize = true')
    message = refused(call("extend", study), 2)
    assert "problem.minimize" in message
    assert "another study" in message


def test_narrower_bounds_begin_a_new_study_by_what_the_message_says(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = asked(study)
    assert call("tell", study, first["token"], 7, "--cost", 1, *realised(first)).exit_code == 0
    edited(study, "low = 10, high = 35", "low = 12, high = 15")
    for command in ("extend", "ask"):
        message = refused(call(command, study), 2)
        assert "temperature.low: 12.0 is not allowed; expected at most 10, as in the log" in message
        assert "Narrower, too: temperature.high (15, and 35 in the log)." in message
        assert "write low = 10.0, high = 35.0 for temperature into the study file" in message
    commands = re.findall(r"`steerbo (.*?)`", message)[:3]
    assert [words.partition(" ")[0] for words in commands] == ["export", "new", "import"]
    monkeypatch.chdir(study.parent)
    for words in commands:
        places = {"STUDY": study.name, "STUDY.TOML": study.name}
        done = call(*(places.get(word, word) for word in words.split()))
        assert done.exit_code == 0, done.output
    with Study.open(study.parent / "second.db") as going:
        assert going.problem.space["temperature"].range_text == "12 to 15 °C"
        (datum,) = going.history.data.values()
        assert datum.outcome.value == 7.0
        assert datum.outcome.realised["temperature"] > 15, "what lies beyond the new bounds is kept"
        assert 12 <= going.ask().values["temperature"] <= 15


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
    message = refused(call("ask", study), 2)
    assert "problem.variables.temperature.unit: " in message
    assert "°C" in message


def test_commands_that_read_go_by_the_log_of_a_changed_file(study: Path) -> None:
    token = asked(study)["token"]
    edited(study, '"°C"', '"K"')
    for command in (["show"], ["export"], ["export", "--format", "jsonl"], ["report"]):
        result = call(command[0], study, *command[1:])
        assert result.exit_code == 0, result.output
        assert "study.toml differs from its log, and the log counts here: " in result.stderr
        assert "problem.variables.temperature.unit" in result.stderr
    assert token in call("show", study).stdout
    assert "°C" in study.with_suffix(".html").read_text(encoding="utf-8")
    for command in (["ask"], ["tell", token, "1"], ["amend", token, "1"], ["extend"], ["check"]):
        refused(call(command[0], study, *command[1:]), 2)


def test_what_the_log_has_is_written_as_the_file_has_it(study: Path) -> None:
    edited(study, "[problem]", "[problem]\nminimize = true")
    assert "problem.minimize: true is not allowed; expected false, as in the log" in refused(call("ask", study), 2)


def test_a_file_from_before_bounds_were_widened_says_what_to_write(study: Path) -> None:
    with Study.open(study.with_suffix(".db")) as going:
        going.extend({"temperature": (10, 45.5), "ph": (3, 8)})
    message = refused(call("ask", study), 2)
    assert "problem.variables.temperature.high: 35.0 is not allowed; expected 45.5, as in the log" in message
    wanted = 'low = 3.0, law = { kind = "uniform", low = 4.0, high = 8.0 } for ph'
    assert (
        f"The study was widened since: write high = 45.5 for temperature and {wanted} into the study file." in message
    )
    assert "another study" not in message
    assert "0 of 10 spent" in call("show", study).stdout
    edited(study, "high = 35", "high = 45.5")
    edited(study, "low = 4, high = 8", "low = 3, high = 8")
    message = refused(call("ask", study), 2)
    assert 'The study was widened since: write law = { kind = "uniform", low = 4.0, high = 8.0 } for ph into' in message
    edited(study, 'law = { kind = "uniform" }', 'law = { kind = "uniform", low = 4.0, high = 8.0 }')
    assert call("ask", study).exit_code == 0


TEMPERATURE = '  { kind = "float", name = "temperature", low = 10, high = 35, unit = "°C" },\n'


def test_a_number_that_became_a_category_after_bounds_were_widened_is_named(study: Path) -> None:
    with Study.open(study.with_suffix(".db")) as going:
        going.extend({"temperature": (10, 45.5)})
    edited(study, TEMPERATURE, '  { kind = "categorical", name = "temperature", choices = ["cold", "hot"] },\n')
    assert "problem.variables.temperature" in refused(call("ask", study), 2)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {
                TEMPERATURE: TEMPERATURE
                + '  { kind = "float", name = "light", low = 0, high = 9, law = { kind = "uniform" } },\n'
            },
            'problem.variables: ["temperature", "light", "ph"] is not allowed; expected temperature, ph, as in the '
            "log. The variable light is new: a study keeps its variables, and their names.",
        ),
        ({'"ph"': '"acid"'}, "The variable acid is new and the variable ph is missing: "),
        (
            {TEMPERATURE: "", '["temperature"], ["temperature", "ph"]': '["ph"]'},
            "The variable temperature is missing: ",
        ),
    ],
)
def test_variables_that_are_new_missing_or_renamed_are_named(study: Path, changes: dict[str, str], said: str) -> None:
    """The refusal was a list of dictionaries, cut off."""
    for before, after in changes.items():
        edited(study, before, after)
    for command in ("ask", "extend"):
        message = refused(call(command, study), 2)
        assert said in message
        assert "and `steerbo import second.db before.csv --as-data`." in message
        assert ("give the table a column light" in message) == ("light" in said)


def test_what_changes_nothing_says_so(study: Path) -> None:
    asked(study)
    token = logged(study)[-1].token  # type: ignore[union-attr]
    assert call("abandon", study, token, "--charge", 1).stderr == ""
    assert "1 of 10 spent" in call("show", study).stdout
    assert "round 1 was abandoned already: nothing is changed" in call("abandon", study, token).stderr
    assert "--charge AMOUNT" in refused(call("abandon", study, token, "--charge", 2), 2)
    assert call("fail", study, token, "--charge", 2, "--reason", "pump").stderr == ""
    assert "round 1 was failed already: nothing is changed" in call("fail", study, token, "--reason", "pump").stderr
    again = call("fail", study, token, "--reason", "no pump")
    assert "round 1 was failed already: the other reason is kept as a remark" in again.stderr
    assert "amend" in refused(call("fail", study, token, "--charge", 3), 2)
    message = refused(call("fail", study, token, "--cost", 4), 2)
    assert "round 1 is failed already; to correct the cost, use `steerbo amend STUDY TOKEN --cost AMOUNT`" in message
    assert "charge" in refused(call("fail", study, token, "--cost", 1, "--charge", 1), 2)
    assert "3 of 10 spent" in call("amend", study, token, "--charge", 3).stdout
    assert "4 of 10 spent" in call("amend", study, token, "--cost", 4).stdout
    assert "is failed already at a cost of 4;" in refused(call("fail", study, token, "--cost", 5), 2)


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
    assert "Budget 25 since 20" in study.with_suffix(".html").read_text(encoding="utf-8")


def test_headers_are_known_by_the_log_alone(tmp_path: Path) -> None:
    path = tmp_path / "lab.toml"
    path.write_text(PROBLEM + STUDY + '[study.columns]\nvalue = "Ertrag"\n', encoding="utf-8")
    call("new", path)
    assert ",Ertrag," in call("ask", path.with_suffix(".db"), "--csv").stdout.splitlines()[0]
    (tmp_path / "own.csv").write_text("temperature,ph,ertrag,cost\n20,6,1,2\n", encoding="utf-8")
    assert "1 new" in call("import", path.with_suffix(".db"), tmp_path / "own.csv").stderr


def test_there_is_nothing_to_look_at(study: Path) -> None:
    token = asked(study)["token"]
    for words in ((), ("--context", "ph=6")):
        assert "nothing to look at, all is set: use `steerbo tell" in refused(call("decide", study, token, *words), 2)
    assert [path.name for path in study.parent.iterdir() if "unwritten" in path.name] == []


def test_a_time_far_after_the_others_is_said_by_ask(tmp_path: Path) -> None:
    path = tmp_path / "lab.toml"
    variable = '[[problem.variables]]\nkind = "float"\nname = "x"\nlow = 0\nhigh = 1\n'
    path.write_text('[problem]\nkind = "time-varying"\n' + variable + "[study]\nrounds = 9\n", encoding="utf-8")
    assert call("new", path).exit_code == 0
    for time in range(1, 5):
        assert "after the last one" not in call("ask", path, "--time", time).output
    said = "time = 1764000000 is 1.764e+09 after the last one, and no step was larger than 1; it is kept"
    assert said in " ".join(call("ask", path, "--time", 1764000000).output.split())
    answer = json.loads(call("ask", path, "--time", 1e15, "--json").stdout)
    assert "after the last one" in answer[0]["warnings"][0]


def test_outcomes_go_on_in_a_study_with_other_prices(tmp_path: Path) -> None:
    """As the page on studies by hand says."""
    old, new, table = tmp_path / "old.toml", tmp_path / "new.toml", tmp_path / "old.csv"
    variable = '[[problem.variables]]\nkind = "float"\nname = "{}"\nlow = 0\nhigh = 1\nlaw = {{ kind = "uniform" }}\n'
    for path, price in ((old, 1), (new, 5)):
        problem = f'[problem]\nkind = "cost-varying"\ncontrol_sets = [["x"], ["z"]]\ncosts = [{price}, 2]\n'
        text = problem + variable.format("x") + variable.format("z") + "[study]\nbudget = 9\n"
        path.write_text(text, encoding="utf-8")
        assert call("new", path).exit_code == 0
    for value in (1.5, 2.5):
        suggestion = asked(old)
        left = [f"{name}=0.5" for name in "xz" if name not in suggestion["values"]]
        assert call("tell", old, suggestion["token"], value, "--realised", *left, "--cost", 3).exit_code == 0
    assert "6 of 9 spent" in call("show", old).output, "what is told is counted"
    assert call("export", old, "--out", table).exit_code == 0
    assert call("import", new, table, "--as-data").exit_code == 0
    status = json.loads(call("show", new, "--json").stdout)["status"]
    assert status["spent"] == 0
    with Study.open(new.with_suffix(".db")) as study:
        assert [added.value for added in study.history.added] == [1.5, 2.5]


def test_a_new_study_says_which_values_are_better(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(PLANT, encoding="utf-8")
    assert "larger values are better (if not, write minimize = true" in said("new", tmp_path / "a.toml")
    (tmp_path / "b.toml").write_text(PLANT.replace("[problem]", "[problem]\nminimize = true"), encoding="utf-8")
    assert "smaller values are better (if not, write minimize = false" in said("new", tmp_path / "b.toml")


def test_the_schema_is_json() -> None:
    assert json.loads(said("schema"))["title"] == "Study file of steerbo"
