"""The rival is no straw man: the same acquisition as ours, to the last digits that count."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.meanfield import problems, speed
from benchmarks.meanfield.played import World
from steerbo.core import Optimizer

torch = pytest.importorskip("torch", reason="BoTorch is not installed: pip install './benchmarks[peers]'")
pytest.importorskip("botorch", reason="BoTorch is not installed: pip install './benchmarks[peers]'")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("world", [problems.world("swarm"), problems.world("arena")], ids=lambda world: world.name)
def test_both_sides_maximise_the_same(world: World) -> None:
    paper = {"kernel": "additive", "embedding": "plain", "acquisition": "expected", "beta": speed.BETA}
    optimizer = Optimizer(speed.indexed(world.problem), "mf-gp-ucb", seed=0, **paper)  # type: ignore[arg-type]
    random = np.random.default_rng(0)
    for _ in range(12):
        speed.play(world, optimizer, random)
    plain, bounds = speed.rival_of(optimizer)
    logits = random.normal(size=world.problem.simplex.shape)
    table = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    theirs = float(plain.acquisition(torch.as_tensor(logits), speed.BETA))
    assert theirs == pytest.approx(bounds.expected(table[None], speed.BETA)[0][0], rel=1e-4)
