"""Sizes of tests: enough for every change; where `STEERBO_TEST_FULL` is set, as large as before a release."""

from __future__ import annotations

import os

from scipy.stats import binom

FULL = bool(os.environ.get("STEERBO_TEST_FULL"))


def size(full: int, quick: int) -> int:
    """The number of runs, rounds or examples."""
    return full if FULL else quick


def examples(full: int) -> int:
    """The number of examples that hypothesis tries: a quarter of all, and ten at least."""
    return size(full, min(full, max(10, full // 4)))


def most_losses(runs: int, rate: float, false_alarms: float) -> int:
    """The largest number of losses that is no finding: where each run loses with `rate`, more come with a probability
    of `false_alarms` at most."""
    return int(binom.isf(false_alarms, runs, rate))
