"""A finite domain beside the same one computed plainly."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo import Categorical, Prior, TimeVarying
from steerbo.gp.drift import Drift
from steerbo.timevarying import Covariance
from steerbo.timevarying.data import Datum
from steerbo.timevarying.surrogates import FiniteSurrogate
from tests.timevarying.reference import refit

RTOL = 1e-9


def world(drifts: list[Drift | None], X: int = 7, seed: int = 0, noise: float = 0.3) -> TimeVarying:
    random = np.random.default_rng(seed)
    found = []
    for drift in drifts:
        root = random.normal(size=(X, X + 3))
        K = root @ root.T / X
        found.append(Prior(Covariance(((K + K.T) / 2).tolist()), random.normal(size=X).tolist(), drift, noise))
    return TimeVarying([Categorical("site", [f"s{i}" for i in range(X)])], found)


def outcomes(n: int, X: int = 7, seed: int = 1) -> list[Datum]:
    random = np.random.default_rng(seed)
    times = np.cumsum(random.choice([0.0, 1.0, 1.0, 2.5], size=n))
    return [Datum(float(t), i, int(random.integers(X)), float(random.normal())) for i, t in enumerate(times)]


def compare(problem: TimeVarying, surrogate: FiniteSurrogate, data: list[Datum], time: float) -> None:
    mean, sd = surrogate.posterior(time)
    plain = [(d.time, d.place, d.value) for d in data]
    for p, prior in enumerate(problem.given):
        K = np.array(prior.kernel.matrix)  # type: ignore[union-attr]
        m, v, log = refit(np.array(prior.mean), K, prior.drift, prior.noise, plain, time)
        np.testing.assert_allclose(mean[p], m, rtol=RTOL, atol=RTOL)
        np.testing.assert_allclose(sd[p] ** 2, v, rtol=1e-8, atol=RTOL)
        assert surrogate.evidence[p] == pytest.approx(log, rel=RTOL)
