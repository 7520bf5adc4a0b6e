"""No scope is left out but for one as good and no dearer; ``python -m tests.causal.priced_pairs`` judges more."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.priced_dominance import subsets, worth_their_price
from steerbo.causal.step_limit import Effort
from steerbo.errors import InvalidProblem

from .priced_pairs import judged
from .test_scopes import found, plain

CHAIN = CausalGraph.from_text("c -> z; x -> z -> y; c -> y", target="y", intervenable=["x", "z"])


def kept(graph: CausalGraph, prices: dict[str, float], joint: bool = False) -> list[list[tuple[str, tuple[str, ...]]]]:
    return plain(dict(scope.actions) for scope in worth_their_price(graph, prices, joint))


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


def test_too_many_prices_end_with_an_error() -> None:
    names = [f"c{i}" for i in range(12)]
    edges = "; ".join(f"{name} -> x -> y; {name} -> y" for name in names)
    graph = CausalGraph.from_text(edges, target="y", intervenable=["x"])
    with pytest.raises(InvalidProblem, match="List fewer"):
        worth_their_price(graph, dict.fromkeys(names, 1.0), effort=Effort(2000))
    assert len(policy_scopes(graph)) == 1


def test_subsets() -> None:
    assert sorted(subsets(0b1101)) == [0, 1, 4, 5, 8, 9, 12, 13]
