"""Directed acyclic graphs as bit masks, with reachability and d-separation in a few integer operations a node.

A set of nodes is a Python integer with bit `i` set for node `i`. Bidirected edges enter as latent
nodes with two children, so that one algorithm serves all graphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple


def bits(mask: int) -> Iterator[int]:
    """List the nodes of a set, smallest first.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(nodes: Iterable[int]) -> int:
    """Make a set of nodes.

    >>> mask_of([1, 3])
    10
    """
    mask = 0
    for node in nodes:
        mask |= 1 << node
    return mask


class BitmaskDag(NamedTuple):
    """A directed graph: the parents and the children of every node, as sets.

    >>> chain = BitmaskDag.of(3, [(0, 1), (1, 2)])
    >>> chain.separated(0, 2, 1 << 1), chain.separated(0, 2, 0)
    (True, False)
    """

    parents: tuple[int, ...]
    children: tuple[int, ...]

    @classmethod
    def of(cls, nodes: int, edges: Iterable[tuple[int, int]]) -> BitmaskDag:
        """Build the graph of `nodes` nodes from its edges."""
        parents, children = [0] * nodes, [0] * nodes
        for a, b in edges:
            parents[b] |= 1 << a
            children[a] |= 1 << b
        return cls(tuple(parents), tuple(children))

    @classmethod
    def by_parents(cls, parents: list[int]) -> BitmaskDag:
        """Build the graph from the parents of every node."""
        children = [0] * len(parents)
        for node, above in enumerate(parents):
            own = 1 << node
            while above:
                low = above & -above
                children[low.bit_length() - 1] |= own
                above ^= low
        return cls(tuple(parents), tuple(children))

    def with_parents(self, changed: Mapping[int, int]) -> BitmaskDag:
        """Replace the parents of some nodes."""
        parents, children = list(self.parents), list(self.children)
        for node, above in changed.items():
            own, differ = 1 << node, parents[node] ^ above
            parents[node] = above
            while differ:
                low = differ & -differ
                children[low.bit_length() - 1] ^= own
                differ ^= low
        return BitmaskDag(tuple(parents), tuple(children))

    def without(self, gone: Iterable[int], cut: int | None = None) -> BitmaskDag:
        """Replace nodes by their parents, and remove the edges into and out of `cut`."""
        parents, children = list(self.parents), list(self.children)
        for node in gone:
            _splice(parents, children, node)
        if cut is not None:
            own = 1 << cut
            for parent in bits(parents[cut]):
                children[parent] &= ~own
            for child in bits(children[cut]):
                parents[child] &= ~own
            parents[cut] = children[cut] = 0
        return BitmaskDag(tuple(parents), tuple(children))

    def contracted(self, kept: int) -> BitmaskDag:
        """Replace nodes outside `kept` that have fewer than two children by their parents, until there are none.

        Causal relations among the nodes of `kept`, and their separation given any of them, stay the
        same.
        """
        parents, children = list(self.parents), list(self.children)
        others = [node for node in range(len(parents)) if not kept >> node & 1]
        while thin := [node for node in others if not children[node] & (children[node] - 1)]:
            for node in thin:
                _splice(parents, children, node)
            others = [node for node in others if node not in thin]
        return BitmaskDag(tuple(parents), tuple(children))

    def descendants(self, nodes: int, cut: int = 0) -> int:
        """Descendants of the nodes, themselves included; edges into nodes of `cut` do not count."""
        return _closure(self.children, nodes, cut)

    def ancestors(self, nodes: int, changed: Mapping[int, int] | None = None) -> int:
        """Ancestors of the nodes, themselves included; `changed` nodes have the given parents instead."""
        if not changed:
            return _closure(self.parents, nodes)
        parents = list(self.parents)
        for node, above in changed.items():
            parents[node] = above
        return _closure(parents, nodes)

    def reached(
        self,
        start: int,
        block: int,
        bounce: int | None = None,
        *,
        determined: int = 0,
        without: int = 0,
    ) -> int:
        """Nodes that a ball thrown from the set `start` reaches (Bayes ball, Shachter 1998).

        With `bounce` left out, a node outside `start` is reached exactly where it is d-connected to
        `start` given the *other* nodes of `block`. With `bounce` larger than `block` the answer is
        an upper bound for every set of observations between the two, with `bounce` smaller a lower
        bound.

        Args:
            start: where the ball starts; not part of `block`.
            block: observed nodes: no way leads through them from or to a child.
            bounce: nodes that turn a ball coming from a parent back to the parents; default:
                `block`.
            determined: nodes that follow from their parents, as if these were the parents of their
                children: no way leads from one child through them to another.
            without: nodes whose edges do not count.
        """
        parents, children = self.parents, self.children
        bounce = block if bounce is None else bounce
        up, down = start | without, without  # reached from a child, reached from a parent
        new_up, new_down = start, 0
        while new_up or new_down:
            next_up = next_down = 0
            free = new_up & ~block
            while free:
                low = free & -free
                node = low.bit_length() - 1
                next_up |= parents[node]
                if not determined & low:
                    next_down |= children[node]
                free ^= low
            free = new_down & ~block
            while free:
                low = free & -free
                next_down |= children[low.bit_length() - 1]
                free ^= low
            free = new_down & bounce
            while free:
                low = free & -free
                next_up |= parents[low.bit_length() - 1]
                free ^= low
            new_up, new_down = next_up & ~up, next_down & ~down
            up |= new_up
            down |= new_down
        return (up | down) & ~without

    def separated(self, a: int, b: int, given: int) -> bool:
        """Whether node `a` is d-separated from node `b` given a set that holds neither."""
        return not self.reached(1 << b, given) >> a & 1

    def active_path(self, a: int, b: int, given: int) -> list[int]:
        """Find a shortest path that d-connects `a` and `b` given a set; empty if they are separated."""
        opened = self.ancestors(given)
        # (node, reached from a child)
        before: dict[tuple[int, bool], tuple[int, bool] | None] = {(a, True): None}
        queue = [(a, True)]
        for node, upwards in queue:
            if node == b:
                path: list[int] = []
                step: tuple[int, bool] | None = (node, upwards)
                while step is not None:
                    path.append(step[0])
                    step = before[step]
                return path[::-1]
            seen = given >> node & 1
            ways = []
            if not seen:
                ways += [(child, False) for child in bits(self.children[node])]
            if (upwards and not seen) or (not upwards and opened >> node & 1):
                ways += [(parent, True) for parent in bits(self.parents[node])]
            for way in ways:
                if way not in before:
                    before[way] = (node, upwards)
                    queue.append(way)
        return []


def _splice(parents: list[int], children: list[int], node: int) -> None:
    """Give the parents of a node to its children, and remove its edges."""
    own, above, below = 1 << node, parents[node], children[node]
    for parent in bits(above):
        children[parent] = children[parent] & ~own | below
    for child in bits(below):
        parents[child] = parents[child] & ~own | above
    parents[node] = children[node] = 0


def _closure(next_to: Sequence[int], nodes: int, barred: int = 0) -> int:
    found = new = nodes
    closed = nodes | barred
    while new:
        further = 0
        while new:
            low = new & -new
            further |= next_to[low.bit_length() - 1]
            new ^= low
        new = further & ~closed
        closed |= new
        found |= new
    return found
