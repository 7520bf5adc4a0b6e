"""Every picture takes axes and gives them back, in every kind, before the first round and after some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo import plots
from steerbo.errors import InvalidOption, InvalidProblem
from steerbo.plots import causal, costvarying, meanfield, timevarying
from tests.causal.test_contract import figure as causal_case
from tests.costvarying import worlds as costvarying_worlds
from tests.interop.examples import control_sets, played, seen
from tests.meanfield import worlds as meanfield_worlds
from tests.timevarying import cases

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

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


def test_money_is_where_it_went() -> None:
    optimizer = control_sets()
    axes = costvarying.spending(optimizer, money="EUR")
    tops = [float(layer.get_paths()[0].vertices[:, 1].max()) for layer in axes.collections]
    assert max(tops) == pytest.approx(optimizer.status.spent)
    assert axes.get_ylabel() == "money spent (EUR)"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["t", "ph", "t + ph"]


def test_weights_are_probabilities() -> None:
    optimizer = played(cases.case("prior-elimination", confidence=2.0), 6)
    axes = timevarying.weights(optimizer)
    widths = [bar.get_width() for bar in axes.patches]
    assert sum(widths) == pytest.approx(1.0)
    assert widths == sorted(widths, reverse=True)


def test_shares_of_all_agents_are_stacked_to_one() -> None:
    optimizer = sb.Optimizer(meanfield_worlds.crowd(actions=tuple("abcdefghij")), "random", seed=0)
    for suggestion in optimizer.ask(batch=5):
        optimizer.tell(suggestion, 1.0)
    axes = meanfield.tried(optimizer)
    top = max(float(layer.get_paths()[0].vertices[:, 1].max()) for layer in axes.collections)
    assert top == pytest.approx(1.0)
    assert axes.get_legend().get_texts()[-1].get_text() == "all others"


def test_payoffs_are_those_of_an_action() -> None:
    case = meanfield_worlds.case("random")
    optimizer = case.play(case.start(), 5)
    (points,) = meanfield.payoffs(optimizer, action="c").collections
    at, values = np.array(points.get_offsets()).T
    told = [r.outcome for r in optimizer.history if r.outcome]
    problem = case.problem
    assert isinstance(problem, sb.MeanField)
    assert list(values) == [problem.scalar(outcome) for outcome in told]
    shares = [problem.shares @ problem.table(outcome.realised["distribution"])[:, 2] for outcome in told]
    assert at == pytest.approx(shares)
    with pytest.raises(InvalidOption, match="action: 'z'"):
        meanfield.payoffs(optimizer, action="z")


def test_what_is_seen_has_typical_contexts() -> None:
    axes = costvarying.prices(seen())
    assert axes.get_title() == "What to do in typical contexts"
