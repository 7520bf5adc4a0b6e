"""`steerbo predict`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import DRUG, begin, call, refused, said
from tests.cli.test_policy import play
from tests.study.files import logged


@pytest.fixture(scope="module")
def drug(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Played once: a prediction logs nothing."""
    study = begin(tmp_path_factory.mktemp("drug"), DRUG)
    play(study)
    return study


def test_settings_of_ones_own_are_predicted(drug: Path) -> None:
    before = logged(drug)
    told = said("predict", drug, "dose=0.5", "--context", "age=61")
    assert told.startswith("having seen age = 61")
    assert "with dose = 0.5 mg: expected value" in told
    found = json.loads(said("predict", drug, "dose=0.5", "--context", "age=61", "--json"))
    assert found["lower"] < found["mean"] < found["upper"]
    assert logged(drug) == before, "nothing is logged"


def test_a_table_of_settings(drug: Path, tmp_path: Path) -> None:
    table = tmp_path / "doses.csv"
    table.write_text("dose\n0.25\n0.5\n")
    one = [json.loads(said("predict", drug, f"dose={dose}", "--json")) for dose in (0.25, 0.5)]
    assert json.loads(said("predict", drug, "--table", table, "--json")) == one
    assert len(said("predict", drug, "--table", table).splitlines()) >= 2
    table.write_text("dose,age\n0.25,61\n0.5,\n7,\n")
    assert "line 4.dose" in refused(call("predict", drug, "--table", table), 2), "as in the file"
    table.write_text("dose,age\n0.25,61\n0.5,\n")
    seen = json.loads(said("predict", drug, "dose=0.25", "--context", "age=61", "--json"))
    other = json.loads(said("predict", drug, "dose=0.5", "--context", "age=40", "--json"))
    found = json.loads(said("predict", drug, "--table", table, "--context", "age=40", "--json"))
    assert found == [seen, other], "a line's own value goes before"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("dose=7",), "dose"),
        (("dosis=0.5",), "dosis"),
        ((), "settings of one scope"),
        (("dose=0.5", "--context", "wind=3"), "wind"),
        (("dose=0.5", "--table", "[]"), "either NAME=VALUE or --table"),
        (("--table", '[{"dose": 0.5}, {"dose": 7}]'), "line 2"),
    ],
)
def test_what_it_refuses(drug: Path, given: tuple[str, ...], says: str) -> None:
    assert says in refused(call("predict", drug, *given), 2)
