"""--json: every command answers in one JSON document on standard output, errors included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steerbo.serve.operations import LOOKS
from steerbo.study import Study
from tests.cli.calls import COMMANDS, DRUG, FLEET, LINE, PLANT, asked, begin, call, said
from tests.study.files import write_study

STATUS = {"rounds", "told", "failed", "pending", "spent", "finished"}


def answered(code: int, *words: Any) -> Any:
    """The document of a command that ends with this code."""
    result = call(*words, "--json")
    assert result.exit_code == code, result.output
    assert "NaN" not in result.stdout
    return json.loads(result.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_json(command: str) -> None:
    assert "--json" in [option for parameter in COMMANDS[command].params for option in parameter.opts]


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "demo"])
def test_every_command_says_errors_in_json(command: str) -> None:
    """A mistyped option, then something given that is not allowed."""
    arguments = [p for p in COMMANDS[command].params if p.param_type_name == "argument" and p.required]
    for words in ([command, "--nonsense"], [command, *(["/nowhere/none.toml"] * max(1, len(arguments)))]):
        document = answered(2, *words)
        assert set(document) == {"errors", "exit_code"}
        assert document["exit_code"] == 2
        for error in document["errors"]:
            assert set(error) == {"kind", "field", "value", "allowed", "hint", "message"}
            assert error["message"]


def test_an_error_has_its_parts(tmp_path: Path) -> None:
    study = begin(tmp_path, DRUG)
    (suggestion,) = answered(0, "ask", study)
    (error,) = answered(2, "decide", study, suggestion["token"], "--context", "agee=3")["errors"]
    assert error["kind"] == "InvalidContext"
    assert error["field"] == "context.agee"
    assert error["value"] == "3.0"
    assert error["allowed"] == "values for one of age (did you mean 'age'?)"
    text = study.read_text().replace("rounds = 20", "rounds = 0\nseed = -1")
    study.write_text(text)
    fields = [error["field"] for error in answered(2, "check", study)["errors"]]
    assert fields == ["study.toml: study.rounds", "study.toml: study.seed"], "all at once"
    (conflict,) = answered(2, "tell", study.with_suffix(".db"), suggestion["token"], 1)["errors"]
    assert (conflict["kind"], conflict["field"]) == ("OutcomeConflict", "")


def test_a_failing_objective(tmp_path: Path) -> None:
    path = write_study(tmp_path, objective='[objective]\ncommand = ["false"]\n')
    document = answered(1, "run", path)
    assert document["exit_code"] == 1
    assert "3 evaluations failed in a row" in document["errors"][0]["message"]


def test_a_study_from_new_to_report(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(DRUG)
    checked = answered(0, "check", study)
    assert checked["problem"]["kind"] == "causal"
    assert (checked["study"]["method"], checked["objective"], checked["exists"]) == ("coca-bo", None, False)
    begun = answered(0, "new", study)
    assert begun["log"].endswith("study.db")
    assert begun["status"]["rounds"] == 0
    tokens = []
    for _ in range(4):
        (suggestion,) = answered(0, "ask", study)
        tokens.append(suggestion["token"])
        if suggestion["observe"]:
            decided = answered(0, "decide", study, tokens[-1], "--context", "age=44")
            assert set(decided["values"]) == {"dose"}
    for words in (
        ("tell", study, tokens[0], 1.5),
        ("fail", study, tokens[1]),
        ("abandon", study, tokens[2]),
        ("amend", study, tokens[0], 2.5),
    ):
        assert set(answered(0, *words)["status"]) >= STATUS
    (tmp_path / "table.csv").write_text(f"token,value,who\n{tokens[3]},3,Anna\n{tokens[3]},4,Anna\n")
    taken = answered(2, "import", study, tmp_path / "table.csv")
    assert [(line["number"], line["fate"]) for line in taken["lines"]] == [(2, "taken"), (3, "refused")]
    assert taken["ignored"] == ["who"]
    assert taken["status"]["told"] == 2
    shown = answered(0, "show", study)
    assert {"recommendation", "explanation", "status", "rounds"} <= set(shown)
    assert answered(0, "policy", study, "--context", "age=44")["values"].keys() == {"dose"}
    assert answered(0, "export", study)["text"].startswith("token,")
    assert answered(0, "export", study, "--out", tmp_path / "o.csv") == {
        "format": "csv",
        "file": str(tmp_path / "o.csv"),
    }
    assert Path(answered(0, "report", study)["file"]).stat().st_size > 1000
    assert answered(0, "doctor", study)
    assert answered(0, "methods", "causal")[0]["method"]


@pytest.mark.parametrize("text", [PLANT, LINE, DRUG, FLEET.format(contexts="")])
def test_answers_are_those_of_a_server(text: str, tmp_path: Path) -> None:
    study = begin(tmp_path, text)
    assert answered(0, "explain", study)["suggestion"] is None
    token = asked(study)["token"]
    with Study.open(str(study.with_suffix(".db"))) as served:
        looks = {name: LOOKS[name][1](served) for name in ("recommendation", "explanation", "status")}
        card = served.card(token).to_dict()
    assert answered(0, "recommend", study) == looks["recommendation"]
    assert answered(0, "status", study) == looks["status"]
    for words in ((), (token,)):
        explained = answered(0, "explain", study, *words)
        assert explained == {"suggestion": {**card, "state": "open"}, "explanation": looks["explanation"]}
    shown = answered(0, "show", study)
    assert {name: shown[name] for name in looks} == looks
    assert f"open: round 1, token {token}: hold " in said("status", study)
    assert f"round 1, token {token}, open: " in said("explain", study)
    assert said("recommend", study).startswith("Recommended: ")


def test_what_extend_changed(tmp_path: Path) -> None:
    study = begin(tmp_path, LINE)
    study.write_text(study.read_text().replace("high = 1 ", "high = 2 ").replace("rounds = 20", "rounds = 30"))
    said = answered(0, "extend", study)
    assert (said["bounds"], said["changes"]) == ({"x": [0.0, 2.0]}, {"rounds": [20, 30]})
    again = answered(0, "extend", study)
    assert (again["bounds"], again["changes"]) == ({}, {})
