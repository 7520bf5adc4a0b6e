"""Scopes that fail as a whole are left, in methods and answers; those that fail by luck, or nowhere, are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steerbo as sb
from steerbo.causal.chances import unweighed, weighed
from steerbo.core import Suggestion

GRAPH = sb.CausalGraph.from_text("x -> z -> y; x <-> y", target="y", intervenable=["x", "z"])
PRICED: dict[str, Any] = {"prices": {"x": 1, "z": 1}, "base": 1, "tolerance": sb.Absolute(0.05)}
METHODS = pytest.mark.parametrize(
    ("method", "more"), [("coca-bo", {}), ("cabo", {}), ("cheap-first", PRICED)], ids=["coca-bo", "cabo", "cheap-first"]
)
NUMBERS = st.floats(-10, 10)
Fails = Callable[[int, Suggestion], bool]


def played(
    method: str, fails: Fails, rounds: int, **more: Any
) -> tuple[sb.Optimizer, list[tuple[tuple[str, ...], bool]]]:
    """z is best at 0.6; left alone it is 0.8 x, and the hidden cause of x adds to y. What was set, and if it failed."""
    of = sb.Causal(GRAPH, [sb.Float("x", 0, 1), sb.Float("z", 0, 1)], **more)
    optimizer, random, made = sb.Optimizer(of, method, seed=0), np.random.default_rng(0), []
    for k in range(rounds):
        asked = optimizer.ask()
        assert asked is not None
        cause = random.random()
        x = asked.values.get("x", cause)
        z = asked.values.get("z", 0.8 * x + 0.1 * random.random())
        made.append((tuple(asked.scope.set), fails(k, asked)))
        if made[-1][1]:
            optimizer.fail(asked, "it broke", cost=1.0 if more else None)
        else:
            value = -((z - 0.6) ** 2) + 0.3 * abs(cause - x) + 0.05 * random.normal()
            optimizer.tell(asked, float(value), realised={"x": x, "z": z})
    return optimizer, made


@METHODS
@pytest.mark.parametrize("which", [(), ("z",)], ids=["nothing", "z"])
def test_a_scope_that_always_fails_is_left(method: str, more: dict[str, Any], which: tuple[str, ...]) -> None:
    """Of what was never told anything might come: before, that was played in 19 of the last 20 rounds."""
    optimizer, made = played(method, lambda _, asked: tuple(asked.scope.set) == which, 24, **more)
    assert sum(failed for _, failed in made) <= 5
    assert sum(failed for _, failed in made[-12:]) <= 1
    assert tuple(optimizer.recommend().scope.set) != which
    assert sb.load(optimizer.to_json()).ask() == optimizer.ask()


@METHODS
def test_a_scope_that_begins_to_fail_is_left_by_plays_and_answers(method: str, more: dict[str, Any]) -> None:
    favourite = Counter(scope for scope, _ in played(method, lambda *_: False, 12, **more)[1]).most_common(1)[0][0]
    optimizer, made = played(method, lambda k, asked: k >= 12 and tuple(asked.scope.set) == favourite, 36, **more)
    assert sum(failed for _, failed in made[-8:]) <= 3
    assert tuple(optimizer.recommend().scope.set) != favourite


@METHODS
def test_one_failure_changes_nothing_that_is_chosen(method: str, more: dict[str, Any]) -> None:
    optimizer, _ = played(method, lambda k, _: k == 9, 11, **more)
    assert optimizer._method.chances.tolist() == [1.0] * len(optimizer._method.arms)  # type: ignore[attr-defined]


def test_failures_that_are_taken_out_count_no_longer() -> None:
    optimizer, _ = played("coca-bo", lambda _, asked: not asked.scope.set, 12)
    assert optimizer._method.chances.min() < 0.5  # type: ignore[attr-defined]
    for each in optimizer.history:
        if each.state == "failed":
            optimizer.amend(each.suggestion, void=True, reason="it is mended")
    assert optimizer._method.chances.min() == 1.0  # type: ignore[attr-defined]


def test_failures_that_come_by_luck_in_all_scopes_close_none() -> None:
    optimizer, made = played("coca-bo", lambda k, _: k % 4 == 3, 30)
    assert optimizer._method.chances.min() > 0.6  # type: ignore[attr-defined]
    assert Counter(scope for scope, _ in made[-12:]).most_common(1)[0][1] >= 9  # one of them is taken for the best


@settings(deadline=None)
@given(st.lists(st.tuples(NUMBERS, st.floats(0.01, 1)), min_size=1, max_size=4), st.lists(NUMBERS, max_size=4))
def test_what_is_weighed_is_no_more_than_it_was_and_no_less_than_the_worst(
    arms: list[tuple[float, float]], told: list[float]
) -> None:
    worths, likely = np.array(arms).T
    found = weighed(worths, likely, np.array(told))
    worst = min([*(told or [0.0]), *worths])
    assert (found <= worths + 1e-9).all()
    assert (found >= worst - 1e-9).all()
    np.testing.assert_array_equal(found[likely == 1.0], worths[likely == 1.0])


def test_where_nothing_is_known_but_that_some_fail_others_come_first() -> None:
    found = weighed(np.array([np.inf, np.inf, -np.inf]), np.array([0.2, 0.5, 0.4]), np.zeros(0))
    assert found.tolist() == [0.2, 0.5, -np.inf]


@settings(deadline=None)
@given(NUMBERS, st.floats(0.01, 1), st.lists(NUMBERS, min_size=1, max_size=4))
def test_what_must_be_given_counts_for_as_much_as_was_wanted(wanted: float, likely: float, told: list[float]) -> None:
    wanted = max(wanted, min(told))
    given = unweighed(wanted, likely, np.array(told))
    assert weighed(np.array([given]), np.array([likely]), np.array(told))[0] == pytest.approx(wanted, abs=1e-6)


@METHODS
def test_a_scope_of_which_nothing_ever_worked_holds_no_stop_up(method: str, more: dict[str, Any]) -> None:
    """Before, what could be gained was infinite for ever: bounds of its model, which has no outcome, are."""
    optimizer, _ = played(method, lambda _, asked: not asked.scope.set, 24, **more)
    gains = [optimizer._method.gain(optimizer.history)]
    for _ in range(3):  # now and then another play of it is due, and is waited for
        asked = optimizer.ask()
        assert asked is not None
        if asked.scope.set:
            optimizer.tell(asked, 0.1, realised={"x": 0.5, "z": 0.5, **asked.values})
        else:
            optimizer.fail(asked, "it broke", cost=1.0 if more else None)
        gains.append(optimizer._method.gain(optimizer.history))
    assert min(gains) < 2.0


def test_trials_of_others_open_what_was_closed() -> None:
    """They count as plays do, where what was set is known; what was only observed says nothing of what is set."""
    optimizer, _ = played("coca-bo", lambda _, asked: asked.scope.set == ("z",), 10)
    method: Any = optimizer._method
    i = next(i for i, arm in enumerate(method.arms) if arm.actions == ("z",))
    closed = method.chances[i]
    assert closed < 0.5
    optimizer.add(0.3, {"x": 0.5, "z": 0.6})
    assert method.chances[i] == closed
    for z in np.linspace(0.0, 1.0, 12):
        optimizer.add(0.3, {"x": 0.5, "z": float(z)}, scope=["z"])
    assert method.chances[i] > 0.7
    assert sb.load(optimizer.to_json()).ask() == optimizer.ask()


def test_with_drift_a_scope_that_failed_early_is_tried_again() -> None:
    """Failures of long ago count for less, also where their scope has not been played since."""

    def early(k: int, asked: Suggestion) -> bool:
        return asked.scope.set == ("z",) and k < 30

    optimizer, made = played("random", early, 100, drift=sb.Decay(0.01))
    steady, _ = played("random", lambda _, asked: asked.scope.set == ("z",), 30)
    method: Any = optimizer._method
    i = next(i for i, arm in enumerate(method.arms) if arm.actions == ("z",))
    del made
    known = method.failing[method.models.of[i]]
    assert known.faded > 0.0
    assert method.counting[i] < method.plays[i]
    other: Any = steady._method
    assert other.counting.tolist() == other.plays.tolist()
