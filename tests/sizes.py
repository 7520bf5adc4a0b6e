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
    """Learn by one short climb, draw few hyperparameters, search from few points, and answer in two typical contexts.

    For tests of laws that hold for any number of draws, starts and steps: replays, records, pages and pictures, not the
    quality of a fit or of a search.
    """
    from steerbo.causal import _staged
    from steerbo.core import _context
    from steerbo.gp import _draws, _fit, posterior_draws
    from steerbo.meanfield import _rounding, models
    from steerbo.optim import _box, _constrained
    from steerbo.surrogate import _acquisition, _optimise

    with pytest.MonkeyPatch.context() as patch:
        if not FULL:
            patch.setattr(_fit.maximum_a_posteriori, "__defaults__", (True,))
            patch.setattr(_fit.maximum_a_posteriori, "__kwdefaults__", {"evaluations": None, "precision": 1e-4})
            patch.setattr(_fit, "_HASTY", 1e-4)
            patch.setattr(_draws, "_TRIED", 16)
            patch.setattr(_draws, "_STEPS", 1)
            patch.setattr(_fit.curvature_by_differences, "__defaults__", (True,))
            patch.setattr(posterior_draws, "__kwdefaults__", {"count": 4})
            patch.setattr(models, "_DRAWS", 3)
            patch.setattr(_optimise, "EFFORT", ((16, 1), (64, 1)))
            patch.setattr(_acquisition, "_SCREEN", 8)
            patch.setattr(_acquisition, "_STARTS", 1)
            patch.setattr(_acquisition, "_STARTS_WITHIN", 1)
            searched = _box.maximise.__kwdefaults__ or {}
            brief = {**searched, "screen": 128, "starts": 2, "tolerance": 1e-5}
            patch.setattr(_box.maximise, "__kwdefaults__", brief)
            patch.setattr(_constrained, "CLIMBED", 1)
            patch.setattr(_rounding, "_SCREEN", 8)
            patch.setattr(_rounding, "_KEPT", 1)
            patch.setattr(_staged, "_GRID", 8)
            patch.setattr(_staged, "_AROUND", 4)
            patch.setattr(_context.typical, "__defaults__", (2,))
        yield
