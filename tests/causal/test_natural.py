"""What nature does by what nobody can look at: scopes that lose nothing for it, and those that do."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.enumeration import Mode
from steerbo.causal.reasons import why_dropped
from steerbo.errors import InvalidProblem
from steerbo.rounds import Scope

from .exact import BinaryModel, Contexts, climbed, random_graph

IDLE = CausalGraph.from_text(
    "V0->V2; V0->V3; V0->V4; V1->V2; V1->V4; V3->V4; V0<->V3; V0<->V4; V1<->V2; V2<->V3; V3<->V4",
    target="V4",
    intervenable=["V3", "V1"],
    contexts=["V2", "V0"],
)
"""{V3 | V0, V2} keeps all other rules and never beats {V1 | V0; V3 | V0}: V2 tells of what moves V1 by nature only."""

PARITY = CausalGraph.from_text(
    "V0->V1; V0->V4; V0->V5; V1->V2; V1->V5; V2->V3; V2->V5; V3->V5; V4->V5; "
    "V0<->V2; V1<->V2; V1<->V4; V2<->V4; V3<->V4",
    target="V5",
    intervenable=["V1", "V2"],
)
"""Setting nothing was long the only scope of random graphs for which no model was found that needs it."""


def plain(scope: Scope) -> Contexts:
    return dict(scope.actions)


def test_what_tells_of_natural_causes_alone_is_dropped() -> None:
    idle = Scope.of({"V3": ["V0", "V2"]})
    assert idle in policy_scopes(IDLE, "joint")
    assert policy_scopes(IDLE, "natural") == tuple(s for s in policy_scopes(IDLE, "joint") if s != idle)
    why = why_dropped(IDLE, idle, "natural")
    assert why is not None
    assert why.rule == "natural"
    assert "even somebody who sees all that sets V1 by nature needs nothing of it" in why.reason
    assert why_dropped(IDLE, idle, "joint") is None


def test_in_no_model_that_was_found_does_it_win() -> None:
    """Hill climbing over its advantage, from several models: it comes to nothing."""
    assert _largest_advantage(IDLE, plain(Scope.of({"V3": ["V0", "V2"]})), climbs=3, steps=60) <= 1e-9


def test_parities_need_that_nothing_is_set() -> None:
    """V1 and V2 know by nature what nobody can look at: whoever sets them turns the target into a coin."""
    kept = policy_scopes(PARITY, "natural")
    assert len(kept) == 3
    hidden = {pair: f"{pair[0]} <-> {pair[1]}" for pair in PARITY.bidirected}
    model = BinaryModel.of_parities(
        PARITY,
        {
            "V1": hidden["V1", "V2"],
            "V2": f"V1 + {hidden['V1', 'V2']} + {hidden['V2', 'V4']}",
            "V3": f"V2 + {hidden['V3', 'V4']}",
            "V4": f"{hidden['V2', 'V4']} + {hidden['V3', 'V4']}",
            "V5": "1 + V3 + V4",
        },
    )
    assert [model.value(plain(scope)) for scope in kept] == pytest.approx([1.0, 0.5, 0.5])


def test_nothing_that_is_dropped_wins_in_models_that_are_searched_for_it() -> None:
    """On the random graphs where this rule drops something, of 120 with two actions and 120 with three."""
    dropped = 0
    for seed in range(240):
        random = np.random.default_rng(90_000 + seed)
        actions = 2 + seed % 2
        graph = random_graph(random, int(random.integers(4, 6)) + actions - 2, actions, 0.5, 0.35)
        if len(graph.contexts or ()) > 3 or len(graph.bidirected) > 6:
            continue
        kept = policy_scopes(graph, "natural")
        for scope in policy_scopes(graph, "joint"):
            if scope not in kept:
                dropped += 1
                assert _largest_advantage(graph, plain(scope), climbs=2, steps=25) <= 1e-9, graph.to_text()
    assert dropped >= 3, "the judge must have something to judge"


def test_the_limit_counts_what_is_compared_here() -> None:
    def found(mode: Mode, limit: int) -> bool:
        try:
            return bool(policy_scopes(IDLE, mode, limit=limit))
        except InvalidProblem:
            return False

    enough = next(limit for limit in range(1, 500) if found("joint", limit))
    assert not found("natural", enough)
    assert found("natural", 500)


def _largest_advantage(graph: CausalGraph, scope: Contexts, *, climbs: int, steps: int) -> float:
    """By how much a scope beats the kept ones at most, as far as hill climbing over binary models finds."""
    kept = [plain(other) for other in policy_scopes(graph, "natural")]

    def advantage(model: BinaryModel) -> float:
        return model.value(scope) - max(map(model.value, kept))

    found = []
    for climb in range(climbs):
        random = np.random.default_rng(climb)
        found.append(climbed(BinaryModel.draw(graph, random), advantage, random, steps)[1])
    return max(found)
