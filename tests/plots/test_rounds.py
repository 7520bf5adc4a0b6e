"""Kinds of problem that say nothing of pictures have one: what every round gave, and the best so far."""

from __future__ import annotations

import pytest

from steerbo.plots import pictures
from steerbo.rounds import Optimizer
from steerbo.testing import Case
from tests.rounds.stub import Nearest, Stub, evaluate, look

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("minimize", [False, True])
def test_the_best_so_far(minimize: bool) -> None:
    world = Case(Stub(minimize), Nearest, evaluate, look)
    optimizer = world.play(world.start(), 5)
    (picture,) = pictures(optimizer)
    (axes,) = picture.figure.axes
    points, line = axes.get_lines()
    values = [r.outcome.value for r in optimizer.history if r.outcome]
    assert list(points.get_ydata()) == values
    assert list(line.get_ydata()) == [(min if minimize else max)(values[: i + 1]) for i in range(5)]


def test_nothing_is_drawn_before_anything_is_told() -> None:
    (picture,) = pictures(Optimizer(Stub(), Nearest))
    assert picture.figure.axes[0].get_lines() == []
