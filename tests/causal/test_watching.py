"""A model of plays and observations: the posterior is that by hand, and without observations the usual one."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.causal.arm_model import ModelOptions, arm_model
from steerbo.causal.watching import WATCHED, Watching
from steerbo.space import Categorical, Float, Space

SPACE = Space([Float("x", 0, 1), Float("c", 0, 1)])


def data(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.random((n, 2))
    return X, np.sin(4 * X[:, 0]) + X[:, 1] + 0.05 * random.standard_normal(n)


def marked(X: np.ndarray, more: float = 0.0) -> np.ndarray:
    return np.column_stack([X, np.full(len(X), WATCHED), np.full(len(X), more)])


def test_of_plays_alone_it_is_the_usual_model() -> None:
    X, y = data(12)
    usual, watching = arm_model(SPACE, ModelOptions()), Watching(SPACE, ModelOptions(), checked=True)
    usual.replace(X, y)
    usual.set(usual.fit())
    watching.take_over(usual.hyperparameters)
    watching.replace(X, y)
    Z = data(5, 1)[0]
    for ours, theirs in zip(watching.predict(Z), usual.predict(Z), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_the_posterior_is_that_of_the_sum_with_means_of_several_less_noisy() -> None:
    model = Watching(SPACE, ModelOptions(), checked=True)
    (X, y), (P, w), (M, v) = data(4), data(5, 1), data(3, 2)
    for x, value in zip(X, y, strict=True):
        model.add(x, value)
    for rows, values in ((marked(P), w), (marked(M, 9.0), v)):
        for row, value in zip(rows, values, strict=True):
            model.add(row, value)
    f, b = model.kernel.members[0] + model.kernel.members[1], model.kernel.members[2].kernel  # type: ignore[attr-defined]
    every, s = np.vstack([X, P, M]), np.array([0.0] * 4 + [WATCHED] * 8)
    noise = np.array([model.noise] * 9 + [model.noise / 10] * 3)
    K = f(every, every) + np.outer(s, s) * b(every, every) + np.diag(noise)
    Z, told = data(6, 3)[0], np.concatenate([y, w, v])
    mean, sd = model.predict(Z)
    np.testing.assert_allclose(mean, f(Z, every) @ np.linalg.solve(K, told), rtol=1e-9)
    variance = f.diagonal(Z) - np.einsum("zn,nz->z", f(Z, every), np.linalg.solve(K, f(every, Z)))
    np.testing.assert_allclose(sd**2, variance, rtol=1e-6)
    off = s * WATCHED * b(Z, every)
    known, uncertain = model.off(Z)
    np.testing.assert_allclose(known, off @ np.linalg.solve(K, told), rtol=1e-9)
    variance = WATCHED**2 * b.diagonal(Z) - np.einsum("zn,nz->z", off, np.linalg.solve(K, off.T))
    np.testing.assert_allclose(uncertain**2, variance, rtol=1e-6)


def test_observations_that_are_off_are_found_out_and_those_that_are_not_too() -> None:
    (X, y), (P, w) = data(25), data(80, 1)
    for shift in (0.0, 0.8):
        model = Watching(SPACE, ModelOptions(), checked=True)
        model.replace(np.vstack([marked(P), np.column_stack([X, np.zeros((25, 2))])]), np.append(w + shift, y))
        model.set(model.fit())
        off, sd = model.off(X)
        assert off.mean() == pytest.approx(shift, abs=0.15)
        assert (np.abs(off) > 3 * sd).any() == bool(shift)
        assert model.predict(X)[0].mean() == pytest.approx(y.mean(), abs=0.1)


def test_without_columns_and_of_categories() -> None:
    alone = Watching(None, ModelOptions(), checked=True)
    alone.replace(np.array([[WATCHED, 0.0], [0.0, 0.0]]), np.array([1.0, 2.0]))
    alone.set(alone.fit())
    assert 1.0 < alone.predict(np.zeros((1, 0)))[0][0] < 2.0
    words = Watching(Space([Categorical("w", ["a", "b"])]), ModelOptions(warp=True), checked=True)
    words.add([1.0, WATCHED, 0.0], 3.0)
    words.add([0.0], 2.0)
    assert len(words) == 2
    assert words.fitted.shape == (2,)
