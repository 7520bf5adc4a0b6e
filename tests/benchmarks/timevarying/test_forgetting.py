"""Methods that forget."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo import Optimizer
from tests.timevarying.reference import refit
from tests.timevarying.steps import K, next_site, problem, run


@pytest.mark.parametrize(
    ("method", "options", "kept"),
    [
        ("r-gp-ucb", {"period": 5}, lambda data: data[10:]),
        ("sw-gp-ucb", {"window": 4}, lambda data: data[-4:]),
        ("sw-gp-ucb", {"span": 4.5}, lambda data: data[-4:]),
        ("sw-gp-ucb", {"span": 9.0, "window": 1}, lambda data: data[-9:]),
        ("sw-gp-ucb", {"span": 99.0, "window": 1}, lambda data: data),
        ("gp-ucb", {}, lambda data: data),
    ],
)
def test_what_is_remembered(method: str, options: dict[str, Any], kept: Any) -> None:
    optimizer = Optimizer(problem(), method, prior="level 0.5", confidence=1.0, **options)
    data = run(optimizer, 12)
    mean, variance, _ = refit(np.full(6, 0.5), K, None, 0.2, kept(data), 0.0)
    x, note = next_site(optimizer)
    upper = mean + np.sqrt(variance)
    assert upper[x] == pytest.approx(upper.max(), rel=1e-9)
    assert note["upper"] == pytest.approx(upper.max(), rel=1e-9)


def test_weights_fall_with_age() -> None:
    options: dict[str, Any] = {"prior": 1, "discount": 0.8, "confidence": 1.0}
    optimizer = Optimizer(problem(), "w-gp-ucb", **options)
    data = run(optimizer, 12)
    at, y = np.array([d[1] for d in data]), np.array([d[2] for d in data])
    weights = 0.8 ** np.arange(11.0, -1.0, -1.0)
    gram = K[np.ix_(at, at)] + np.diag(0.04 / weights)
    mean = 0.5 + K[:, at] @ np.linalg.solve(gram, y - 0.5)
    upper = mean + np.sqrt(np.diag(K) - (K[:, at] * np.linalg.solve(gram, K[at]).T).sum(1))
    x, note = next_site(optimizer)
    assert note["upper"] == pytest.approx(upper.max(), rel=1e-9)
    assert upper[x] == pytest.approx(upper.max(), rel=1e-9)
