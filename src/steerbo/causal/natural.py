"""What loses nothing although nobody can look at it: actions in the hands of somebody who sees what nature sees.

Imagine that each action of a group is set by somebody who sees, beside contexts, what sets it by nature: its natural
parents, hidden common causes included. Acting as nature does is one of their policies, so nothing is lost. If backward
elimination then finds that nobody needs any of these parents, what is left is a scope for us, and as good in every
model.
"""

from __future__ import annotations

from collections.abc import Iterator

from .canonical import Seen
from .separation import Masks, bits, mask_of
from .step_limit import Effort

Later = tuple[tuple[int, int], ...]  # what the actions that are placed look at


def naturally(base: Masks, target: int, contexts: int, seen: Seen, *, group: int, effort: Effort) -> Iterator[Seen]:
    """Scopes that are at least as good as a scope, by a group of actions that it leaves to nature.

    All orders of acting are tried that are open to the scope and to nature; in each, everybody remembers what was seen
    before.

    Args:
        base: the causal graph as masks.
        target: its target's node.
        contexts: what can be looked at, as a set.
        seen: what each action of the scope looks at.
        group: the others, as a set.
        effort: what may still be spent.

    Yields:
        What each action looks at; those that do not matter are left out.
    """
    follows = base.with_parents(seen)
    everyone = mask_of(seen) | group
    below = {x: follows.descendants(1 << x) & everyone for x in bits(everyone)}
    cut = base.with_parents(dict.fromkeys(bits(everyone), 0))
    affected = {x: cut.descendants(1 << x) for x in bits(everyone)}
    natural = {x: base.parents[x] & ~everyone for x in bits(group)}
    layer: dict[tuple[int, int, Later], None] = {(everyone, contexts, ()): None}
    for _ in bits(everyone):
        after: dict[tuple[int, int, Later], None] = {}
        for remaining, left, later in layer:
            effort.step()
            graph = cut.with_parents(dict(later))
            for x in bits(remaining):
                if below[x] & remaining == 1 << x:  # nobody who is still to be placed must come after it
                    free = left & ~affected[x]
                    told = free | remaining & ~(1 << x)
                    for y, above in natural.items():
                        told |= above if remaining >> y & 1 else 0
                    needed = graph.reached(1 << target, told | 1 << x, told) & told
                    after[remaining & ~(1 << x), free, tuple(sorted((*later, (x, needed))))] = None
        layer = after
    for _, _, later in layer:
        found = _mattering(base, target, {x: _through(x, dict(later)) for x, _ in later})
        if not any(looked & ~contexts for looked in found.values()):
            yield found


def _through(action: int, seen: Seen) -> int:
    """What an action looks at, itself or through the actions that it looks at."""
    found = new = seen[action]
    while new:
        above = 0
        for x in bits(new):
            above |= seen.get(x, 0)
        new = above & ~found
        found |= new
    return found & ~mask_of(seen)


def _mattering(base: Masks, target: int, seen: Seen) -> Seen:
    """Without the actions that do not matter."""
    while True:
        above = base.ancestors(1 << target, seen)
        left = {x: looked for x, looked in seen.items() if above >> x & 1}
        if len(left) == len(seen):
            return seen
        seen = left
