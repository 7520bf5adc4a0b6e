"""Graphs: what is refused, what is read, and d-separation against networkx."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import steerbo as sb
from steerbo.causal import Causal, CausalGraph
from steerbo.causal.graphs._projection import MOST_EDGES, MOST_NODES
from steerbo.causal.graphs.graph import _check_edges, _check_roles, _check_size, claims, doubts
from steerbo.cli import main
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.space import Float
from steerbo.study import Study
from tests.causal.exact import drawn, random_graph, separated
from tests.sizes import examples

SEEDS = st.integers(0, 10**6)
FEW = settings(max_examples=examples(60), deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("text", "roles", "message"),
    [
        ("a -> b -> c -> a", {"target": "c"}, r"a -> b -> c -> a.*without cycles"),
        ("a - b", {"target": "b"}, "graph line 1.*edges such as"),
        ("a -> b\nfoo: x", {}, "graph line 2.*roles"),
        ("", {"target": "b"}, "at least one edge"),
        ("digraph { a -> ", {"target": "a"}, "the end of the text"),
        ("graph { a -- b }", {"target": "a"}, "Say which way"),
    ],
)
def test_refused(text: str, roles: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        CausalGraph.from_text(text, **{"intervenable": [], **roles})


OURS = CausalGraph.from_text("age -> dose -> y; age -> y; dose <-> y", target="y", intervenable=["dose"])


@pytest.mark.parametrize(
    "text",
    [
        "age -> dose -> y <- age\ndose <-> y  # confounded\ntarget: y\nintervenable: dose",
        'dag { bb="0,0,1,1" age [pos="0,1"] dose [exposure] y [outcome] age -> {dose y} dose -> y dose <-> y }',
    ],
)
def test_text_forms(text: str) -> None:
    read = CausalGraph.from_text(text)
    assert (set(read.directed), set(read.bidirected)) == (set(OURS.directed), set(OURS.bidirected))
    assert (read.target, read.intervenable, read.contexts) == ("y", ("dose",), ("age",))


def test_dagitty_latent_variables_are_neither_seen_nor_set() -> None:
    read = CausalGraph.from_text("dag { u [latent] x [exposure] y [outcome] w u -> x u -> y x -> y w -> x }")
    assert read.contexts == ("w",)


def test_round_trips() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        graph = random_graph(random, 7, 2)
        assert from_dict(CausalGraph, to_dict(graph)) == graph
        again = CausalGraph.from_text(graph.to_text())
        assert set(again.names) == set(graph.names)
        assert (set(again.directed), again.bidirected) == (set(graph.directed), graph.bidirected)
        whole = drawn(graph.directed, graph.bidirected)
        whole.add_nodes_from(graph.names)
        other = CausalGraph.from_networkx(whole, target=graph.target, intervenable=graph.intervenable)
        assert set(other.directed) == set(graph.directed)
        assert set(map(frozenset, other.bidirected)) == set(map(frozenset, graph.bidirected))


@FEW
@given(SEEDS)
def test_separation_is_that_of_networkx(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = random_graph(random, 7, 2, density=random.choice([0.2, 0.4]))
    whole, masks = graph.to_networkx(), graph.masks
    for a, b in combinations(graph.names, 2):
        rest = [n for n in graph.names if n not in (a, b)]
        given_ = {n for n in rest if random.random() < 0.4}
        apart = nx.is_d_separator(whole, {a}, {b}, given_)
        assert separated(graph, a, b, given_) == apart
        path = masks.active_path(graph.index(a), graph.index(b), graph.mask(given_))
        assert bool(path) != apart
        if path:
            assert (path[0], path[-1]) == (graph.index(a), graph.index(b))


@FEW
@given(SEEDS)
def test_projection_keeps_separation(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = random_graph(random, 7, 2)
    keep = {graph.target, *(n for n in graph.names if random.random() < 0.6)}
    small = graph.projected(keep)
    assert set(small.names) == keep
    for a, b in combinations(sorted(keep), 2):
        given_ = [n for n in keep if n not in (a, b) and random.random() < 0.5]
        assert separated(small, a, b, given_) == separated(graph, a, b, given_)
        assert (a in graph.ancestors([b])) == (a in small.ancestors([b]))


def test_logs_with_halves_of_characters_still_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier versions began such studies; now they are refused where they would begin."""
    name = "caf\udce9"
    graph = CausalGraph([(name, "dose"), ("dose", "y"), (name, "y")], target="y", intervenable=["dose"])
    problem = Causal(graph, [Float("dose", 0, 1), Float(name, 0, 1)])
    with pytest.raises(InvalidProblem, match="half a character"):
        Study.create(tmp_path / "study.db", problem, rounds=3)
    with monkeypatch.context() as before:
        before.setattr("steerbo.core._creation.unsafe", lambda text: "")
        Study.create(tmp_path / "study.db", problem, rounds=3).close()
    with Study.open(tmp_path / "study.db") as study:
        assert study.problem == problem
        assert study.ask().observe == (name,)


