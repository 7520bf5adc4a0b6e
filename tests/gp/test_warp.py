"""Bent inputs."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import InvalidOption
from steerbo.gp import KumaraswamyWarp

from .examples import differences

BENT = KumaraswamyWarp((0, 2), ((0.5, 1.7), (2.0, 0.6)))
X = np.random.default_rng(0).random((7, 3))


def test_no_bend_changes_nothing() -> None:
    assert KumaraswamyWarp()(X) is X
    np.testing.assert_allclose(KumaraswamyWarp((0, 1))(X), X, atol=1e-15)


def test_other_columns_stay() -> None:
    np.testing.assert_array_equal(BENT(X)[:, 1], X[:, 1])


@pytest.mark.parametrize("shapes", [(0.3, 0.3), (0.3, 4.0), (4.0, 0.3), (4.0, 4.0)])
def test_rises_from_zero_to_one_and_beyond(shapes: tuple[float, float]) -> None:
    x = np.concatenate([[-1e6, -0.1, 0.0], np.linspace(0.01, 0.99, 50), [1.0, 1.1, 1e6]])[:, None]
    bent = KumaraswamyWarp((0,), (shapes,))(x)[:, 0]
    assert np.all(np.diff(bent) > 0)
    assert bent[[0, 2, -3, -1]].tolist() == [-1e6, 0.0, 1.0, 1e6]
    slope = KumaraswamyWarp((0,), (shapes,)).slope(x)
    assert np.isfinite(slope).all()
    assert np.all(slope > 0)


def test_slope_agrees_with_finite_differences() -> None:
    numeric = (BENT(X + 1e-7) - BENT(X - 1e-7)) / 2e-7
    np.testing.assert_allclose(BENT.slope(X), numeric, rtol=1e-5)


def test_gradient_agrees_with_finite_differences() -> None:
    G, theta = np.random.default_rng(1).normal(size=(9, 3)), np.array([p.value for p in BENT.parameters])
    edges = np.concatenate([X, [[0.0, 0.0, 1.0], [-0.2, 0.5, 1.3]]])
    numeric = differences(lambda t: np.vdot(G, BENT.with_theta(t)(edges)), theta)
    np.testing.assert_allclose(BENT.gradient(edges, G), numeric, rtol=1e-6, atol=1e-8)


def test_names_say_which_column() -> None:
    assert [p.name for p in BENT.parameters] == ["warp.a[0]", "warp.a[2]", "warp.b[0]", "warp.b[2]"]


@pytest.mark.parametrize(
    ("columns", "shapes"), [((0, 0), None), ((-1,), None), ((0,), ((1.0, -1.0),)), ((0,), ()), ((1, 1), None)]
)
def test_bad_warps_are_refused(columns: tuple[int, ...], shapes: tuple[tuple[float, float], ...] | None) -> None:
    with pytest.raises(InvalidOption):
        KumaraswamyWarp(columns, shapes)
