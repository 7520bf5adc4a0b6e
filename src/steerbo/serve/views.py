"""What the page of a study shows, as data for its template."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from ..errors import SteerboError
from ..plots import pictures
from ..plots.drawing import save_figure
from ..rounds import SEEN, Problem, Recommendation, Round, Table
from ..study import Study
from ..study.page import progress
from ..study.shown import advised, alternatives, in_words, shown_rounds, with_units


@dataclass(frozen=True)
class Field:
    """A field of a form: its name, what stands before it and behind it, and whether it has to be filled in."""

    name: str
    label: str
    unit: str = ""
    hint: str = ""
    needed: bool = True
    choices: tuple[str, ...] = ()
    extra: bool = False


@dataclass(frozen=True)
class Out:
    """A round that is out: what to look at, what to set, what to report."""

    token: str
    number: int
    scope: str
    seen: str
    settings: tuple[tuple[str, str, bool, tuple[tuple[str, str], ...]], ...]
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
    rounds: int
    finished: str
    out: tuple[Out, ...]
    ask: tuple[Field, ...]
    advice: tuple[str, ...]
    others: Table | None
    settings: Table | None
    progress: str
    pictures: tuple[tuple[str, str, bytes], ...]
    why: str
    tables: tuple[Table, ...]
    history: Table
    earlier: int
    told: tuple[tuple[str, int, str], ...]
    measured: tuple[Field, ...]
    policy: tuple[Field, ...]


_MOST_ROUNDS, _MOST_CORRECTED = 200, 30  # the latest ones: a page is no archive
_MOST_FIELDS = 24  # of what came out otherwise: beyond that a table is the better way


def view(study: Study) -> View:
    """All of it, computed anew."""
    problem, status, advice, why = study.problem, study.status, study.recommend(), study.explain()
    table = getattr(advice, "table", None)
    told = [(r.suggestion.token, r.number, r.state) for r in study.history if r.state in ("told", "failed")]
    history = shown_rounds(study)
    return View(
        status=str(status),
        rounds=len(study.history),
        finished=status.finished,
        out=tuple(_out(study, played) for played in study.history.pending),
        ask=_ask_fields(problem),
        advice=tuple(advised(problem, advice)),
        others=alternatives(problem, advice) if advice.alternatives else None,
        settings=with_units(problem, table) if table else None,
        progress=progress(study),
        pictures=_pictures(study, advice),
        why=why.summary,
        tables=tuple(with_units(problem, each) for each in why.tables if each != table),
        history=replace(history, rows=history.rows[-_MOST_ROUNDS:]),
        earlier=max(len(history.rows) - _MOST_ROUNDS, 0),
        told=tuple(told[-_MOST_CORRECTED:]),
        measured=_fields(problem, problem.columns, "realised", needed=False),
        policy=tuple(_field(problem, name, "given", False) for name in _looked_at(problem)),
    )


def _out(study: Study, played: Round) -> Out:
    problem, suggestion, history = study.problem, study.history[played.suggestion.token].suggestion, study.history
    nature = problem.unmeasured(suggestion)
    known = {**suggestion.values, **suggestion.context}
    rest = [name for name in problem.columns if name not in nature]
    counts = history.budget is not None or history.spent > 0 or problem.priced
    estimate = history.estimate(suggestion.token)
    return Out(
        token=suggestion.token,
        number=suggestion.round,
        scope=str(suggestion.scope),
        seen=in_words(problem, suggestion.context),
        settings=tuple(
            _setting(problem, name, value, suggestion.scope.keep) for name, value in suggestion.values.items()
        ),
        look=_fields(problem, suggestion.observe, "context"),
        measured=_fields(problem, nature, "realised"),
        otherwise=_fields(problem, [n for n in rest if n in known], "realised", needed=False),
        cost_needed=history.budget is not None and problem.price(suggestion) is None,
        counts_money=counts,
        change_cost=suggestion.change_cost,
        charge="" if estimate is None else f"{estimate:g}",
    )


def _setting(problem: Problem, name: str, value: Any, kept: Any) -> tuple[str, str, bool, tuple[tuple[str, str], ...]]:
    """A variable, what to set it to, whether it stays as it was, and the rows of a distribution."""
    if isinstance(value, dict):
        rows = tuple((str(row), ", ".join(problem.shown({row: cells}).values())) for row, cells in value.items())
        return name, "", name in kept, rows
    (text,) = problem.shown({name: value}, digits=6).values()
    return name, text, name in kept, ()


def _fields(problem: Problem, names: Any, prefix: str, needed: bool = True) -> tuple[Field, ...]:
    names = list(names)
    if not needed and len(names) > _MOST_FIELDS:
        return ()
    return tuple(_field(problem, name, prefix, needed) for name in names)


def _field(problem: Problem, name: str, prefix: str, needed: bool) -> Field:
    if name not in problem.space:
        return Field(f"{prefix}:{name}", name, needed=needed)
    variable = problem.space[name]
    choices = tuple(map(str, variable.choices)) if variable.kind == "categorical" else ()
    hint = "" if choices else variable.range_text
    return Field(f"{prefix}:{name}", name, getattr(variable, "unit", ""), hint, needed, choices)


def _ask_fields(problem: Problem) -> tuple[Field, ...]:
    """What has to be said before a round can be chosen."""
    found = []
    for field in problem.asked():
        if field.name == SEEN.name:
            found += [_field(problem, n, "seen", problem.space[n].law is None) for n in problem.space.seen]
        else:
            found.append(Field(f"ask:{field.name}", field.name, hint=field.help, needed=False, extra=True))
    return tuple(found)


def _looked_at(problem: Problem) -> tuple[str, ...]:
    """What a policy may hang on: what is seen before choosing, or looked at in some scope."""
    contexts = getattr(getattr(problem, "graph", None), "contexts", ())
    return tuple(dict.fromkeys((*problem.space.seen, *contexts)))


def _pictures(study: Study, advice: Recommendation) -> tuple[tuple[str, str, bytes], ...]:
    """Titles, what is to be seen, and PNG; no picture but a title that says so where matplotlib is missing."""
    found = []
    try:
        for picture in pictures(study, advice):
            written = BytesIO()
            save_figure(picture.figure, written, format="png", dpi=144)
            found.append((picture.title, picture.text, written.getvalue()))
    except SteerboError as error:
        found.append((str(error), "", b""))
    return tuple(found)
