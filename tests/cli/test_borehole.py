"""The demonstration's simulator."""

from __future__ import annotations

import numpy as np

from steerbo.cli.demo import borehole, flow, play
from steerbo.core import Optimizer, keyed


def test_the_borehole_as_published() -> None:
    """More water through a wider, shorter hole and a larger difference of heads."""
    middle = {v.name: v.decode(np.array([0.5]))[0] for v in borehole().variables}
    base = flow(middle)
    assert flow({**middle, "rw": 0.15}) > base > flow({**middle, "L": 1680})
    assert flow({**middle, "Hl": 700}) > base
    problem = borehole()
    suggestion = Optimizer(problem, seed=0).ask()
    assert suggestion is not None
    told = play(problem, suggestion, keyed(0, 1, "nature"))
    assert told["cost"] > 0
    assert suggestion.values.items() <= told["realised"].items()
