"""Pictures to hover over, in a notebook or a browser; they need plotly (`pip install 'steerbo[interactive]'`).

They are those of matplotlib, with the same colours and shapes: hovering shows settings, outcome and cost. Each takes a
study or an optimizer and returns a plotly `Figure`. `value` is name and unit of the objective for the labels, `money`
the unit of costs; empty: as the study heads its columns. Each raises `MissingExtra` where plotly is not installed, and
what the picture of matplotlib that it refers to raises.

interactive.rounds(study).write_html("rounds.html")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np

from .._text import escape_unprintable
from ..causal import Causal
from ..core import BaseStudy, Round, Scope, as_text
from ..costvarying import CostVarying
from ..errors import InvalidProblem, InvalidRequest, MissingExtra
from ..interop.posteriors import PosteriorQuery
from ..meanfield import MeanField
from ..space import Categorical
from ..timevarying import TimeVarying
from ..timevarying.method import predicted
from .causal import ROLES, edges_of, layers, role_of, shares_of
from .costvarying import looks_of, spent_by_set
from .drawing import (
    BLACK,
    BLUE,
    COLOURS,
    DASHES,
    GREEN,
    GREY,
    ORANGE,
    SHAPES,
    VERMILION,
    acceptable,
    arc,
    each_look,
    money_name,
    name_and_unit,
    of_kind,
    row_name,
    rows_of,
    shades,
    value_name,
)
from .meanfield import action_of, fullest_shares, payoff_curve, played_shares, recommended_shares
from .model import TOGETHER, Slice, drifting_names, importance_of, over_time_of, slices_of, whole_model
from .rounds import rounds_to_now, shown_settings, time_or_round
from .timevarying import choices_by_prior, predictions_of, prior_names, weights_of

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "star", "x")
"""Shapes of marks, in the order of the colours: those that matplotlib's pictures have."""
_PATTERNS = ("", "/", ".", "\\", "x", "+", "-", "|")
"""Patterns of areas, in the order of the colours."""
_DASHES = dict(zip(DASHES, ("solid", "dash", "dashdot", "dot"), strict=True))
_DARK = "<br>(dark is good)"  # of a scale of colours
_BAND = "rgba(86, 180, 233, 0.3)"
_WIDTH, _PANEL = 720, 300  # pixels of a figure, and the height of a panel of several
_LETTERS = 34  # of a line of a row's name


def rounds(study: BaseStudy, value: str = "") -> Any:
    """Draw every outcome by round, and the best so far, of a study of any kind; see `plots.progress`."""
    problem, told = study.problem, study.history.told
    at, values = [r.number for r, _ in told], [problem.scalar(outcome) for _, outcome in told]
    better = min if problem.minimize else max
    best = [better(values[: i + 1]) for i in range(len(values))]
    shown = _figure("Outcome of every round, and the best so far", "round", value_name(study, value))
    hover = [_said(study, played) for played, _ in told]
    shown.add_scatter(x=at, y=values, mode="markers", name="one round", marker={"color": BLUE}, **_hover(hover))
    shown.add_scatter(x=at, y=best, mode="lines", name="best so far", line={"color": VERMILION, "shape": "hv"})
    return shown


