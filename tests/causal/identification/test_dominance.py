"""The best scope is never dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import numpy as np
import pytest

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.graphs.dag import bits
from steerbo.causal.identification._dominance import Dominance, subsets
from steerbo.causal.identification.enumeration import Mode
from steerbo.causal.identification.reasons import why_dropped
from steerbo.core import Scope
from tests.causal.exact import BinaryModel, all_scopes, climbed, random_graph
from tests.causal.random_graphs import found, plain, random_graphs

IDLE = CausalGraph.from_text(
    "V0->V2; V0->V3; V0->V4; V1->V2; V1->V4; V3->V4; V0<->V3; V0<->V4; V1<->V2; V2<->V3; V3<->V4",
    target="V4",
    intervenable=["V3", "V1"],
    contexts=["V2", "V0"],
)
"""{V3 | V0, V2} keeps all rules and never beats {V1 | V0; V3 | V0}: V2 tells of what moves V1 by nature only."""

PARITY = CausalGraph.from_text(
    "V0->V1; V0->V4; V0->V5; V1->V2; V1->V5; V2->V3; V2->V5; V3->V5; V4->V5; "
    "V0<->V2; V1<->V2; V1<->V4; V2<->V4; V3<->V4",
    target="V5",
    intervenable=["V1", "V2"],
)
"""Setting nothing was long the only scope of random graphs for which no model was found that needs it."""


def test_the_best_scope_is_always_kept() -> None:
    """In every random binary model, the best policy over all scopes is matched within each mode's scopes."""
    strictly = 0
    for random, graph in random_graphs(120, 20_000):
        every = list(all_scopes(graph))
        largest = [
            s
            for s in every
            if not any(t is not s and s.keys() == t.keys() and all(set(s[x]) <= set(t[x]) for x in s) for t in every)
        ]
        model = BinaryModel.draw(graph, random)
        best = max(map(model.value, largest))
        strictly += best > model.value({}) + 1e-6
        for mode in get_args(Mode):
            kept = [{x: tuple(seen) for x, seen in scope.actions} for scope in policy_scopes(graph, mode)]
            assert max(map(model.value, kept)) == pytest.approx(best, abs=1e-9), (mode, graph.to_text())
    assert strictly > 60, "the judge must have something to judge"


def test_two_interventions_at_once() -> None:
    """Variables that nature coordinates: setting one of them loses, setting both does not."""
    graph = CausalGraph.from_text(
        "v0 -> y; v2 -> y; v1 -> y; v1 -> v2; v0 <-> v2", target="y", intervenable=["v0", "v2"]
    )
    both = {"v0": ["v1"], "v2": ["v1"]}
    assert found(graph) == plain([{}, both])
    assert found(graph, "joint") == plain([both])
    why = why_dropped(graph, Scope(), "joint")
    assert why is not None
    assert why.reason.startswith("setting v0 and v2 as well, after looking at v1, loses nothing")
    assert "v0 -> y" in why.reason
    assert "v2 -> y" in why.reason
    assert why_dropped(graph, Scope()) is None


def test_parities_need_that_nothing_is_set() -> None:
    """V1 and V2 know by nature what nobody can look at: whoever sets them turns the target into a coin."""
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
    kept = policy_scopes(PARITY, "joint")
    assert [model.value(dict(scope.actions)) for scope in kept] == pytest.approx([1.0, *[0.5] * (len(kept) - 1)])


def test_not_all_that_is_kept_is_needed() -> None:
    """Hill climbing over binary models, from several of them, finds none in which the idle scope is ahead."""
    idle = dict(Scope.of({"V3": ["V0", "V2"]}).actions)
    kept = [dict(scope.actions) for scope in policy_scopes(IDLE, "joint")]
    others = [scope for scope in kept if scope != idle]
    assert len(others) == len(kept) - 1

    def advantage(model: BinaryModel) -> float:
        return model.value(idle) - max(map(model.value, others))

    for climb in range(3):
        random = np.random.default_rng(climb)
        assert climbed(BinaryModel.draw(IDLE, random), advantage, random, 60)[1] <= 1e-9


class FromEverySet(Dominance):
    """Dominance graph walked from every set of actions, none of which is taken to be set always."""

    always = 0

    def beginnings(self, chosen: int | None = None, undecided: int | None = None) -> Iterator[int]:
        yield from subsets(self.everything)


def test_actions_whose_causes_can_be_seen_or_set_need_not_be_left_unset() -> None:
    """The scopes are those of a search that begins with every set of actions."""
    spared = 0
    for seed in range(150):
        random = np.random.default_rng(seed)
        nodes = int(random.integers(4, 9))
        actions = min(int(random.integers(1, 5)), nodes - 2)
        graph = random_graph(random, nodes, actions, random.choice([0.3, 0.5]), random.choice([0.0, 0.15]))
        short, full = Dominance(graph), FromEverySet(graph)
        assert sorted(short.ends()[0]) == sorted(full.ends()[0]), graph.to_text()
        spared += short.always.bit_count() > 1
    assert spared > 50, "there must be something to spare"


def test_where_nothing_is_hidden_there_is_one_set_of_actions_to_begin_with() -> None:
    """Also in a network that is unrolled over time, whose actions cause each other."""
    edges = [f"x{t} -> z{t}; z{t} -> y{t}" for t in range(8)]
    edges += [f"{name}{t} -> {name}{t + 1}" for t in range(7) for name in "xzy"]
    actions = [f"{name}{t}" for t in range(8) for name in "xz"]
    graph = CausalGraph.from_text("; ".join(edges), target="y7", intervenable=actions)
    dominance = Dominance(graph)
    assert list(bits(dominance.always)) == list(bits(dominance.everything))
    assert len(list(dominance.beginnings())) == 1
    looks = {f"z{t}": [f"y{t - 1}"] for t in range(1, 8)}
    assert policy_scopes(graph, limit=100) == (Scope.of({"z0": [], **looks}),)
