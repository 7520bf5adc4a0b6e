"""Beliefs about the priors: the likeliest, and all by their weight."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Decay, Optimizer
from tests.timevarying.reference import refit
from tests.timevarying.steps import K, next_site, problem, run


@pytest.mark.parametrize("drift", [None, Decay(0.1)])
def test_mle_and_fully_bayesian(drift: Decay | None) -> None:
    for method in ("mle", "fully-bayesian"):
        optimizer = Optimizer(problem(drift), method, confidence=1.0, seed=2)
        data = run(optimizer, 12)
        found = [refit(np.full(6, m), K, drift, 0.2, data, 13.0) for m in (0.0, 0.5, 1.0)]
        upper = np.array([f[0] + np.sqrt(f[1]) for f in found])
        log = np.array([f[2] for f in found])
        weights = np.exp(log - log.max()) / np.exp(log - log.max()).sum()
        x, note = next_site(optimizer)
        assert note["prior"] == log.argmax()
        score = upper[log.argmax()] if method == "mle" else weights @ upper
        assert score[x] == pytest.approx(score.max(), rel=1e-9)
        assert note["upper"] == pytest.approx(score.max(), rel=1e-9)
        assert_allclose([row[2] for row in optimizer.explain().tables[0].rows], np.sort(weights)[::-1], rtol=1e-6)
