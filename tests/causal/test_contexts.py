"""Contexts as nature makes them: the latest of rounds that leave them alone, near to what is seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal._arms import Arm
from steerbo.causal._contexts import MOST_ROWS, ContextSample, known_in, latest_contexts, subsample
from steerbo.core import History, Optimizer, Scope
from steerbo.surrogate import Rows

GRAPH = sb.CausalGraph.from_text("x -> m -> y; c -> y; z -> y; x <-> y; z <-> y", target="y", intervenable=["x", "z"])


def setting(seen: bool = False) -> tuple[Optimizer, list[Arm], dict[Scope, int]]:
    variables = [sb.Float(name, 0, 1, seen=seen and name == "c") for name in ("x", "z", "m", "c")]
    problem = sb.Causal(GRAPH, variables)
    optimizer = Optimizer(problem, "random", seed=0)
    method: Any = optimizer._method
    scopes = [arm.scope for arm in method.arms]
    scopes += [scope for scope in (Scope.of({"z": ["m"]}), Scope.of({"x": [], "z": ["m"]})) if scope not in scopes]
    arms = [Arm(scope, GRAPH, problem.space) for scope in scopes]
    return optimizer, arms, {arm.scope: i for i, arm in enumerate(arms)}


def play(optimizer: Optimizer, rounds: int, **asked: Any) -> None:
    """In round k c and m are four thousandths of k."""
    for k in range(1, rounds + 1):
        request: dict[str, Any] = {"context": {"c": round(0.37 * k % 1, 4)}} if asked else {}
        suggestion = optimizer.ask(**request)
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.004 * k))
        realised = {"c": 0.004 * k, "m": 0.004 * k, **suggestion.context}
        optimizer.tell(suggestion, 0.0, realised=realised)


def expected(history: History, arms: list[Arm], number: dict[Scope, int], i: int, most: int) -> list[dict[str, Any]]:
    """By hand: rounds of the arm, and others that look at all of it and affect none of it."""
    arm, found = arms[i], []
    for played in list(history)[::-1]:
        other = arms[number[played.suggestion.scope]]
        below = {name for x in other.scope.set for name in GRAPH.descendants([x])}
        wanted = set(arm.contexts)
        if other is arm or (not arm.affected and wanted <= set(other.contexts) and not wanted & below):
            found.append({name: known_in(played)[name] for name in arm.contexts})
    return found[:most]


def test_they_are_of_rounds_that_look_at_them_and_leave_them_alone() -> None:
    optimizer, arms, number = setting()
    play(optimizer, 60)
    judged = 0
    for i, arm in enumerate(arms):
        wanted = expected(optimizer.history, arms, number, i, 16)
        if arm.contexts and wanted:
            judged += 1
            assert latest_contexts(optimizer.history, arms, number, i, {}) == wanted, arm.scope
    assert judged >= 2


def test_where_none_was_seen_there_is_one_in_the_middle() -> None:
    optimizer, arms, number = setting()
    i = next(i for i, arm in enumerate(arms) if arm.contexts == ("c",))
    assert latest_contexts(optimizer.history, arms, number, i, {}) == [{"c": 0.5}]
    nothing = Arm(Scope(["z"]), GRAPH, arms[0].problem_space)
    assert latest_contexts(optimizer.history, [nothing], {nothing.scope: 0}, 0, {}) == [{}]


def test_where_all_of_it_is_seen_there_is_nothing_else() -> None:
    optimizer, arms, number = setting(seen=True)
    play(optimizer, 10, context=True)
    i = next(i for i, arm in enumerate(arms) if arm.contexts == ("c",))
    assert latest_contexts(optimizer.history, arms, number, i, {"c": 0.3}) == [{"c": 0.3}]


def test_the_others_are_from_rounds_in_which_about_the_same_was_seen() -> None:
    optimizer, arms, number = setting(seen=True)
    play(optimizer, 200, context=True)
    i = next(i for i, arm in enumerate(arms) if set(arm.contexts) == {"c", "m"} and "x" not in arm.scope.set)
    found = latest_contexts(optimizer.history, arms, number, i, {"c": 0.3})
    assert len(found) == 16
    assert {row["c"] for row in found} == {0.3}, "as it is seen now"
    c_of = {round(0.004 * k, 6): round(0.37 * k % 1, 4) for k in range(1, 201)}
    gaps = [abs(c_of[round(row["m"], 6)] - 0.3) for row in found]
    assert gaps == sorted(gaps)
    latest = expected(optimizer.history, arms, number, i, 64)
    assert gaps == pytest.approx(sorted(abs(c_of[round(row["m"], 6)] - 0.3) for row in latest)[:16])


def test_what_is_known_of_a_round_is_what_was_seen_set_and_measured() -> None:
    optimizer, _, _ = setting(seen=True)
    play(optimizer, 1, context=True)
    (played,) = optimizer.history
    assert known_in(played) == {"c": 0.37, "m": 0.004, **played.suggestion.values}


NUMBERS = np.array([False, False])


def test_dependent_contexts_move_along() -> None:
    """Given one of two that hardly differ, the other is drawn about it, also from few rows."""
    random = np.random.default_rng(0)
    first = random.random(60)
    points = np.column_stack([first, first + 0.02 * random.normal(size=60)])
    law = ContextSample(points, NUMBERS).conditional([0], np.array([0.3]), [1])
    assert law.weights @ law.points[:, 0] == pytest.approx(0.3, abs=0.02)
    assert np.sqrt(law.weights @ (law.points[:, 0] - 0.3) ** 2) < 0.05
    unseen = ContextSample(points, NUMBERS).conditional([], np.zeros(0), [0, 1])
    assert unseen.points == pytest.approx(points)


def test_a_category_is_not_moved_along() -> None:
    points = np.column_stack([np.linspace(0, 1, 20), np.arange(20) % 2.0])
    law = ContextSample(points, np.array([False, True])).conditional([0], np.array([0.3]), [1])
    np.testing.assert_array_equal(law.points, points[:, 1:])
    other = ContextSample(points, np.array([False, True])).conditional([1], np.array([0.0]), [0])
    np.testing.assert_array_equal(other.points, points[:, :1])


def test_shares_are_those_of_the_stated_width() -> None:
    """exp(−d²/2w²) with Silverman's width, worked out."""
    points = np.random.default_rng(1).random((30, 2))
    at = np.array([0.4, 0.6])
    widths = 1.06 * points.std(axis=0) * 30 ** (-1 / 6)
    wanted = np.exp(-0.5 * (((points - at) / widths) ** 2).sum(axis=1))
    np.testing.assert_allclose(ContextSample(points, NUMBERS).weights([0, 1], at), wanted / wanted.sum())
    np.testing.assert_allclose(ContextSample(points, NUMBERS).weights([], np.zeros(0)), 1 / 30)


