"""Limits in a study file: checked, kept, explained, exported; other ones are another study."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calls import begin, call, refused, said

MIXTURE = """
[problem]
kind = "cost-varying"
control_sets = [["resin", "filler", "hardener", "line"]]
variables = [
    { kind = "float", name = "resin", low = 0, high = 1 },
    { kind = "float", name = "filler", low = 0, high = 1 },
    { kind = "float", name = "hardener", low = 0, high = 0.5 },
    { kind = "categorical", name = "line", choices = ["old", "new"] },
]

[[problem.limits]]
kind = "linear"
weights = { resin = 1, filler = 1, hardener = 1 }
at_most = 1
at_least = 1

[[problem.limits]]
kind = "linear"
weights = { hardener = 1, resin = -0.5 }
at_most = 0

[[problem.limits]]
kind = "forbid"
combination = { line = "old" }

[study]
rounds = 30
"""


def test_a_mixture_by_hand(tmp_path: Path) -> None:
    study = begin(tmp_path, MIXTURE)
    checked = said("check", study)
    assert "filler + hardener + resin exactly 1" in checked
    assert "not line old" in checked
    for _ in range(3):
        (suggestion,) = json.loads(said("ask", study, "--json"))
        x = suggestion["values"]
        assert abs(x["resin"] + x["filler"] + x["hardener"] - 1) < 1e-12
        assert x["hardener"] <= 0.5 * x["resin"]
        assert x["line"] == "new"
        said("tell", study, suggestion["token"], str(x["resin"] * x["hardener"]))
    shown = " ".join(said("show", study).split())
    assert "is at a limit: filler + hardener + resin exactly 1" in shown
    (study.parent / "past.csv").write_text("resin,filler,hardener,line,value\n0.9,0.9,0.5,old,3\n")
    assert "taken" in said("import", study, study.parent / "past.csv")  # what happened, happened
    assert '"weights"' in said("export", study, "--format", "jsonl")


def test_other_limits_are_another_study(tmp_path: Path) -> None:
    study = begin(tmp_path, MIXTURE)
    study.write_text(MIXTURE.replace("at_most = 0\n", "at_most = 0.1\n"))
    assert "problem.limits" in refused(call("ask", study), 2)


def test_what_clashes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(MIXTURE.replace('line = "old"', 'line = ["old", "new"]').replace("at_most = 0\n", "at_least = 1\n"))
    said_ = refused(call("check", path), 2)
    assert "problem.limits" in said_
    assert "clash" in said_ or "Loosen it" in said_


BOILER = """
[problem]
kind = "cost-varying"
control_sets = [["heat"]]
limits = [{ kind = "measured", name = "pressure", at_most = 5 }]

[[problem.variables]]
kind = "float"
name = "heat"
low = 0
high = 10

[study]
method = "random"
rounds = 30
"""


def test_a_further_outcome_is_told_imported_and_exported(tmp_path: Path) -> None:
    study = begin(tmp_path, BOILER)
    assert "pressure at most 5 with probability 0.95" in said("check", study)
    (suggestion,) = json.loads(said("ask", study, "--json"))
    assert "--realised pressure=…" in said("ask", study)
    assert "realised.pressure" in refused(call("tell", study, suggestion["token"], "7"), 2)
    said("tell", study, suggestion["token"], "7", "--realised", "pressure=4.2")
    (tmp_path / "past.csv").write_text("heat,pressure,value\n2,3.5,3\n3,,4\n")
    said("import", study, tmp_path / "past.csv")
    exported = said("export", study, "--format", "csv")
    assert "pressure" in exported.splitlines()[0]
    assert "4.2" in exported
    assert "3.5" in exported


FLEET = """
[problem]
kind = "mean-field"
actions = ["north", "south", "harbour"]
contexts = ["day", "night"]
weights = [2, 1]
agents = 35
counts = true

[[problem.limits]]
kind = "share"
action = "south"
at_least = 0.3

[[problem.limits]]
kind = "headcount"
action = "harbour"
at_least = 2
at_most = 5
context = "night"

[study]
rounds = 9
"""


def test_a_fleet_by_hand(tmp_path: Path) -> None:
    """Whole agents within shares and numbers; what is wrong is named, and costs no round."""
    study = begin(tmp_path, FLEET)
    checked = said("check", study)
    assert "at least 30 % of all agents in south" in checked
    assert "of night in harbour" in checked
    for _ in range(3):
        (suggestion,) = json.loads(said("ask", study, "--json"))
        counts = suggestion["values"]["counts"]
        assert sum(row.get("south", 0) for row in counts.values()) >= 0.3 * 35
        assert 2 <= counts["night"].get("harbour", 0) <= 5
        refused(call("tell", study, suggestion["token"], "much"), 2)
        said("tell", study, suggestion["token"], str(counts["day"].get("north", 0) / 35))
    shown = " ".join(said("show", study).split())
    assert "3 of 9 rounds" in shown
    assert "at least 30 % of all agents in south" in shown
    assert '"headcount"' in said("export", study, "--format", "jsonl")


def test_what_is_no_limit_of_a_fleet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    for wrong, right, named in (
        ('action = "south"', 'action = "sauth"', "south"),
        ('context = "night"', 'context = "noon"', "night"),
        ("at_least = 0.3", "at_least = 30", "problem.limits"),
        ("at_most = 5", "at_most = 1", "at_least"),
        ("at_least = 2\nat_most = 5", "at_least = 13", "problem.limits"),
        ('kind = "headcount"', 'kind = "linear"', "share, headcount"),
    ):
        path.write_text(FLEET.replace(wrong, right))
        assert named in refused(call("check", path), 2)
