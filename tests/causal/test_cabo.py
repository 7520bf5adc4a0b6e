"""CaBO."""

from __future__ import annotations

from benchmarks.causal.problems import psa
from steerbo.core import Optimizer


def test_cabo_never_looks() -> None:
    environment = psa(2)
    optimizer = Optimizer(environment.problem, "cabo", seed=0)
    _, _, scopes = environment.play(optimizer, 14, 0)
    assert set(scopes) == {"nothing", "aspirin|", "statin|", "aspirin| statin|"}
