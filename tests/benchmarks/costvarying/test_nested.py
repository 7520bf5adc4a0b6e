"""Problems with nested sets are what the page says, and its table is of the kept runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.costvarying import nested
from benchmarks.runs import finished

RESULTS = Path(__file__).parents[3] / "docs" / "results"


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_the_optimum_is_off_natures_centre_and_the_smaller_set_as_good_where_it_should_be(seed: int) -> None:
    world = nested.world(seed)
    side = np.linspace(0, 1, 21)
    points = np.array([[a, b, c] for a in side for b in side for c in side])
    values = world.function(points)
    top = points[values.argmax()]
    assert (np.abs(top - 0.5)[: world.matter] >= 0.25 - 1e-9).all()
    assert world.best[-1] == pytest.approx(values.max())
    assert (np.diff(world.best) >= -1e-9).all()
    assert world.needed <= world.matter - 1
    assert world.worth(dict(zip(nested.NAMES, top.tolist(), strict=True))) == pytest.approx(values.max())


def test_nature_is_drawn_about_a_half() -> None:
    drawn = nested.nature(np.random.default_rng(0).random(4000))
    assert drawn.mean() == pytest.approx(0.5, abs=0.01)
    assert drawn.std() == pytest.approx(0.1, abs=0.01)


def test_runs_say_which_set_is_needed() -> None:
    for seed in (nested.FIRST, nested.FIRST + 1):
        assert finished(RESULTS / nested.KEPT)[f"{nested.PRESENT}/{seed}"]["needed"] == nested.world(seed).needed


def test_the_table_is_of_the_kept_runs() -> None:
    assert nested.section(RESULTS / nested.KEPT) in (RESULTS / "costvarying.md").read_text()
