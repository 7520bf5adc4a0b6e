"""Contexts as nature makes them, from rounds that leave them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..rounds import History, Scope
from .arm import Arm

_MOST = 16  # contexts that a policy's value is averaged over


def latest_contexts(history: History, arms: Sequence[Arm], number: Mapping[Scope, int], i: int) -> list[dict[str, Any]]:
    """The latest contexts of arm `i`, latest first: of its own rounds and of others that do not affect them.

    Args:
        history: rounds in which they were seen.
        arms: all arms.
        number: by scope, which of the arms it is.
        i: whose contexts.

    Returns:
        Some rows of values by name; where none was seen, one row in the middle.
    """
    arm = arms[i]
    wanted, free = frozenset(arm.contexts), not arm.affected
    found: list[dict[str, Any]] = []
    for played in reversed(list(history)) if wanted else ():
        other = arms[number[played.suggestion.scope]]
        alike = free and wanted <= frozenset(other.contexts) and not wanted & other.affected
        if other is not arm and not alike:
            continue
        known = {**played.suggestion.context, **played.realised}
        if wanted <= known.keys():
            found.append({name: known[name] for name in arm.contexts})
        if len(found) == _MOST:
            break
    return found or [{name: arm.problem_space[name].decode([0.5])[0] for name in arm.contexts}]
