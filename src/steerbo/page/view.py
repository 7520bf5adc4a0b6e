"""What the page of a study shows, as data for its template."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import LimitBroken
from ..rounds import TIME, Problem, Reading, Recommendation, Round, Scope, Table, revised_text
from ..study.shown import in_words, shown_rounds, with_units
from .card import Card, card
from .fields import Field, ask_fields, fields_of, policy_fields
from .pictures import Drawn, drawn
from .progress import Progress, progress
from .settings import Setting, settings_of
from .undo import Undo, last_said


@dataclass(frozen=True)
class Out:
    """A round that is out: what to look at, what to set, what to report."""

    token: str
    number: int
    scope: str
    seen: str
    settings: tuple[Setting, ...]
    look: tuple[Field, ...]
    measured: tuple[Field, ...]
    otherwise: tuple[Field, ...]
    cost_needed: bool
    counts_money: bool
    change_cost: float | None
    charge: str


@dataclass(frozen=True)
class View:
    """Everything on the page."""

    status: str
    revisions: tuple[str, ...]
    rounds: int
    finished: str
    out: tuple[Out, ...]
    ask: tuple[Field, ...]
    advice: Card
    progress: Progress | None
    pictures: tuple[Drawn, ...]
    why: str
    tables: tuple[Table, ...]
    history: Table
    earlier: int
    told: tuple[tuple[str, int, str], ...]
    last: Undo | None
    measured: tuple[Field, ...]
    policy: tuple[Field, ...]


_SAID = ("told", "failed", "void")  # states of rounds that can be corrected
_MOST_ROUNDS, _MOST_CORRECTED = 200, 30  # the latest ones: a page is no archive


def view(study: Reading, most: int | None = _MOST_ROUNDS) -> View:
    """All of it, computed anew; of the rounds the latest ones, None: all."""
    problem, status, advice, why = study.problem, study.status, _advice(study), study.explain()
    told = [(r.suggestion.token, r.number, r.state) for r in study.history if r.state in _SAID]
    history, policy = shown_rounds(study), getattr(advice, "table", None)
    earlier = 0 if most is None else max(len(history.rows) - most, 0)
    return View(
        status=str(status),
        revisions=tuple(line for event in study.history.revisions for line in revised_text(event)),
        rounds=len(study.history),
        finished=status.finished,
        out=tuple(_out(study, played) for played in study.history.pending),
        ask=ask_fields(problem),
        advice=card(problem, advice, why),
        progress=progress(study),
        pictures=drawn(study, advice),
        why=why.summary,
        tables=tuple(with_units(problem, table) for table in why.tables if table != policy),
        history=replace(history, rows=history.rows[earlier:]),
        earlier=earlier,
        told=tuple(told[-_MOST_CORRECTED:]),
        last=last_said(study),
        measured=fields_of(problem, _amendable(problem), "realised", needed=False),
        policy=policy_fields(problem),
    )


def _advice(study: Reading) -> Recommendation:
    """The recommendation; of a method from elsewhere that forgets the problem's limits, an empty one that says so."""
    try:
        return study.recommend()
    except LimitBroken as error:
        return Recommendation(Scope(), {}, note=str(error))


def _out(study: Reading, played: Round) -> Out:
    problem, suggestion, history = study.problem, study.history[played.suggestion.token].suggestion, study.history
    nature = problem.unmeasured(suggestion)
    estimate = history.estimate(suggestion.token)
    return Out(
        token=suggestion.token,
        number=suggestion.round,
        scope=str(suggestion.scope),
        seen=in_words(problem, suggestion.context),
        settings=settings_of(problem, suggestion.values, suggestion.scope.keep),
        look=fields_of(problem, suggestion.observe, "context"),
        measured=fields_of(problem, nature, "realised"),
        otherwise=fields_of(problem, _otherwise(problem, played, nature), "realised", needed=False),
        cost_needed=history.budget is not None and problem.price(suggestion) is None,
        counts_money=history.budget is not None or history.spent > 0 or problem.priced,
        change_cost=suggestion.change_cost,
        charge="" if estimate is None else f"{estimate:g}",
    )


def _amendable(problem: Problem) -> list[str]:
    """What may have been realised otherwise than it was told: not when a round was, since that was said before."""
    return [name for name in problem.columns if name != TIME.name]


def _otherwise(problem: Problem, played: Round, nature: tuple[str, ...]) -> list[str]:
    """What was set or seen, and may have come out otherwise."""
    known = {**played.suggestion.values, **played.suggestion.context}
    return [name for name in problem.columns if name not in nature and name in known]
