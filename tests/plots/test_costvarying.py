"""The pictures show what the optimizer says, in its units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Scope
from steerbo.errors import InvalidOption, InvalidProblem
from steerbo.plots import costvarying, save
from steerbo.plots.costvarying import draw_contexts, looks_of
from steerbo.plots.drawing import SHAPES, new_figure
from tests.core.stub import Nearest, Stub

matplotlib = pytest.importorskip("matplotlib")

LAW = sb.Uniform()
VARIABLES = (sb.Float("t", 0, 1, law=LAW), sb.Float("u", 0, 1, law=LAW))
SETS = (("t",), ("u",), ("t", "u"))


def studied(
    rounds: int = 8, cost: float | None = 2.0, method: str = "explore-then-commit", **changes: Any
) -> Optimizer:
    problem = sb.CostVarying(VARIABLES, SETS, **changes)
    optimizer = sb.Optimizer(problem, method, rounds=max(rounds, 1))
    for _ in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        x = {"t": 0.3, "u": 0.6, **suggestion.values}
        if suggestion.round == 2:
            optimizer.fail(suggestion, cost=cost)
        else:
            optimizer.tell(suggestion, x["t"] + 2 * x["u"], cost=cost, realised=x)
    return optimizer


def lines(axes: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in axes.get_lines()}


def test_marks_are_the_recommendation_and_its_alternatives_and_the_plays() -> None:
    optimizer = studied(tolerance=sb.Absolute(0.5))
    left, right = costvarying.figure(optimizer, value="yield (kg)", money="€").axes
    advice = optimizer.recommend()
    circle = lines(left)["recommended"]
    assert circle.get_ydata()[0] == pytest.approx(advice.mean)
    shown = sorted(float(bars.lines[0].get_ydata()[0]) for bars in left.containers)
    assert shown == pytest.approx(sorted(choice.mean or 0.0 for choice in (advice, *advice.alternatives)))
    told = sorted(r.outcome.value for r in optimizer.history if r.outcome)
    drawn = lines(right)
    assert sorted(float(y) for names in SETS for y in drawn[" + ".join(names)].get_ydata()) == pytest.approx(told)
    assert max(float(x) for names in SETS for x in drawn[" + ".join(names)].get_xdata()) == 16
    assert left.get_ylabel() == "expected yield (kg)"
    assert (left.get_xlabel(), right.get_xlabel()) == ("cost of a round (€)", "money spent (€)")


@pytest.mark.parametrize(
    ("tolerance", "minimize", "least"),
    [
        (sb.costvarying.Threshold(1.5), False, 1.5),
        (sb.costvarying.Threshold(1.5), True, 1.5),
        (sb.Absolute(0.5), False, "best - 0.5"),
        (sb.Absolute(0.5), True, "best + 0.5"),
        (sb.costvarying.Fraction(0.1, worst=0.0), False, "best * 0.9"),
        (sb.costvarying.Fraction(0.1), False, None),
        (None, False, None),
    ],
    ids=str,
)
def test_the_acceptable_region(tolerance: Any, minimize: bool, least: Any) -> None:
    optimizer = studied(tolerance=tolerance, minimize=minimize)
    axes = costvarying.prices(optimizer)
    shaded = [patch for patch in axes.patches if patch.get_label() == "good enough"]
    advice = optimizer.recommend()
    edge = sb.core.least_acceptable(advice.reasons)
    if least is not None:
        means = [choice.mean for choice in (advice, *advice.alternatives) if choice.mean is not None]
        best = min(means) if minimize else max(means)
        assert edge == pytest.approx(least if isinstance(least, float) else eval(least, {"best": best}))
    low, high = sorted(shaded[0].get_extents().transformed(axes.transData.inverted()).get_points()[:, 1])
    assert (high if minimize else low) == pytest.approx(edge)
    assert (low if minimize else high) == pytest.approx(axes.get_ylim()[0 if minimize else 1])


@pytest.mark.parametrize("seed", range(4))
def test_the_acceptable_region_holds_what_is_recommended_where_plays_fail(seed: int) -> None:
    optimizer = sb.Optimizer(sb.CostVarying(VARIABLES, SETS, costs=[1, 1, 2], tolerance=sb.Absolute(0.5)), seed=seed)
    nature = np.random.default_rng(seed)
    for _ in range(12):
        suggestion = optimizer.ask()
        realised = {"t": nature.uniform(), "u": nature.uniform(), **suggestion.values}
        if len(suggestion.values) == 2 and nature.uniform() < 0.4:
            optimizer.fail(suggestion, realised=realised)
        else:
            optimizer.tell(suggestion, 2 - (realised["t"] - 0.4) ** 2 - (realised["u"] - 0.6) ** 2, realised=realised)
    advice, axes = optimizer.recommend(), costvarying.prices(optimizer)
    (region,) = [patch for patch in axes.patches if patch.get_label() == "good enough"]
    low = region.get_extents().transformed(axes.transData.inverted()).get_points()[:, 1].min()
    assert low == pytest.approx(sb.core.least_acceptable(advice.reasons))
    assert low <= advice.mean + 1e-9  # type: ignore[operator]


@pytest.mark.parametrize(
    "optimizer",
    [studied(0), studied(1), studied(3, cost=None), studied(6, method="random")],
    ids=["nothing", "one round", "no money", "random"],
)
def test_thin_studies_have_a_picture(optimizer: Optimizer, tmp_path: Path) -> None:
    path = save(costvarying.figure(optimizer), tmp_path / "new" / "study.png")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert save(costvarying.figure(optimizer), tmp_path / "study.svg").read_text().startswith("<?xml")


def test_more_sets_than_colours() -> None:
    variables = tuple(sb.Float(f"x{i}", 0, 1, law=LAW) for i in range(len(SHAPES) + 3))
    problem = sb.CostVarying(variables, tuple((v.name,) for v in variables))
    assert costvarying.figure(sb.Optimizer(problem, "random"))
    looks = looks_of(problem)
    assert len(looks) == len(SHAPES) + 3
    assert len({shape for _, shape in looks.values()}) == len(SHAPES)


def test_contexts_are_in_their_order_with_the_look_of_what_is_recommended_there() -> None:
    problem = sb.CostVarying([*VARIABLES, sb.Float("wind", 0, 9, seen=True)], SETS)
    t, u, _ = problem.scopes

    def choice(scope: Scope, mean: float, wind: float, **more: Any) -> sb.core.Recommendation:
        return sb.core.Recommendation(scope, {}, mean=mean, cost=1.0, context={"wind": wind}, **more)

    axes, looks = new_figure((5, 4)).subplots(), looks_of(problem)
    draw_contexts(axes, problem, choice(t, 1.0, 8.0, alternatives=(choice(u, 3.0, 1.0),)), looks)
    marks = [bars.lines[0] for bars in axes.containers]
    found = [(m.get_xdata()[0], m.get_ydata()[0], m.get_color(), m.get_marker()) for m in marks]
    assert found == [(0, 3.0, *looks["u",]), (1, 1.0, *looks["t",])]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["wind = 1", "wind = 8"]
    assert [bars.get_label() for bars in axes.containers] == ["u", "t"]


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(InvalidProblem, match=r"optimizer\.problem"):
        costvarying.figure(Optimizer(Stub(), Nearest))
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "x.png", tmp_path / "x.nonsense"):
        with pytest.raises(InvalidOption, match=r"path: .* a picture file"):
            save(costvarying.figure(studied(1)), path)


EVERY, PRICED = "Outcome of every round", "Which to hold"


@pytest.mark.parametrize(
    ("rounds", "cost", "first", "last"), [(0, 2.0, None, None), (4, None, None, EVERY), (4, 2.0, PRICED, EVERY)]
)
def test_the_page_has_no_picture_of_nothing(
    rounds: int, cost: float | None, first: str | None, last: str | None
) -> None:
    """Without a cost there is no mark; without an outcome there is no play to show."""
    optimizer = studied(rounds, cost)
    titles = [picture.title for picture in costvarying.draw(optimizer, optimizer.recommend())]
    assert (PRICED in titles) == (first is not None)
    assert (titles[-1] if titles else None) == last
