"""A graph in plain words: a reversed arrow reads wrong, and is doubted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import steerbo as sb
from steerbo.causal.claims import claims, doubts
from steerbo.cli import main

SOUND = "age -> dose; dose -> pulse; pulse -> y; age -> y; dose <-> y; target: y; intervenable: dose"


def graph(text: str, **roles: Any) -> sb.CausalGraph:
    return sb.CausalGraph.from_text(text, **roles)


def test_a_sound_graph_is_read_out_and_not_doubted() -> None:
    said = "setting dose changes pulse and y; nothing changes age; a hidden cause changes both dose and y"
    assert claims(graph(SOUND)) == said
    assert doubts(graph(SOUND)) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "yield -> dose; target: yield; intervenable: dose",
            "nothing that can be set changes yield; yield changes dose.",
        ),
        ("a -> y; b -> c; target: y; intervenable: a, b", "setting b does not change y."),
        ("a -> y; y -> c; target: y; intervenable: a", "y changes c."),
    ],
)
def test_what_is_probably_reversed_is_doubted(text: str, said: str) -> None:
    assert doubts(graph(text)) == f"{said} Is an arrow the wrong way round?"


def test_an_effect_of_the_target_that_is_only_measured_afterwards_is_fine() -> None:
    assert doubts(graph("a -> y; y -> c; target: y; intervenable: a", contexts=[])) == ""


def test_a_variable_without_an_arrow_is_doubted() -> None:
    apart = sb.CausalGraph([("a", "y")], target="y", intervenable=["a"], variables=["age"])
    assert doubts(apart) == "age has no arrow at all. Is an arrow missing, or the wrong way round?"


def test_of_many_names_the_first_are_said() -> None:
    names = [f"v{i}" for i in range(30)]
    many = sb.CausalGraph([(name, "y") for name in names], target="y", intervenable=names)
    assert "and 18 more can be set" in claims(many)
    wide = sb.CausalGraph([("a", "y"), *(("a", name) for name in names)], target="y", intervenable=["a"])
    assert claims(wide).endswith("v9, v10 and 19 more")


def test_a_problem_says_it_of_each_of_several_graphs() -> None:
    graphs = [graph("x -> y; target: y; intervenable: x"), graph("y -> x; target: y; intervenable: x")]
    said = sb.Causal(graphs=graphs, variables=[sb.Float("x", 0, 1)]).describe()
    assert ("claims", "setting x changes y") in said
    assert [text for heading, text in said if heading == "doubt"] == [doubts(graphs[1])]


def test_scopes_and_check_say_it(tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text("yield -> dose; target: yield; intervenable: dose")
    study = """
        problem.kind = "causal"
        problem.graph = "graph.txt"
        problem.variables = [{ kind = "float", name = "dose", low = 0, high = 1 }]
        study.rounds = 3
    """
    (tmp_path / "study.toml").write_text("\n".join(line.strip() for line in study.splitlines()))
    for command, file in (("scopes", "graph.txt"), ("check", "study.toml")):
        said = " ".join(CliRunner().invoke(main, [command, str(tmp_path / file)]).stdout.split())
        assert "nothing changes yield" in said
        assert "nothing that can be set changes yield; yield changes dose. Is an arrow the wrong way round?" in said
