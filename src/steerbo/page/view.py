"""The page of a study as data for its templates: recommendation, progress, pending rounds, notices."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._wording import counted, interval_texts, listed, spread_step
from ..core import (
    SEEN,
    Asked,
    BaseStudy,
    Decided,
    Explanation,
    KeptFile,
    PastAnswer,
    Problem,
    Recommendation,
    Round,
    Scope,
    Suggestion,
    Table,
    gain_text,
    numeral,
    reason,
    revised_text,
)
from ..core.events import STUDY
from ..errors import LimitBroken
from ..plots.choices import FRONTIER, Choices, choices_of, steps
from ..plots.rounds import progress_of, value_range
from ..plots.traded import Traded, traded_of
from ..records import record, to_dict
from ..study.formatting import alternatives, with_units
from .archive import SHOWN, AddedData, Part, added, rounds_before
from .charts import Axis, Chart, Crowd, Look, Mark, Point, Shade, points, thinned
from .edit import (
    Field,
    Undo,
    ask_fields,
    ending_of,
    fallen,
    fields_of,
    last_said,
    policy_fields,
    said_of,
    sem_field,
    setting_fields,
    time_needed,
    typed_text,
)
from .learned import Tab, tabs_of
from .wording import (
    AGENTS,
    Words,
    amount_text,
    grouped,
    in_one_line,
    in_step,
    is_known,
    labelled,
    share_text,
)

_IN_A_SENTENCE = 3  # settings; more of them are a list


@dataclass(frozen=True)
class Setting:
    """Setting of one variable; a distribution of agents is a crowd."""

    name: str
    text: str
    kept: bool = False
    crowd: Crowd | None = None


def settings_of(
    problem: Problem,
    values: Mapping[str, Any],
    kept: Collection[str] = (),
    shown: Mapping[str, str] | None = None,
) -> tuple[Setting, ...]:
    """List settings in the problem's order; of a distribution its agents where they are counted, else their shares."""
    texts = shown or problem.shown(values)
    return tuple(
        Setting(AGENTS.get(name, name), "", name in kept, crowd(problem, name, values[name]))
        if isinstance(values[name], Mapping)
        else Setting(name, grouped(texts[name]), name in kept)
        for name in texts
        if name in values
    )


def sentence(settings: Collection[Setting]) -> str:
    """A few settings as a sentence; empty where they are too many, tables, or none.

    >>> sentence([Setting("heat", "1128 °C"), Setting("glaze", "1.22 mm")])
    'Hold heat at 1128 °C and glaze at 1.22 mm'
    """
    if not 0 < len(settings) <= _IN_A_SENTENCE or any(one.crowd for one in settings):
        return ""
    *first, last = [f"{one.name} at {one.text}" for one in settings]
    return f"Hold {', '.join(first)} and {last}" if first else f"Hold {last}"


def crowd(problem: Problem, name: str, value: Mapping[str, Any]) -> Crowd:
    """Agents by action and context; one context needs no name, and has its capacities beside its bars."""
    contexts, counted = list(value), name == "counts"
    actions = list(dict.fromkeys(action for row in value.values() for action in row))
    agents = getattr(problem, "agents", 1)
    room = getattr(problem, "capacity", {}) if len(contexts) == 1 else {}
    most = max((x for row in value.values() for x in row.values()), default=0) or 1

    def cell(action: str, x: float) -> tuple[str, str, str]:
        limit = room.get(action, math.inf) / (1 if counted else agents)
        place = f"{100.0 * limit / most:.2f}%" if limit <= most else ""
        return f"{x:g}" if counted else share_text(x), f"{100.0 * x / most:.2f}%", place

    if len(contexts) > max(len(actions), 1):
        turned = tuple((c, tuple(cell(a, value[c].get(a, 0)) for a in actions)) for c in contexts)
        return Crowd("context", tuple(actions), turned, limited=False)
    rows = tuple(
        (a, tuple(cell(a, value[context].get(a, 0)) for context in contexts)) for a in actions
    )
    heads = (AGENTS.get(name, name),) if len(contexts) == 1 else tuple(contexts)
    return Crowd("action", heads, rows, any(place for _, cells in rows for *_, place in cells))


