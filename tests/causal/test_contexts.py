"""Contexts as nature makes them: the latest of rounds that leave them alone, near to what is seen."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.causal.arm import Arm
from steerbo.causal.contexts import known_in, latest_contexts
from steerbo.core import History, Optimizer, Scope

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
