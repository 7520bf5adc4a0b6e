"""A scope as an arm: its columns, its stages, and what an action may be based on."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal._arms import Arm, share_columns, unmeasured
from steerbo.core import Optimizer, Scope, Streams
from steerbo.surrogate import Controlled, Observed, Rows, Uncontrolled
from tests.causal.priced import play
from tests.causal.priced_worlds import world

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
    beside = Arm(Scope.of({"rest": ["age"]}), STAGED, SPACE, covariates=("pulse",))
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
    np.testing.assert_allclose(staged().encode_contexts([values, {**values, "age": 0.0}]), [[0.5, 0.25], [0.0, 0.25]])
    assert Arm(Scope(["dose"]), STAGED, SPACE).encode_contexts([]).shape == (1, 0)


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


LOOKS = world("looks").problem


def models(optimizer: Optimizer) -> dict[str, int]:
    """Which model every arm has."""
    method: Any = optimizer._state.method
    return {str(arm.scope): k for arm, k in zip(method.arms, method.models.model_of, strict=True)}


def floats(names: str) -> list[sb.Float]:
    return [sb.Float(name, 0, 1) for name in names.split()]


def arms_of(problem: sb.Causal, *scopes: Scope) -> list[Arm]:
    return [Arm(scope, problem.graph, problem.space) for scope in scopes]


X, QUICK, LAB = Scope(["x"]), Scope.of({"x": ["quick"]}), Scope.of({"x": ["lab"]})


def test_each_has_what_others_look_at_unless_it_is_missing_somewhere() -> None:
    arms = arms_of(LOOKS, X, QUICK, LAB)
    assert [arm.covariates for arm in share_columns(arms, frozenset())] == [("lab", "quick"), ("lab",), ("quick",)]
    missing = frozenset({(frozenset(["x"]), "quick")})
    assert [arm.covariates for arm in share_columns(arms, missing)] == [("lab",), ("lab",), ()]
    elsewhere = frozenset({(frozenset(["z"]), "quick")})
    assert share_columns(arms, elsewhere) == share_columns(arms, frozenset())
    assert [arm.covariates for arm in share_columns(arms[:2], frozenset())] == [("quick",), ()], (
        "nobody looks at the lab"
    )


def test_what_is_not_measured_is_known_by_what_was_set() -> None:
    optimizer = Optimizer(LOOKS, seed=0)
    first = optimizer.ask()
    assert first is not None
    optimizer.tell(first, 0.1, realised={"lab": 0.2})
    lost = optimizer.ask()
    assert lost is not None
    optimizer.fail(lost, "nobody came")
    optimizer.ask()
    assert unmeasured(optimizer.history, ("lab", "quick")) == {(frozenset(first.scope.set), "quick")}
    assert unmeasured(optimizer.history, ("lab",)) == frozenset()


def test_what_is_affected_is_no_column_of_others() -> None:
    graph = sb.CausalGraph.from_text(
        "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; age -> rest",
        target="y",
        intervenable=["dose", "rest"],
    )
    arm = Arm(Scope.of({"dose": [], "rest": ["pulse"]}), graph, sb.Causal(graph, floats("dose rest age pulse")).space)
    assert arm.affected == {"pulse"}
    problem = sb.Causal(graph, floats("dose rest age pulse"), prices={"dose": 1.0, "pulse": 1.0}, base=1)
    method: Any = sb.Optimizer(problem, seed=0)._state.method
    assert all(not each.covariates for each in method.arms if each.affected)
    assert all("pulse" not in each.measured for each in method.arms if "dose" in each.actions and not each.affected)


def test_scopes_with_the_same_actions_share_a_model() -> None:
    looks = world("looks")
    optimizer = play(looks, sb.Optimizer(looks.problem, seed=0), 3)
    found = models(optimizer)
    assert len({found[name] for name in found if name.startswith("x")}) == 1
    assert len(set(found.values())) == 2


def test_where_a_context_is_not_measured_scopes_part_and_come_together_again() -> None:
    looks = world("looks")
    optimizer = sb.Optimizer(looks.problem, seed=0)
    while (suggestion := optimizer.ask()) is not None and suggestion.scope.set != ("x",):
        optimizer.tell(suggestion, 0.1, realised={"lab": 0.2, "quick": 0.1})
    assert suggestion is not None
    optimizer.tell(suggestion, 0.5, realised={"lab": 0.2})
    parted = models(optimizer)
    assert parted["x"] != parted["x after looking at quick"]
    assert parted["x"] == parted["x after looking at lab"]
    play(looks, optimizer, 5)
    again = sb.Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask() == optimizer.ask()
    optimizer.amend(suggestion, realised={"quick": 0.3})
    assert len({k for name, k in models(optimizer).items() if name.startswith("x")}) == 1


# -- what is pending ---------------------------------------------------------------------------------------------------


def pending() -> Any:
    """Told rounds in which quick is twice the lab, and one that is out and sets x alone, with its token."""
    optimizer = Optimizer(LOOKS, seed=0)
    rounds: list[sb.core.Suggestion] = []
    for k in range(30):
        suggestion = optimizer.ask()
        assert suggestion is not None
        lab = round(0.01 + 0.015 * k, 4)
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {name: {"lab": lab, "quick": 2 * lab}[name]
                                                       for name in suggestion.observe})  # fmt: skip
        if suggestion.scope.set == ("x",) and not suggestion.scope.contexts and k > 8:
            return optimizer, suggestion
        optimizer.tell(suggestion, 0.0, realised={"lab": lab, "quick": 2 * lab})
        rounds.append(suggestion)
    raise AssertionError("x alone is never set")


def rows(optimizer: Optimizer, but: str | None = None, seed: int = 0) -> np.ndarray:
    method: Any = optimizer._state.method
    i = method.models.number[X]
    method = copy(method)
    method.streams = Streams(seed)
    return np.asarray(method.pending_points(i, but))


def test_contexts_that_are_not_measured_yet_are_those_of_a_round_that_was() -> None:
    optimizer, suggestion = pending()
    found = rows(optimizer)
    method: Any = optimizer._state.method
    names = method.arms[method.models.number[X]].names
    assert found.shape == (1, len(names))
    row = dict(zip(names, found[0], strict=True))
    assert row["x"] == pytest.approx(optimizer.problem.space["x"].encode([suggestion.values["x"]])[0])
    lab, quick = (float(optimizer.problem.space[n].decode([row[n]])[0]) for n in ("lab", "quick"))
    assert quick == pytest.approx(2 * lab), "together, as they were"
    np.testing.assert_array_equal(rows(optimizer), found)
    assert any((rows(optimizer, seed=seed) != found).any() for seed in range(1, 6)), "drawn by a key"


def test_the_round_that_is_asked_about_does_not_count() -> None:
    optimizer, suggestion = pending()
    assert rows(optimizer, but=suggestion.token).shape == (0, rows(optimizer).shape[1])
    optimizer.tell(suggestion, 0.0, realised={"lab": 0.1, "quick": 0.2})
    assert len(rows(optimizer)) == 0
