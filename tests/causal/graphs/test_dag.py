"""Bit masks: what is contracted, replaced or cut answers as the graph that was built anew."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.causal.graphs.dag import BitmaskDag, bits, mask_of
from tests.sizes import examples

SEEDS = st.integers(0, 10**6)
FEW = settings(max_examples=examples(100), deadline=None, derandomize=True)


def a_graph(seed: int, nodes: int = 8) -> tuple[BitmaskDag, np.random.Generator]:
    random = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(nodes), 2) if random.random() < 0.3]
    return BitmaskDag.of(nodes, pairs), random


def a_set(random: np.random.Generator, among: int) -> int:
    return mask_of(node for node in bits(among) if random.random() < 0.5)


@given(seed=SEEDS)
@FEW
def test_contracting_keeps_causes_and_separation_among_what_is_kept(seed: int) -> None:
    graph, random = a_graph(seed)
    kept = a_set(random, 0xFF)
    small = graph.contracted(kept)
    for a in bits(kept):
        assert small.descendants(1 << a) & kept == graph.descendants(1 << a) & kept
        assert small.ancestors(1 << a) & kept == graph.ancestors(1 << a) & kept
    for a, b in combinations(bits(kept), 2):
        given_ = a_set(random, kept & ~(1 << a) & ~(1 << b))
        assert small.separated(a, b, given_) == graph.separated(a, b, given_)


@given(seed=SEEDS)
@FEW
def test_a_ball_among_determined_nodes_goes_where_it_goes_without_them(seed: int) -> None:
    graph, random = a_graph(seed)
    start = int(random.integers(8))
    gone = (start + 1 + int(random.integers(7))) % 8
    determined = a_set(random, 0xFF & ~(1 << start) & ~(1 << gone))
    block = a_set(random, 0xFF & ~(1 << start) & ~(1 << gone) & ~determined)
    spliced = graph.without(bits(determined), cut=gone)
    rest = 0xFF & ~determined
    found = graph.reached(1 << start, block, determined=determined, without=1 << gone)
    assert found & rest == spliced.reached(1 << start, block) & rest


@given(seed=SEEDS)
@FEW
def test_closures_on_changed_graphs(seed: int) -> None:
    graph, random = a_graph(seed)
    node, cut = int(random.integers(8)), a_set(random, 0xFF)
    built = graph.with_parents(dict.fromkeys(bits(cut), 0))
    assert graph.descendants(1 << node, cut=cut) == built.descendants(1 << node)
    assert graph.ancestors(1 << node, dict.fromkeys(bits(cut), 0)) == built.ancestors(1 << node)
