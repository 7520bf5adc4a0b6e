"""What is played: every wing's problems, at which horizons, with which seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from . import causal, costvarying, meanfield, timevarying
from .world import World

KEPT = "runs/calibration-runs.jsonl"
HORIZONS = (8, 16, 32)
SEEDS = 29
"""Of each problem: with seven or eight problems more than 200 runs a wing."""
TUNING, FRESH = 0, 1029
"""The first seed of those that choices are made on, and of those that are reported."""


class Wing(Protocol):
    """A module with problems."""

    PROBLEMS: dict[str, Callable[[int], World]]
    DRAWN: tuple[str, ...]


WINGS: Mapping[str, Wing] = {
    "cost-varying": costvarying,  # type: ignore[dict-item]
    "time-varying": timevarying,  # type: ignore[dict-item]
    "causal": causal,  # type: ignore[dict-item]
    "mean-field": meanfield,  # type: ignore[dict-item]
}
