"""BoTorch's model in an arm: the interface of ours, where it is installed; a clear error where it is not."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from benchmarks.causal.coca_bo_botorch import CoCaBOOnBotorch
from benchmarks.causal.problems import cosine
from steerbo.causal import Causal, CausalGraph
from steerbo.core import Optimizer
from steerbo.errors import InvalidOption, MissingExtra
from steerbo.space import Categorical


def start(problem: Causal, **options: Any) -> Optimizer:
    return Optimizer(problem, CoCaBOOnBotorch, seed=0, **options)


def test_without_it_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botorch", None)
    with pytest.raises(MissingExtra, match=r"steerbo\[botorch\]"):
        start(cosine().problem)


def test_a_kernel_of_our_own_model_is_refused() -> None:
    with pytest.raises(InvalidOption, match=r"^kernel: "):
        start(cosine().problem, kernel="matern-3/2")


def test_categories_are_refused() -> None:
    graph = CausalGraph([("x", "y")], target="y", intervenable=["x"])
    with pytest.raises(InvalidOption, match="category"):
        start(Causal(graph, [Categorical("x", ["a", "b"])]))


def test_rounds_replay_and_the_model_agrees_with_itself() -> None:
    pytest.importorskip("botorch", reason="BoTorch is not installed: pip install './benchmarks[peers]'")
    environment = cosine()
    optimizer = start(environment.problem)
    _, clean, _ = environment.play(optimizer, 40, 0)
    assert clean[-10:].mean() < clean[:10].mean()
    assert Optimizer.replay(optimizer.problem, optimizer.events).ask() == optimizer.ask()
    model = optimizer._method.models[1]  # type: ignore[attr-defined]
    Z = np.random.default_rng(0).random((5, 2))
    step = 1e-5 * np.eye(2)
    for pending in (Z[:0], Z[:2]):
        with model.with_fantasies(pending):
            mean, variance = model.marginals(Z)
            np.testing.assert_allclose(model.means(Z), mean)
            assert model.average(Z)[0] == pytest.approx(mean.mean())
            assert 0 < model.average(Z)[1] <= variance.max()
            found = model.moments_and_gradients(Z)
            for k, expected in enumerate((mean, variance)):
                np.testing.assert_allclose(found[k], expected)
                for j in range(2):
                    above, below = (model.moments_and_gradients(Z + sign * step[j])[k] for sign in (1, -1))
                    np.testing.assert_allclose(found[2 + k][:, j], (above - below) / 2e-5, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.means(Z), model.predict(Z)[0] / model.scale - model.output.offset / model.scale)
