"""Every picture takes axes and gives them back, in every kind; and is fit to be printed, one column wide and two."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo import plots
from steerbo.errors import InvalidOption, InvalidProblem
from steerbo.plots import causal, costvarying, meanfield, pictures, timevarying
from tests.causal.worlds import figure as causal_case
from tests.costvarying import worlds as costvarying_worlds
from tests.interop.examples import control_sets, drifting, mixed_control_sets, played, scopes, seen
from tests.meanfield import worlds as meanfield_worlds
from tests.sizes import FULL
from tests.timevarying import cases

pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

CASES: dict[str, tuple[Callable[[], Any], list[Callable[..., Any]]]] = {
    "cost-varying": (
        lambda: costvarying_worlds.case("cheap-first"),
        [costvarying.prices, costvarying.plays, costvarying.spending, plots.progress],
    ),
    "time-varying": (
        lambda: cases.case("prior-elimination", confidence=2.0),
        [timevarying.expected, timevarying.believed, timevarying.weights, plots.progress],
    ),
    "causal": (
        lambda: causal_case("coca-bo", initial=2),
        [causal.graph, causal.shares, causal.outcomes, plots.progress],
    ),
    "mean-field": (
        lambda: meanfield_worlds.case("mf-gp-ucb"),
        [meanfield.shares, meanfield.tried, meanfield.payoffs, plots.progress],
    ),
}


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("rounds", [0, 6])
def test_axes_go_in_and_out(kind: str, rounds: int) -> None:
    case, drawn = CASES[kind]
    optimizer = played(case(), rounds)
    for draw in drawn:
        axes = Figure().subplots()
        assert draw(optimizer, ax=axes) is axes
        alone = draw(optimizer)
        assert alone.figure._repr_png_().startswith(b"\x89PNG"), "notebooks show it"
        assert draw is causal.graph or alone.get_title()
        with pytest.raises(InvalidOption, match=r"^ax: "):
            draw(optimizer, ax=3)


@pytest.mark.parametrize("kind", CASES)
def test_other_kinds_are_refused(kind: str) -> None:
    other = sb.Optimizer(meanfield_worlds.crowd()) if kind != "mean-field" else control_sets()
    for draw in CASES[kind][1][:3]:
        with pytest.raises(InvalidProblem, match=r"optimizer\.problem"):
            draw(other)


# -- fit to be printed -------------------------------------------------------------------------------------------------

COLUMN, PAGE = 90 / 25.4, 180 / 25.4


def texts(figure: Any) -> list[tuple[Text, Any]]:
    """Texts that are drawn on a figure, with the boxes that they take, in pixels."""
    drawn: list[Text] = []
    draw = Text.draw

    def noted(text: Text, renderer: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        draw(text, renderer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", noted)
        FigureCanvasAgg(figure).figure.draw_without_rendering()
    return [(text, Text.get_window_extent(text)) for text in dict.fromkeys(drawn)]


def check_print(figure: Any, least: float = 7.0) -> None:
    """No text is smaller than seven points, leaves the figure or lies on another text."""
    found = texts(figure)
    edge = figure.bbox.padded(3.0)
    assert found
    for text, box in found:
        assert float(text.get_fontsize()) >= least, text.get_text()
        inside = edge.x0 <= box.x0 <= box.x1 <= edge.x1 and edge.y0 <= box.y0 <= box.y1 <= edge.y1
        assert inside, ("leaves the figure", text.get_text())
    for (one, box), (other, beside) in combinations(found, 2):
        apart = box.x1 <= beside.x0 + 1 or beside.x1 <= box.x0 + 1 or box.y1 <= beside.y0 + 1 or beside.y1 <= box.y0 + 1
        assert apart or one.get_text() == other.get_text(), (one.get_text(), "lies on", other.get_text())


@pytest.mark.parametrize(
    ("size", "place", "what"),
    [(6, (0.5, 0.5), "small"), (8, (0.9, 0.5), "wide wide wide"), (8, (0.5, -0.4), "lies on")],
)
def test_what_cannot_be_printed_is_found(size: float, place: tuple[float, float], what: str) -> None:
    figure = Figure((COLUMN, 2.0), dpi=100)
    axes = figure.subplots()
    axes.set_xlabel("a label")
    axes.text(0.5, -0.4, "lies below", transform=axes.transAxes, fontsize=8)
    axes.text(*place, what, transform=axes.transAxes, fontsize=size)
    with pytest.raises(AssertionError):
        check_print(figure)


def equal_prices() -> sb.Optimizer:
    """Seven control sets, of which four cost the same."""
    law = sb.Uniform()
    names = ["temperature", "humidity", "carbon dioxide", "light"]
    sets = [[name] for name in names] + [names[:2], names[1:], names]
    variables = [sb.Float(name, 0, 1, law=law, unit="kW") for name in names]
    problem = sb.CostVarying(variables, sets, costs=[1, 1, 1, 1, 2, 3, 4], tolerance=sb.Absolute(0.5))
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for _ in range(10):
        suggestion = optimizer.ask()
        assert suggestion is not None
        x = {name: random.uniform() for name in names} | suggestion.values
        optimizer.tell(suggestion, x["temperature"] - x["light"] ** 2, realised=x)
    return optimizer


STUDIES: dict[str, Callable[[], Any]] = {
    "control sets": control_sets,
    "equal prices": equal_prices,
    "mixed": mixed_control_sets,
    "drifting": drifting,
    "seen": seen,
    "box": lambda: played(cases.case("prior-elimination", cases.box(), confidence=2.0)),
    "sites": lambda: played(cases.case("prior-elimination", confidence=2.0), 8),
    "scopes": scopes,
    "crowd": lambda: played(meanfield_worlds.case("mf-gp-ucb"), 6),
    "agents": lambda: played(meanfield_worlds.case("mf-gp-ucb", meanfield_worlds.crowd(feedback="agents")), 6),
}


@cache
def study(name: str) -> Any:
    """One of these, played once: pictures change nothing."""
    return STUDIES[name]()


@pytest.mark.parametrize("name", STUDIES)
def test_the_pictures_of_the_page_can_be_printed(name: str) -> None:
    optimizer = study(name)
    found = list(pictures(optimizer))
    assert len(found) >= 2
    for picture in found:
        assert picture.figure.get_figwidth() == pytest.approx(COLUMN)
        assert picture.text
        check_print(picture.figure)


BY_KIND: dict[str, list[Callable[..., Any]]] = {
    "cost-varying": [costvarying.prices, costvarying.plays, costvarying.spending],
    "time-varying": [timevarying.expected, timevarying.believed, timevarying.weights],
    "causal": [causal.graph, causal.shares, causal.outcomes],
    "mean-field": [meanfield.shares, meanfield.tried, meanfield.payoffs],
}
MODULES: dict[str, Any] = {
    "cost-varying": costvarying, "time-varying": timevarying, "causal": causal, "mean-field": meanfield
}  # fmt: skip


@pytest.mark.parametrize("width", [COLUMN, PAGE] if FULL else [COLUMN], ids=lambda width: f"{25.4 * width:.0f} mm")
@pytest.mark.parametrize("name", STUDIES)
def test_pictures_on_given_axes_can_be_printed(name: str, width: float) -> None:
    optimizer = study(name)
    kind = optimizer.problem.kind
    drawn: list[Callable[..., Any]] = [*BY_KIND[kind], plots.progress]
    if kind != "mean-field":
        drawn += [plots.known, *([plots.importance] if len(optimizer.problem.space) > 1 else [])]
    for draw in drawn:
        figure = Figure((width, 2.8), layout="constrained", dpi=200)
        draw(optimizer, figure.subplots())
        check_print(figure)


@pytest.mark.parametrize("name", STUDIES)
def test_figures_of_several_panels_can_be_printed(name: str) -> None:
    optimizer = study(name)
    kind = optimizer.problem.kind
    figure = MODULES[kind].figure(optimizer)
    assert figure.get_figwidth() == pytest.approx(PAGE)
    check_print(figure)
    if kind != "mean-field":
        for width in (90.0, 180.0) if FULL else (90.0,):  # where there is less room
            check_print(plots.slices(optimizer, width=width))
            check_print(plots.settings(optimizer, width=width))


# -- what is on them ---------------------------------------------------------------------------------------------------


def test_money_is_where_it_went() -> None:
    optimizer = control_sets()
    axes = costvarying.spending(optimizer, money="EUR")
    tops = [float(layer.get_paths()[0].vertices[:, 1].max()) for layer in axes.collections]
    assert max(tops) == pytest.approx(optimizer.status.spent)
    assert axes.get_ylabel() == "money spent (EUR)"
    (legend,) = axes.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["t", "ph", "t + ph"]
    assert len({layer.get_hatch() for layer in axes.collections}) == 3, "patterns say what colours say"


def test_weights_are_probabilities() -> None:
    optimizer = played(cases.case("prior-elimination", confidence=2.0), 6)
    axes = timevarying.weights(optimizer)
    widths = [bar.get_width() for bar in axes.patches]
    assert sum(widths) == pytest.approx(1.0)
    assert widths == sorted(widths, reverse=True)


def test_the_words_of_a_study_are_on_its_pictures() -> None:
    optimizer = control_sets()
    optimizer.history.columns = {"value": "Yield (kg)", "cost": "Cost (EUR)"}
    assert plots.progress(optimizer).get_ylabel() == "Yield (kg)"
    assert plots.progress(optimizer, value="kilos").get_ylabel() == "kilos"
    assert costvarying.plays(optimizer).get_xlabel() == "money spent: Cost (EUR)"
    assert plots.known(optimizer).get_ylabel() == "expected Yield (kg)"
    assert costvarying.prices(optimizer).get_ylabel() == "expected Yield (kg)"


def test_typical_contexts_are_those_seen() -> None:
    axes = costvarying.prices(study("seen"))
    assert axes.get_title() == "Recommended in typical contexts"