def prices(study: BaseStudy, value: str = "", money: str = "") -> Any:
    """Draw the expected value of each control set or policy scope, a row each, its price at the right.

    See `plots.costvarying.prices` and `plots.causal.prices`.
    """
    problem: Any = study.problem
    if not isinstance(problem, CostVarying | Causal):
        raise InvalidProblem("optimizer.problem", problem, "a CostVarying or a Causal problem")
    advice = study.recommend()
    everyone = (advice, *advice.alternatives)
    if isinstance(problem, Causal) and problem.prices is None and all(choice.cost is None for choice in everyone):
        raise InvalidProblem("prices", None, "the cost of setting and looking, by variable")
    looks = None
    if isinstance(problem, CostVarying):
        own = looks_of(problem)
        looks = {scope: own[tuple(scope.set)] for scope in problem.scopes}
    rows = rows_of(problem, advice, looks)
    paid = money_name(study, money)
    shown = _figure("Expected outcome of each scope", f"expected {value_name(study, value)}", "")
    by_name = {row_name(choice): choice for choice in everyone}
    for y, row in enumerate(rows):
        choice = by_name.get(row.name, advice)
        settings = _pairs(choice.values)
        shown.add_scatter(
            x=[row.mean],
            y=[y],
            name=_words(f"{row.name} (recommended)" if row.chosen else row.name),
            mode="markers",
            marker={
                "color": row.look[0], "symbol": _SYMBOLS[SHAPES.index(row.look[1])], "size": 16 if row.chosen else 11,
                "line": {"color": "black", "width": 2 if row.chosen else 0.5},
            },
            error_x={"type": "data", "symmetric": False, "array": [row.high - row.mean],
                     "arrayminus": [row.mean - row.low]},
            showlegend=False,
            **_hover([_lines([row.name, *settings, choice.expected])]),
        )  # fmt: skip
        shown.add_annotation(x=1.01, xref="paper", xanchor="left", y=y, text=_words(row.aside), showarrow=False)
    names = [f"<b>{_broken(row.name)}</b>" if row.chosen else _broken(row.name) for row in rows]
    shown.update_yaxes(tickvals=list(range(len(rows))), ticktext=names, range=[len(rows) - 0.5, -0.5])
    shown.add_annotation(x=1.01, xref="paper", xanchor="left", y=1.0, yref="paper", yanchor="bottom",
                         text=_words(paid), showarrow=False)  # fmt: skip
    least = acceptable(problem, [row.mean for row in rows])
    if least is not None:
        ends = [end for row in rows for end in (row.low, row.high)]
        edge = min([*ends, least]) if problem.minimize else max([*ends, least])
        shown.add_vrect(x0=least, x1=edge, fillcolor=GREEN, opacity=0.15, line_width=0)
        shown.add_annotation(x=(least + edge) / 2, y=1.0, yref="paper", yanchor="bottom", text="good enough",
                             showarrow=False)  # fmt: skip
    return shown.update_layout(margin={"r": 140}, height=180 + 38 * max(len(rows), 2))


