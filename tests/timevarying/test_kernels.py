"""Named kernels against scikit-learn, and slopes against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import kernels as sklearn

from steerbo import Categorical, Float, Optimizer, Prior, TimeVarying
from steerbo.space import Space
from steerbo.timevarying import Matern, SquaredExponential
from steerbo.timevarying._priors import spatial
from steerbo.timevarying.data import RoundView
from tests.timevarying.points import RANDOM, SQUARE, X, Z

PAIRS: list[tuple[Any, Any]] = [
    (SquaredExponential([0.3, 0.5], 2.0), 2.0 * sklearn.RBF([0.3, 0.5])),
    *((Matern(0.4, nu, 2.0), 2.0 * sklearn.Matern([0.4, 0.4], nu=nu)) for nu in (0.5, 1.5, 2.5)),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda k: str(k)[:20])
def test_kernels(ours: Any, theirs: Any) -> None:
    kernel: Any = spatial(ours, SQUARE)
    assert_allclose(kernel(X, Z), theirs(X, Z), rtol=1e-12)
    assert_allclose(spatial(theirs, SQUARE)(X, Z), theirs(X, Z))
    W = RANDOM.random((5, 4))
    slope = kernel.input_gradient(X, Z, W)
    for j in range(2):
        step = np.eye(2)[j] * 1e-6
        rise = ((kernel(X + step, Z) - kernel(X - step, Z)) * W).sum(axis=1) / 2e-6
        assert_allclose(slope[:, j], rise, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("kind", [SquaredExponential, Matern])
@pytest.mark.parametrize("step", [0.1, None], ids=["sites", "box"])
def test_different_categories_are_one_apart(kind: Any, step: float | None) -> None:
    """By hand: coordinates in which the corners of a triangle are one apart, on which nothing knows of categories."""
    corners = {"north": (0.0, 0.0), "south": (1.0, 0.0), "harbour": (0.5, 0.75**0.5)}
    problem = TimeVarying(
        [Categorical("place", list(corners)), Float("x", 0, 4, step=step)], [Prior(kind([0.8, 2.0]), noise=0.3)]
    )
    optimizer = Optimizer(problem, confidence=1.0)
    for i in range(4):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, float(i))
    rounds = [r.suggestion.values for r in optimizer.history]
    flat = np.array([[*corners[v["place"]], v["x"] * 0.4] for v in rounds])  # 0.8 / 2: one lengthscale for all
    gram = spatial(kind(0.8), Space([Float(name, 0, 1) for name in "abc"]))
    y, now = np.arange(4.0), RoundView(4.0)
    for name, corner in corners.items():
        at = np.array([[*corner, 1.0 * 0.4]])
        mean = gram(at, flat) @ np.linalg.solve(gram(flat, flat) + 0.09 * np.eye(4), y)
        surrogate: Any = optimizer._method.surrogate  # type: ignore[attr-defined]
        if step is None:
            found = surrogate.posterior(problem.space.encode([{"place": name, "x": 1.0}]), now.time)[0][0, 0]
        else:
            found = surrogate.posterior(now.time)[0][0, problem.site({"place": name, "x": 1.0})]
        assert found == pytest.approx(mean[0], rel=1e-9)
