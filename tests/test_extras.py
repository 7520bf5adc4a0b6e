"""The core works without any extra, and says which one is missing where one is needed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
OPTIONAL = sorted({re.split(r"[\[<>=]", line)[0].replace("-", "_") for lines in EXTRAS.values() for line in lines})

BLOCKED = f"""
import pkgutil, sys
sys.modules |= dict.fromkeys({OPTIONAL})  # importing one of them is an ImportError
"""


def run(program: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", BLOCKED + program, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_module_is_imported_without_extras(tmp_path: Path) -> None:
    program = """
import steerbo
from steerbo.errors import MissingExtra
for module in pkgutil.walk_packages(steerbo.__path__, "steerbo."):
    if not module.name.endswith("__main__"):
        try:
            __import__(module.name)
        except MissingExtra as missing:
            print(module.name, missing.extra)
"""
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "steerbo.interop.botorch botorch",
        "steerbo.interop.gest gest",
        "steerbo.interop.optuna optuna",
        "steerbo.serve serve",
    ], "doors to others are all that need them"
    assert "networkx" in OPTIONAL


def test_causal_problems_need_no_extra(tmp_path: Path) -> None:
    program = """
import steerbo as sb
graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y; dose <-> y", target="y", intervenable=["dose"])
assert sb.CausalGraph.from_text(graph.to_text()) == graph
optimizer = sb.Optimizer(sb.Causal(graph, [sb.Float("dose", 0, 1), sb.Float("age", 20, 90)]))
suggestion = optimizer.ask()
while suggestion.observe:
    suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 44.0))
optimizer.tell(suggestion, 1.0)
print(sb.load(optimizer.to_json()).recommend().mean)
"""
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(1.0, abs=0.1)  # the one outcome, shrunk a little


@pytest.mark.parametrize("call", ["graph.to_networkx()", "sb.CausalGraph.from_networkx(graph)"])
def test_graphs_of_networkx_name_their_extra(tmp_path: Path, call: str) -> None:
    program = f"""
import steerbo as sb
from steerbo.errors import MissingExtra
graph = sb.CausalGraph([("x", "y")], target="y", intervenable=["x"])
try:
    {call}
except MissingExtra as error:
    print(error)
"""
    done = run(program, tmp_path)
    assert done.stdout == "this needs networkx, which is not installed: pip install 'steerbo[graphs]'\n", done.stderr


@pytest.mark.parametrize(
    "text",
    [
        'graph [ directed 1 node [ id 0 label "x" ] node [ id 1 label "y" ] edge [ source 0 target 1 ] ]',
        "digraph { x -> y }",
    ],
)
def test_graphs_in_text_need_no_extra(tmp_path: Path, text: str) -> None:
    (tmp_path / "field").write_text(text)
    program = "import steerbo as sb; sb.CausalGraph.from_file('field', target='y', intervenable=['x'])"
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
