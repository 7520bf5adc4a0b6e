"""Drawings of the learned model, one at a time: a slice along each variable, and the kind's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import numpy as np

from .._wording import counted, interval_texts
from ..core import BaseStudy, Problem, Recommendation, with_unit
from ..errors import InvalidRequest, SteerboError, one_of
from ..interop.posteriors import posterior_of
from ..meanfield import MeanField
from ..meanfield.mf_gp_ucb import MFGPUCB
from ..plots.causal import shares_of
from ..plots.drawing import is_log
from ..plots.meanfield import has_places
from ..plots.model import TOGETHER, drifting_names, slices_of
from ..plots.model import Slice as ModelSlice
from ..plots.policies import Followed, followed
from ..space import Categorical, violated
from .charts import Axis, Chart, Crowd, Mark, points, thinned
from .drawings import (
    Graph,
    Level,
    agents_chart,
    changes_chart,
    graphs_of,
    importance_rows,
    map_chart,
    places_chart,
    policy_charts,
    time_chart,
    trust_chart,
)
from .wording import Words, labelled, share_text

SCOPED = ("cost-varying", "causal")
"""Kinds with a model of each scope, over its settings and looks."""
_MOST_ACTIONS = 12  # bars of a context
_MAPPED = 3  # numbers of which each pair has a map
_EXPECTED_FROM = 12  # outcomes from which models expect something of one that is left out
_LABEL = 24  # characters for which there is room beside a mark, on a telephone


@dataclass(frozen=True)
class Slice:
    """Slice along one variable: a chart, charts side by side, or a row for every choice; or a table with bars."""

    name: str
    chart: Chart | None
    levels: tuple[Level, ...]
    says: str
    beside: tuple[Chart, ...] = ()
    bars: Crowd | None = None


@dataclass(frozen=True)
class Tab:
    """One of the drawings: its name, and the query of its address."""

    label: str
    draw: str
    along: str = ""

    @property
    def query(self) -> str:
        """Query of the address, behind the question mark."""
        return urlencode(
            {name: text for name, text in (("draw", self.draw), ("along", self.along)) if text}
        )


@dataclass(frozen=True)
class Learned:
    """Drawing that is shown: which of the tabs, as a slice or as graphs; neither before anything is known."""

    tabs: tuple[Tab, ...]
    chosen: Tab | None = None
    slice: Slice | None = None
    graphs: tuple[Graph, ...] = ()


def tabs_of(study: BaseStudy, advice: Recommendation) -> tuple[Tab, ...]:
    """The drawings of a study, the first of which is shown first. Nothing is computed."""
    if not advice.values and not advice.scope.set and advice.mean is None:  # nothing is recommended
        return ()
    moving = () if posterior_less(study) else drifting_names(study, advice)
    return (
        *((Tab("graph", "graph"),) if study.problem.kind == "causal" else ()),
        *(Tab(f"{name} over time", "time", name) for name in moving),
        *(Tab(str(pair), "policy", str(pair)) for pair in followed(study, advice)),
        *((Tab("shares", "shares"),) if shared(study) else ()),
        *(Tab(name, "", name) for name in along(study, advice)),
        *(Tab(name, "agents", name) for name in _actions(study, advice)),
        *(Tab(" × ".join(pair), "map", " × ".join(pair)) for pair in _pairs(study, advice)),
        *(Tab(f"{name} by round", "changes", name) for name in _hard(study)),
        *((Tab("places", "places"),) if _on_a_map(study) else ()),
        *((Tab("what matters", "importance"),) if _several(study, advice) else ()),
        *((Tab("how sure", "trust"),) if _enough(study) else ()),
    )


def _pairs(study: BaseStudy, advice: Recommendation) -> tuple[tuple[str, str], ...]:
    """Pairs of numbers with a map: of the first ones that are set together."""
    scope, space = advice.scope, study.problem.space
    looked = [name for names in scope.look.values() for name in names]
    scoped = study.problem.kind in SCOPED
    own = {*scope.set, *scope.keep, *looked} if scoped else set(space.names)
    numbers = [
        name
        for name in along(study, advice)
        if name in own and not isinstance(space[name], Categorical)
    ]
    return tuple(combinations(numbers[:_MAPPED], 2))


def _hard(study: BaseStudy) -> tuple[str, ...]:
    """Numbers that are hard to change, and were set in rounds with an outcome; where time counts, that is drawn."""
    told = {name for played, _ in study.history.told for name in played.suggestion.values}
    return tuple(
        variable.name
        for variable in study.problem.space
        if variable.change is not None
        and variable.name in told
        and not isinstance(variable, Categorical)
    )


def _on_a_map(study: BaseStudy) -> bool:
    return isinstance(study.problem, MeanField) and has_places(study.problem)


def _several(study: BaseStudy, advice: Recommendation) -> bool:
    """Whether the model is one of several variables."""
    if not along(study, advice):
        return False
    scope, space = advice.scope, study.problem.space
    if study.problem.kind == "causal":
        looked = {name for names in scope.look.values() for name in names}
        return len({*scope.set, *scope.keep, *looked}) > 1
    return len(space.names) > 1


def _enough(study: BaseStudy) -> bool:
    """Whether there may be outcomes of which something was expected."""
    enough = study.history.n_completed + len(study.history.data) >= _EXPECTED_FROM
    modelled = isinstance(study._method, MFGPUCB) or not posterior_less(study)
    return enough and modelled


def _actions(study: BaseStudy, advice: Recommendation) -> tuple[str, ...]:
    """The actions where most agents are sent; none where the method has no model of them."""
    if not (
        isinstance(study.problem, MeanField)
        and study.history.n_completed
        and isinstance(study._method, MFGPUCB)
    ):
        return ()
    row = study.problem.shares @ study.problem.table(advice.values["distribution"])
    fullest = np.sort(np.argsort(-row, kind="stable")[:_MOST_ACTIONS])
    return tuple(study.problem.actions[a] for a in fullest)


def learned(study: BaseStudy, advice: Recommendation, draw: str = "", along: str = "") -> Learned:
    """Draw one of the tabs, by default the first.

    Raises:
        InvalidRequest: there is no such drawing.
    """
    tabs = tabs_of(study, advice)
    if not tabs:
        return Learned(())
    found = (
        [tab for tab in tabs if (tab.draw, tab.along) == (draw, along)]
        if draw or along
        else [tabs[0]]
    )
    if not found:
        names = [tab.along or tab.draw for tab in tabs if tab.draw == draw] or [
            tab.draw for tab in tabs if tab.draw
        ]
        raise InvalidRequest(
            "along" if along else "draw", along or draw, one_of(names, along or draw)
        )
    chosen = found[0]
    try:
        if chosen.draw == "graph":
            return Learned(tabs, chosen, graphs=graphs_of(study, advice))
        return Learned(tabs, chosen, _drawing(study, advice, chosen))
    except (SteerboError, KeyError):  # this method keeps no such model, or none yet
        return Learned(tabs, chosen)


def _drawing(study: BaseStudy, advice: Recommendation, tab: Tab) -> Slice | None:
    words = Words.of(study)
    if tab.draw == "time":
        chart = time_chart(study, advice, tab.along)
        says = (
            f"Shades: expected {words.value_label}, the stronger the better, all else as in the best. "
            f"Line: the best {tab.along} at each time, as known today. Dots: rounds."
        )
        return Slice(tab.along, chart, (), says)
    if tab.draw == "policy":
        (pair,) = (each for each in followed(study, advice) if str(each) == tab.along)
        return _policy_slice(study, advice, pair)
    if tab.draw == "shares":
        return shares_slice(study)
    if tab.draw == "map":
        first, second = next(p for p in _pairs(study, advice) if " × ".join(p) == tab.along)
        chart = map_chart(study, advice, (first, second))
        ring = " Ring: best now." * any(point.chosen for point in chart.points)
        square = " Square: next." * any(not point.chosen for point in chart.points)
        says = (
            f"Shades: expected {words.value_label}, the stronger the better, all else as in the best. "
            f"Dots: outcomes.{ring}{square}"
        )
        return Slice(tab.along, chart, (), says)
    if tab.draw == "changes":
        says = "Line: as it was set. Crosses: moves. Dots: rounds, in shades by what came of them."
        return Slice(tab.along, changes_chart(study, advice, tab.along), (), says)
    if tab.draw == "places":
        says = "Best now. Area: the agents there; rings: places without any."
        return Slice("places", places_chart(study, advice), (), says)
    if tab.draw == "importance":
        says = (
            f"Share of the differences in {words.value} that a variable explains by itself, over all its values. "
            f"Lines: nine of ten draws of the model. “{TOGETHER}”: what no variable explains by itself."
        )
        return Slice("what matters", None, importance_rows(study, advice), says)
    if tab.draw == "trust":
        chart = trust_chart(study)
        says = (
            f"{chart.text}. Each was predicted from the others; on the line both are equal. "
            "Triangles: outside their bounds, as one of twenty should be."
        )
        return Slice("how sure", chart, (), says)
    if tab.draw == "agents":
        payoff = agents_chart(study, advice, tab.along)
        says = (
            f"Expected {words.value_label} along the agents in {tab.along}, the others in proportion as in the best. "
            "Band: 95 %. Dots: outcomes, hollow where the others were elsewhere."
        )
        return Slice(tab.along, payoff, (), says) if payoff is not None else None
    return slice_along(study, advice, tab.along)


def shared(study: BaseStudy) -> bool:
    """Whether rounds of a causal study went to several scopes."""
    return (
        study.problem.kind == "causal"
        and len({str(played.suggestion.scope) for played in study.history}) > 1
    )


def shares_slice(study: BaseStudy) -> Slice:
    """Share of the rounds, and of the money, of every scope: the numbers of `plots.causal.shares`."""
    found = shares_of(study)
    most = max(each.largest for each in found)
    paid = any(each.paid for each in found)

    def cell(share: float, before: str = "") -> tuple[str, str, str]:
        return f"{before}{share_text(share)}", f"{100 * share / most:.2f}%", ""

    rows = []
    for each in found:
        cells = [cell(each.rounds, f"{each.played} · ")]
        cells += [cell(each.paid)] * paid
        rows.append((each.name, tuple(cells)))
    heads = ("rounds", "money") if paid else ("rounds",)
    says = "Rounds so far, and their share of all" + ("; share of the money." if paid else ".")
    return Slice("shares", None, (), says, bars=Crowd("scope", heads, tuple(rows), limited=False))


def _policy_slice(study: BaseStudy, advice: Recommendation, pair: Followed) -> Slice:
    says = "Dots: rounds, in shades by what came of them. Line: what the policy sets now."
    return Slice(str(pair), None, (), says, beside=policy_charts(study, advice, pair))


def along(study: BaseStudy, advice: Recommendation) -> tuple[str, ...]:
    """Variables with slices: those set by the recommendation first.

    Empty before anything is measured, and for methods without a Gaussian process over a box.
    Nothing is computed.
    """
    if not (study.history.n_completed or study.history.data):
        return ()
    if posterior_less(study):
        return ()
    if study.problem.kind not in SCOPED and not any(
        variable.kind == "float" and variable.step is None for variable in study.problem.space
    ):
        return ()  # a list of points has no line
    scope = advice.scope
    looked = [name for names in scope.look.values() for name in names]
    named = (
        (*scope.set, *scope.keep, *looked)
        if study.problem.kind in SCOPED
        else study.problem.space.names
    )
    if study.problem.kind == "cost-varying" and not advice.context:  # other sets to hold
        others = (choice.scope.set for choice in advice.alternatives)
        named = (*named, *(name for names in others for name in names))
    seen = study.problem.space.seen if study.problem.kind in SCOPED else ()
    known = [
        name for name in dict.fromkeys(named) if name in study.problem.space and name not in seen
    ]
    return tuple(sorted(known, key=lambda name: name not in advice.values))


def posterior_less(study: BaseStudy) -> bool:
    """Whether the method keeps no Gaussian process over variables."""
    return posterior_of.dispatch(type(study._method)) is posterior_of.dispatch(object)


def slice_along(study: BaseStudy, advice: Recommendation, name: str) -> Slice:
    """The expected outcome along a variable, with a band, all else as in the best setting.

    Raises:
        SteerboError: the method keeps no such model.
        KeyError: there is no such variable in it.
    """
    words, problem = Words.of(study), study.problem
    recommended, advice = advice, _holding(study, advice, name)
    own = advice is recommended
    slices = slices_of(study, scope=None if own else advice.scope, advice=recommended)
    if name not in slices.names:
        raise KeyError(name)
    found = slices.of(name)
    # a policy has values once something is seen
    settings = {*advice.values, *advice.scope.set, *advice.scope.keep}
    others = [other for other in slices.names if other != name and other in slices.values]
    seen = [
        f"{other} = {with_unit(problem.space, other, slices.values[other])}"
        for other in others
        if other not in settings
    ]
    count = len(others) - len(seen)
    rest = f", the other {'setting' if count == 1 else 'settings'} as in the best" if count else ""
    rest += f", having seen {', '.join(seen)}" if seen else ""
    best = slices.values.get(name) if name in settings else None
    variable = problem.space[name]
    label = labelled(name, getattr(variable, "unit", ""))
    held = "" if own else f", holding {advice.scope}"
    says = f"Expected {words.value_label} along {label}{held}{rest}."
    if name in slices.values:
        says += _limits_along(problem, slices.values, found)
    if isinstance(variable, Categorical):
        return Slice(name, None, _levels(found.at, found.mean, found.width, best), says)
    chart, beyond = _drawn(study, found, label, best)
    band = "Band: 95 %. " if np.isfinite(found.width).all() else ""
    return Slice(name, chart, (), f"{says} {band}{_dots(found, beyond)}")


def _limits_along(problem: Problem, values: Mapping[str, Any], found: ModelSlice) -> str:
    """Say which limits most settings of a slice break that keeps all others where they are, as of a mixture."""
    limits, broken = problem.every_limit, Counter[int]()
    for value in found.at:
        broken.update(violated(limits, {**values, found.name: value}, problem.space.ends))
    mostly = [str(limits[k]) for k, times in sorted(broken.items()) if 2 * times > len(found.at)]
    if not mostly:
        return ""
    return f" Most of it breaks a limit unless others change, too: {'; '.join(mostly)}."


def _holding(study: BaseStudy, advice: Recommendation, name: str) -> Recommendation:
    """The recommendation; where it does not hold a variable, the first alternative that does."""
    if study.problem.kind != "cost-varying" or advice.context:
        return advice
    everyone = (advice, *advice.alternatives)
    return next((e for e in everyone if name in (*e.scope.set, *e.scope.keep)), advice)


def _dots(found: ModelSlice, beyond: int) -> str:
    """Words for the dots, and for those `beyond` the axes."""
    hollow = ", hollow of other rounds" if not all(each.own for each in found.data) else ""
    more = f"; {counted(beyond, 'outcome')} beyond this picture" if beyond else ""
    return f"Dots: outcomes{hollow}{more}."


def _drawn(study: BaseStudy, found: ModelSlice, label: str, best: Any) -> tuple[Chart, int]:
    """Chart of a slice, and how many outcomes lie beyond its axes."""
    problem, words, name = study.problem, Words.of(study), found.name
    at = np.asarray(found.at, dtype=float)
    mean = found.mean
    bounded = bool(np.isfinite(found.width).all())
    width = found.width if bounded else np.zeros(len(at))
    told = found.data
    inside = [each.value for each in told if each.own and at[0] <= each.at <= at[-1]]
    low, high = float(np.min(mean - width)), float(np.max(mean + width))
    if found.decades is not None:
        low, high = found.decades
    elif inside:  # a single wild outcome does not flatten the line
        room = high - low
        low, high = max(min(low, *inside), low - room), min(max(high, *inside), high + room)
    across = Axis(float(at[0]), float(at[-1]), log=is_log(problem.space[name]))
    up = Axis(low, high, rising=True, log=found.decades is not None)
    band = (
        points([*at, *at[::-1]], [*(mean + width), *(mean - width)[::-1]], across, up)
        if bounded
        else ""
    )
    shown = [each for each in told if at[0] <= each.at <= at[-1] and low <= each.value <= high]
    dots = [
        Mark(
            across.at(each.at),
            up.at(each.value),
            f"{each.title}: {words.outcome(each.value)} at {with_unit(problem.space, name, each.at)}",
            "dot" if each.own else "off",
        )
        for each in shown
    ]
    k = int(np.argmax(problem.sign * mean))
    ends = (float(mean[k] - width[k]), float(mean[k] + width[k])) if bounded else (None, None)
    highest = with_unit(problem.space, name, float(at[k]))
    chart = Chart(
        line=points(at, mean, across, up),
        band=band,
        dots=thinned(dots),
        marks=_marks(study, name, across, best, lambda: up.at(float(np.interp(best, at, mean)))),
        across=across.ticks(),
        up=up.ticks(6),
        along=label,
        text=f"{words.value} along {name}: best at {highest}, where {words.expected(float(mean[k]), *ends)}",
    )
    return chart, len(told) - len(shown)


def _marks(
    study: BaseStudy, name: str, across: Axis, best: Any, height: Callable[[], str]
) -> tuple[Mark, ...]:
    """The latest suggestions, and the best value with its height where it is a number."""
    places = [("next", played.suggestion.values.get(name), "") for played in study.history.pending]
    places += [("best", best, height())] if isinstance(best, int | float) else []
    marks = [
        Mark(
            across.at(value),
            at,
            _label(f"{kind} {with_unit(study.problem.space, name, value)}"),
            kind,
        )
        for kind, value, at in places
        if isinstance(value, int | float)
    ]
    return tuple(marks[-3:])


def _levels(at: list[Any], mean: np.ndarray, width: np.ndarray, best: Any) -> tuple[Level, ...]:
    bounded = bool(np.isfinite(width).all())
    width = width if bounded else np.zeros(len(mean))
    axis = Axis(float(np.min(mean - width)), float(np.max(mean + width)))
    rows = []
    for choice, middle, half in zip(at, mean, width, strict=True):
        text, low, high = interval_texts(float(middle), float(middle - half), float(middle + half))
        ends = axis.at(float(middle - half)), axis.at(float(middle + half)), axis.at(float(middle))
        rows.append(
            Level(
                str(choice), text, f"{low} to {high}" if bounded else "", *ends, best=choice == best
            )
        )
    return tuple(rows)


def _label(text: str) -> str:
    """Label of a mark, cut where a long unit would leave the picture."""
    return text if len(text) <= _LABEL else f"{text[: _LABEL - 1]}…"
