"""A method that stands beside the study file: run, gone on with, opened by its log, and what is wrong with it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import steerbo as sb
from steerbo.errors import InvalidStudy
from steerbo.study import read_study
from tests.cli.calls import call, refused
from tests.outsiders import FEW

STUDY = """
[problem]
kind = "cost-varying"
control_sets = [["ph"]]
variables = [{ kind = "float", name = "ph", low = 4, high = 8, law = { kind = "uniform" } }]
[study]
method = "%s:Middle"
rounds = 3
"""


def lab(folder: Path, module: str, content: str = FEW) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(content)
    (folder / "study.toml").write_text(STUDY % module)
    return folder / "study.toml"


@pytest.fixture(autouse=True)
def _no_leftovers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_a_method_beside_the_study_file(tmp_path: Path) -> None:
    study = lab(tmp_path, "lab_methods")
    assert "method      lab_methods:Middle" in call("check", study).stdout
    call("new", study)
    asked = json.loads(call("ask", study, "--json").stdout)
    assert asked[0]["values"] == {"ph": 6.0}
    call("tell", study, asked[0]["token"], "7.5")
    shown = json.loads(call("show", study, "--json").stdout)
    assert [row["value"] for row in shown["rounds"]] == [7.5]
    with sb.Study.open(tmp_path / "study.db") as again:
        assert again.history.created.method == "lab_methods:Middle"
    (tmp_path / "study.toml").write_text((STUDY % "lab_methods").replace("lab_methods:Middle", "cheap-first"))
    assert "method" in refused(call("ask", study), 2)


def test_a_log_alone_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("new", lab(tmp_path, "left_methods"))
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(tmp_path)])
    monkeypatch.delitem(sys.modules, "left_methods")
    said = refused(call("show", tmp_path / "study.db"), 2)
    assert "There is no module 'left_methods' here: install its package, or add its folder to PYTHONPATH." in said
    assert "every checksum is right" in call("doctor", tmp_path / "study.db").stdout
    assert "left_methods" not in sys.modules


def test_another_module_of_that_name_is_not_taken_for_it(tmp_path: Path) -> None:
    read_study(lab(tmp_path / "one", "same_methods"))
    with pytest.raises(InvalidStudy, match="another module is called same_methods"):
        read_study(lab(tmp_path / "two", "same_methods"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1 / 0", "It failed (ZeroDivisionError"),
        ("Middle = 3", "expected a class derived from Method"),
        ("", "Was Middle renamed"),
        (FEW.replace("def choose", "def chose"), "It lacks choose"),
    ],
)
def test_what_is_wrong_with_it_is_said_of_the_file(content: str, said: str, tmp_path: Path) -> None:
    module = f"wrong_methods_{len(content)}"
    complaint = refused(call("check", lab(tmp_path, module, content)), 2)
    assert f"study.toml: study.method: '{module}:Middle' is not allowed" in complaint
    assert said in complaint
