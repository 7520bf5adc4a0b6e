"""Several graphs, of which one is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steerbo.causal import Causal, CausalGraph, policy_scopes
from steerbo.causal._arms import Arm
from steerbo.causal._observational import adjustment_set
from steerbo.causal.identification.scopes import played_by, stages
from steerbo.core import Optimizer, Scope, load
from steerbo.errors import InvalidInput, InvalidProblem
from steerbo.space import Float
from steerbo.study import read_study
from tests.causal.wrong_edges import add_confounder, drop_arrow, losses

ROLES: dict[str, Any] = {"target": "y", "intervenable": ["x"]}
RIGHT = CausalGraph.from_text("c -> x -> y; c -> y", **ROLES)
HIDDEN = CausalGraph.from_text("c -> x -> y; c -> y; x <-> y", **ROLES)
BESIDE = CausalGraph.from_text("c -> y; x -> y; x <-> c; c <-> y", **ROLES)
VARIABLES = [Float("x", 0, 1), Float("c", 0, 1)]


def problem(*graphs: CausalGraph) -> Causal:
    return Causal(graphs=graphs, variables=VARIABLES)


def scopes(optimizer: Optimizer) -> tuple[Scope, ...]:
    return tuple(arm.scope for arm in optimizer._method.arms)  # type: ignore[attr-defined]


def test_arms_are_those_of_all_graphs() -> None:
    assert set(policy_scopes(RIGHT)) < set(policy_scopes(HIDDEN)), "nature may know more"
    united = scopes(Optimizer(problem(RIGHT, HIDDEN), "coca-bo"))
    assert set(united) == {*policy_scopes(RIGHT), *policy_scopes(HIDDEN)}
    assert scopes(Optimizer(problem(RIGHT), "coca-bo")) == policy_scopes(RIGHT)
    assert set(scopes(Optimizer(problem(RIGHT, HIDDEN), "cabo"))) == {Scope(), Scope(["x"])}


def test_an_observation_counts_where_every_graph_says_so() -> None:
    looking, space = Scope.of({"x": ["c"]}), problem(RIGHT).space
    assert adjustment_set(Arm.of(looking, [RIGHT], space)) == ()
    assert adjustment_set(Arm.of(looking, [RIGHT, HIDDEN], space)) is None
    assert adjustment_set(Arm.of(looking, [HIDDEN, RIGHT], space)) is None
    assert adjustment_set(Arm.of(Scope(["x"]), [RIGHT], space)) == ("c",)
    assert adjustment_set(Arm.of(Scope(["x"]), [BESIDE], space)) is None, "c is a collider there, and a cause"
    assert adjustment_set(Arm.of(Scope(["x"]), [RIGHT, BESIDE], space)) is None
    optimizer = Optimizer(problem(RIGHT, HIDDEN), "coca-bo", seed=0)
    for k in range(5):
        optimizer.add(0.1 * k, {"x": 0.2 * k, "c": 0.3})
    assert "set x after looking at c" not in optimizer.explain().text


def test_variables_to_adjust_for_must_do_in_every_graph() -> None:
    """Each graph would do with one of two; together both do."""
    one = CausalGraph.from_text("a -> x -> y; a -> y; b -> y", **ROLES)
    other = CausalGraph.from_text("b -> x -> y; b -> y; a -> y", **ROLES)
    space = Causal(one, [Float(name, 0, 1) for name in ("x", "a", "b")]).space
    assert adjustment_set(Arm.of(Scope(["x"]), [one], space)) == ("a",)
    assert adjustment_set(Arm.of(Scope(["x"]), [one, other], space)) == ("a", "b")


def test_a_scope_is_played_in_the_order_that_suits_all_graphs() -> None:
    roles: dict[str, Any] = {"target": "y", "intervenable": ["x1", "x2"]}
    apart = CausalGraph.from_text("c -> x2 -> y; c -> y; x1 -> y", **roles)
    after = CausalGraph.from_text("x1 -> c -> x2 -> y; c -> y", **roles)
    scope = Scope.of({"x1": [], "x2": ["c"]})
    assert played_by(scope, [apart, after]) is after
    assert stages(scope, played_by(scope, [apart, after])) == (((), ("x1",)), (("c",), ("x2",)))
    against = CausalGraph.from_text("x2 -> c -> y; x1 -> y", **roles)
    assert played_by(scope, [against, after]) is after, "where x2 affects c it cannot look at it"
    arm = Arm.of(scope, [apart, against], Causal(apart, [Float(n, 0, 1) for n in ("x1", "x2", "c")]).space)
    assert arm.affected == {"c"}


def test_a_study_is_played_saved_and_opened() -> None:
    optimizer = Optimizer(problem(RIGHT, HIDDEN), seed=0)
    for k in range(9):
        suggestion = optimizer.ask()
        assert suggestion is not None
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"c": 0.1 * k})
        optimizer.tell(suggestion, 0.3 * k % 1.0)
    again = load(optimizer.to_json())
    assert again.problem == optimizer.problem
    assert again.ask() == optimizer.ask()
    said = dict(again.problem.describe())
    assert said["graph 2"] == "c -> x, x -> y, c -> y, x <-> y"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"graph": RIGHT, "graphs": [HIDDEN]}, "nothing beside `graphs`"),
        ({"graphs": []}, "from 1 to 64"),
        ({"graphs": [RIGHT] * 65}, "from 1 to 64"),
        ({"graphs": [RIGHT, RIGHT]}, "every graph once"),
        ({"graphs": [RIGHT, CausalGraph.from_text("c -> y; x -> c", target="c", intervenable=["x"])]}, "target"),
        ({"graphs": [RIGHT, CausalGraph.from_text("c -> y; x -> y; d -> y", **ROLES)]}, "contexts"),
        ({}, "a CausalGraph, or several"),
        ({"graphs": "class.txt"}, "graphs"),
    ],
)
def test_what_are_no_several_graphs_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        Causal(variables=VARIABLES, **given)


BODY = """
[[problem.variables]]
kind = "float"
name = "x"
low = 0
high = 1

[[problem.variables]]
kind = "float"
name = "c"
low = 0
high = 1

[study]
rounds = 3

[objective]
command = ["true"]
"""
MANY = '["right.txt", { file = "bare.txt", target = "y", intervenable = ["x"] }]'


@pytest.mark.parametrize("said", [MANY, '"class.txt"', '{ file = "bare.txt", target = "y", intervenable = ["x"] }'])
def test_a_study_file_names_files_of_graphs(tmp_path: Path, said: str) -> None:
    roles = "target: y; intervenable: x"
    files = {
        "right.txt": f"c -> x -> y; c -> y; {roles}",
        "class.txt": f"c -- x; x -> y; c -> y; {roles}",
        "bare.txt": "c -> x; x -> y; c -> y; x <-> y",
        "study.toml": f'[problem]\nkind = "causal"\ngraphs = {said}\n{BODY}',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_study(tmp_path / "study.toml").problem
    assert isinstance(found, Causal)
    assert len(found.every_graph) == (1 if said.startswith("{") else 2)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(f'[problem]\nkind = "causal"\ngraphs = ["none.txt"]\n{BODY}', "utf-8")
    with pytest.raises(InvalidInput, match=r"problem\.graphs\.0: .*none\.txt"):
        read_study(tmp_path / "study.toml")


def test_what_one_wrong_edge_costs() -> None:
    """A hidden common cause too many costs nothing: all that may be best without it is kept. One forgotten may cost."""
    assert losses(add_confounder, 60).max() <= 1e-9
    assert losses(drop_arrow, 60).max() > 0.01
