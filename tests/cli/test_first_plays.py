"""`steerbo check` shows what a study will ask for first, before anything is begun."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import DRUG, LINE, PLANT, said


@pytest.mark.parametrize("text", [PLANT, DRUG, LINE], ids=["plant", "drug", "line"])
def test_the_first_plays_are_shown_and_nothing_is_begun(text: str, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(text, encoding="utf-8")
    lines = [line.split() for line in said("check", study).splitlines() if "to begin" in line]
    assert [words[3].strip(":,") for words in lines] == ["1", "2", "3"]
    assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]


def test_they_are_those_that_the_study_asks_for(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(PLANT, encoding="utf-8")
    checked = " ".join(said("check", study).split())
    said("new", study)
    (first,) = json.loads(said("ask", study, "--json"))
    assert all(f"{name} = {text}" in checked for name, text in first["shown"].items())
    assert "to begin" not in said("check", study), "it has begun"


@pytest.mark.parametrize(
    ("costs", "rounds"), [("costs = [2, 7]\n", ", in 4 to 15 rounds"), ("costs = [3, 3]\n", ", in 10 rounds"), ("", "")]
)
def test_a_budget_is_said_in_rounds_where_prices_are_known(costs: str, rounds: str, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    sets = 'control_sets = [["a"], ["a", "b"]]\n'
    study.write_text(
        f'[problem]\nkind = "cost-varying"\n{sets}{costs}{VARIABLES}[study]\nbudget = 30\n', encoding="utf-8"
    )
    assert f"a budget of 30 is spent{rounds}\n" in said("check", study)


VARIABLES = """
[[problem.variables]]
kind = "float"
name = "a"
low = 0
high = 1
[[problem.variables]]
kind = "float"
name = "b"
low = 0
high = 1
law = { kind = "uniform" }
"""