def test_far_from_all_rows_and_where_all_are_alike_shares_are_still_shares() -> None:
    points = np.column_stack([np.full(5, 0.5), np.arange(5) / 5])
    for at in (0.5, 1e6):
        shares = ContextSample(points, NUMBERS).weights([0], np.array([at]))
        assert shares.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(shares, 0.2)


def test_another_category_counts_less() -> None:
    points = np.array([[0.0, 0.1], [0.0, 0.2], [1.0, 0.9]])
    shares = ContextSample(points, np.array([True, False])).weights([0], np.array([1.0]))
    other = (1.06 * 3 ** (-1 / 5)) ** 2
    assert shares == pytest.approx(np.array([other, other, 1.0]) / (1.0 + 2.0 * other))


def test_few_stand_for_many() -> None:
    points = np.random.default_rng(0).random((100, 2))
    alike = subsample(Rows(points, np.full(100, 0.01)), NUMBERS)
    assert len(alike.weights) <= 32
    assert alike.weights @ alike.points == pytest.approx(points.mean(axis=0), abs=0.01)
    uneven = np.arange(1, 101) / 5050
    assert subsample(Rows(points, uneven), NUMBERS).points == pytest.approx(points[::-1][:32])
    assert subsample(Rows(points, uneven), NUMBERS).weights.sum() == pytest.approx(1.0)
    little = Rows(points[:32], np.full(32, 1 / 32))
    assert subsample(little, NUMBERS) is little


