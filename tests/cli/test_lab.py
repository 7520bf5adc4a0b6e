"""A person in a lab, with all four wings: from `new` to `doctor`, looking before there is anything to see."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import DRUG, FLEET, LINE, PLANT, begin, call, said

WINGS = {
    "cost-varying": PLANT,
    "time-varying": LINE.replace('method = "random"\n', ""),
    "causal": DRUG,
    "mean-field": FLEET.format(contexts="counts = true").replace('method = "random"\n', ""),
}


def ask(study: Path) -> dict[str, Any]:
    (suggestion,) = json.loads(said("ask", study, "--json"))
    if suggestion["observe"]:
        assert "set dose = " in said("decide", study, suggestion["token"], "--context", "age=44")
    return dict(suggestion)


@pytest.mark.parametrize("wing", WINGS)
def test_from_the_first_word_to_the_last(wing: str, tmp_path: Path) -> None:
    study = begin(tmp_path, WINGS[wing])
    measured = ["--cost", 1, "--realised", "ph=6"] if wing == "cost-varying" else []
    assert "Recommended" in said("show", study), "nothing was asked yet"
    first = ask(study)
    assert "open" in said("show", study), "nothing was told yet"
    said("report", study)
    said("fail", study, first["token"], "--reason", "the pump broke", *measured[:2])
    assert "pump" in said("show", study)
    for value in (1.5, -0.5):
        token = ask(study)["token"]
        extra = measured if "ph" not in said("export", study).splitlines()[-1].split(",") else measured[:2]
        result = call("tell", study, token, value, *extra)
        assert result.exit_code == 0, result.output
    table = said("export", study)
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["value"] for row in rows] == ["", "1.5", "-0.5"]
    (tmp_path / "told.csv").write_text("\n".join([table.splitlines()[0], *table.splitlines()[2:]]))
    again = said("import", study, tmp_path / "told.csv")
    assert again.count("it was there already") == 2, again
    assert "{'" not in said("show", study), "words, not Python"
    assert "every checksum is right" in said("doctor", study)
    assert (tmp_path / "study.html").stat().st_size > 1000


def test_a_distribution_is_said_by_context(tmp_path: Path) -> None:
    study = begin(tmp_path, FLEET.format(contexts='contexts = ["van", "lorry"]\ncounts = true'))
    lines = said("ask", study).splitlines()
    assert lines[1] == "  set distribution:"
    assert lines[2].startswith("    van: north = ")
    assert lines[5].startswith("    van: north = "), "whole agents"
    (row,) = csv.DictReader(io.StringIO(said("ask", study, "--csv")))
    assert {"van/north", "lorry/north"} < set(row), "as a table of past data has them"
    assert not {"distribution", "counts"} & set(row)


def test_a_representative_agent_has_a_name(tmp_path: Path) -> None:
    text = FLEET.format(contexts='feedback = "representative"').replace('"north", "south"', '"1", "2"')
    study = begin(tmp_path, text)
    token = ask(study)["token"]
    assert "steerbo tell" in said("ask", study)
    assert call("tell", study, token, 3, "--realised", "action=2").exit_code == 0
    (told, _) = csv.DictReader(io.StringIO(said("export", study)))
    assert (told["context"], told["action"]) == ("everyone", "2")


def test_what_can_be_set_and_what_can_be_looked_at(tmp_path: Path) -> None:
    text = said("check", begin(tmp_path, DRUG))
    assert "dose: float, 0 to 1 mg; can be set" in text
    assert "age: float, 20 to 90; can be looked at" in text