@dataclass(frozen=True)
class Interval:
    """A scope's expected outcome in words, and its price.

    Args:
        name: of the scope.
        mean, between: the expected value and its bounds.
        price: of a play.
        works: how often a play works, where some have failed.
        best: whether it is the recommended one.
        look: colour and shape of its mark; None where it has none.
    """

    name: str
    mean: str
    between: str
    price: str
    works: str
    best: bool
    look: Look | None


@dataclass(frozen=True)
class Sets:
    """Comparison of the scopes: expected outcomes, bounds and prices.

    Args:
        chart: expected outcome against price; None before anything is expected.
        rows: the cheapest first.
        title: the title of the rows.
        priced: whether they have prices.
        broken: whether some have failed.
        more: how many scopes are left out of the rows.
    """

    chart: Chart | None
    rows: tuple[Interval, ...]
    title: str
    priced: bool
    broken: bool
    more: int


@dataclass(frozen=True)
class AdviceCard:
    """A recommendation; a text that is empty says nothing.

    Args:
        seen: for whom or when, where something is seen before choosing.
        scope: variables to set.
        headline: the recommendation, in a sentence.
        settings: values, where the sentence does not give them.
        mean: the expected value.
        bounds: of the expected value.
        price: the cost of a play.
        why: in one sentence.
        policy: settings that depend on variables looked at.
        sets: the other scopes' expected values.
        others: answers for typical contexts, or a trade-off.
        traded: the value against each other outcome of a trade-off.
        keys: control sets of these, with their looks.
    """

    seen: str
    scope: str
    headline: str
    settings: tuple[Setting, ...]
    mean: str
    bounds: str
    price: str
    why: str
    policy: Table | None
    sets: Sets | None
    others: Table | None
    traded: tuple[Chart, ...] = ()
    keys: tuple[tuple[str, Look], ...] = ()


@record
class Refused(Recommendation):
    """Stands for an answer that breaks a limit of the problem: nothing is to be done by it."""


def advice_of(study: BaseStudy) -> Recommendation:
    """Recommendation; a refused one, with the reason, where another package's method breaks the problem's limits."""
    try:
        return study.recommend()
    except LimitBroken as error:
        return Refused(Scope(), {}, reasons=(reason("refused", text=str(error)),))


def advice_card(study: BaseStudy, advice: Recommendation, why: Explanation) -> AdviceCard:
    """Make the card of a recommendation."""
    problem, words = study.problem, Words.of(study)
    mean, low, high = interval_texts(advice.mean, advice.lower, advice.upper)
    # a causal policy's settings, which depend on seen values
    policy = getattr(advice, "table", None)
    known = is_known(advice)
    settings = settings_of(problem, advice.values, shown=advice.shown) if known else ()
    said = sentence(settings)
    apart = advice.context or advice.outcomes  # a table says more than bars of the value
    others = alternatives(problem, advice) if advice.alternatives and apart else None
    traded = [traded_of(study, advice, name) for name in advice.outcomes]
    headline = "Nothing is known yet"
    if known:
        headline = said or _headline(problem, advice, bool(policy))
    return AdviceCard(
        seen=in_one_line(problem, advice.context),
        scope=str(advice.scope),
        headline=headline,
        settings=() if said else settings,
        mean=words.worth(mean) if mean else "",
        bounds=_bounds_text(low, high),
        price="" if advice.cost is None else words.paid(advice.cost),
        why=_sentence(advice.why) or _sentence(why.summary),
        policy=with_units(problem, policy) if policy else None,
        sets=None if others or not advice.alternatives else sets(study, advice),
        others=others,
        traded=tuple(_traded(study, advice, found) for found in traded),
        keys=_keys(traded),
    )


def _bounds_text(low: str, high: str) -> str:
    """Two bounds in words, or one; an unknown one is empty.

    >>> _bounds_text("1", "2"), _bounds_text("1", ""), _bounds_text("", "")
    ('1 to 2', 'at least 1', '')
    """
    if low and high:
        return grouped(f"{low} to {high}")
    if low:
        return f"at least {low}"
    return f"at most {high}" if high else ""


