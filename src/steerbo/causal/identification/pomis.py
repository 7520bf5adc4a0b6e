"""Possibly-optimal minimal intervention sets (POMIS): sets of variables worth setting without looking at contexts."""

from __future__ import annotations

from ..graphs.dag import BitmaskDag, bits
from ..graphs.graph import CausalGraph


def intervention_sets(graph: CausalGraph) -> tuple[tuple[str, ...], ...]:
    """Enumerate all POMIS of a graph (Lee & Bareinboim 2018, Algorithm 1), smallest first.

    Variables that cannot be set are projected out first (Lee & Bareinboim 2019, Theorem 4).

    >>> graph = CausalGraph.from_text("x1 -> x2 -> y; c -> x2; c -> y; x1 <-> c; x2 <-> y",
    ...                               target="y", intervenable=["x1", "x2"])
    >>> intervention_sets(graph)
    ((), ('x1',), ('x2',))
    """
    small = graph.projected((*graph.intervenable, graph.target))
    masks, target = small.masks, 1 << small.index(small.target)
    n = len(small.names)
    found: set[int] = set()

    def explore(cut: int, allowed: int) -> None:
        """Collect border sets after setting `cut`, then after setting more of `allowed`, in topological order."""
        inside, border = _territory(masks, n, target, cut)
        found.add(border)
        for x in _backwards(masks, inside & ~target & allowed):
            allowed &= ~(1 << x)
            explore(cut | 1 << x, allowed)

    explore(0, (1 << n) - 1)
    named = (tuple(name for name in graph.intervenable if mask >> small.index(name) & 1) for mask in found)
    return tuple(sorted(named, key=lambda names: (len(names), names)))


def _territory(masks: BitmaskDag, n: int, target: int, cut: int) -> tuple[int, int]:
    """Minimal unobserved-confounder territory around the target after setting `cut`, and its border (Definition 5)."""
    graph = BitmaskDag.by_parents([0 if cut >> node & 1 else above for node, above in enumerate(masks.parents)])
    causes = graph.ancestors(target)
    observed = (1 << n) - 1
    territory, before = target, 0
    while territory != before:
        before = territory
        latent = 0
        for node in bits(territory & observed):
            latent |= graph.parents[node] & ~observed & causes
        for node in bits(latent):
            territory |= graph.children[node] & causes
        territory = graph.descendants(territory) & causes & observed
    border = 0
    for node in bits(territory):
        border |= graph.parents[node] & observed
    return territory, border & ~territory


def _backwards(masks: BitmaskDag, nodes: int) -> list[int]:
    """Sort nodes, causes after their effects."""
    return sorted(bits(nodes), key=lambda node: masks.ancestors(1 << node).bit_count(), reverse=True)