# -- rounds ------------------------------------------------------------------------------------------------------------

GRAPH_NEARNESS = sb.CausalGraph.from_text(
    "x -> m -> y; c -> y; z -> y; x <-> y; z <-> y", target="y", intervenable=["x", "z"]
)


def history(seen: bool = False) -> tuple[Optimizer, sb.Causal]:
    """Data of which it is known what was set: x, which affects m, then z, then nothing; and one of which it is not."""
    variables = [sb.Float(name, 0, 1, seen=seen and name == "c") for name in ("x", "z", "m", "c")]
    problem = sb.Causal(GRAPH_NEARNESS, variables)
    optimizer = Optimizer(problem, "random", seed=0)
    return optimizer, problem


def play_nearness(optimizer: Optimizer, rounds: int, **asked: Any) -> list[tuple[tuple[str, ...], float]]:
    """So many rounds; what was set in each, and a value of m that says which it was."""
    told = []
    for k in range(rounds):
        suggestion = optimizer.ask(**asked)
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, round(0.01 * (k + 1), 4)))
        m = round(0.01 * (k + 1), 4)
        realised = {"c": 0.5, **suggestion.context, "m": suggestion.context.get("m", m)}
        optimizer.tell(suggestion, 0.0, realised=realised)
        told.append((tuple(suggestion.scope.set), realised["m"]))
    return told


def test_rows_are_of_rounds_in_which_nothing_that_was_set_affects_them_the_latest_first() -> None:
    optimizer, problem = history()
    told = play_nearness(optimizer, 12)
    assert {"x" in names for names, _ in told} == {True, False}, "both kinds are there"
    arm = Arm(Scope.of({"z": ["m"]}), GRAPH_NEARNESS, problem.space)
    found = ContextSample.of(arm, optimizer.history, {}).points[:, 0]
    own = [m for (names, m), r in zip(told, optimizer.history, strict=True) if "x" not in names or
           r.suggestion.scope == arm.scope]  # fmt: skip
    np.testing.assert_allclose(found, own[::-1])
    optimizer.add(1.0, {"m": 0.93, "x": 0.1, "z": 0.1, "c": 0.1})
    np.testing.assert_allclose(ContextSample.of(arm, optimizer.history, {}).points[:, 0], [*own[::-1], 0.93])


def test_where_nothing_was_realised_there_is_one_row_in_the_middle() -> None:
    optimizer, problem = history()
    arm = Arm(Scope.of({"z": ["c"]}), GRAPH_NEARNESS, problem.space)
    np.testing.assert_allclose(ContextSample.of(arm, optimizer.history, {}).points, [[0.5]])
    nothing = Arm(Scope(["z"]), GRAPH_NEARNESS, problem.space)
    assert ContextSample.of(nothing, optimizer.history, {}).points.shape == (1, 0)


def test_what_is_seen_before_choosing_is_as_it_is_now_and_the_rows_are_of_days_like_it() -> None:
    optimizer, problem = history(seen=True)
    for k in range(3 * MOST_ROWS):
        optimizer.add(0.0, {"m": round(k / 300, 6), "c": (k % 100) / 100, "x": 0.5, "z": 0.5})
    arm = Arm(Scope(["z"]), GRAPH_NEARNESS, problem.space, covariates=("m",))
    found = ContextSample.of(arm, optimizer.history, {"c": 0.2})
    assert found.points.shape == (MOST_ROWS, 2)
    np.testing.assert_allclose(found.points[:, 1], 0.2)
    latest = {round(k / 300, 6): (k % 100) / 100 for k in range(300)}
    gaps = [abs(latest[round(float(m), 6)] - 0.2) for m in found.points[:, 0]]
    assert gaps == sorted(gaps)
    assert gaps[-1] < 0.35
    assert found.points[:, 0].min() > 99.5 / 300, "of the latest two hundred"
    np.testing.assert_array_equal(found.latest(3).points, found.points[:3])


