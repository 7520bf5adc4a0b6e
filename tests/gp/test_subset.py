"""Of more outcomes than fit into a factor some count, and the answers are nearly those of all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.gp import GPRegression, SquaredExponentialKernel, choose_subset
from steerbo.gp._posterior import subset_of_data
from tests.sizes import examples


@settings(max_examples=examples(50), deadline=None)
@given(st.integers(0, 200), st.integers(5, 80), st.integers(0, 1000))
def test_so_many_are_chosen_ascending_with_the_latest_and_the_nearest(n: int, most: int, seed: int) -> None:
    nearness = np.random.default_rng(seed).integers(0, 9, n).astype(float)
    found = choose_subset(nearness, most)
    assert len(found) == min(n, most)
    assert (np.diff(found) > 0).all()
    if n > most:
        assert found[-int(0.2 * most) :].tolist() == list(range(n - int(0.2 * most), n)) or int(0.2 * most) == 0
        early = nearness[: n - int(0.2 * most)]
        left = np.delete(early, found[found < len(early)])
        assert (np.sort(early[found[found < len(early)]])[::-1][: int(0.4 * most)] >= left.max(initial=-1)).all()


def thinned(monkeypatch: pytest.MonkeyPatch, most: int) -> GPRegression[SquaredExponentialKernel]:
    monkeypatch.setattr(
        "steerbo.gp._regression.subset_of_data", lambda prior, X, z: subset_of_data(prior, X, z, most=most)
    )
    return GPRegression(SquaredExponentialKernel([0.2, 0.3]), noise=0.01)


def test_what_is_left_out_is_hardly_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    X = random.random((400, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1] + 0.1 * random.normal(size=400)
    whole = GPRegression(SquaredExponentialKernel([0.2, 0.3]), noise=0.01)
    some = thinned(monkeypatch, 200)
    some.replace(X, y)
    monkeypatch.undo()
    whole.replace(X, y)
    (few, wide), (all_of_them, narrow) = (each.predict(X) for each in (some, whole))
    assert (len(some), len(some.counted), len(whole.counted)) == (400, 200, 400)
    assert np.sqrt(np.mean((few - all_of_them) ** 2)) < 0.05, "half of the noise"
    assert (np.abs(few - all_of_them) <= 3 * wide).all()
    assert (wide >= narrow - 1e-9).all(), "who counts less is less sure"
    assert wide.max() < 0.25, "and nothing that is known is taken for unknown: the prior says 1"


def test_outcomes_that_come_later_all_count_until_hyperparameters_are_learned_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(1)
    model = thinned(monkeypatch, 30)
    model.replace(random.random((60, 2)), random.random(60))
    for _ in range(5):
        model.add(random.random(2), 0.5)
    assert len(model.counted) == len(model.weights) == len(model.fitted) == 35
    assert model.counted[-5:].tolist() == [60, 61, 62, 63, 64]
    mean, _ = model.predict(model.inputs[-1:])
    assert abs(mean[0] - 0.5) < 0.3
    model.set(model.hyperparameters)
    assert len(model.counted) == 30
