"""Limits that hold on average over plays: how likely the next play must be to keep to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..rounds import Round
from ..space import Measured

LIKELY = "likely"
"""What notes of suggestions call the probabilities to keep to limits, by the outcome's name."""


def least_likely(limit: Measured, rounds: Iterable[Round]) -> float:
    """The least probability of the next play with which the mean over plays stays at what was asked; may be below 0.

    Those plays count that a model chose: by how they came or, where that is not known, by how likely they were to keep.

    >>> from types import SimpleNamespace as Some
    >>> note = {"likely": {"heat": 0.95}}
    >>> played = [Some(suggestion=Some(note=note), realised={"heat": heat}) for heat in (4, 4, 4)]
    >>> round(least_likely(Measured("heat", at_most=5, probability=0.9), played), 6)
    0.6
    """
    n, kept = kept_of(limit, rounds)
    return limit.probability * (n + 1) - kept


def kept_of(limit: Measured, rounds: Iterable[Round]) -> tuple[int, float]:
    """How many plays a model chose, and how many keep to a limit: those not yet known count by their probabilities."""
    n, kept = 0, 0.0
    for played in rounds:
        likely: Mapping[str, float] = played.suggestion.note.get(LIKELY, {})
        if limit.name in likely:
            n += 1
            known = limit.name in played.realised
            kept += float(not limit.breaks(played.realised)) if known else likely[limit.name]
    return n, kept
