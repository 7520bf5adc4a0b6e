"""Sizes of tests: enough for every change; where `STEERBO_TEST_FULL` is set, as large as before a release."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
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


@contextmanager
def few_draws() -> Iterator[None]:
    """Sample a quarter of the hyperparameters in a quarter of the steps, and search from fewer points.

    For tests of laws that hold for any number of draws and starts: replays, records, pages and pictures, not the
    quality of a fit or of a search.
    """
    from steerbo.gp import _draws, posterior_draws
    from steerbo.meanfield import _rounding, models
    from steerbo.optim import _constrained
    from steerbo.surrogate import _acquisition, _optimise

    with pytest.MonkeyPatch.context() as patch:
        if not FULL:
            patch.setattr(_draws, "_TRIED", 32)
            patch.setattr(_draws, "_STEPS", 1)
            patch.setattr(posterior_draws, "__kwdefaults__", {"count": 4})
            patch.setattr(models, "_DRAWS", 3)
            patch.setattr(_optimise, "EFFORT", ((32, 2), (128, 2)))
            patch.setattr(_acquisition, "_SCREEN", 8)
            patch.setattr(_acquisition, "_STARTS", 1)
            patch.setattr(_acquisition, "_STARTS_WITHIN", 1)
            patch.setattr(_constrained, "CLIMBED", 1)
            patch.setattr(_rounding, "_KEPT", 1)
        yield
