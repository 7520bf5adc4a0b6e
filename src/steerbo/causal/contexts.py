"""Contexts as nature makes them, from rounds that leave them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core import History, Round, Scope, context_of
from .arm import Arm

_MOST = 16  # contexts that a policy's value is averaged over
_SOUGHT = 64  # of which those are taken that are nearest to what is seen


def known_in(played: Round) -> dict[str, Any]:
    """What is known of a round: what was seen, set and measured; and when it was, where that matters."""
    return {**context_of(played.request), **played.suggestion.context, **played.realised}


def latest_contexts(
    history: History, arms: Sequence[Arm], number: Mapping[Scope, int], i: int, seen: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The latest contexts of arm `i`, latest first: of its own rounds and of others that do not affect them.

    Args:
        history: rounds in which they were seen.
        arms: all arms.
        number: by scope, which of the arms it is.
        i: whose contexts.
        seen: what is known before choosing: it is in all of them, and the others come from rounds in which it was about
            the same.

    Returns:
        Some rows of values by name; where none was seen, one row in the middle.
    """
    arm = arms[i]
    if seen and not set(arm.contexts) - set(seen):
        return [{name: seen[name] for name in arm.contexts}]
    wanted, free = frozenset(arm.contexts), not arm.affected
    found: list[dict[str, Any]] = []
    for played in reversed(list(history)) if wanted else ():
        other = arms[number[played.suggestion.scope]]
        alike = free and wanted <= frozenset(other.contexts) and not wanted & other.affected
        if other is not arm and not alike:
            continue
        known = known_in(played)
        if wanted <= known.keys():
            found.append({name: known[name] for name in arm.contexts})
        if len(found) == (_SOUGHT if seen else _MOST):
            break
    found = found or [{name: arm.problem_space[name].decode([0.5])[0] for name in arm.contexts}]
    return [{**row, **seen} for row in _nearest(arm, found, seen)]


def _nearest(arm: Arm, rows: list[dict[str, Any]], seen: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Some of the rows, nearest first in what was seen before choosing."""
    space = arm.problem_space.subset(seen)
    gaps = space.encode(rows) - space.encode([seen])
    gaps = np.where(space.categorical, gaps != 0.0, gaps)
    return [rows[k] for k in np.argsort((gaps**2).sum(axis=1), kind="stable")[:_MOST]]
