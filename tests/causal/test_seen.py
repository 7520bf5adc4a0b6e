"""What is seen before choosing: every scope looks at it, and which scope is played may hang on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal import Causal, CausalGraph
from steerbo.core import Optimizer
from steerbo.errors import InvalidContext, InvalidProblem
from steerbo.space import Float
from steerbo.testing import Case, SeenContract, TraitContract
from tests.causal.seen import staged


class _Causal(SeenContract):
    def applied(self, world: Case, optimizer: Optimizer, number: int) -> dict[str, Any]:
        """With what the policy asks to look at as well."""
        context = dict(world.request(number)["context"])
        while (step := optimizer.policy(context)).observe:
            context |= {name: {"age": "old", "pulse": 0.4}[name] for name in step.observe}
        return context


class TestCoCaBO(_Causal, TraitContract):
    case = staticmethod(lambda: staged("coca-bo", initial=2))


@pytest.mark.parametrize("method", ["cabo", "cobo", "random"])
class TestOthers(_Causal):
    @pytest.fixture
    def world(self, method: str) -> Case:
        return replace(staged(method, initial=2), rounds=14)


def test_what_is_seen_is_looked_at_by_every_scope_and_asked_for_by_none() -> None:
    world = staged("coca-bo", initial=2)
    optimizer = world.play(world.start(), 12)
    for played in optimizer.history:
        suggestion = played.suggestion
        assert all("weather" in seen for _, seen in suggestion.scope.actions)
    suggestion = optimizer.ask(**world.request(13))
    assert suggestion is not None
    assert "weather" not in suggestion.observe
    assert suggestion.context == world.request(13)["context"]


WINDOW = CausalGraph.from_text("wind -> flap -> y; wind -> y", target="y", intervenable=["flap"])


def test_the_scope_may_hang_on_what_is_seen() -> None:
    """In weak wind the flap is better left alone, in strong wind it is better held: another scope on another day."""
    problem = Causal(WINDOW, [Float("flap", 0, 1), Float("wind", 0, 1, seen=True)])
    optimizer = sb.Optimizer(problem, seed=0)
    draw = np.random.default_rng(0)
    for _ in range(30):
        wind = float(draw.random())
        suggestion = optimizer.ask(context={"wind": wind})
        assert suggestion is not None
        flap = suggestion.values.get("flap", wind)
        optimizer.tell(suggestion, -((flap - 1.5 * wind + 0.2) ** 2) + 0.02 * draw.normal(), realised={"flap": flap})
    for wind in (0.2, 0.8):
        step = optimizer.policy({"wind": wind})
        assert abs(step.values.get("flap", wind) - (1.5 * wind - 0.2)) < 0.2
    rows = (optimizer.recommend(), *optimizer.recommend().alternatives)
    assert all(row.values or not row.scope.set for row in rows), "one setting for each: nothing else is looked at"


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("dose", "a context without causes"), ("pulse", "It has causes: dose"), ("hidden", "It has hidden causes")],
)
def test_only_roots_can_be_known_before(name: str, complaint: str) -> None:
    graph = CausalGraph.from_text(
        "dose -> pulse -> y; hidden -> y; hidden <-> y", target="y", intervenable=["dose"], contexts=["pulse", "hidden"]
    )
    variables = [Float(each, 0, 1, seen=each == name or None) for each in ("dose", "pulse", "hidden")]
    with pytest.raises(InvalidProblem, match=complaint):
        Causal(graph, variables)


def test_a_policy_needs_what_is_known_before() -> None:
    world = staged("coca-bo", initial=2)
    optimizer = world.play(world.start(), 10)
    with pytest.raises(InvalidContext, match="weather"):
        optimizer.policy({"age": "old"})
    assert optimizer.policy({"weather": 3.0}).context == {"weather": 3.0}
