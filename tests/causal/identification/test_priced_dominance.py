"""No scope is left out but for one as good and no dearer; ``python -m tests.causal.priced_pairs`` judges more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.identification._dominance import paid_for, subsets, worth_their_price
from steerbo.causal.identification.scopes import StepBudget
from tests.causal.priced_pairs import judged, missed_where_prices_vary
from tests.causal.random_graphs import found, plain

CHAIN = CausalGraph.from_text("c -> z; x -> z -> y; c -> y", target="y", intervenable=["x", "z"])


def kept(graph: CausalGraph, prices: dict[str, Any], joint: bool = False) -> list[list[tuple[str, tuple[str, ...]]]]:
    return plain(dict(scope.actions) for scope in worth_their_price(graph, prices, joint).scopes)


def test_on_a_chain_the_cheap_cause_is_worth_its_price() -> None:
    """Blind to prices, only setting z after looking at c is left."""
    everything = [{}, {"x": ()}, {"z": ()}, {"x": ("c",)}, {"z": ("c",)}]
    assert found(CHAIN) == plain([{"z": ("c",)}])
    assert kept(CHAIN, {"x": 1, "z": 5, "c": 1}) == plain(everything)
    assert kept(CHAIN, {"x": 5, "z": 1, "c": 1}) == plain([{}, {"z": ()}, {"z": ("c",)}]), "x is dearer, and no better"
    assert kept(CHAIN, {"x": 1, "z": 5}) == plain([{}, {"x": ("c",)}, {"z": ("c",)}]), "to look costs nothing"


def test_where_nothing_has_a_price_the_best_scopes_stay() -> None:
    for seed in range(30):
        graph = next(judged(np.random.default_rng(seed)), None)
        if graph is not None:
            assert kept(graph.graph, {}) == found(graph.graph)


@pytest.mark.parametrize("seed", range(4))
def test_no_scope_is_missed(seed: int) -> None:
    """In drawn models with exact values no scope is better, or as good and cheaper, than all that are kept."""
    random, pairs, needed, models = np.random.default_rng(seed), 0, 0, 0
    while pairs < 400:
        for one in judged(random, models=2):
            assert not one.missed, (one.graph.to_text(), one.prices)
            pairs, needed, models = pairs + one.pairs, needed + one.needed, models + 1
    assert needed > models / 10, "the judge must have something to judge"


@pytest.mark.parametrize("seed", range(3))
def test_no_scope_is_missed_where_prices_hang_on_what_is_set(seed: int) -> None:
    """Whatever money is worth, no scope is better, less what its best policy for that costs, than all that are kept."""
    random, pairs = np.random.default_rng(seed), 0
    while pairs < 400:
        more, missed = missed_where_prices_vary(random)
        assert not missed, (missed[0][0].to_text(), *missed[0][1:])
        pairs += more


def test_a_scope_is_left_out_only_for_one_that_sets_nothing_else_with_such_a_price() -> None:
    """Of a number it is known that z is cheap; what x costs is not, and may be next to nothing."""
    assert kept(CHAIN, {"x": 5, "z": 1, "c": 1}) == plain([{}, {"z": ()}, {"z": ("c",)}])
    varying: dict[str, Any] = {"x": "5 * x", "z": 1, "c": 1}
    assert kept(CHAIN, varying) == plain([{}, {"z": ()}, {"x": ()}, {"z": ("c",)}, {"x": ("c",)}])
    assert kept(CHAIN, {**varying, "z": "learned"}) == kept(CHAIN, varying), "to set both is of no use"


def test_what_a_price_hangs_on_is_worth_looking_at() -> None:
    """The wind says nothing of the yield once x is set, but of what it costs to set x."""
    graph = CausalGraph.from_text("wind -> x -> y; c -> y", target="y", intervenable=["x"], contexts=["wind", "c"])
    assert {"x": ("c",)} in [dict(scope) for scope in kept(graph, {"x": 1})]
    priced: dict[str, Any] = {"x": "1 + x * wind"}
    assert all("wind" in seen for scope in kept(graph, priced) for _, seen in scope)
    assert paid_for(graph, priced).directed[-1] == ("wind", "y")


def test_too_many_prices_end_the_search() -> None:
    names = [f"c{i}" for i in range(12)]
    edges = "; ".join(f"{name} -> x -> y; {name} -> y" for name in names)
    graph = CausalGraph.from_text(edges, target="y", intervenable=["x"])
    scopes, complete = worth_their_price(graph, dict.fromkeys(names, 1.0), effort=StepBudget(2000))
    assert scopes
    assert not complete
    assert len(policy_scopes(graph)) == 1


def test_subsets() -> None:
    assert sorted(subsets(0b1101)) == [0, 1, 4, 5, 8, 9, 12, 13]
