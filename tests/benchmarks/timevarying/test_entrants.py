"""Rivals and our methods by one call; kept runs of both pages come out as they were kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.runs import finished
from benchmarks.timevarying import automatic, switching
from benchmarks.timevarying.entrants import CONSTANT, regret
from benchmarks.timevarying.unknown import KINDS
from steerbo import Integer, Prior
from steerbo.timevarying import SquaredExponential, TimeVarying

PROBLEM = TimeVarying([Integer("x", 0, 2)], [Prior(SquaredExponential(1.0))])
TRUTH = np.array([[0.0, 2.0, 1.0], [3.0, 2.0, 0.0]])
KEPT = Path("docs/results")


def test_the_best_constant_is_the_one_that_loses_least() -> None:
    assert regret(PROBLEM, TRUTH, 0.0, CONSTANT, seed=0).tolist() == [0.0, 1.0]


def test_options_go_to_our_methods() -> None:
    some = [regret(PROBLEM, np.tile(TRUTH, (10, 1)), 0.1, "gp-ucb", 1, confidence=c) for c in (0.0, 5.0)]
    assert some[0].shape == (20,)
    assert some[0].tolist() != some[1].tolist()


def test_kept_runs_come_out_again() -> None:
    jobs = [("toy, ℓ = 0.5", "switching-elimination", 1.5, 5000), ("daily cycle", CONSTANT, None, 5001)]
    kept = finished(KEPT / switching.KEPT)
    for job in jobs:
        run = switching.run(job)
        assert run["regret"] == pytest.approx(kept[run["key"]]["regret"], rel=1e-3)
    run = automatic.run((next(iter(KINDS)), "GP, window of 30", automatic.FIRST))
    assert run["regret"] == pytest.approx(finished(KEPT / automatic.KEPT)[run["key"]]["regret"], rel=1e-3)
