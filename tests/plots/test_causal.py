"""Pictures of causal studies say what they should."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.causal.problems import FIGURE_1, figure_1
from steerbo.causal import Causal
from steerbo.rounds import Optimizer, Scope
from steerbo.rounds.tolerance import Absolute

pytest.importorskip("matplotlib")
from steerbo.plots.causal import draw, figure, prices, scope_figure


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


def test_scopes_with_their_prices() -> None:
    """A point for each scope at its price, the recommended one in a ring."""
    environment = figure_1()
    problem = Causal(FIGURE_1, environment.problem.variables, prices={"x1": 1, "c": 2}, base=1, tolerance=Absolute(0.1))
    optimizer = Optimizer(problem, seed=0, initial=2)
    environment.play(optimizer, 14, 0)
    advice = optimizer.recommend()
    titles = [picture.title for picture in draw(optimizer, advice)]
    assert titles[0] == "What each scope would give"
    axes = prices(optimizer)
    told = [choice for choice in (advice, *advice.alternatives) if choice.mean is not None]
    assert {text.get_text().replace("\n", " ") for text in axes.texts} == {str(choice.scope) for choice in told}
    ring = next(line for line in axes.lines if line.get_label() == "recommended")
    assert ring.get_xdata()[0] == advice.cost