def _traded(study: BaseStudy, advice: Recommendation, found: Traded) -> Chart:
    """The value against a further outcome: the numbers of `plots.tradeoff`."""
    words, name = Words.of(study), found.name
    across, up = Axis(*found.across), Axis(*found.up, rising=True)
    marks = []
    for play in found.plays:
        (x, left, right), (y, low, high) = play.across, play.up
        text = f"{play.advice.scope}: {name} {numeral(x, 3)}, {words.value} {numeral(y, 3)}"
        marks.append(
            Point(
                *(across.at(x), up.at(y), text, Look.of(play.look)),
                *(across.at(left), across.at(right), up.at(high), up.at(low)),
                chosen=play.chosen and is_known(advice),
            )
        )
    told = [
        Mark(
            across.at(x), up.at(y), f"{name} {numeral(x, 3)}, {words.value} {numeral(y, 3)}", "off"
        )
        for x, y in found.told
    ]
    says = "Lines: 95 %. Ring: best now."
    return Chart(
        line="",
        dots=thinned(told),
        across=across.ticks(),
        up=up.ticks(6),
        along=f"{name}, expected",
        text=f"{words.value} against {name}: {len(marks)} rounds that no other one beats in everything",
        says=f"{says} Hollow: what was measured." if told else says,
        upward=f"{words.value_label}, expected",
        points=tuple(marks),
    )


def _keys(traded: Sequence[Traded]) -> tuple[tuple[str, Look], ...]:
    """Scopes of a trade-off, each once."""
    looks = {str(play.advice.scope): play.look for found in traded for play in found.plays}
    return tuple((name, Look.of(number)) for name, number in looks.items())


def sets(study: BaseStudy, advice: Recommendation) -> Sets:
    """Compare the scopes by expected outcome, bounds and price: the numbers of `plots.costvarying.prices`."""
    words, found = Words.of(study), choices_of(study, advice)
    beliefs = len({row.advice.scope for row in found.rows}) == 1 < len(found.rows)
    rows, named = [], [row for row in found.rows if row.named]
    costs = in_step([row.advice.cost for row in named], amount_text)
    for row, cost in zip(named, costs, strict=True):
        choice = row.advice
        mean, low, high = interval_texts(choice.mean, choice.lower, choice.upper)
        price = "" if choice.cost is None else words.with_money(cost)
        between = f"{low} to {high}" if low and high else ""
        name = _belief(choice) if beliefs else str(choice.scope)
        best = row.chosen and is_known(advice)
        look = None if row.at is None else Look.of(row.look)
        rows.append(Interval(name, mean, between, price, row.works, best, look))
    broken = any(row.works for row in rows)
    chart = _chart_of(study, found) if found.drawn else None
    more = len(found.rows) - len(rows)
    return Sets(chart, tuple(rows), found.title, found.priced, broken, more)


def _chart_of(study: BaseStudy, found: Choices) -> Chart:
    """Expected outcome against price, of all scopes that have both."""
    words, problem = Words.of(study), study.problem
    across, up = Axis(*found.across), Axis(*found.up, rising=True)
    dots, named = list[Mark](), list[Point]()
    for row in found.drawn:
        advice = row.advice
        at, (mean, low, high) = float(row.at or 0.0), row.ends
        said = words.expected(advice.mean, advice.lower, advice.upper).rstrip(".")
        paid = "" if advice.cost is None else f", {words.paid(advice.cost)} a round"
        works = f", works in {row.works}" if row.works else ""
        text = f"{row.name}: {said}{paid}{works}"
        if not row.named:
            dots.append(Mark(across.at(at), up.at(mean), text, "off"))
            continue
        places = {"top": up.at(high), "bottom": up.at(low)} if low < high else {}
        chosen = row.chosen and is_known(advice)
        named.append(
            Point(across.at(at), up.at(mean), text, Look.of(row.look), chosen=chosen, **places)
        )
    good, shaded = None, ""
    if found.least is not None:
        bottom, top = (found.up[0], found.least) if problem.minimize else (found.least, found.up[1])
        height = f"{up(bottom) - up(top):.2f}%"
        good = Shade("0.00%", up.at(top), "100.00%", height, 0)
        step = spread_step([end for row in found.drawn for end in row.ends])
        side = "at most" if problem.minimize else "at least"
        shaded = f" Shaded: good enough, {side} {numeral(found.least, step=step)}."
    only = tuple((across.at(cost), amount_text(cost)) for cost in found.costs)
    ticks = only if len(only) == 1 else across.ticks()
    corners = steps(found)
    dashed = f" Dashes: {FRONTIER}." if len(found.frontier) > 1 else ""
    return Chart(
        line="",
        dots=thinned(dots),
        across=ticks if found.priced else (),
        up=up.ticks(6),
        along=labelled("cost of a round", words.money) if found.priced else "",
        text=f"{found.title}: {'; '.join(point.text for point in named)}",
        says=f"Lines: 95 %.{dashed}{shaded}",
        points=tuple(named),
        frontier=points((x for x, _ in corners), (y for _, y in corners), across, up)
        if dashed
        else "",
        good=good,
    )


