"""One posterior for priors that differ in their means."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Decay, Float, Prior, TimeVarying
from steerbo.gp import GPPosterior
from steerbo.timevarying import SquaredExponential
from steerbo.timevarying.surrogates import FORGETS_AT, KEPT, SharedPosterior

PROBLEM = TimeVarying(
    [Float("x", 0, 1)],
    [Prior(SquaredExponential(0.2), mean, Decay(0.1), 0.3) for mean in (0.0, 2.0)],
)


def filled(n: int, bounded: bool = True) -> SharedPosterior:
    shared = SharedPosterior(PROBLEM, np.array([0, 1]), bounded)
    random = np.random.default_rng(0)
    points = np.column_stack([random.random(n), np.arange(n) / 8])
    residuals = random.normal(size=(n, 1)) - [[0.0, 2.0]]
    shared.posterior = GPPosterior(shared.kernel, points, residuals, np.full(n, shared.variance))
    return shared


def test_each_mean_has_its_own_evidence() -> None:
    shared = filled(20)
    points, z = shared.posterior.points, shared.posterior.residuals
    gram = shared.kernel(points, points) + shared.variance * np.eye(20)
    log = -0.5 * ((z * np.linalg.solve(gram, z)).sum(0) + np.linalg.slogdet(gram)[1] + 20 * np.log(2 * np.pi))
    assert_allclose(shared.evidence, log)


def test_what_was_said_before_outcomes_left_still_counts() -> None:
    shared = filled(FORGETS_AT)
    before = shared.evidence
    shared.condense()
    assert len(shared.posterior) <= KEPT
    assert_allclose(shared.evidence, before)
    shared.clear()
    assert len(shared.posterior) == 0
    assert_allclose(shared.evidence, 0.0)


@pytest.mark.parametrize(("n", "bounded"), [(FORGETS_AT - 1, True), (FORGETS_AT + 5, False)])
def test_nothing_leaves_early_nor_where_all_is_kept(n: int, bounded: bool) -> None:
    shared = filled(n, bounded)
    shared.condense()
    assert len(shared.posterior) == n