def slices(study: BaseStudy, *, scope: Any = None, context: Mapping[str, Any] | None = None, value: str = "") -> Any:
    """Draw a slice along each variable of the model through the recommended point; see `plots.slices`."""
    found = slices_of(study, scope=scope, context=context)
    names = found.names
    columns = min(len(names), 3)
    lines = -(-len(names) // columns)
    shown = _panels(lines, columns, shared_yaxes=True)
    for k, name in enumerate(names):
        row, column = k // columns + 1, k % columns + 1
        for trace in _slice(study, found.of(name), first=k == 0):
            shown.add_trace(trace, row, column)
        shown.update_xaxes(title_text=_words(name_and_unit(study.problem, name)), row=row, col=column)
    shown.update_yaxes(title_text=_words(f"expected {value_name(study, value)}"), col=1)
    legend = {"orientation": "h", "y": -0.3 / lines}
    return shown.update_layout(
        title="Expected through the recommended point", height=160 + _PANEL * lines, legend=legend
    )


def importance(study: BaseStudy, *, scope: Any = None) -> Any:
    """Draw which variables matter: the share of the variance that each explains alone; see `plots.importance`."""
    which = whole_model(study, study.recommend(), PosteriorQuery(scope))
    found = importance_of(study, which)
    shown = _figure("Importance of each variable", "share of the variance (line: 9 of 10 draws)", "")
    share, names = np.array(found.share), [_words(name) for name in found.names]
    ends = {"type": "data", "symmetric": False, "array": np.array(found.high) - share,
            "arrayminus": share - np.array(found.low)}  # fmt: skip
    colours = [GREY if name == TOGETHER else BLUE for name in found.names]
    hover = [f"{name}: {x:.0%}" for name, x in zip(names, share, strict=True)]
    shown.add_bar(x=share, y=names, orientation="h", error_x=ends, marker_color=colours, opacity=0.6, **_hover(hover))
    return shown.update_yaxes(autorange="reversed").update_xaxes(range=[0, 1], tickformat=".0%")


def over_time(study: BaseStudy, variable: str | None = None, value: str = "") -> Any:
    """Draw time against position: expected values in shades, the best position, outcomes; see `plots.over_time`."""
    advice = study.recommend()
    name = variable or next(iter(drifting_names(study, advice)), "")
    found = over_time_of(study, advice, name)
    shown = _figure(f"Expected along {_words(name)}, over time", "time", name_and_unit(study.problem, name))
    scale = {"title": _words(f"expected {value_name(study, value)}") + _DARK}
    heat = {"coloraxis": "coloraxis", "hovertemplate": "time %{x:.4g}, at %{y:.4g}: %{z:.4g}<extra></extra>"}
    shown.add_heatmap(x=found.times, y=found.at, z=found.mean.T, **heat)
    look = {"color": VERMILION, "width": 3}
    shown.add_scatter(x=found.times, y=found.best, mode="lines", line=look, name="best at each time")
    at, places, values = found.plays.T
    mark = {"color": values, "coloraxis": "coloraxis", "size": 9, "line": {"color": "black", "width": 1}}
    hover = _hover([f"gave {as_text(float(each))}" for each in values])
    shown.add_scatter(x=at, y=places, mode="markers", marker=mark, name="outcome (same shades)", **hover)
    axis = {
        "colorscale": shades(study.problem, "Blues"),
        "colorbar": scale,
        "cmin": found.mean.min(),
        "cmax": found.mean.max(),
    }
    return shown.update_layout(coloraxis=axis, legend={"orientation": "h", "y": -0.2})


def plays(study: BaseStudy, value: str = "", money: str = "") -> Any:
    """Draw the outcome of every play against the money spent so far, by control set; see `plots.costvarying.plays`."""
    problem = of_kind(study, CostVarying)
    numbers, lines, counted = spent_by_set(study, problem)
    spent, told = dict(zip(numbers, np.sum(lines, axis=0), strict=True)), study.history.told
    label = money_name(study, money, "money spent") if counted else "rounds"
    shown = _figure("Outcome of every play", label, value_name(study, value))
    for names, (colour, shape) in looks_of(problem).items():
        mine = [(r, o) for r, o in told if set(r.suggestion.scope.set) | set(r.suggestion.scope.keep) == set(names)]
        mark = {
            "color": colour,
            "symbol": _SYMBOLS[SHAPES.index(shape)],
            "size": 9,
            "line": {"color": "black", "width": 0.5},
        }
        shown.add_scatter(
            x=[spent[r.number] for r, _ in mine], y=[outcome.value for _, outcome in mine], mode="markers",
            marker=mark, name=_words(" + ".join(names)), **_hover([_said(study, r) for r, _ in mine]),
        )  # fmt: skip
    bounds = [(spent[r.number], r.suggestion.note.get("guaranteed")) for r in study.history if r.number in spent]
    if steps := [(x, bound) for x, bound in bounds if bound is not None]:
        xs, ys = zip(*steps, strict=True)
        line = {"color": BLACK, "shape": "hv"}
        shown.add_scatter(x=xs, y=ys, mode="lines", line=line, name="bound on the best expected value")
    return shown


def spending(study: BaseStudy, money: str = "") -> Any:
    """Draw the sum spent on each control set so far, round by round; see `plays`."""
    problem = of_kind(study, CostVarying)
    rounds, lines, counted = spent_by_set(study, problem)
    label = money_name(study, money, "money spent") if counted else "rounds"
    shown = _figure("Money spent" if counted else "Plays by control set", "round", label)
    _stacked(shown, rounds, [" + ".join(names) for names in problem.control_sets], lines)
    return shown


def settings(study: BaseStudy, value: str = "") -> Any:
    """Draw settings over time, a panel for each variable; see `plots.settings`."""
    problem, advice = study.problem, study.recommend()
    names = shown_settings(study, advice)
    if not names:
        allowed = "a study with outcomes of plays that set a variable"
        raise InvalidRequest("study", f"{problem.kind}, {len(study.history)} rounds", allowed)
    shown, when = _panels(len(names), 1, shared_xaxes=True), partial(time_or_round, problem)
    for row, name in enumerate(names, 1):
        some = [(r, outcome) for r, outcome in study.history.told if name in r.suggestion.values]
        colours = [problem.scalar(outcome) for _, outcome in some]
        bar = {"title": _words(value_name(study, value)) + _DARK, "len": 0.9}
        mark = {"color": colours, "coloraxis": "coloraxis", "size": 9, "line": {"color": "black", "width": 0.5}}
        shown.add_scatter(
            x=[when(r) for r, _ in some], y=[r.suggestion.values[name] for r, _ in some], mode="markers", marker=mark,
            name="one play", showlegend=row == 1, row=row, col=1, **_hover([_said(study, r) for r, _ in some]),
        )  # fmt: skip
        if name in advice.values and not advice.context:
            ring = {"symbol": "circle-open", "size": 18, "color": "black", "line": {"width": 2}}
            last = max(when(r) for r in rounds_to_now(study))
            shown.add_scatter(
                x=[last], y=[advice.values[name]], mode="markers", marker=ring, name="recommended",
                showlegend=row == 1, row=row, col=1,
            )  # fmt: skip
        shown.update_yaxes(title_text=_words(name_and_unit(study.problem, name)), row=row, col=1)
        shown.update_layout(coloraxis={"colorscale": shades(problem, "cividis"), "colorbar": bar})
    shown.update_xaxes(title_text="time" if problem.timed else "round", row=len(names), col=1)
    legend = {"orientation": "h", "y": -0.2 / len(names)}
    return shown.update_layout(title="Settings over time", height=160 + 220 * len(names), legend=legend)


def expected(study: BaseStudy, value: str = "") -> Any:
    """Draw expected value and outcome of each round by the prior behind it; see `plots.timevarying.expected`."""
    of_kind(study, TimeVarying)
    method: Any = study._method
    shown = _figure("Expected and observed", "time", value_name(study, value))
    noted = [(played, note) for played in rounds_to_now(study) if (note := predicted(played.suggestion)) is not None]
    for k, p in enumerate(dict.fromkeys(note.prior for _, note in noted)):
        mine = [(played, note) for played, note in noted if note.prior == p]
        shown.add_scatter(
            x=[played.request["time"] for played, _ in mine],
            y=[note.mean for _, note in mine],
            error_y={"type": "data", "array": [note.band for _, note in mine]},
            mode="markers",
            name=_words(f"expected by {method.names[p]}"),
            marker={"color": COLOURS[k % len(COLOURS)], "symbol": _SYMBOLS[k % len(_SYMBOLS)] + "-open", "size": 8},
        )
    told = study.history.told
    shown.add_scatter(
        x=[played.request["time"] for played, _ in told],
        y=[outcome.value for _, outcome in told],
        mode="markers",
        name="outcome",
        marker={"color": "black", "size": 5},
        **_hover([_said(study, played) for played, _ in told]),
    )
    return shown


def believed(study: BaseStudy) -> Any:
    """Draw the times at which each prior was behind a choice, and where one was dropped; see `expected`."""
    names, noted = prior_names(of_kind(study, TimeVarying), study), predictions_of(study)
    order, times, dropped = choices_by_prior(study, noted, len(names))
    shown = _figure("Prior behind each choice", "time", "")
    for row, (p, chosen) in enumerate(zip(order, times, strict=True)):
        mark = {"symbol": "line-ns-open", "size": 14, "color": BLUE, "line": {"width": 2}}
        label = _words(names[p])
        shown.add_scatter(x=chosen, y=[row] * len(chosen), mode="markers", marker=mark, name=label, showlegend=False)
    if dropped:
        at, rows = zip(*dropped, strict=True)
        mark = {"symbol": "x", "size": 10, "color": VERMILION}
        shown.add_scatter(x=at, y=rows, mode="markers", marker=mark, name="dropped", showlegend=True)
    return _named_rows(shown, [names[p] for p in order])


def weights(study: BaseStudy) -> Any:
    """Draw the probability of each prior after all outcomes, largest first; see `expected`."""
    names, heavy = weights_of(study)
    shown = _figure("Probability of each prior", "probability", "")
    shown.add_bar(x=heavy, y=list(range(len(names))), orientation="h", marker_color=BLUE,
                  text=[f"{share:.0%}" for share in heavy], textposition="outside", cliponaxis=False)  # fmt: skip
    return _named_rows(shown, names).update_xaxes(range=[0, 1], tickformat=".0%")


def graph(study: BaseStudy, scope: Scope | None = None) -> Any:
    """Draw the causal graph while a scope is played (None: the recommended one): actions squares, contexts circles.

    The target is a diamond. Dotted lines are latent common causes; grey edges are cut by setting their end, orange ones
    lead from a context to the action that looks at it. See `plots.causal.graph`.
    """
    problem = of_kind(study, Causal)
    scope = study.recommend().scope if scope is None else scope
    places, edges = layers(problem.graph), edges_of(problem.graph, scope)
    shown = _figure(f"set {_words(str(scope))}", "", "")
    for edge in edges:
        line = arc(np.array(places[edge.start]), np.array(places[edge.end]), edge.bend)
        dash = "dot" if edge.latent else "solid"
        look = {"color": edge.colour, "width": 3 if edge.kind == "look" else 1.5, "dash": dash}
        shown.add_scatter(x=line[:, 0], y=line[:, 1], mode="lines", line=look, hoverinfo="skip", showlegend=False)
        for tip, before in ((-2, -4), (1, 3)) if edge.latent else ((-2, -4),):
            (x, y), (ax, ay) = line[tip], line[before]
            shown.add_annotation(
                x=x, y=y, ax=ax, ay=ay, axref="x", ayref="y", text="", arrowhead=2, arrowsize=1.4, arrowwidth=1.5,
                arrowcolor=edge.colour,
            )  # fmt: skip
    roles = {name: role_of(problem.graph, scope, name) for name in places}
    for role, (fill, shape, label) in ROLES.items():
        mine = [name for name in places if roles[name] == role]
        if mine:
            mark = {
                "symbol": _SYMBOLS[SHAPES.index(shape)],
                "size": 18,
                "color": fill,
                "line": {"color": "black", "width": 1},
            }
            xs, ys = zip(*(places[name] for name in mine), strict=True)
            shown.add_scatter(
                x=xs, y=ys, mode="markers+text", text=[_words(name) for name in mine], textposition="bottom center",
                marker=mark, name=label, hoverinfo="text",
                cliponaxis=False,
            )  # fmt: skip
    xs, ys = zip(*places.values(), strict=True)
    shown.update_xaxes(visible=False, range=[min(xs) - 0.4, max(xs) + 0.4])
    return shown.update_yaxes(visible=False, range=[min(ys) - 0.6, max(ys) + 0.6])


def shares(study: BaseStudy) -> Any:
    """Draw the recommended share of agents in each action, stacked by context; see `plots.meanfield.shares`.

    Of a causal study it is the share of rounds that went to each scope so far; see `plots.causal.shares`.
    """
    if isinstance(study.problem, Causal):
        shown = _figure("Share of rounds by scope", "round", "share of rounds so far")
        for k, (name, share) in enumerate(shares_of(study).items()):
            line = {"color": COLOURS[k % len(COLOURS)], "dash": _DASHES[DASHES[k % len(DASHES)]]}
            rounds = np.arange(1, len(share) + 1)
            shown.add_scatter(x=rounds, y=share, mode="lines", line=line, name=_words(name), showlegend=True)
        return shown.update_yaxes(range=[-0.02, 1.02], tickformat=".0%")
    problem = of_kind(study, MeanField)
    table, actions, most, least = recommended_shares(problem, study.recommend())
    shown = _figure("Recommended shares", "share of all agents", "")
    names = [_words(problem.actions[a]) for a in actions]
    for (c, context), (colour, pattern) in zip(enumerate(problem.contexts), each_look(_PATTERNS), strict=False):
        look: dict[str, Any] = {"color": colour, "pattern": {"shape": pattern}}
        shown.add_bar(x=table[c], y=names, orientation="h", name=_words(context), marker=look)
    for limits, some, symbol, label in (
        (most, most < 1, "triangle-left", "at most"),
        (least, least > 0, "triangle-right", "at least"),
    ):
        if some.any():
            at = [name for name, shown_too in zip(names, some, strict=True) if shown_too]
            look = {"symbol": symbol, "size": 10, "color": "black"}
            shown.add_scatter(x=limits[some], y=at, mode="markers", name=label, marker=look)
    shown.update_yaxes(autorange="reversed").update_xaxes(tickformat=".0%")
    return shown.update_layout(barmode="stack", height=200 + 26 * max(len(names), 3))


def tried(study: BaseStudy) -> Any:
    """Draw the share of agents in each action round by round, of the actions that had the most; see `shares`."""
    problem = of_kind(study, MeanField)
    rounds, tables = played_shares(study, problem)
    shown = _figure("Share of agents by round", "round", "share of all agents")
    _stacked(shown, rounds, *fullest_shares(problem, tables))
    return shown.update_yaxes(range=[0, 1], tickformat=".0%")


def payoffs(study: BaseStudy, action: str | None = None, value: str = "") -> Any:
    """Draw an action's payoff by its share of the agents, with the model's curve; see `plots.meanfield.payoffs`."""
    problem, advice = of_kind(study, MeanField), study.recommend()
    told, tables = study.history.told, played_shares(study, problem)[1]
    a = action_of(problem, tables, action)
    name = problem.actions[a]
    shown = _figure(f"Payoff of {_words(name)}", f"share of agents in {name}", value_name(study, value))
    if (curve := payoff_curve(study, problem, advice, a)) is not None:
        at, mean, width, best = curve
        for trace in _line(at, mean, width, True):
            shown.add_trace(trace)
    colours = {"color": [r.number for r, _ in told], "colorscale": "Cividis", "colorbar": {"title": "round"}, "size": 8}
    paid = [problem.scalar(outcome) for _, outcome in told]
    hover = _hover([_said(study, r) for r, _ in told])
    shown.add_scatter(x=tables[:, a], y=paid, mode="markers", name="outcome", marker=colours, **hover)
    if curve is not None:
        mark = {"symbol": "diamond", "size": 12, "color": VERMILION, "line": {"color": "black", "width": 1}}
        shown.add_scatter(x=[best], y=[np.interp(best, at, mean)], mode="markers", name="recommended", marker=mark)
    return shown.update_layout(legend={"orientation": "h", "y": -0.3})


# -- what figures are made of ------------------------------------------------------------------------------------------


def _slice(study: BaseStudy, found: Slice, first: bool) -> list[Any]:
    """The traces of a slice; `first`: with their names in the legend."""
    from plotly.graph_objects import Scatter

    variable = study.problem.space[found.name]
    traces = _line(found.at, found.mean, found.width, first, found.continuous and not isinstance(variable, Categorical))
    for own, symbol, label in ((False, "circle-open", "outcome of another scope"), (True, "circle", "outcome")):
        some = [datum for datum in found.data if datum.own == own]
        if some:
            opacity = [0.15 + 0.65 * datum.near for datum in some]
            look = {"symbol": symbol, "size": 6, "color": "black", "opacity": opacity}
            xs, ys = [datum.at for datum in some], [datum.value for datum in some]
            traces.append(Scatter(x=xs, y=ys, mode="markers", name=label, marker=look, showlegend=first))
    edge = {"color": "black", "width": 1}
    if found.best is not None:
        look = {"symbol": "diamond", "size": 12, "color": VERMILION, "line": edge}
        at, mean = [found.best[0]], [found.best[1]]
        traces.append(Scatter(x=at, y=mean, mode="markers", name="recommended", marker=look, showlegend=first))
    if found.suggested:
        look = {"symbol": "triangle-up", "size": 12, "color": ORANGE, "line": edge}
        low = [float(np.nanmin(found.mean - np.nan_to_num(found.width)))] * len(found.suggested)
        traces.append(
            Scatter(x=found.suggested, y=low, mode="markers", name="suggested next", marker=look, showlegend=first)
        )
    return traces


def _line(at: Any, mean: Any, width: Any, first: bool, continuous: bool = True) -> list[Any]:
    """A line with its band; of levels, points with bars."""
    from plotly.graph_objects import Scatter

    if not continuous:
        bars = {"type": "data", "array": np.nan_to_num(width)}
        look = {"symbol": "square", "color": BLUE, "size": 8}
        label = "expected, 95 % bounds"
        return [Scatter(x=at, y=mean, error_y=bars, mode="markers", marker=look, name=label, showlegend=first)]
    around = [*(mean + width), *(mean - width)[::-1]]
    band = Scatter(
        x=[*at, *list(at)[::-1]], y=around, fill="toself", fillcolor=_BAND, line={"width": 0}, hoverinfo="skip",
        name="95 % bounds", showlegend=first, mode="lines",
    )  # fmt: skip
    return [band, Scatter(x=at, y=mean, mode="lines", line={"color": BLUE}, name="expected", showlegend=first)]


def _panels(lines: int, columns: int, **shared: bool) -> Any:
    _figure("", "", "")  # refuses where plotly is missing
    from plotly.subplots import make_subplots

    shown = make_subplots(lines, columns, horizontal_spacing=0.05, **shared)
    return shown.update_layout(template="simple_white", hoverlabel={"align": "left"}, width=_WIDTH)


def _figure(title: str, x: str, y: str) -> Any:
    try:
        from plotly.graph_objects import Figure
    except ImportError:
        raise MissingExtra("plotly", "interactive") from None
    shown = Figure()
    return shown.update_layout(
        title=title, xaxis_title=_words(x), yaxis_title=_words(y), template="simple_white", hoverlabel={"align": "left"}
    )


def _stacked(shown: Any, rounds: Sequence[int], names: Sequence[str], lines: Sequence[Any]) -> None:
    """Areas, one upon the other, in steps a round; patterns repeat the colours."""
    edges: Any = np.append(np.array(rounds) - 0.5, rounds[-1] + 0.5) if rounds else []
    for name, line, (colour, pattern) in zip(names, lines, each_look(_PATTERNS), strict=False):
        shown.add_scatter(
            x=edges, y=np.append(line, line[-1:]), mode="lines", stackgroup="all", name=_words(name),
            line={"shape": "hv", "width": 0.5, "color": colour}, fillpattern={"shape": pattern, "fgcolor": "white"},
            fillcolor=colour,
        )  # fmt: skip


def _named_rows(shown: Any, names: Sequence[str]) -> Any:
    """Names of rows at the left, from the top."""
    shown.update_yaxes(tickvals=list(range(len(names))), ticktext=[_broken(name) for name in names],
                       range=[len(names) - 0.5, -0.5])  # fmt: skip
    return shown.update_layout(height=180 + 38 * max(len(names), 2))


def _said(study: BaseStudy, played: Round) -> str:
    """A round in lines."""
    outcome = played.outcome
    ended = [] if outcome is None else [f"gave {as_text(study.problem.scalar(outcome))}"]
    ended += [] if played.paid is None else [f"cost {as_text(played.paid)}"]
    return _lines([f"round {played.number}: {played.suggestion.scope}", *_pairs(played.realised), *ended])


def _hover(texts: Sequence[str]) -> dict[str, Any]:
    return {"hovertext": list(texts), "hoverinfo": "text"}


def _pairs(values: Any) -> list[str]:
    return [f"{name} = {as_text(value)}" for name, value in values.items()]


def _lines(texts: Sequence[str]) -> str:
    return "<br>".join(map(_words, texts))


def _broken(text: str) -> str:
    """A long text in several lines."""
    return "<br>".join(_words(line) for line in wrap(escape_unprintable(text), _LETTERS, max_lines=3, placeholder="…"))


def _words(text: str) -> str:
    """A user's text as plotly shows it: it reads tags, and these are none."""
    return escape(escape_unprintable(text), quote=False)
