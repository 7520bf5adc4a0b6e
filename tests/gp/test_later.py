"""Predictions that are put off: to the last bit what they were, whoever asks for what, and when."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from steerbo.gp import Later, Regression, SquaredExponentialKernel, settle
from steerbo.gp.factor import REBUILD

BEGUN, MORE = 20, 6


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).random((n, 2))
    return X, 7.0 + 3.0 * np.sin(5 * X[:, 0]) + X[:, 1]


def model(**more: Any) -> Regression[Any]:
    found: Regression[Any] = Regression(SquaredExponentialKernel([0.3, 0.4]), **more)
    X, y = rows(BEGUN)
    found.replace(X, y)
    found.set(found.fit())
    found.replace(X, y)  # without the factor of the fit
    return found


def nothing(model: Regression[Any], laters: list[Later]) -> list[Later]:
    return laters


def grown(model: Regression[Any], laters: list[Later]) -> list[Later]:
    """Somebody asks, of the model as it has become."""
    assert len(model.weights) == len(model)
    return laters


def begun_anew(model: Regression[Any], laters: list[Later]) -> list[Later]:
    for x in np.random.default_rng(1).random((REBUILD + 5, 2)):
        model.add(x, 1.0)
    return grown(model, laters)


def kept(model: Regression[Any], laters: list[Later]) -> list[Later]:
    again: list[Later] = pickle.loads(pickle.dumps((model, laters)))[1]
    return again


def kept_after(model: Regression[Any], laters: list[Later]) -> list[Later]:
    """Where a factor was begun anew later, the state that is written down knows."""
    return kept(model, begun_anew(model, laters))


def replaced(model: Regression[Any], laters: list[Later]) -> list[Later]:
    model.replace(*rows(5))
    model.set(model.fit())
    return laters[::-1]


def some_before(model: Regression[Any], laters: list[Later]) -> list[Later]:
    settle(laters[2:4])
    return laters


@pytest.mark.parametrize("meanwhile", [nothing, grown, begun_anew, kept, kept_after, replaced, some_before])
@pytest.mark.parametrize("more", [{}, {"warp": [0], "transform": "yeo-johnson"}], ids=["plain", "bent"])
def test_it_is_what_it_would_have_been_at_once(
    meanwhile: Callable[[Regression[Any], list[Later]], list[Later]], more: dict[str, Any]
) -> None:
    ours, theirs = model(**more), model(**more)
    X, y = rows(BEGUN + MORE)
    laters, expected = [], []
    for x, value in zip(X[BEGUN:], y[BEGUN:], strict=True):
        mean, deviation = theirs.predict(x[None])
        noise = theirs.scale * np.sqrt(theirs.noise)
        expected.append((float(mean[0]), float(np.hypot(deviation[0], noise))))
        laters.append(Later.of(ours, x))
        assert laters[-1].worth
        for each in (ours, theirs):
            each.add(x, value)
    again = meanwhile(ours, laters)
    settle([*again, *again])
    found = [later.found for later in again]
    assert (found[::-1] if meanwhile is replaced else found) == expected
    assert all(later.given is None for later in again), "what is known is let go of"
    if meanwhile is nothing:
        assert np.array_equal(ours.factor.lower, theirs.factor.lower), "the model grows on as if nobody had asked"


def test_it_saves_nothing_where_there_is_a_factor_or_one_would_take_long() -> None:
    asked, unasked = model(), model()
    assert len(asked.weights) == BEGUN
    assert not Later.of(asked, np.zeros(2)).worth
    for x in np.random.default_rng(1).random((REBUILD, 2)):
        assert Later.of(unasked, x).worth
        unasked.add(x, 1.0)
    assert not Later.of(unasked, np.zeros(2)).worth
