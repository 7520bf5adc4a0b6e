"""`steerbo scopes` through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from steerbo.cli.scopes import scopes
from steerbo.errors import InvalidProblem

APP = typer.Typer()
APP.command()(scopes)
GRAPH = "x1 -> x2 -> y; c -> x2; c -> y; x1 <-> c; x2 <-> y\ntarget: y\nintervenable: x1, x2\n"


@pytest.fixture
def graph(tmp_path: Path) -> str:
    file = tmp_path / "graph.txt"
    file.write_text(GRAPH)
    return str(file)


def test_in_words(graph: str) -> None:
    said = CliRunner().invoke(APP, [graph]).stdout
    assert "set x1 after looking at c\n" in said
    assert "rule intervene: setting x1 as well, after looking at c, loses nothing" in said
    assert "rule A: x1 does not affect y" in said


def test_as_json_and_drawn(graph: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "pictures"
    answer = json.loads(CliRunner().invoke(APP, [graph, "--json", "--draw", str(folder)]).stdout)
    assert [scope["look"] for scope in answer["scopes"]] == [{"x1": ["c"]}, {"x2": ["c"]}]
    assert {row["rule"] for row in answer["dropped"]} == {"A", "intervene"}
    assert all(Path(path).stat().st_size > 5000 for path in answer["pictures"])


@pytest.mark.parametrize(
    ("text", "message"), [("x -> y", "target"), ("x ->", "line 1"), ("x -> y; target: z; intervenable: x", "'z'")]
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "graph.txt"
    file.write_text(text)
    error = CliRunner().invoke(APP, [str(file)]).exception
    assert isinstance(error, InvalidProblem)
    assert message in str(error)


def test_no_file(tmp_path: Path) -> None:
    error = CliRunner().invoke(APP, [str(tmp_path / "none.txt")]).exception
    assert isinstance(error, InvalidProblem)


def test_roles_that_the_file_does_not_say(tmp_path: Path) -> None:
    file = tmp_path / "bare.txt"
    file.write_text("x1 -> x2 -> y; c -> x2; c -> y; x1 <-> c; x2 <-> y")
    assert isinstance(CliRunner().invoke(APP, [str(file)]).exception, InvalidProblem)
    roles = ["--target", "y", "--intervenable", "x1", "--intervenable", "x2"]
    result = CliRunner().invoke(APP, [str(file), *roles])
    assert "set x1 after looking at c\n" in result.stdout
    alone = CliRunner().invoke(APP, [str(file), *roles, "--contexts", "x1", "--json"])
    assert isinstance(alone.exception, InvalidProblem), "one variable has one role"


def test_prices(graph: str) -> None:
    """A scope with its price, the cheapest first; none is left out but for one as good and no dearer."""
    said = CliRunner().invoke(APP, [graph, "--price", "x1=1", "--price", "c=0.5", "--base", "2"]).stdout
    assert "scopes that may be worth their cost, the cheapest first:\n  set nothing; 2 a round\n" in said
    assert "set x1 after looking at c; 3.5 a round" in said
    answer = json.loads(CliRunner().invoke(APP, [graph, "--json", "--price", "x1=1", "--price", "c=2"]).stdout)
    assert {"set": ["x1"], "look": {"x1": ["c"]}, "keep": [], "price": 3.0} in answer["scopes"]
    error = CliRunner().invoke(APP, [graph, "--price", "x3=1"]).exception
    assert isinstance(error, InvalidProblem)
    assert "prices.x3" in str(error)
    assert "NAME=VALUE" in str(CliRunner().invoke(APP, [graph, "--price", "x1"]).exception)
    assert "prices.x1" in str(CliRunner().invoke(APP, [graph, "--price", "x1=much"]).exception)


def test_a_study_file_is_no_graph(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('[problem]\nkind = "causal"\ngraph = "graph.txt"\n')
    found = CliRunner().invoke(APP, [str(tmp_path / "study.toml")])
    assert isinstance(found.exception, InvalidProblem)
    assert "no study file. Of a study file give the file that its field" in str(found.exception)
