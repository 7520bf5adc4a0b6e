"""A scope as an arm: its columns, its stages, and what an action may be based on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.arm import Arm
from steerbo.core import Scope
from steerbo.surrogate import Controlled, Observed, Rows, Uncontrolled

STAGED = sb.CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; age -> rest", target="y", intervenable=["dose", "rest"]
)
SPACE = sb.Causal(
    STAGED,
    [sb.Float("age", 0, 100), sb.Integer("dose", 1, 5), sb.Float("pulse", 40, 140), sb.Categorical("rest", ["a", "b"])],
).space
APART = sb.CausalGraph.from_text("a -> x1 -> y; b -> x2 -> y; a -> y; b -> y", target="y", intervenable=["x1", "x2"])
APART_SPACE = sb.Causal(APART, [sb.Float(name, 0, 1) for name in ("x1", "x2", "a", "b")]).space


def staged(**more: Any) -> Arm:
    return Arm(Scope.of({"rest": ["pulse", "age"], "dose": ["age"]}), STAGED, SPACE, **more)


def test_columns_are_actions_then_contexts_in_the_problem_s_order_then_the_time() -> None:
    assert staged().names == ("dose", "rest", "age", "pulse")
    assert staged(timed=True).names == ("dose", "rest", "age", "pulse", "time")
    beside = Arm(Scope.of({"rest": ["age"]}), STAGED, SPACE, beside=("pulse",))
    assert (beside.contexts, beside.measured) == (("age",), ("age", "pulse"))
    assert beside.names == ("rest", "age", "pulse")
    assert beside.columns(("pulse", "rest")) == [0, 2]
    assert Arm(Scope(), STAGED, SPACE).space is None


def test_what_is_seen_before_choosing_is_a_context_of_every_arm() -> None:
    graph = sb.CausalGraph.from_text("w -> y; x -> y; c -> y", target="y", intervenable=["x"])
    space = sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("c", 0, 1), sb.Float("w", 0, 1, seen=True)]).space
    assert Arm(Scope(["x"]), graph, space).contexts == ("w",)
    assert Arm(Scope.of({"x": ["c"]}), graph, space).contexts == ("c", "w")


def test_stages_say_what_is_looked_at_before_what_is_set() -> None:
    assert staged().stages == ((("age",), ("dose",)), (("pulse",), ("rest",)))
    assert staged().affected == {"pulse"}, "the dose changes it"
    assert Arm(Scope.of({"rest": ["pulse"]}), STAGED, SPACE).affected == set()


def test_where_several_graphs_may_be_right_what_any_of_them_says_is_affected_is() -> None:
    other = sb.CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x", "x2"], contexts=["c"],
                                     variables=["x2"])  # fmt: skip
    after = sb.CausalGraph.from_text("x2 -> c -> x -> y; c -> y", target="y", intervenable=["x", "x2"])
    space = sb.Causal(after, [sb.Float(name, 0, 1) for name in ("x", "x2", "c")]).space
    scope = Scope.of({"x": ["c"], "x2": []})
    for graphs in ([other, after], [after, other]):
        arm = Arm.of(scope, graphs, space)
        assert arm.graph is after, "its order suits both"
        assert set(arm.graphs) == {other, after}
        assert arm.affected == {"c"}
    assert Arm.of(scope, [other], space).affected == set()


def test_rows_are_encoded_values_and_come_back() -> None:
    values = {"age": 50.0, "dose": 2, "pulse": 65.0, "rest": "b"}
    row = staged().encode(values)
    np.testing.assert_allclose(row, [[0.25, 1.0, 0.5, 0.25]])
    assert staged().decode(("dose", "rest"), row[0]) == {"dose": 2, "rest": "b"}
    np.testing.assert_allclose(staged(timed=True).encode({**values, "time": 7.5}), [[0.25, 1.0, 0.5, 0.25, 7.5]])
    assert Arm(Scope(), STAGED, SPACE).encode({}).shape == (1, 0)
    np.testing.assert_allclose(staged().looks([values, {**values, "age": 0.0}]), [[0.5, 0.25], [0.0, 0.25]])
    assert Arm(Scope(["dose"]), STAGED, SPACE).looks([]).shape == (1, 0)


def test_the_box_has_the_levels_of_what_is_set() -> None:
    box = staged().box(("rest", "dose"))
    assert (box.low.tolist(), box.high.tolist()) == ([0.0, 0.0], [1.0, 1.0])
    assert box.levels[1] is not None
    np.testing.assert_allclose(box.levels[1], np.arange(5) / 4)
    assert list(box.unordered) == [True, False]


def test_parts_say_of_every_column_whether_it_is_set_known_or_drawn() -> None:
    drawn = Uncontrolled(Rows(np.array([[0.5]]), np.array([1.0])), 0)
    parts = staged().parts(["rest"], {"dose": 3, "age": 20.0}, {"pulse": drawn})
    assert parts == (Observed(0.5), Controlled(), Observed(0.2), drawn)


def test_an_action_may_use_its_own_contexts_and_actions_that_use_no_more() -> None:
    arm = Arm(Scope.of({"x1": ["a"], "x2": ["a", "b"]}), APART, APART_SPACE)
    assert arm.known_to(("x1",)) == {"a"}
    assert arm.known_to(("x2",)) == {"a", "b", "x1"}
    assert arm.groups(("x1", "x2")) == [("x1",), ("x2",)]
    timed = Arm(arm.scope, APART, APART_SPACE, timed=True)
    assert timed.known_to(("x1",)) == {"a", "time"}
    unlike = Arm(Scope.of({"x1": ["a"], "x2": ["b"]}), APART, APART_SPACE)
    assert unlike.known_to(("x2",)) == {"b"}, "x1 tells of a, which x2 does not see"


@pytest.mark.parametrize(
    ("scope", "groups"),
    [
        ({"x1": ["a"], "x2": ["a"]}, [("x1", "x2")]),
        ({"x1": ["a", "b"], "x2": ["a"]}, [("x2",), ("x1",)]),
        ({"x1": ["b"], "x2": []}, [("x2",), ("x1",)]),
    ],
)
def test_actions_that_see_the_same_are_set_together_and_those_that_see_less_first(
    scope: dict[str, list[str]], groups: list[tuple[str, ...]]
) -> None:
    arm = Arm(Scope.of(scope), APART, APART_SPACE)
    assert arm.groups(("x1", "x2")) == groups
    assert arm.groups(("x1",)) == [("x1",)]
