"""Looks of control sets, points with their bounds, and what is acceptable: as the answer says, in its units."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.rounds import Scope

pytest.importorskip("matplotlib")
from steerbo.plots.control_sets import (
    SHAPES,
    by_scope,
    draw_contexts,
    draw_prices,
    draw_scope_prices,
    looks_of,
    priced,
)
from steerbo.plots.drawing import new_figure

LAW = sb.Uniform()
VARIABLES = [sb.Float("t", 0, 1, law=LAW), sb.Float("u", 0, 1, law=LAW), sb.Float("wind", 0, 9, seen=True)]
PROBLEM = sb.CostVarying(VARIABLES, [["t"], ["u"], ["t", "u"]], tolerance=sb.Absolute(0.5))
T, U, BOTH = PROBLEM.scopes


def choice(scope: Scope, mean: float | None, cost: float | None, **more: Any) -> sb.Recommendation:
    return sb.Recommendation(scope, {}, mean=mean, cost=cost, **more)


ADVICE = choice(
    T,
    2.0,
    1.0,
    lower=1.5,
    upper=2.25,
    alternatives=(choice(BOTH, 2.4, 4.0), choice(U, None, 2.0), choice(U, 0.5, None)),
)


def axes_of() -> Any:
    return new_figure((5, 4), 100).subplots()


def points(axes: Any) -> list[tuple[float, float, str, str]]:
    """What was drawn with bounds: place, colour and shape."""
    lines = [bars.lines[0] for bars in axes.containers]
    return [(line.get_xdata()[0], line.get_ydata()[0], line.get_color(), line.get_marker()) for line in lines]


def test_every_set_has_a_look_of_its_own_as_long_as_there_are_any() -> None:
    variables = [sb.Float(f"x{i}", 0, 1, law=LAW) for i in range(len(SHAPES) + 1)]
    looks = looks_of(sb.CostVarying(variables, [[v.name] for v in variables]))
    assert len(looks) == len(SHAPES) + 1
    assert len(set(looks.values())) >= len(SHAPES)
    assert len({shape for _, shape in looks.values()}) == len(SHAPES)


def test_a_scope_looks_as_its_set_or_takes_looks_in_order_of_price() -> None:
    looks = looks_of(PROBLEM)
    choices = priced(ADVICE)
    assert by_scope(choices, looks) == {T: looks["t",], BOTH: looks["t", "u"]}
    free = by_scope([choice(BOTH, 1.0, 9.0), choice(T, 1.0, 2.0), choice(U, 1.0, 3.0)])
    assert list(free) == [T, U, BOTH]
    assert len(set(free.values())) == 3


def test_what_has_no_price_or_no_value_is_not_among_the_priced() -> None:
    assert [each.scope for each in priced(ADVICE)] == [T, BOTH]


def test_points_stand_at_price_and_value_with_their_bounds() -> None:
    axes, looks = axes_of(), by_scope(priced(ADVICE), looks_of(PROBLEM))
    draw_prices(axes, PROBLEM, ADVICE, looks)
    assert points(axes) == [(1.0, 2.0, *looks[T]), (4.0, 2.4, *looks[BOTH])]
    (bar,) = axes.containers[0].lines[2]
    assert [end for _, end in bar.get_segments()[0]] == [1.5, 2.25]
    (unknown,) = axes.containers[1].lines[2]
    assert [end for _, end in unknown.get_segments()[0]] == [2.4, 2.4], "without bounds there is a point"
    circles = [line for line in axes.get_lines() if line.get_label() == "recommended"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in circles] == [(1.0, 2.0)]


@pytest.mark.parametrize(("minimize", "edge"), [(False, 1.9), (True, 2.5)])
def test_acceptable_is_what_comes_within_the_tolerance_of_the_best(minimize: bool, edge: float) -> None:
    problem = sb.CostVarying(VARIABLES, PROBLEM.control_sets, tolerance=sb.Absolute(0.5), minimize=minimize)
    axes = axes_of()
    draw_prices(axes, problem, ADVICE, by_scope(priced(ADVICE), looks_of(problem)))
    (patch,) = [patch for patch in axes.patches if patch.get_label() == "acceptable"]
    low, high = sorted(patch.get_extents().transformed(axes.transData.inverted()).get_points()[:, 1])
    assert (high if minimize else low) == pytest.approx(edge)


@pytest.mark.parametrize("tolerance", [None, sb.Fraction(0.1)])
def test_where_the_problem_alone_does_not_decide_it_nothing_is_shaded(tolerance: Any) -> None:
    problem = sb.CostVarying(VARIABLES, PROBLEM.control_sets, tolerance=tolerance)
    axes = axes_of()
    draw_prices(axes, problem, ADVICE, by_scope(priced(ADVICE), looks_of(problem)))
    assert not axes.patches


def test_an_answer_without_a_price_is_no_point_and_no_circle() -> None:
    axes = axes_of()
    draw_prices(axes, PROBLEM, choice(T, 1.0, None), {})
    assert points(axes) == []
    assert [line.get_label() for line in axes.get_lines()] == []


def test_contexts_are_in_their_order_with_the_look_of_what_is_recommended_there() -> None:
    advice = choice(T, 1.0, 1.0, context={"wind": 8.0}, alternatives=(choice(U, 3.0, 1.0, context={"wind": 1.0}),))
    axes, looks = axes_of(), looks_of(PROBLEM)
    draw_contexts(axes, PROBLEM, advice, looks)
    assert points(axes) == [(0, 3.0, *looks["u",]), (1, 1.0, *looks["t",])]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["wind = 1", "wind = 8"]


def test_policy_scopes_have_labels_and_prices_from_zero() -> None:
    graph = sb.CausalGraph.from_text("c -> x -> growth; c -> growth", target="growth", intervenable=["x"])
    problem = sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("c", 0, 1)], prices={"x": 1, "c": 2}, base=1)
    look = choice(Scope.of({"x": ["c"]}), 2.0, 4.0)
    axes = axes_of()
    draw_scope_prices(axes, problem, choice(Scope(["x"]), 1.0, 2.0, alternatives=(look,)))
    assert [point[:2] for point in points(axes)] == [(2.0, 1.0), (4.0, 2.0)]
    assert axes.get_xlabel() == "cost of a play"
    assert axes.get_ylabel() == "expected growth"
    assert axes.get_xlim()[0] == 0.0
