"""What another distribution may still give."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.meanfield.mf_gp_ucb import MFGPUCB
from tests.meanfield.worlds import case


@pytest.mark.parametrize("caution", [0.0, 0.4])
def test_it_covers_every_distribution_that_would_be_suggested(caution: float) -> None:
    world = case("mf-gp-ucb", caution=caution)
    optimizer = world.play(world.start(), 9)
    method, advice = optimizer._method, optimizer.recommend()
    assert isinstance(method, MFGPUCB)
    gain = method.gain(optimizer.history)
    assert advice.lower is not None
    belief = method.belief(optimizer.history, {}, pending=False)
    random = np.random.default_rng(0)
    tables = np.array([*method.tables, *random.dirichlet(np.ones(4), (400, 2))])
    mean, deviation = belief.bounds.average(tables)
    width = 2 * method.widening(optimizer.history, advice.scope)
    upper = belief.offset + belief.unit * (mean + width * deviation)
    found = upper.max() if caution == 0 else upper[: len(method.tables)].max()
    assert gain >= found - advice.lower - 1e-9


def test_before_the_first_distributions_are_played_nothing_is_said() -> None:
    world = case("mf-gp-ucb", starting_points=5)
    optimizer = world.play(world.start(), 4)
    assert optimizer._method.gain(optimizer.history) == np.inf
    world.play(optimizer, 1)
    assert optimizer._method.gain(optimizer.history) < np.inf
