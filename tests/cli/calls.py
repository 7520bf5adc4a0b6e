"""The command line, called in this process; studies that tests begin with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer.main
from typer.testing import CliRunner, Result

from steerbo.cli import main
from tests.study.files import PROBLEM, logged


def call(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(result: Result, code: int) -> str:
    """The one line on standard error."""
    (line,) = all_refused(result, code)
    return line


def all_refused(result: Result, code: int) -> list[str]:
    """The lines on standard error, one for each thing that is wrong."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.startswith("steerbo: ")]
    assert result.stderr.rstrip().endswith(lines[-1])
    assert "Traceback" not in result.output
    return lines


LINE = """
[problem]
kind = "time-varying"
variables = [{ kind = "float", name = "x", low = 0, high = 1 }]
priors = [{ kernel = { kind = "squared-exponential", lengthscale = 0.3 }, drift = { kind = "decay", epsilon = 0.1 } }]
[study]
method = "random"
rounds = 20
"""
FLEET = """
[problem]
kind = "mean-field"
actions = ["north", "south"]
agents = 10
largest_move = 0.25
{contexts}
[study]
method = "random"
rounds = 20
"""


def begin(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    assert call("new", path).exit_code == 0
    return path


def ask(study: Path, *options: Any) -> dict[str, Any]:
    """The suggestion, with the request that the log has of it."""
    result = call("ask", study, "--json", *options)
    assert result.exit_code == 0, result.output
    (suggestion,) = json.loads(result.stdout)
    event = logged(study)[-1]
    assert event.kind == "asked"
    assert event.token == suggestion["token"]
    return {**suggestion, "request": event.request}


def asked(study: Path) -> dict[str, Any]:
    (suggestion,) = json.loads(call("ask", study, "--json").stdout)
    return dict(suggestion)


_PROGRAM: Any = typer.main.get_command(main)
COMMANDS: dict[str, Any] = {name: _PROGRAM.get_command(None, name) for name in _PROGRAM.list_commands(None)}
PLANT = PROBLEM + "[study]\nbudget = 30\n"
DRUG = """
[problem]
kind = "causal"
graph = { directed = [["age", "dose"], ["dose", "y"], ["age", "y"]], target = "y", intervenable = ["dose"] }
variables = [
  { kind = "float", name = "dose", low = 0, high = 1, unit = "mg" },
  { kind = "float", name = "age", low = 20, high = 90 },
]
[study]
rounds = 20
"""


def said(*words: Any) -> str:
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result.stdout
