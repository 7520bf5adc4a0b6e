"""The other methods: what they maximise, what they remember, and streams that run for ever."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Categorical, Decay, Optimizer, Prior, TimeVarying
from steerbo.timevarying import Covariance
from tests.sizes import size
from tests.timevarying.steps import SITES, K, problem


def test_a_minimum_is_the_negated_maximum() -> None:
    def sequence(sign: float) -> list[Any]:
        some = [Prior(Covariance(K.tolist()), sign * m, Decay(0.05), 0.2) for m in (0.0, 1.0)]
        optimizer = Optimizer(TimeVarying([Categorical("s", SITES)], some, minimize=sign < 0), seed=5)
        sites = []
        for t in range(15):
            suggestion = optimizer.ask()
            assert suggestion is not None
            sites.append(suggestion.values["s"])
            optimizer.tell(suggestion, sign * float(np.sin(SITES.index(suggestion.values["s"]) + 0.3 * t)))
        found = optimizer.recommend()
        assert found.mean is not None
        return [*sites, round(sign * found.mean, 9)]

    assert sequence(1.0) == sequence(-1.0)


def test_nothing_in_a_round_grows_but_the_log() -> None:
    """What a method holds grows no more from round 560 on, failures included."""
    optimizer = Optimizer(problem(Decay(0.05)), "tempered-elimination", confidence=2.0)
    sizes = []
    for t in range(1, size(2100, 840) + 1):
        suggestion = optimizer.ask()
        assert suggestion is not None
        if t % 7:
            optimizer.tell(suggestion, float(np.sin(t)))
        else:
            optimizer.fail(suggestion, "no reading")
        if t % 280 == 0 and t > 280:
            method: Any = optimizer._method
            failures, filtered = method.candidates.feasibility.failures, method.surrogate._filtered
            sizes.append((len(method._failed), len(failures._points), len(filtered._copies)))
    assert sizes == [sizes[0]] * (len(optimizer.history) // 280 - 1)
    assert optimizer.pending == ()


@pytest.mark.parametrize("method", ["prior-elimination", "tempered-elimination"])
def test_an_old_outcome_amended(method: str) -> None:
    given = problem(Decay(0.05), levels=(0.0, 3.0, 6.0))
    straight, other = (Optimizer(given, method, confidence=2.0, seed=1) for _ in range(2))
    late = None
    for t in range(1, 400):
        for optimizer in (straight, other):
            suggestion = optimizer.ask()
            assert suggestion is not None
            value = float(np.sin(SITES.index(suggestion.values["s"]) + 0.3 * t))
            if optimizer is other and t in (5, 300):
                optimizer.tell(suggestion, -9.0)
                optimizer.amend(suggestion, value)
            else:
                optimizer.tell(suggestion, value)
        if t == 20:
            late = suggestion
    assert late is not None
    a, b = straight._method.surrogate, other._method.surrogate  # type: ignore[attr-defined]
    assert_allclose(a.posterior(401.0)[0], b.posterior(401.0)[0], rtol=1e-9)
    assert_allclose(a.evidence, b.evidence, rtol=1e-9)
    assert straight._method.survivors.dropped.keys() == other._method.survivors.dropped.keys()  # type: ignore[attr-defined]
    assert other._method.alive.sum() < 3, "somebody was dropped, or nothing was tested"  # type: ignore[attr-defined]
    other.amend(late, void=True)
    again = Optimizer.replay(other.problem, other.events)
    assert again.ask() == other.ask()
