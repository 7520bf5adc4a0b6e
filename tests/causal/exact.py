"""Judges for policy scopes: brute force over all scopes, and exact values of all policies in random binary models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product

import networkx as nx
import numpy as np

from steerbo.causal import CausalGraph

Contexts = dict[str, tuple[str, ...]]


def random_graph(
    random: np.random.Generator, nodes: int, actions: int, density: float = 0.4, hidden: float = 0.2
) -> CausalGraph:
    """A random graph on V0, V1, … with some latent confounders; what is not an action is a context, or neither."""
    names = [f"V{i}" for i in range(nodes)]
    directed = [(a, b) for a, b in combinations(names, 2) if random.random() < density]
    bidirected = [(a, b) for a, b in combinations(names, 2) if random.random() < hidden]
    target = names[-1]
    others = [str(name) for name in random.permutation(names[:-1])]
    chosen = others[:actions]
    contexts = [name for name in others[actions:] if random.random() < 0.85]
    return CausalGraph(directed, bidirected, target=target, intervenable=chosen, contexts=contexts, variables=names)


def separated(graph: CausalGraph, a: str, b: str, given: Iterable[str]) -> bool:
    """Whether two variables are d-separated given others, latent common causes counted."""
    return graph.masks.separated(graph.index(a), graph.index(b), graph.mask(given))


def drawn(directed: Iterable[tuple[str, str]], bidirected: Iterable[tuple[str, str]]) -> nx.MultiDiGraph:
    """A graph of networkx with edges of both kinds."""
    graph = nx.MultiDiGraph(list(directed))
    graph.add_edges_from(bidirected, dir="both")
    return graph


def all_scopes(graph: CausalGraph) -> Iterator[Contexts]:
    """Every acyclic scope, (1 + 2^|C|)^|X| of them before the check."""
    contexts = graph.contexts or ()
    subsets = [s for k in range(len(contexts) + 1) for s in combinations(contexts, k)]
    for choice in product([None, *subsets], repeat=len(graph.intervenable)):
        scope = {x: seen for x, seen in zip(graph.intervenable, choice, strict=True) if seen is not None}
        if nx.is_directed_acyclic_graph(scope_graph(graph, scope)):
            yield scope


def scope_graph(graph: CausalGraph, scope: Contexts) -> nx.DiGraph:
    """The graph with the edges into the actions replaced by those from their contexts."""
    drawn = graph.to_networkx()
    drawn.remove_edges_from([(a, b) for a, b in drawn.edges if b in scope])
    drawn.add_edges_from([(c, x) for x, seen in scope.items() for c in seen])
    return drawn


def closure(scope: Contexts, given: set[str]) -> set[str]:
    """`given` and every action all of whose contexts are known."""
    known = set(given)
    while more := [x for x, seen in scope.items() if x not in known and known.issuperset(seen)]:
        known.update(more)
    return known


def keeps_rules(graph: CausalGraph, scope: Contexts) -> bool:
    """Rules A, B and C word for word, by d-separation of networkx."""
    drawn = scope_graph(graph, scope)
    causes = nx.ancestors(drawn, graph.target)
    for x, seen in scope.items():
        if x not in causes:
            return False
        alone = drawn.copy()
        alone.remove_node(x)
        rest = {a: s for a, s in scope.items() if a != x}

        def tells(c: str, given: set[str], alone: nx.DiGraph = alone, rest: Contexts = rest) -> bool:
            return not nx.is_d_separator(alone, {c}, {graph.target}, closure(rest, given) - {graph.target})

        if not all(tells(c, set(seen) - {c}) for c in seen):
            return False
        below = nx.descendants(drawn, x)
        if any(tells(c, set(seen)) for c in graph.contexts or () if c not in seen and c not in below):
            return False
    return True


@dataclass(frozen=True)
class BinaryModel:
    """A model of binary variables (latent ones too) with known probabilities: every expectation is a sum."""

    graph: CausalGraph
    order: list[str]
    tables: dict[str, np.ndarray]
    """`tables[v][parents…]`: probability of 1; parents in the order of `order`."""

    @classmethod
    def draw(cls, graph: CausalGraph, random: np.random.Generator) -> BinaryModel:
        """Probabilities drawn at random, often near 0 or 1, so that small advantages are not all there is."""
        drawn = graph.to_networkx()
        order = list(nx.topological_sort(drawn))
        tables = {}
        for v in order:
            shape = (2,) * drawn.in_degree(v)
            sharp = random.random() < 0.6
            tables[v] = np.array(random.beta(0.15, 0.15, shape) if sharp else random.random(shape))
        return cls(graph, order, tables)

    @classmethod
    def of_parities(cls, graph: CausalGraph, sums: Mapping[str, str]) -> BinaryModel:
        """Fair coins, but for variables that are sums modulo two of some of their parents, and of 1."""
        drawn = graph.to_networkx()
        order = list(nx.topological_sort(drawn))
        tables = {}
        for v in order:
            parents = [p for p in order if p in drawn.pred[v]]
            table = np.full((2,) * len(parents), 0.5)
            if v in sums:
                named = [part.strip() for part in sums[v].split("+")]
                for state in product((0, 1), repeat=len(parents)):
                    table[state] = sum(1 if part == "1" else state[parents.index(part)] for part in named) % 2
            tables[v] = table
        return cls(graph, order, tables)

    def value(self, scope: Contexts, money: Mapping[str, np.ndarray] | None = None) -> float:
        """The expected target under the best deterministic policies of the scope.

        Less `money`, if it is given: for each variable what setting it to 0 or to 1 takes off.
        """
        place = {v: i for i, v in enumerate(self.order)}
        states = np.array(list(product((0, 1), repeat=len(self.order))))
        drawn = self.graph.to_networkx()
        weight = np.ones(len(states))
        for v in self.order:
            if v not in scope:
                parents = [place[p] for p in self.order if p in drawn.pred[v]]
                p = self.tables[v][tuple(states[:, parents].T)]
                weight *= np.where(states[:, place[v]] == 1, p, 1 - p)
        paid = [money[x][states[:, place[x]]] for x in scope if money and x in money]
        gain = weight * (states[:, place[self.graph.target]] - sum(paid, np.zeros(len(states))))
        if not scope:
            return float(gain.sum())
        pattern = {x: states[:, [place[c] for c in seen]] @ 2 ** np.arange(len(seen)) for x, seen in scope.items()}
        *others, last = sorted(scope, key=lambda x: len(scope[x]))
        best = -np.inf
        for policies in product(*(product((0, 1), repeat=2 ** len(scope[x])) for x in others)):
            fits = np.ones(len(states), bool)
            for x, policy in zip(others, policies, strict=True):
                fits &= states[:, place[x]] == np.array(policy)[pattern[x]]
            sums = np.zeros((2 ** len(scope[last]), 2))
            np.add.at(sums, (pattern[last][fits], states[fits, place[last]]), gain[fits])
            best = max(best, float(sums.max(axis=1).sum()))
        return best


def climbed(
    model: BinaryModel, advantage: Callable[[BinaryModel], float], random: np.random.Generator, steps: int
) -> tuple[BinaryModel, float]:
    """A model reached by that many changes of single probabilities, none of which makes the advantage smaller."""
    found = advantage(model)
    for _ in range(steps):
        tables = {name: table.copy() for name, table in model.tables.items()}
        table = tables[str(random.choice(list(tables)))]
        table[tuple(random.integers(0, 2, table.ndim))] = random.choice([0.0, 1.0, 0.5, random.random()])
        other = BinaryModel(model.graph, model.order, tables)
        if (new := advantage(other)) >= found:
            model, found = other, new
    return model, found
