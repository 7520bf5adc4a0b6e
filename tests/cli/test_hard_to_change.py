"""What is hard to change, from a study file and by hand."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.calls import call

STUDY = """
[study]
method = "cheap-first"
budget = 40
seed = 0

[problem]
kind = "cost-varying"
control_sets = [["oven", "speed"]]
costs = [1]

[[problem.variables]]
kind = "float"
name = "oven"
low = 100
high = 200
change = { fixed = 5, per_unit = 0.1 }

[[problem.variables]]
kind = "float"
name = "speed"
low = 0
high = 1
"""


def test_by_hand(tmp_path: Path) -> None:
    """What moving costs is said at `check` and `ask`, what stays in words and in the table of rounds."""
    place = tmp_path / "study.toml"
    place.write_text(STUDY.replace("budget = 40", "budget = 60"))
    assert call("new", place).exit_code == 0
    assert "oven: 5 a change and 0.1 a unit" in " ".join(call("check", place).stdout.split())
    said = ""
    for _ in range(4):
        said += (asked := call("ask", place)).stdout
        assert asked.exit_code == 0, asked.output
        token = asked.stdout.split("token ")[1].split(":")[0]
        assert call("tell", place, token, "1.5").exit_code == 0
    assert "hold speed, keeping oven\n  leave oven = " in said
    assert said.count("changing costs") == 1
    lines = list(csv.DictReader(io.StringIO(call("export", place).stdout)))
    assert [line["scope"] for line in lines] == [*["oven + speed"] * 2, *["speed + oven (kept)"] * 2]
    first, moved, *_ = (float(line["oven"]) for line in lines)
    assert [float(line["cost"]) for line in lines] == pytest.approx([1, 6 + 0.1 * abs(moved - first), 1, 1])


def test_the_table_comes_back(tmp_path: Path) -> None:
    """A line of which something stayed is data of its control set for another study."""
    place, table = tmp_path / "study.toml", tmp_path / "past.csv"
    place.write_text(STUDY)
    assert call("new", place).exit_code == 0
    table.write_text("value,cost,scope,oven,speed\n1.5,1,speed + oven (kept),150,0.5\n")
    assert call("import", place, table).exit_code == 0
    assert "oven + speed" in call("show", place).stdout


def test_a_wrong_price_is_refused_by_name(tmp_path: Path) -> None:
    place = tmp_path / "study.toml"
    place.write_text(STUDY.replace("fixed = 5", "fixed = -5"))
    assert "change.fixed: -5" in call("check", place).stderr


def test_a_batch_is_to_be_played_in_its_order(tmp_path: Path) -> None:
    place = tmp_path / "study.toml"
    place.write_text(STUDY)
    assert call("new", place).exit_code == 0
    asked = call("ask", place, "--batch", 4)
    assert asked.stdout.count("leave oven = ") == 3
    assert "in this order" in asked.stderr
    assert "in this order" not in call("ask", place).stderr