def test_without_rounds_they_are_of_data_that_leave_them_alone_and_data_fill_up_few_rounds() -> None:
    optimizer, arms, number = setting()
    i = next(i for i, arm in enumerate(arms) if arm.contexts == ("m",) and not arm.affected)
    trials = {0.1: None, 0.2: ["z (m)"], 0.3: ["x"], 0.4: ["z"]}  # x affects m
    for m, scope in trials.items():
        optimizer.add(0.0, {"x": 0.5, "z": 0.5, "m": m, "c": 0.5}, scope=scope)
    optimizer.add(0.0, {"x": 0.5, "z": 0.5, "c": 0.5})
    found = latest_contexts(optimizer.history, arms, number, i, {})
    assert found == [{"m": m} for m in (0.4, 0.2, 0.1)]
    play(optimizer, 60)
    rounds = expected(optimizer.history, arms, number, i, 16)
    found = latest_contexts(optimizer.history, arms, number, i, {})
    assert found == [*rounds, {"m": 0.4}, {"m": 0.2}, {"m": 0.1}][:16]


def test_where_its_own_actions_affect_them_only_data_of_the_same_scope_count() -> None:
    optimizer, arms, number = setting()
    own = next(i for i, arm in enumerate(arms) if arm.affected == {"m"})
    values = {"x": 0.5, "z": 0.5, "c": 0.5}
    middle = dict.fromkeys(arms[own].contexts, 0.5)
    for m, scope in {0.1: None, 0.2: ["z (m)"], 0.3: ["x"]}.items():
        optimizer.add(0.0, {**values, "m": m}, scope=scope)
    assert latest_contexts(optimizer.history, arms, number, own, {}) == [middle]
    optimizer.add(0.0, {**values, "m": 0.6}, scope=arms[own].scope)
    assert latest_contexts(optimizer.history, arms, number, own, {}) == [{**middle, "m": 0.6}]


def test_what_was_set_is_no_context_that_nature_made() -> None:
    graph = sb.CausalGraph.from_text("x -> y; c -> x; c -> y", target="y", intervenable=["x", "c"])
    problem = sb.Causal(graph, [sb.Float(name, 0, 1) for name in ("x", "c")])
    optimizer, arm = Optimizer(problem, "random"), Arm(Scope.of({"x": ["c"]}), graph, problem.space)
    optimizer.add(0.0, {"x": 0.5, "c": 0.1})
    optimizer.add(0.0, {"x": 0.5, "c": 0.9}, scope=["x", "c"])
    assert latest_contexts(optimizer.history, [arm], {arm.scope: 0}, 0, {}) == [{"c": 0.1}]
    assert problem.space.subset(["c"]).decode(ContextSample.of(arm, optimizer.history, {}).points) == [{"c": 0.1}]


def test_the_value_of_an_answer_from_data_alone_is_that_of_their_contexts() -> None:
    graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    optimizer = Optimizer(sb.Causal(graph, [sb.Float("dose", 0, 1), sb.Float("age", 20, 90)]), seed=1)
    random = np.random.default_rng(0)
    for _ in range(60):
        age, dose = float(80 + 5 * random.random()), float(random.random())
        value = 10 - 8 * (dose - 0.6) ** 2 - 0.1 * (age - 20) + 0.05 * random.standard_normal()
        optimizer.add(value, {"dose": dose, "age": age}, scope=["dose (age)"])
    advice = optimizer.recommend()
    assert advice.mean == pytest.approx(3.75, abs=0.1)
    table = advice.table  # type: ignore[attr-defined]
    assert all(80 <= row[0] <= 85 for row in table.rows)