def _belief(choice: Recommendation) -> str:
    """Belief that an answer goes by; else its last reason, or its scope."""
    named = [each for each in choice.reasons if each.kind == "believing"]
    said = named or choice.reasons[-1:]
    return _sentence(said[0].text).rstrip(".") if said else str(choice.scope)


def _headline(problem: Problem, advice: Recommendation, policy: bool) -> str:
    """Headline of a recommendation, whose settings stand apart."""
    scope = advice.scope
    if isinstance(advice, Refused):
        return "Nothing can be recommended"
    if problem.kind == "mean-field":
        return "Send agents as follows"
    if scope.look:
        steps = [
            f"{verb} {listed(names)}"
            for stage in problem.stages_of(scope)
            for verb, names in zip(("look at", "set"), stage, strict=True)
            if names
        ]
        return _sentence(", then ".join(steps)).rstrip(".")
    if not scope.set:
        return "Leave everything to itself"
    return f"Set {listed(scope.set)}" + (" by what is seen" if policy else "")


def _sentence(text: str) -> str:
    """The first line, as a sentence.

    >>> _sentence("as of time 3; this was played")
    'As of time 3; this was played.'
    """
    first = text.strip().partition("\n")[0].rstrip(". ")
    return f"{first[:1].upper()}{first[1:]}." if first else ""


def progress(
    study: BaseStudy,
    past: Sequence[PastAnswer] | None = (),
    advice: Recommendation | None = None,
) -> Chart | None:
    """Chart of outcomes, and of the recommendations' expected values: the numbers of `plots.progress`.

    Args:
        study: whose page.
        past: earlier answers; None: they are computed. By default the chart has no line.
        advice: the present one, where it is known.

    Returns:
        The drawing; None before anything is observed.
    """
    words, found = Words.of(study), progress_of(study, past, advice)
    if not found.told:
        return None
    first, last = found.told[0][0], max(found.told[-1][0], *(x for x, *_ in found.reached), 0.0)
    across = Axis(first if found.along == "time" else 0.0, last)
    least, most = value_range(found)
    up = Axis(least, most, rising=True, log=found.log)
    dots, at, beyond = list[Mark](), list[float](), False
    for x, value, r in found.told:
        said = f"round {r.number}: {words.outcome(value)} with {r.suggestion.scope}"
        if r.suggestion.token in found.doubted:  # perhaps far beyond the axis
            within = min(max(value, least), most)
            beyond = beyond or within != value
            dots.append(Mark(across.at(x), up.at(within), f"{said}, probably wrong", "off"))
        else:
            dots.append(Mark(across.at(x), up.at(value), said))
        at.append(x)
    line, band = points(at, found.lately, across, up) if found.lately else "", ""
    if found.reached:
        when, mean, low, high = zip(*found.reached, strict=True)
        line = points(when, mean, across, up)
        band = points([*when, *when[::-1]], [*low, *high[::-1]], across, up)
    says = (
        f"Line: {found.says}{', as was known then. Band: 95 %' if band else ''}. " if line else ""
    )
    wrong = ", hollow ones: probably wrong" if found.doubted else ""
    wrong += "; at the edge: beyond it" if beyond else ""
    spending = f"spent ({words.money})" if words.money else "money spent"
    return Chart(
        line=line,
        band=band,
        dots=thinned(dots),
        across=across.ticks(),
        up=up.ticks(6),
        along=spending if found.along == "money spent" else found.along,
        says=f"{says}Dots: every outcome{wrong}.",
        text=f"{len(at)} outcomes, the last {words.outcome(found.told[-1][1])}",
    )


