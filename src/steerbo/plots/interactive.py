"""Pictures to hover over, in a notebook or a browser: rounds, control sets, priors. They need plotly (`interactive`).

interactive.rounds(study).write_html("rounds.html")
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from ..costvarying import CostVarying
from ..errors import MissingExtra
from ..rounds import Reading, Round, as_text
from ..text import visible
from ..timevarying import TimeVarying
from ..timevarying.prediction import predicted
from .control_sets import priced
from .drawing import BLUE, COLOURS, VERMILION, of_kind


def rounds(study: Reading, value: str = "value") -> Any:
    """What every round gave, and the best so far: hovering says what was set, what happened, and what it cost.

    Args:
        study: a study or an optimizer, of any kind.
        value: name and unit of the objective, for the labels.

    Returns:
        A plotly `Figure`.

    Raises:
        MissingExtra: plotly is not installed.
    """
    problem, told = study.problem, [r for r in study.history if r.state == "told" and r.outcome]
    at, values = [r.number for r in told], [problem.scalar(r.outcome) for r in told if r.outcome]
    better = min if problem.minimize else max
    best = [better(values[: i + 1]) for i in range(len(values))]
    shown = _figure("What every round gave, and the best so far", "round", value)
    hover = [_said(study, played) for played in told]
    shown.add_scatter(
        x=at, y=values, mode="markers", name="one round", marker={"color": BLUE}, hovertext=hover, hoverinfo="text"
    )
    shown.add_scatter(x=at, y=best, mode="lines", name="best so far", line={"color": VERMILION, "shape": "hv"})
    return shown


def control_sets(study: Reading, value: str = "value", money: str = "money") -> Any:
    """What each control set would give for its price: hovering says its settings and bounds.

    Args:
        study: a study or an optimizer, of a `CostVarying` problem.
        value: name and unit of the objective, for the labels.
        money: unit of the costs, for the labels.

    Returns:
        A plotly `Figure`.

    Raises:
        MissingExtra: plotly is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem, advice = of_kind(study, CostVarying), study.recommend()
    shown = _figure("What each control set would give", f"cost of a play ({money})", f"expected {value}")
    for choice in sorted(priced(advice), key=lambda c: problem.number(c.scope)):
        mean = float(choice.mean or 0.0)
        low, high = (mean if bound is None else bound for bound in (choice.lower, choice.upper))
        i = problem.number(choice.scope)
        shown.add_scatter(
            x=[choice.cost],
            y=[mean],
            name=_words(f"{choice.scope} (recommended)" if choice is advice else str(choice.scope)),
            mode="markers",
            marker={"color": COLOURS[i % len(COLOURS)], "size": 12},
            error_y={"type": "data", "symmetric": False, "array": [high - mean], "arrayminus": [mean - low]},
            hovertext=[_lines([f"hold {choice.scope}", *_pairs(choice.values), choice.expected])],
            hoverinfo="text",
        )
    return shown


def priors(study: Reading, value: str = "value") -> Any:
    """What was expected in each round and what it gave: hovering says which prior was behind the choice.

    Args:
        study: a study or an optimizer, of a `TimeVarying` problem.
        value: name and unit of the objective, for the labels.

    Returns:
        A plotly `Figure`.

    Raises:
        MissingExtra: plotly is not installed.
        InvalidProblem: the problem is of another kind.
    """
    of_kind(study, TimeVarying)
    method: Any = study._method
    shown = _figure("What each round gave, and which prior was behind it", "time", value)
    noted = [(played, note) for played in study.history if (note := predicted(played.suggestion)) is not None]
    for p in dict.fromkeys(note.prior for _, note in noted):
        mine = [(played, note) for played, note in noted if note.prior == p]
        shown.add_scatter(
            x=[played.request["time"] for played, _ in mine],
            y=[note.mean for _, note in mine],
            error_y={"type": "data", "array": [note.band for _, note in mine]},
            mode="markers",
            name=_words(f"expected by {method.names[p]}"),
            marker={"color": COLOURS[p % len(COLOURS)], "symbol": "line-ew-open"},
        )
    told = [played for played in study.history if played.state == "told"]
    shown.add_scatter(
        x=[played.request["time"] for played in told],
        y=[played.outcome.value for played in told if played.outcome],
        mode="markers",
        name="outcome",
        marker={"color": "black", "size": 5},
        hovertext=[_said(study, played) for played in told],
        hoverinfo="text",
    )
    return shown


def _figure(title: str, x: str, y: str) -> Any:
    try:
        from plotly.graph_objects import Figure
    except ImportError:
        raise MissingExtra("plotly", "interactive") from None
    shown = Figure()
    return shown.update_layout(
        title=title, xaxis_title=_words(x), yaxis_title=_words(y), template="simple_white", hoverlabel={"align": "left"}
    )


def _said(study: Reading, played: Round) -> str:
    """A round in lines."""
    outcome = played.outcome
    ended = [] if outcome is None else [f"gave {as_text(study.problem.scalar(outcome))}"]
    ended += [] if played.paid is None else [f"cost {as_text(played.paid)}"]
    return _lines([f"round {played.number}: {played.suggestion.scope}", *_pairs(played.realised), *ended])


def _pairs(values: Any) -> list[str]:
    return [f"{name} = {as_text(value)}" for name, value in values.items()]


def _lines(texts: Sequence[str]) -> str:
    return "<br>".join(map(_words, texts))


def _words(text: str) -> str:
    """A user's text as plotly shows it: it reads tags, and these are none."""
    return escape(visible(text), quote=False)
