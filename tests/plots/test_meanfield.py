"""The picture shows what was told and what is recommended."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from steerbo.errors import InvalidProblem
from steerbo.meanfield import MeanField
from steerbo.plots import meanfield
from steerbo.rounds import Optimizer
from tests.meanfield.worlds import case, crowd
from tests.rounds.stub import Nearest, Stub

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("feedback", ["population", "agents"])
def test_payoffs_and_shares_are_drawn(feedback: str, tmp_path: Path) -> None:
    world = case("mf-gp-ucb", crowd(feedback=feedback))
    optimizer = world.play(world.start(), 6)
    problem: MeanField = world.problem  # type: ignore[assignment]
    left, right = meanfield.figure(optimizer, "payoff").axes
    best = left.lines[1].get_ydata()
    assert len(best) == 6
    assert (np.diff(best) >= 0).all()
    heights = np.array([patch.get_height() for patch in right.patches])
    assert heights.sum() == pytest.approx(1.0)
    assert [text.get_text() for text in right.get_xticklabels()] == list(problem.actions)
    assert meanfield.save(optimizer, tmp_path / "study.png").stat().st_size > 1000


def test_an_empty_study_can_be_drawn() -> None:
    meanfield.figure(Optimizer(crowd()))


def test_other_problems_are_refused() -> None:
    with pytest.raises(InvalidProblem, match="MeanField"):
        meanfield.figure(Optimizer(Stub(), Nearest))
