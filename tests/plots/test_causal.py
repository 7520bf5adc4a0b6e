"""Pictures of causal studies say what they should."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.causal.problems import FIGURE_1, figure_1
from steerbo.rounds import Optimizer, Scope

pytest.importorskip("matplotlib")
from steerbo.plots.causal import figure, scope_figure


def test_every_variable_and_edge_is_drawn() -> None:
    axes: Any = scope_figure(FIGURE_1, Scope.of({"x1": ["c"]})).axes[0]
    texts = {text.get_text() for text in axes.texts}
    assert set(FIGURE_1.names) <= texts
    assert len([t for t in axes.texts if not t.get_text()]) == len(FIGURE_1.directed) + len(FIGURE_1.bidirected) + 1


def test_shares_and_means() -> None:
    environment = figure_1()
    optimizer = Optimizer(environment.problem, seed=0)
    environment.play(optimizer, 6, 0)
    left, right = figure(optimizer).axes
    assert sum(line.get_ydata()[-1] for line in left.lines) == pytest.approx(1.0)
    values = [r.outcome.value for r in optimizer.history if r.outcome]
    assert right.lines[-1].get_ydata()[-1] == pytest.approx(sum(values) / 6)
