"""How much worse one answer within limits is than another one: as registered, and where what breaks a limit is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .worlds import PROBABILITY, SURE, World

Run = Mapping[str, Any]
Pair = tuple[Run, Run]
"""Ours, and the rival's, of the same world and seed."""
CLOSE = 0.05
"""Deviations of the value that count as none."""


def of_arm(runs: Sequence[Run], arm: str) -> dict[tuple[str, int], Run]:
    """Runs of an arm, by world and seed."""
    return {(run["world"], run["seed"]): run for run in runs if run["arm"] == arm}


def behind(world: World, ours: Run, rival: Run) -> float:
    """By how many deviations of the value ours is worse than the rival's best; below 0: better.

    A recommendation that does not keep to its outcome limits has lost, and so has a rival that never saw a play keep.
    """
    if not keeps_truly(ours):
        return math.inf
    return -math.inf if rival["value"] is None else _gap(world, ours, rival["value"])


def keeps_truly(run: Run) -> bool:
    """Whether there is an answer that truly keeps to its outcome limits, however it looked."""
    return run["value"] is not None and run["likely"] >= PROBABILITY - SURE


def as_registered(world: World, pairs: Sequence[Pair]) -> float:
    """By how many deviations ours is worse, mean over runs."""
    return float(np.mean([behind(world, ours, rival) for ours, rival in pairs]))


def truly(world: World, pairs: Sequence[Pair]) -> float:
    """The same where an answer that truly breaks an outcome limit is none, whoever gives it.

    The mean over pairs of which both have an answer. Infinite where ours has none in some pair; minus infinity where
    the rival has none in any.
    """
    return _where_both(world, [(ours, rival["value"] if keeps_truly(rival) else None) for ours, rival in pairs])


def truly_best(world: World, pairs: Sequence[Pair]) -> float:
    """The same against the best of the rival's plays that were seen to keep, and truly do: which no user could tell."""
    return _where_both(world, [(ours, rival["truly"]) for ours, rival in pairs])


def _where_both(world: World, answers: Sequence[tuple[Run, float | None]]) -> float:
    if not all(keeps_truly(ours) for ours, _ in answers):
        return math.inf
    gaps = [_gap(world, ours, value) for ours, value in answers if value is not None]
    return float(np.mean(gaps)) if gaps else -math.inf


def against(
    runs: Sequence[Run],
    known: Sequence[World],
    rule: Callable[[World, Sequence[Pair]], float] = as_registered,
    arm: str = "steerbo",
) -> dict[str, float]:
    """By how much ours is worse than the rival, by a rule, for each world that both have played.

    Where an answer of ours truly breaks a limit it is worse, whatever the rival does, and whether or not it was played.
    """
    theirs, found = of_arm(runs, "botorch"), {}
    for world in known:
        ours = {key: run for key, run in of_arm(runs, arm).items() if key[0] == world.name}
        pairs = [(run, theirs[key]) for key, run in ours.items() if key in theirs]
        if not all(map(keeps_truly, ours.values())):
            found[world.name] = math.inf
        elif pairs:
            found[world.name] = rule(world, pairs)
    return found


def no_worse(gaps: Mapping[str, float]) -> int:
    """On how many worlds ours is no worse by more than counts."""
    return sum(gap <= CLOSE for gap in gaps.values())


def listed(gaps: Mapping[str, float]) -> str:
    """In words."""
    return ", ".join(f"{name} {_said(gap)}" for name, gap in gaps.items()) or "–"


def _said(gap: float) -> str:
    return f"{gap:+.2f}" if math.isfinite(gap) else "has no answer" if gap > 0 else "(BoTorch has none)"


def _gap(world: World, ours: Run, value: float) -> float:
    return float(ours["value"] - value) / world.deviations()["value"]