_FEW = 3  # values from which on their range is shown


@dataclass(frozen=True)
class PendingRound:
    """Pending round: observations, settings, and values to report.

    `last_look` has the fields of the look that can still be taken back, as they were filled in;
    `asked_for` says whether values seen before choosing are behind the round; `told` are its
    expected outcome, each limit on an outcome, and why it is suggested; `mark` is another for other
    settings.
    """

    token: str
    number: int
    scope: str
    seen: str
    settings: tuple[Setting, ...]
    look: tuple[Field, ...]
    fields: tuple[Field, ...]
    otherwise: tuple[Field, ...]
    accuracy: tuple[Field, ...]
    counts_money: bool
    change_cost: str
    told: tuple[str, ...]
    charge: str
    stated: bool
    last_look: tuple[Field, ...]
    asked_for: bool
    mark: str

    @property
    def tellable(self) -> set[str]:
        """Names of the fields in which its outcome is typed here; its own page has all of them."""
        return {field.name for field in (*self.fields, *self.otherwise, *self.accuracy)}


@dataclass(frozen=True)
class Meter:
    """Used share of a limit: from 0 to 1, and in words."""

    share: float
    text: str


@dataclass(frozen=True)
class View:
    """Content of the page but for its pictures.

    Args:
        words: the study's own.
        meters: of money and of rounds.
        status: the same in one line, for a screen reader.
        notices: notices to the user: laws that nature does not keep, limits that were changed.
        rounds: how many there are.
        finished: why no more are suggested; "" while they are.
        out: rounds that are out.
        ask: values to give before the next round is chosen.
        at_once: whether nothing has to be.
        advice: the recommendation; None: it takes long, and is computed when it is looked at.
        learned: drawings of variables along which something was learned.
        progress: how far it has come.
        why, tables: the reasons.
        latest, data: rounds, and data that was added.
        last: the last entry, where it can be taken back.
        last_text: the same in words, or that a round broke or was given up.
        last_token: the round that it speaks of.
        policy: variables that the policy may depend on.
        settings: values that a play can set, to predict the objective at.
        files: beside rounds and data, by token, and beside the study.
        remark: on the study.
    """

    words: Words
    meters: tuple[Meter, ...]
    status: str
    notices: tuple[str, ...]
    rounds: int
    finished: str
    out: tuple[PendingRound, ...]
    ask: tuple[Field, ...]
    at_once: bool
    advice: AdviceCard | None
    learned: tuple[Tab, ...]
    progress: Chart | None
    why: str
    tables: tuple[Table, ...]
    latest: Part
    data: AddedData
    last: Undo | None
    last_text: str
    last_token: str
    policy: tuple[Field, ...]
    settings: tuple[Field, ...]
    files: Mapping[str, tuple[KeptFile, ...]]
    remark: str


