"""Which arms share a model: those with the same actions, as far as what others look at is measured and not affected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from benchmarks.traits.priced_worlds import world
from steerbo.causal.arm import Arm
from steerbo.causal.sharing import not_measured, sharing, untold
from steerbo.core import Optimizer, Scope, Streams
from tests.causal.test_cheap_first import play

LOOKS = world("looks").problem


def models(optimizer: Optimizer) -> dict[str, int]:
    """Which model every arm has."""
    method: Any = optimizer._state.method
    return {str(arm.scope): k for arm, k in zip(method.arms, method.models.of, strict=True)}


def floats(names: str) -> list[sb.Float]:
    return [sb.Float(name, 0, 1) for name in names.split()]


def arms_of(problem: sb.Causal, *scopes: Scope) -> list[Arm]:
    return [Arm(scope, problem.graph, problem.space) for scope in scopes]


X, QUICK, LAB = Scope(["x"]), Scope.of({"x": ["quick"]}), Scope.of({"x": ["lab"]})


def test_each_has_what_others_look_at_unless_it_is_missing_somewhere() -> None:
    arms = arms_of(LOOKS, X, QUICK, LAB)
    assert [arm.beside for arm in sharing(arms, frozenset())] == [("lab", "quick"), ("lab",), ("quick",)]
    missing = frozenset({(frozenset(["x"]), "quick")})
    assert [arm.beside for arm in sharing(arms, missing)] == [("lab",), ("lab",), ()]
    elsewhere = frozenset({(frozenset(["z"]), "quick")})
    assert sharing(arms, elsewhere) == sharing(arms, frozenset())
    assert [arm.beside for arm in sharing(arms[:2], frozenset())] == [("quick",), ()], "nobody looks at the lab"


def test_what_is_not_measured_is_known_by_what_was_set() -> None:
    optimizer = Optimizer(LOOKS, seed=0)
    first = optimizer.ask()
    assert first is not None
    optimizer.tell(first, 0.1, realised={"lab": 0.2})
    lost = optimizer.ask()
    assert lost is not None
    optimizer.fail(lost, "nobody came")
    optimizer.ask()
    assert not_measured(optimizer.history, ("lab", "quick")) == {(frozenset(first.scope.set), "quick")}
    assert not_measured(optimizer.history, ("lab",)) == frozenset()


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
    assert all(not each.beside for each in method.arms if each.affected)
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
    rounds: list[sb.Suggestion] = []
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
    k = method.models.of[method.models.number[X]]
    return untold(optimizer.history, method.arms, method.models, k, but=but, streams=Streams(seed))


def test_contexts_that_are_not_measured_yet_are_those_of_a_round_that_was() -> None:
    optimizer, suggestion = pending()
    found = rows(optimizer)
    method: Any = optimizer._fold.method
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
