"""Pictures of any study."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo import plots
from steerbo.core import Optimizer
from steerbo.errors import InvalidRequest
from steerbo.plots import costvarying, pictures
from steerbo.plots.policies import settings_pictures
from steerbo.plots.rounds import rounds_to_now
from steerbo.testing import Case
from steerbo.timevarying import SquaredExponential
from tests.core.stub import Nearest, Stub, evaluate, look
from tests.costvarying.worlds import DRIFTING, OVEN, PROBLEM, Scripted, drifting_case
from tests.interop.examples import box
from tests.meanfield import worlds as meanfield

pytest.importorskip("matplotlib")


# -- progress ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("minimize", [False, True])
def test_every_outcome_and_no_line_where_nothing_is_expected(minimize: bool) -> None:
    world = Case(Stub(minimize), Nearest, evaluate, look)
    optimizer = world.play(world.start(), 5)
    (picture,) = pictures(optimizer)
    (axes,) = picture.figure.axes
    points, *_ = axes.get_lines()
    assert list(points.get_ydata()) == [r.outcome.value for r in optimizer.history if r.outcome]


def test_nothing_is_drawn_before_anything_is_told() -> None:
    (picture,) = pictures(Optimizer(Stub(), Nearest))
    assert picture.figure.axes[0].get_lines() == []


def test_where_the_optimum_moves_the_best_so_far_is_over() -> None:
    world = drifting_case("random")
    optimizer = world.play(world.start(), 14)
    line = plots.progress(optimizer).get_lines()[1]
    values = [r.outcome.value for r in optimizer.history if r.outcome]
    assert line.get_label() == "mean of the last 10 outcomes"
    assert line.get_ydata()[-1] == pytest.approx(np.mean(values[-10:]))


# -- settings ----------------------------------------------------------------------------------------------------------


def titles(optimizer: Any) -> list[str]:
    return [picture.title for picture in costvarying.draw(optimizer, optimizer.recommend())]


def lines(axes: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in axes.get_lines()}


def marks(axes: Any) -> Any:
    return next(found for found in axes.collections if found.get_label() == "one round")


def test_settings_stand_at_their_time_and_a_ring_at_what_is_recommended() -> None:
    world = drifting_case("random")
    optimizer = world.play(world.start(), 8)
    optimizer.fail(world.ask(optimizer), cost=1)
    out = world.ask(optimizer)
    advice = optimizer.recommend()
    name = next(name for name in advice.values if name != "line" and name in out.values)
    shown = plots.settings(optimizer)
    axes = next(axes for axes in shown.axes if axes.get_ylabel().startswith(name))
    told = [r for r in optimizer.history if name in r.suggestion.values and r.outcome]
    places = [[float(r.request["time"]), float(r.suggestion.values[name])] for r in told]
    assert marks(axes).get_offsets().tolist() == places
    assert marks(axes).get_array().tolist() == [r.outcome.value for r in told if r.outcome]
    ring, triangle = lines(axes)["recommended"], lines(axes)["suggested"]
    assert optimizer.history.latest
    now = optimizer.history.latest.request["time"]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (now, advice.values[name])
    assert (triangle.get_xdata()[0], triangle.get_ydata()[0]) == (now, out.values[name])
    assert shown.axes[-2].get_xlabel() == "time", "the last axes are the scale of colours"


def test_every_kind_that_moves_has_its_settings_on_the_page() -> None:
    assert "Settings over time" in [picture.title for picture in pictures(box())]


def test_where_nothing_drifts_or_nothing_is_told_there_is_no_such_picture() -> None:
    still = drifting_case("random", PROBLEM)
    optimizer = still.start()
    for suggestion in optimizer.ask(batch=3):
        optimizer.tell(suggestion, **still.outcome(suggestion))
    assert "Settings over time" not in titles(optimizer)
    assert "Settings over time" not in titles(sb.Optimizer(DRIFTING, "random"))
    with pytest.raises(InvalidRequest, match="a study with outcomes of rounds that set a variable"):
        plots.settings(sb.Optimizer(DRIFTING, "random"))
    case = meanfield.case("random")
    with pytest.raises(InvalidRequest, match="study: 'mean-field, 2 rounds'"):
        plots.settings(case.play(case.start(), 2))


def played(problem: sb.CostVarying, ovens: list[object], outcomes: int = 9) -> sb.Optimizer:
    plays = tuple({**({} if oven is None else {"oven": oven}), "speed": 0.5, **({"feed": 0.5} if oven is None else {})}
                  for oven in ovens)  # fmt: skip
    optimizer = sb.Optimizer(problem, Scripted, plays=plays)
    for k in range(len(ovens)):
        suggestion = optimizer.ask()
        assert suggestion is not None
        if k < outcomes:
            rest = dict.fromkeys(problem.unmeasured(suggestion), 0.5) | (
                {"oven": 140.0} if "oven" in problem.unmeasured(suggestion) else {}
            )
            optimizer.tell(suggestion, float(k), cost=1.0, realised=rest)
    return optimizer


def drawn_oven(optimizer: sb.Optimizer, best: object) -> Any:
    advice = sb.core.Recommendation(optimizer.problem.scopes[1], {"oven": best, "speed": 0.5})  # type: ignore[attr-defined]
    (picture,) = settings_pictures(optimizer, advice)
    return next(axes for axes in picture.figure.axes if axes.get_ylabel().startswith("oven"))


def test_every_move_is_marked_and_what_nature_had_is_a_gap() -> None:
    axes = drawn_oven(played(OVEN, [150.0, 150.0, 180.0, None, 180.0]), 170.0)
    found = lines(axes)
    line, moves, best = found["as it was set"], found["moved"], found["recommended"]
    assert np.isnan(line.get_ydata()).tolist() == [False, False, False, True, False]
    assert list(zip(moves.get_xdata(), moves.get_ydata(), strict=True)) == [(3, 180.0), (5, 180.0)]
    assert best.get_ydata()[0] == 170.0


def test_choices_have_their_names() -> None:
    die = sb.Categorical("oven", ("small", "large"), law=sb.Uniform(), change=sb.SwitchingCost(fixed=5))
    problem = replace(OVEN, variables=(die, *OVEN.variables[1:]))
    axes = drawn_oven(played(problem, ["small", "large"]), "large")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["small", "large"]


def test_there_is_no_picture_of_no_change() -> None:
    free = replace(OVEN, variables=(replace(OVEN.variables[0], change=None), *OVEN.variables[1:]))
    advice = sb.core.Recommendation(OVEN.scopes[1], {"oven": 150.0, "speed": 0.5})
    assert list(settings_pictures(played(free, [150.0, 160.0]), advice)) == []
    assert list(settings_pictures(played(OVEN, [150.0]), advice)) == []


def test_a_mistyped_time_that_was_taken_back_stretches_no_picture() -> None:
    prior = sb.Prior(SquaredExponential(0.2), noise=0.1)
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)], [prior, replace(prior, noise=0.2)]), rounds=30)
    for time in (1.0, 2.0, 3.0):
        optimizer.tell(optimizer.ask(time=time), time)
    optimizer.abandon(optimizer.ask(time=1e9))
    assert [played.number for played in rounds_to_now(optimizer)] == [1, 2, 3]
    for picture in pictures(optimizer):
        for axes in picture.figure.axes:
            if axes.get_xlabel() == "time":
                assert axes.get_xlim()[1] < 10.0, picture