NAMES = ["age", "dose", "y"]


def test_a_graph_is_only_so_large() -> None:
    names = [str(i) for i in range(MOST_NODES + 1)]
    _check_size(names[:-1], MOST_EDGES)
    with pytest.raises(InvalidProblem, match=f"variables: {MOST_NODES + 1} .*at most {MOST_NODES}"):
        _check_size(names, 3)
    with pytest.raises(InvalidProblem, match=f"directed: {MOST_EDGES + 1} .*at most {MOST_EDGES}"):
        _check_size(NAMES, MOST_EDGES + 1)


@pytest.mark.parametrize("field", ["directed", "bidirected"])
@pytest.mark.parametrize(
    ("edge", "said"),
    [
        (("a", "a"), "a -> a.*between two variables.*Remove the self-loop"),
        (("a", " "), "names that are not empty"),
        (("", "a"), "names that are not empty"),
        (("x", "a"), "every edge once"),
    ],
)
def test_edges_are_refused_by_their_place(field: str, edge: tuple[str, str], said: str) -> None:
    with pytest.raises(InvalidProblem, match=rf"{field}\.2: .*{said}"):
        _check_edges(field, [("x", "a"), ("x", "b"), edge])


def test_an_edge_without_a_direction_is_the_same_either_way() -> None:
    both = [("a", "b"), ("b", "a")]
    _check_edges("directed", both)  # a cycle, which is said elsewhere
    with pytest.raises(InvalidProblem, match=r"bidirected\.1: .*every edge once"):
        _check_edges("bidirected", both)


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"target": "z"}, "target: 'z' .*one of age, dose, y"),
        ({"intervenable": ["dos"]}, "intervenable: 'dos' .*did you mean 'dose'"),
        ({"contexts": ["sex"]}, "contexts: 'sex' .*one of"),
        ({"intervenable": ["dose", "dose"]}, "intervenable: 'dose' .*every variable once"),
        ({"contexts": ["age", "age"]}, "contexts: 'age' .*every variable once"),
        ({"intervenable": ["y"]}, "intervenable: 'y' .*other than the target"),
        ({"contexts": ["y"]}, "contexts: 'y' .*other than the target"),
        ({"contexts": ["age", "dose"]}, "contexts: 'dose' .*but list it once"),
    ],
)
def test_roles_are_those_of_variables_and_one_each(roles: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"target": "y", "intervenable": ["dose"], "contexts": ["age"]}
    _check_roles(NAMES, **given)
    _check_roles(NAMES, "y", [], [])
    with pytest.raises(InvalidProblem, match=said):
        _check_roles(NAMES, **{**given, **roles})


def test_a_graph_that_is_declared_is_checked() -> None:
    with pytest.raises(InvalidProblem, match=r"directed\.1: .*every edge once"):
        CausalGraph([("a", "b"), ("a", "b")], target="b", intervenable=["a"])
    with pytest.raises(InvalidProblem, match=r"bidirected\.1: .*every edge once"):
        CausalGraph([], [("a", "b"), ("b", "a")], target="b", intervenable=["a"])
    with pytest.raises(InvalidProblem, match="other than the target"):
        CausalGraph.from_text("a -> b", target="b", intervenable=["b"])


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
