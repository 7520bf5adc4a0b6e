"""Causal problems that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from typer.testing import CliRunner

from steerbo.causal import Causal, CausalGraph
from steerbo.cli import main
from steerbo.errors import InvalidProblem
from steerbo.space import Float, OutcomeConstraint
from steerbo.study import Study, read_study
from tests.causal.published import FIGURE_1


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ([Float("x1", 0, 1), Float("c", 0, 1)], "variables.*a variable for 'x2'"),
        ([Float("x1", 0, 1), Float("x2", 0, 1)], "a variable for 'c'.*list the graph's contexts without it"),
        ([Float(n, 0, 1) for n in ("x1", "x2", "c", "y")], "variables: 'y'.*other than its target"),
        ([Float(n, 0, 1) for n in ("x1", "x2", "x2", "c")], "every name once"),
    ],
)
def test_problems_that_are_refused(variables: list[Any], message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        Causal(FIGURE_1, variables)


def test_a_limited_variable_of_the_graph_is_told_afterwards() -> None:
    limited = [OutcomeConstraint("c", at_most=1, probability=0.9)]
    variables = [Float("x1", 0, 1), Float("x2", 0, 1)]
    for some in (variables, [*variables, Float("c", 0, 1)]):
        with pytest.raises(
            InvalidProblem, match=r"limits\.0\.name: 'c' .*Leave it out of `variables` and of the graph's contexts"
        ):
            Causal(FIGURE_1, some, limits=limited)


def test_nothing_to_set_is_refused() -> None:
    graph = CausalGraph([("c", "y")], target="y", intervenable=[])
    with pytest.raises(InvalidProblem, match="at least one variable that can be set"):
        Causal(graph, [Float("c", 0, 1)])


GRAPH = CausalGraph(
    [("weather", "soil pH"), ("soil pH", "yield"), ("weather", "yield")],
    [("soil pH", "yield")],
    target="yield",
    intervenable=["soil pH"],
)
STUDY = """
[problem]
kind = "causal"
graph = %s
variables = [
  { kind = "float", name = "soil pH", low = 4, high = 8 },
  { kind = "float", name = "weather", low = -10, high = 40, unit = "°C" },
]
[study]
rounds = 5
"""
BARE = 'graph [ directed 1 node [ id 0 label "soil pH" ] node [ id 1 label "yield" ] node [ id 2 label "weather" ] %s ]'
EDGES = " ".join(f"edge [ source {a} target {b} ]" for a, b in ((2, 0), (0, 1), (2, 1), (3, 0), (3, 1)))
FILES = {
    "field.txt": GRAPH.to_text(),
    "field.gml": "\n".join(nx.generate_gml(GRAPH.to_networkx())),
    "field.dagitty": 'dag { "soil pH" [exposure] yield [outcome] u [latent] u -> {"soil pH" yield} '
    'weather -> {"soil pH" yield} "soil pH" -> yield }',
    "field.dot": 'digraph { weather -> "soil pH" -> yield; weather -> yield; "soil pH" -> yield [dir=both];'
    '"soil pH" [role=intervenable]; yield [role=target] }',
}


def study(folder: Path, graph: str) -> Path:
    path = folder / "study.toml"
    path.write_text(STUDY % graph, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", FILES)
def test_beside_the_study_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / name).write_text("\ufeff" + FILES[name], encoding="utf-8")
    path = study(tmp_path, f'"graphs/{name}"')
    monkeypatch.chdir(tmp_path / "graphs")  # the study file's folder counts, not this one
    problem = read_study(path).problem
    assert isinstance(problem, Causal)
    assert problem.graph == GRAPH


def test_with_roles_that_the_file_does_not_say(tmp_path: Path) -> None:
    (tmp_path / "field.gml").write_text(BARE % f'node [ id 3 label "u" observed "no" ] {EDGES}')
    path = study(tmp_path, '{ file = "field.gml", target = "yield", intervenable = ["soil pH"] }')
    problem = read_study(path).problem
    assert isinstance(problem, Causal)
    assert problem.graph == GRAPH
    with pytest.raises(InvalidProblem, match=r"study\.toml: problem\.graph: field\.gml: target: missing"):
        read_study(study(tmp_path, '"field.gml"'))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ('"none.txt"', r"problem\.graph: none\.txt: graph: '.*none\.txt' .*No such file"),
        ('"."', r"problem\.graph: .*can be read"),
        ('"a\\u0000b"', r"problem\.graph: .*without NUL characters"),
        ('"latin.txt"', r"problem\.graph: latin\.txt: .*in UTF-8"),
        ('"bad.txt"', r"problem\.graph: bad\.txt: graph line 2: 'a - b' .*edges such as"),
        ('{ file = "" }', r"problem\.graph\.file: ''"),
        ("{ file = 3 }", r"problem\.graph\.file: 3"),
        ('{ file = "field.txt", targt = "y" }', r"problem\.graph\.targt: 'y' .*mean 'target'"),
        ('{ file = "field.txt", target = 3 }', r"problem\.graph: field\.txt: .*target: 3"),
        ('{ file = "field.txt", intervenable = "soil pH" }', r"problem\.graph: field\.txt: .*intervenable: .*a list"),
        ('{ file = "field.txt", contexts = [3] }', r"problem\.graph: field\.txt: .*contexts.*: 3"),
    ],
)
def test_refused_by_name(tmp_path: Path, graph: str, message: str) -> None:
    (tmp_path / "field.txt").write_text(FILES["field.txt"])
    (tmp_path / "bad.txt").write_text("x -> y\na - b\n")
    (tmp_path / "latin.txt").write_bytes("Dünger -> y".encode("latin-1"))
    with pytest.raises(InvalidProblem, match=rf"^study\.toml: {message}"):
        read_study(study(tmp_path, graph))


@pytest.mark.parametrize("form", sorted(FILES))
def test_a_graph_may_stand_in_the_study_file_as_text(tmp_path: Path, form: str) -> None:
    (tmp_path / form).write_text(FILES[form], encoding="utf-8")
    text, roles = FILES[form], ""
    if form == "field.dagitty":
        roles = ', target = "yield", intervenable = ["soil pH"]'
    inline = read_study(study(tmp_path, f"{{ file = {json.dumps(text)}{roles} }}")).problem
    assert inline == read_study(study(tmp_path, f'{{ file = "{form}"{roles} }}')).problem
    if not roles:
        assert inline == read_study(study(tmp_path, json.dumps(text))).problem


def say(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_check_says_the_graph(tmp_path: Path) -> None:
    (tmp_path / "field.txt").write_text(FILES["field.txt"])
    said = " ".join(say("check", study(tmp_path, '"field.txt"')).split())  # lines are no wider than the terminal
    assert " graph weather -> soil pH, soil pH -> yield, weather -> yield, soil pH <-> yield " in said
    assert " roles target yield; can be set: soil pH; can be looked at: weather " in said
    assert " arms 2 policy scopes; 4 initial rounds " in said


def test_names_with_spaces_by_hand(tmp_path: Path) -> None:
    text = FILES["field.txt"].replace('"soil pH" <-> yield; ', "").replace("weather", '"air temp=C"')
    (tmp_path / "field.txt").write_text(text)
    path = study(tmp_path, '"field.txt"')
    path.write_text(path.read_text(encoding="utf-8").replace("weather", "air temp=C"), encoding="utf-8")
    say("new", path)
    asked = say("ask", path)
    assert "steerbo decide" in asked
    assert "--context 'air temp=C'=…" in asked
    token = read_token(path)
    assert "set soil pH = " in say("decide", path, token, "--context", "air temp=C=21.5")
    say("tell", path, token, 7.4)
    assert "soil pH" in say("show", path)
    assert "soil pH" in say("export", path, "--format", "csv")
    assert say("scopes", tmp_path / "field.txt").count("set soil pH after looking at air temp=C") == 1
    say("report", path)
    assert "soil pH" in path.with_suffix(".html").read_text(encoding="utf-8")


def read_token(path: Path) -> str:
    with Study.open(path.with_suffix(".db")) as going:
        assert going.problem.space.names == ("soil pH", "air temp=C")
        return going.pending[0].token


def test_the_log_keeps_the_graph(tmp_path: Path) -> None:
    (tmp_path / "field.txt").write_text(FILES["field.txt"])
    say("new", study(tmp_path, '"field.txt"'))
    (tmp_path / "field.txt").unlink()
    with Study.open(tmp_path / "study.db") as going:
        assert isinstance(going.problem, Causal)
        assert going.problem.graph == GRAPH
