"""How far off a model was, in deviations of what it predicts: its own, and the noise's."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import Regression, SquaredExponentialKernel
from steerbo.surrogate import expected
from steerbo.surrogate.surprise import Expected, awaited


def test_a_surprise_is_measured_in_predictive_deviations() -> None:
    model, random = Regression(SquaredExponentialKernel([0.3]), noise=0.25), np.random.default_rng(0)
    for x in random.random(6):
        model.add([x], 10.0 + 5.0 * float(random.standard_normal()))
    model.set(model.fit())
    point = np.array([0.4])
    mean, deviation = model.predict(point[None])
    predictive = np.sqrt(deviation[0] ** 2 + model.noise * model.scale**2)
    assert expected(model, point, float(mean[0] + 3.0 * predictive)).surprise == pytest.approx(3.0)
    assert expected(model, point, float(mean[0] - 3.0 * predictive)).surprise == pytest.approx(-3.0)
    assert len(model) == 6, "it is not taken in"


def test_a_model_of_another_library_is_asked_at_once() -> None:
    class Another:
        """What a surprise takes of a model, and no more."""

        scale, noise = 2.0, 0.25

        def predict(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.full(len(points), 3.0), np.zeros(len(points))

    known = awaited(Another(), np.array([0.4]), 5.0)  # type: ignore[arg-type]
    assert known == Expected(3.0, 1.0, 5.0)
    assert known.surprise == 2.0
