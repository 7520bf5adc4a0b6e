"""Possibly-optimal policy scopes in three modes, and the scopes that keep the published rules.

Rules B and C of Lee & Bareinboim (2020) together make an action's contexts the one Markov boundary
of the target among its admissible contexts, in the graph without the action. A single action
therefore has one candidate; several actions have fixed points, which are found by bounding the
contexts of every action from both sides and branching while the bounds leave a choice.

Possibly-optimal minimal intervention sets (POMIS): sets of variables worth setting without looking
at contexts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

from ..._warnings import warn
from ...core import Scope
from ...errors import InvalidOption, InvalidProblem, ScopesWarning, one_of
from ..graphs.dag import BitmaskDag, bits, mask_of
from ..graphs.graph import CausalGraph
from ..prices import check_prices
from ._dominance import undominated, worth_their_price
from .scopes import MAX_STEPS, ScopesFound, StepBudget, StepsEnded

Mode = Literal["pruned", "published", "joint"]
MODES = get_args(Mode)


def policy_scopes(
    graph: CausalGraph,
    mode: Mode = "pruned",
    *,
    prices: Mapping[str, Any] | None = None,
    limit: int = MAX_STEPS,
) -> tuple[Scope, ...]:
    """Enumerate the scopes one of which is optimal, for every causal model with this graph.

    Args:
        graph: the causal graph.
        mode: ``"published"``: every scope whose actions matter, whose contexts are needed and miss
            nothing (rules A, B, C of Lee & Bareinboim 2020, Propositions 1 and 2). ``"pruned"``:
            without those that lose nothing by one more intervention, by looking at more, or by
            looking at less jointly. ``"joint"``: also without those that lose nothing by several
            more interventions at once.
        prices: of setting or looking at variables, by name; the others cost nothing. A scope is
            then left out only for one that is as good and no dearer. A price that is no number
            depends on the value that is set, or is learned: then a scope is left out only for one
            without further variables of such a price. For ``"pruned"`` and ``"joint"``.
        limit: steps of the search, of about a millisecond each, after which it ends with the best
            scopes that it has met, and warns: one that it did not meet may be better. Actions
            with hidden causes take the most steps: each may be set or left to nature, so that
            their number can double with each of them. Actions whose causes can all be looked at or
            set are always set, and cost no more than their orders do.

    Raises:
        InvalidOption: an unknown mode, or one without prices.
        InvalidProblem: the limit was reached before the first scope of many prices, or a price is not allowed.

    >>> graph = CausalGraph.from_text("x1 -> x2 -> y; c -> x2; c -> y; x1 <-> c; x2 <-> y",
    ...                               target="y", intervenable=["x1", "x2"])
    >>> for scope in policy_scopes(graph):
    ...     print(scope)
    x1 after looking at c
    x2 after looking at c
    """
    found = found_scopes(graph, mode, prices=prices, limit=limit)
    if not found.complete:
        warn(
            ScopesWarning(
                f"The search for scopes ended after {limit} steps: one that it did not meet may be "
                "better. List fewer intervenable variables or contexts, or raise `limit`."
            )
        )
    return found.scopes


def found_scopes(
    graph: CausalGraph,
    mode: Mode = "pruned",
    *,
    prices: Mapping[str, Any] | None = None,
    limit: int = MAX_STEPS,
) -> ScopesFound:
    """Search for the scopes one of which is optimal: see `policy_scopes`; say whether all were compared."""
    if not isinstance(graph, CausalGraph):
        raise InvalidProblem("graph", graph, "a CausalGraph", "CausalGraph.from_text(…) makes one.")
    if not isinstance(mode, str) or mode not in MODES:
        raise InvalidOption("mode", mode, one_of(MODES, mode))
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InvalidOption("limit", limit, "a whole number from 1")
    found = _searched(graph, mode, prices, StepBudget(limit))
    if not found.scopes:
        raise InvalidProblem(
            "graph.intervenable",
            "too many combinations of actions that may matter together",
            "a graph of which a scope is found within `limit` steps",
            "List fewer intervenable variables, contexts or prices, or raise ‹limit›.",
        )
    return found


def _searched(
    graph: CausalGraph, mode: Mode, prices: Mapping[str, Any] | None, effort: StepBudget
) -> ScopesFound:
    if prices is not None:
        if mode not in ("pruned", "joint"):
            raise InvalidOption(
                "mode", mode, "'pruned' or 'joint', where there are prices", "It knows no prices."
            )
        return worth_their_price(graph, check_prices(graph, prices), mode == "joint", effort)
    if mode == "published":
        return published(graph, effort)
    return undominated(graph, mode != "pruned", effort)


Bounds = dict[int, tuple[int, int]]  # by action: contexts that it surely, and possibly, looks at


def published(graph: CausalGraph, effort: StepBudget | None = None) -> ScopesFound:
    """Enumerate the scopes that keep rules A, B and C, smallest first (Lee & Bareinboim 2020, Propositions 1 and 2)."""
    effort = effort or StepBudget()
    base, target = graph.essence, graph.index(graph.target)
    actions = [graph.index(name) for name in graph.intervenable]
    contexts = graph.mask(graph.contexts or ())
    useful = [x for x in actions if base.descendants(1 << x) & (contexts | 1 << target)]
    found: list[Scope] = []

    def add_all(chosen: tuple[int, ...]) -> None:
        """Add the scopes on a set of actions."""
        cut = base.with_parents(dict.fromkeys(chosen, 0))
        below = {x: cut.descendants(1 << x) for x in chosen}
        some = _Actions(cut, target, contexts, below)
        found.extend(
            Scope.of({graph.names[x]: graph.named(seen[x]) for x in chosen})
            for seen in _fixed_points(some, dict.fromkeys(chosen, (0, contexts)), effort)
        )

    try:
        for size in range(len(useful) + 1):
            for chosen in combinations(useful, size):
                add_all(chosen)
    except StepsEnded:
        return ScopesFound(tuple(found), complete=False)
    return ScopesFound(tuple(found), complete=True)


class _Actions(NamedTuple):
    """A set of actions: the graph in which they look at nothing, and the descendants of each there."""

    cut: BitmaskDag
    target: int
    contexts: int
    below: dict[int, int]

    def affected(self, seen: dict[int, int]) -> dict[int, int]:
        """Descendants of each action, itself included, while the actions look at `seen`."""
        found = dict(self.below)
        changed = True
        while changed:
            changed = False
            for x, below in found.items():
                for y, looked in seen.items():
                    if looked & below and self.below[y] & ~below:
                        below |= found[y]
                        changed = True
                found[x] = below
        return found


def _fixed_points(
    actions: _Actions, bounds: Bounds, effort: StepBudget
) -> Iterator[dict[int, int]]:
    effort.step()
    tight = _tighten(actions, bounds)
    if tight is None:
        return
    open_pairs = [
        (x, possible & ~sure) for x, (sure, possible) in tight.items() if possible & ~sure
    ]
    if not open_pairs:
        yield {x: sure for x, (sure, _) in tight.items()}
        return
    action, choice = open_pairs[0]
    context = choice & -choice
    sure, possible = tight[action]
    yield from _fixed_points(actions, {**tight, action: (sure, possible & ~context)}, effort)
    yield from _fixed_points(actions, {**tight, action: (sure | context, possible)}, effort)


def _tighten(actions: _Actions, bounds: Bounds) -> Bounds | None:
    """Tighten the bounds as far as they force each other; None if they contradict each other."""
    cut, target, contexts, _ = actions
    together = mask_of(bounds)
    while True:
        at_most = {x: possible for x, (_, possible) in bounds.items()}
        at_least = {x: sure for x, (sure, _) in bounds.items()}
        closed = at_most == at_least
        below_most = actions.affected(at_most)
        if not all(below >> target & 1 for below in below_most.values()):
            return None  # rule A
        below_least = below_most if closed else actions.affected(at_least)
        most = cut.with_parents(at_most)
        least = most if closed else cut.with_parents(at_least)
        after: Bounds = {}
        for x, (sure, possible) in bounds.items():
            # admissible at most, and at least
            may, will = contexts & ~below_least[x], contexts & ~below_most[x]
            reach_most = most.reached(1 << target, will, may, determined=together, without=1 << x)
            reach_least = (
                reach_most
                if closed
                else least.reached(1 << target, may, will, determined=together, without=1 << x)
            )
            sure, possible = after[x] = sure | (will & reach_least), possible & may & reach_most
            if sure & ~possible:
                return None
        if after == bounds:
            return bounds
        bounds = after


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
    named = (
        tuple(name for name in graph.intervenable if mask >> small.index(name) & 1)
        for mask in found
    )
    return tuple(sorted(named, key=lambda names: (len(names), names)))


def _territory(masks: BitmaskDag, n: int, target: int, cut: int) -> tuple[int, int]:
    """Minimal unobserved-confounder territory around the target after setting `cut`, and its border (Definition 5)."""
    graph = BitmaskDag.by_parents(
        [0 if cut >> node & 1 else above for node, above in enumerate(masks.parents)]
    )
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
    return sorted(
        bits(nodes), key=lambda node: masks.ancestors(1 << node).bit_count(), reverse=True
    )
