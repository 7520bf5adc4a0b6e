"""What a person is to do next: every command that is printed can be typed, once its gaps are filled."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import steerbo as sb
from steerbo.cli import main
from steerbo.cli.instructions import todo, todo_by_policy
from steerbo.study import MemoryLog, Study

GRAPH = sb.CausalGraph(
    [("soil pH", "dose"), ("dose", "y"), ("soil pH", "y")], target="y", intervenable=["dose"], contexts=["soil pH"]
)
CAUSAL = sb.Causal(GRAPH, [sb.Float("dose", 0, 1), sb.Float("soil pH", 4, 8)])
HELD = sb.CostVarying([sb.Float(n, 0, 1, law=sb.Uniform(), unit="°C") for n in ("a b", "c'd")], [["a b"]])


def typed(text: str, fill: str) -> list[str]:
    """The arguments of the command in the last line."""
    found = re.search(r"steerbo .*", text.splitlines()[-1])
    assert found
    return shlex.split(found[0].replace("…", fill).replace("VALUE", "1.5"))[1:]


@pytest.mark.parametrize("problem", [CAUSAL, HELD])
def test_the_commands_that_are_printed_lead_to_the_end(problem: sb.CostVarying | sb.Causal, tmp_path: Path) -> None:
    place = str(tmp_path / "study.db")
    with Study.create(place, problem, budget=9) as study:
        suggestion = study.ask()
    shown = todo(study, suggestion, place)
    for _ in range(3):
        result = CliRunner().invoke(main, typed(shown, "0.5"))
        assert result.exit_code == 0, result.output
        shown = result.stdout.rstrip()
        if "steerbo" not in shown:
            break
    with Study.open(place) as study:
        assert study.history[suggestion.token].state == "told"


def test_settings_have_their_units_and_the_cost_is_asked_for_where_it_counts() -> None:
    with Study.create(MemoryLog(), HELD, budget=9, seed=0) as study:
        suggestion = study.ask()
        text = todo(study, suggestion, "greenhouse.toml")
        assert f"round 1, token {suggestion.token}: hold a b" in text
        assert re.search(r"set a b = [\d.]+ °C", text)
        assert typed(text, "0.5")[-4:] == ["--realised", "c'd=0.5", "--cost", "0.5"]


def test_a_policy_names_what_is_still_to_be_looked_at() -> None:
    with Study.create(MemoryLog(), CAUSAL, rounds=9, seed=0) as study:
        suggestion = study.ask()
        while suggestion.observe:
            suggestion = study.decide(suggestion, dict.fromkeys(suggestion.observe, 6.0))
        study.tell(suggestion, 1.0)
        step = study.policy({})
        if step.observe:
            text = todo_by_policy(study, step, "field.toml")
            assert typed(text, "6.0") == ["policy", "field.toml", "--context", "soil pH=6.0"]
        seen = study.policy({"soil pH": 6.0})
        assert "steerbo" not in todo_by_policy(study, seen, "field.toml")