def view(
    study: BaseStudy,
    most: int | None = SHOWN,
    advice: Recommendation | None = None,
    *,
    later: bool = False,
) -> View:
    """Compute all of it anew.

    Args:
        study: whose page.
        most: rounds in the table, and so many added data, the latest ones; None: all.
        advice: the answer of `recommend`, where it is known already.
        later: leave out the recommendation and its reasons.
    """
    problem, status, words = study.problem, study.status, Words.of(study)
    ask, last, fell = ask_fields(problem, time_needed(study)), last_said(study), fallen(study)
    ending = ending_of(study)
    advice = None if later else advice or advice_of(study)
    why = study.explain() if advice is not None else Explanation("")
    policy = getattr(advice, "table", None)
    money, others = _meters(study, words)
    meters = (*money, *others)
    if fell is not None:
        last_text = f"Saved: round {fell.number}. {said_of(study, fell)}"
        last_token = fell.suggestion.token
    else:
        last_text = _last_text(last, words)
        last_token = last.token if last else ""
    return View(
        words=words,
        meters=meters,
        status=", ".join(meter.text for meter in meters),
        notices=_notices(study),
        rounds=len(study.history),
        finished=ending.said if ending else status.finished,
        out=tuple(_out(study, words, played) for played in study.history.pending),
        ask=ask,
        at_once=not any(field.needed or field.name.startswith("seen:") for field in ask),
        advice=advice_card(study, advice, why) if advice is not None else None,
        learned=tabs_of(study, advice) if advice is not None else (),
        progress=progress(study),
        why=_sentences(why.summary),
        tables=tuple(with_units(problem, table) for table in why.tables if table != policy),
        latest=rounds_before(study, most=most),
        data=added(study, most),
        last=None if fell else last,
        last_text=last_text,
        last_token=last_token,
        policy=policy_fields(problem),
        settings=setting_fields(problem),
        files=study.history.files,
        remark="; ".join(study.history.remarks.get(STUDY, ())),
    )


def status_text(study: BaseStudy) -> str:
    """Progress of a study in one line, in the words of its page."""
    status = study.status
    money, others = _meters(study, Words.of(study))
    texts = [meter.text for meter in (*others, *money)]
    texts += [f"{len(status.pending)} open"] if status.pending else []
    end = [f"finished: {status.finished}"] if status.finished else []
    doubted = [
        f"warning: {each.text.partition('. ')[0]}" for each in status.findings if each.kind == "law"
    ]
    return "; ".join([", ".join(texts), *end, *doubted])


def _meters(study: BaseStudy, words: Words) -> tuple[list[Meter], list[Meter]]:
    """Money where it is counted; and rounds, with past data where there are any."""
    status, money = study.status, list[Meter]()
    if status.budget is not None:
        text = f"{grouped(amount_text(status.spent, status.budget))} of {words.paid(status.budget)} spent"
        money.append(Meter(min(status.spent / status.budget, 1.0) if status.budget else 1.0, text))
    elif status.spent:
        money.append(Meter(0.0, f"{words.paid(status.spent)} spent"))
    made = counted(status.rounds, "round")
    share = 0.0
    if status.limit is not None:
        made = f"{status.rounds} of {counted(status.limit, 'round')}"
        share = min(status.rounds / status.limit, 1.0) if status.limit else 1.0
    broken = f", {status.failed} broke" if status.failed else ""
    given_up = f", {status.abandoned} given up" if status.abandoned else ""
    past = [Meter(0.0, status.past)] if status.added else []
    return money, [Meter(share, f"{made}{broken}{given_up}"), *past]


def _notices(study: BaseStudy) -> tuple[str, ...]:
    """Notices beside the figures, in sentences."""
    status = study.status
    said = [str(each) for each in status.findings]
    if status.unpriced and (status.budget is not None or status.spent):
        these = (
            "The cost of 1 round is"
            if status.unpriced == 1
            else f"The costs of {status.unpriced} rounds are"
        )
        charged = f"; {numeral(status.estimated)} is counted" if status.estimated else ""
        said.append(f"{these} unknown{charged}.")
    if status.gain is not None and not status.finished:
        said.append(f"At most {gain_text(status.gain, status.gain_worth)} can still be gained.")
    said += [line for event in study.history.revisions for line in revised_text(event)][-1:]
    return tuple(_sentences(text) for text in said)


def _last_text(last: Undo | None, words: Words) -> str:
    """Sentence on the latest report."""
    if last is None:
        return ""
    now = "is taken out" if last.now == "void" else f"gave {words.worth(last.now)}"
    return f"Saved: round {last.number} {now}."


