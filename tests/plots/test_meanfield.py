"""The picture shows what was told and what is recommended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.errors import InvalidOption, InvalidProblem
from steerbo.meanfield import MeanField
from steerbo.page.drawings import agents_chart
from steerbo.plots import meanfield, pictures, save
from steerbo.plots.meanfield import payoff_curve, places
from tests.core.stub import Nearest, Stub
from tests.meanfield.worlds import case, crowd

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("feedback", ["population", "agents"])
def test_payoffs_and_shares_are_drawn(feedback: str, tmp_path: Path) -> None:
    world = case("mf-gp-ucb", crowd(feedback=feedback))
    optimizer = world.play(world.start(), 6)
    problem: MeanField = world.problem  # type: ignore[assignment]
    left, right = meanfield.figure(optimizer, "payoff").axes
    outcomes, expected = left.lines
    assert len(outcomes.get_ydata()) == 6
    assert expected.get_label() == "expected of what was recommended"
    widths = np.array([patch.get_width() for patch in right.patches])
    assert widths.sum() == pytest.approx(1.0)
    assert [text.get_text() for text in right.get_yticklabels()] == list(problem.actions)
    assert save(meanfield.figure(optimizer), tmp_path / "study.png").stat().st_size > 1000


def test_an_empty_study_can_be_drawn() -> None:
    meanfield.figure(Optimizer(crowd()))


def test_other_problems_are_refused() -> None:
    with pytest.raises(InvalidProblem, match="MeanField"):
        meanfield.figure(Optimizer(Stub(), Nearest))


def lines(axes: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in axes.get_lines()}


# -- shares ------------------------------------------------------------------------------------------------------------


def test_capacities_and_limits_are_marked_at_their_shares() -> None:
    limits = [sb.Share("b", at_least=0.25)]
    optimizer = sb.Optimizer(
        sb.MeanField(("a", "b", "c"), agents=20, capacity={"c": 4}, limits=limits), "random", seed=0
    )
    found = lines(meanfield.shares(optimizer))
    assert (found["at most"].get_xdata().tolist(), found["at most"].get_ydata().tolist()) == ([0.2], [2])
    assert (found["at least"].get_xdata().tolist(), found["at least"].get_ydata().tolist()) == ([0.25], [1])
    free = lines(meanfield.shares(sb.Optimizer(sb.MeanField(("a", "b"), agents=20), "random")))
    assert "at most" not in free
    assert "at least" not in free


def test_contexts_are_told_apart_however_many_there_are() -> None:
    contexts = [f"region {k}" for k in range(20)]
    optimizer = sb.Optimizer(sb.MeanField(("a", "b"), agents=60, contexts=contexts, weights=[1] * 20), "random")
    bars = meanfield.shares(optimizer).containers
    looks = {(bar.patches[0].get_facecolor(), bar.patches[0].get_hatch()) for bar in bars}
    assert len(looks) == len(bars) == 20


def test_shares_of_all_agents_are_stacked_to_one() -> None:
    optimizer = sb.Optimizer(crowd(actions=tuple("abcdefghij")), "random", seed=0)
    for suggestion in optimizer.ask(batch=5):
        optimizer.tell(suggestion, 1.0)
    axes = meanfield.tried(optimizer)
    top = max(float(layer.get_paths()[0].vertices[:, 1].max()) for layer in axes.collections)
    assert top == pytest.approx(1.0)
    assert axes.figure.legends[0].get_texts()[-1].get_text() == "all others"


# -- payoffs -----------------------------------------------------------------------------------------------------------


def test_hollow_is_what_tells_nothing_of_the_curve() -> None:
    """At what was played the model expects another payoff than on the curve."""
    world = case("mf-gp-ucb", crowd())
    optimizer = world.play(world.start(), 9)
    problem: MeanField = world.problem  # type: ignore[assignment]
    advice = optimizer.recommend()
    for a, action in enumerate(problem.actions):
        curve = payoff_curve(optimizer, problem, advice, a)
        assert curve is not None
        axes = meanfield.payoffs(optimizer, action=action)
        drawn = {each.get_label(): len(each.get_offsets()) for each in axes.collections[1:]}
        filled = int(curve.near.sum())
        assert drawn.get("outcome", 0) == filled
        assert drawn.get("others elsewhere", 0) == len(curve.near) - filled
        chart = agents_chart(optimizer, advice, action)
        assert chart is not None
        assert [dot.kind for dot in chart.dots] == ["dot" if near else "off" for near in curve.near]
    assert axes.get_title() == f"Average payoff along {action}"


def test_payoffs_are_those_of_an_action() -> None:
    world = case("random")
    optimizer = world.play(world.start(), 5)
    (points,) = meanfield.payoffs(optimizer, action="c").collections
    at, values = np.array(points.get_offsets()).T
    told = [r.outcome for r in optimizer.history if r.outcome]
    problem = world.problem
    assert isinstance(problem, sb.MeanField)
    assert list(values) == [problem.scalar(outcome) for outcome in told]
    shares = [problem.shares @ problem.table(outcome.realised["distribution"])[:, 2] for outcome in told]
    assert at == pytest.approx(shares)
    with pytest.raises(InvalidOption, match="action: 'z'"):
        meanfield.payoffs(optimizer, action="z")
    assert "expected" not in lines(meanfield.payoffs(optimizer)), "this method has no model"


@pytest.mark.parametrize("minimize", [False, True])
def test_the_curve_goes_through_the_recommendation(minimize: bool) -> None:
    world = case("mf-gp-ucb", crowd(minimize=minimize))
    optimizer = world.play(world.start(), 9)
    problem: MeanField = world.problem  # type: ignore[assignment]
    advice = optimizer.recommend()
    for action in range(len(problem.actions)):
        curve = payoff_curve(optimizer, problem, advice, action)
        assert curve is not None
        at, mean, width, best = curve.at, curve.mean, curve.width, curve.best
        assert (at[0], at[-1]) == (0.0, 1.0)
        k = int(np.flatnonzero(at == best)[0])
        assert advice.mean is not None
        assert advice.upper is not None
        assert mean[k] == pytest.approx(advice.mean, rel=1e-6)
        ends = abs((advice.upper or 0.0) - (advice.lower or 0.0)) / 2
        assert width[k] == pytest.approx(ends, rel=0.4), "quantiles of a mixture are no two deviations"
    ring = lines(meanfield.payoffs(optimizer, action=problem.actions[0]))["recommended"]
    assert ring.get_ydata()[0] == pytest.approx(advice.mean, rel=1e-6)


# -- places ------------------------------------------------------------------------------------------------------------

AT = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [5.0, 5.0]]


def played(**more: Any) -> sb.Optimizer:
    optimizer = sb.Optimizer(sb.MeanField(("a", "b", "c", "d"), agents=18, capacity={"d": 0}, **more), "random", seed=1)
    suggestion = optimizer.ask()
    assert suggestion is not None
    optimizer.tell(suggestion, 1.0)
    return optimizer


def test_the_area_of_a_mark_is_the_share_of_agents_there() -> None:
    optimizer = played(action_features=AT)
    empty, full, _ = places(optimizer).collections
    shares = list(optimizer.recommend().values["distribution"]["everyone"].values())
    assert empty.get_offsets().tolist() == [[5.0, 5.0]]
    assert full.get_offsets().tolist() == AT[:3]
    np.testing.assert_allclose(full.get_sizes() / full.get_sizes().sum(), shares[:3])
    with pytest.raises(InvalidOption, match="context: 'night'"):
        places(optimizer, context="night")


@pytest.mark.parametrize(("contexts", "panels"), [(1, 1), (2, 2), (3, 4), (9, 1)])
def test_the_page_has_a_map_where_actions_have_places_and_rows_where_not(contexts: int, panels: int) -> None:
    names = [f"context {k}" for k in range(contexts)]
    with_places = played(action_features=AT, contexts=names)
    first, *_ = pictures(with_places)
    assert "map" in first.text
    assert len(first.figure.axes) == panels
    first, *_ = pictures(played(contexts=names))
    assert "every action" in first.text


def test_rows_it_is_where_places_are_on_no_plane() -> None:
    optimizer = played(action_features=[[1.0], [2.0], [3.0], [4.0]])
    first, *_ = pictures(optimizer)
    assert "every action" in first.text
    with pytest.raises(InvalidProblem, match="action_features"):
        places(optimizer)