def _out(study: BaseStudy, words: Words, played: Round) -> PendingRound:
    problem = study.problem
    suggestion = study.history[played.suggestion.token].suggestion
    history = study.history
    nature, card = problem.unmeasured(suggestion), study.card(suggestion)
    estimate = history.estimate(suggestion.token)
    counts = history.budget is not None or history.spent > 0 or problem.priced
    price = problem.price(suggestion)
    needed = history.budget is not None and price is None
    value = Field("value", words.value_label, hint=_usual_text(study, words))
    stated = f"left out: {words.paid(price)}, as stated" if price is not None else ""
    hint = stated or _usual_cost_text(study, words, needed)
    cost = Field("cost", words.cost_label, hint=hint, needed=needed, decimal=True)
    measured = [
        replace(field, label=f"{field.label}, as measured")
        for field in fields_of(problem, nature, "realised")
    ]
    moving = "" if not suggestion.change_cost else words.paid(suggestion.change_cost)
    return PendingRound(
        token=suggestion.token,
        number=suggestion.round,
        scope=str(suggestion.scope),
        seen=in_one_line(problem, suggestion.context),
        settings=settings_of(problem, suggestion.values, suggestion.scope.keep, suggestion.shown),
        look=fields_of(problem, suggestion.observe, "context"),
        fields=(value, *measured, *((cost,) if counts else ())),
        otherwise=fields_of(problem, _otherwise(problem, played, nature), "realised", needed=False),
        accuracy=(sem_field(),) if study.takes_sem else (),
        counts_money=counts,
        change_cost=moving,
        told=tuple(
            text for text in (_sentence(card.expected), *card.kept, _sentence(card.why)) if text
        ),
        charge="" if estimate is None or price is not None else typed_text(estimate),
        stated=price is not None,
        last_look=_last_look(study, suggestion.token),
        asked_for=bool(played.request.get(SEEN.name)),
        mark=mark_of(suggestion),
    )


def mark_of(suggestion: Suggestion) -> str:
    """Fingerprint of settings, sent with outcomes so that they are not taken for those of other settings."""
    return hashlib.sha256(
        json.dumps(to_dict(suggestion)["values"], sort_keys=True).encode()
    ).hexdigest()[:16]


def _last_look(study: BaseStudy, token: str) -> tuple[Field, ...]:
    """The fields of a round's last look, filled in."""
    for event in reversed(study.events):
        if isinstance(event, Decided) and event.token == token:
            fields = fields_of(study.problem, event.context, "context")
            return tuple(
                replace(f, value=typed_text(event.context[f.name.partition(":")[2]]))
                for f in fields
            )
        if isinstance(event, Asked) and event.token == token:
            break
    return ()


def _usual_text(study: BaseStudy, words: Words) -> str:
    """The range of outcomes that are not doubted, in words; empty while there are few."""
    scalar, doubted = study.problem.scalar, study.doubted
    low, high = _range(
        scalar(outcome) for name, outcome, _ in study.history.outcomes() if name not in doubted
    )
    _, *ends = interval_texts(None, low, high)
    return "" if math.isnan(low) else f"so far {words.worth(' to '.join(dict.fromkeys(ends)))}"


def _usual_cost_text(study: BaseStudy, words: Words, needed: bool) -> str:
    least, most = _range(r.paid for r in study.history if r.paid is not None)
    low = f"{amount_text(least, most)} to " if least < most else ""
    said = "" if math.isnan(least) else f"so far {low}{words.paid(most)}"
    return said if needed else "; ".join(filter(None, [said, "may be left out"]))


def _range(values: Iterable[float]) -> tuple[float, float]:
    """The least and the largest of three values or more; of fewer, NaN."""
    known = list(values)
    return (min(known), max(known)) if len(known) >= _FEW else (math.nan, math.nan)


def _otherwise(problem: Problem, played: Round, nature: tuple[str, ...]) -> list[str]:
    """Fields of settings and context, which may have come out otherwise."""
    known = {**played.suggestion.values, **played.suggestion.context}
    return [name for name in problem.columns if name not in nature and name in known]


def _sentences(text: str) -> str:
    """A text that begins as sentences do, line by line, and ends as they do.

    >>> _sentences("each round holds the cheapest set")
    'Each round holds the cheapest set.'
    """
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return "\n".join(
        f"{line[:1].upper()}{line[1:]}{'' if line[-1] in '.:!?' else '.'}" for line in lines
    )
