"""Forms of a round and of a study: fields for outcomes, corrections, undo; limits, bounds, external data.

A correction shows the present values and their author. Undo takes back the latest report, within
the rules of `amend`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._wording import PAGE
from ..core import (
    SEEN,
    TIME,
    Abandoned,
    Amended,
    BaseStudy,
    Decided,
    Event,
    Failed,
    KeptFile,
    Outcome,
    OutcomeTold,
    Problem,
    Remarked,
    Round,
    limit_text,
    number_of,
    numeral,
    time_of,
)
from ..space import Categorical
from ..study.formatting import in_words
from .wording import Words

_HELD = 3  # variables of an example
_MOST_FIELDS = 24  # fields of values that came out otherwise: beyond that a table is the better way


@dataclass(frozen=True)
class Field:
    """Field of a form: name, label with unit, hint, whether it is required, and its content.

    `decimal` says that it takes numbers that are never negative: keypads of telephones have no
    minus.
    """

    name: str
    label: str
    unit: str = ""
    hint: str = ""
    needed: bool = True
    choices: tuple[str, ...] = ()
    extra: bool = False
    value: str = ""
    decimal: bool = False


def sem_field(value: float | None = None) -> Field:
    """Make a field for the standard error of a value; most people leave it empty."""
    hint = "its standard error, in the value's unit, where that is known"
    return Field(
        "sem", _NAMES["sem"], "", hint, needed=False, value=typed_text(value), decimal=True
    )


def source_field() -> Field:
    """Make a field for the source of data."""
    hint = "if not here and now, such as last year; how much it is like here is learned"
    return Field("source", _NAMES["source"], "", hint, needed=False)


def fields_of(
    problem: Problem, names: Iterable[str], prefix: str, needed: bool = True
) -> tuple[Field, ...]:
    """Make a field for each of these variables; none where they are too many to be typed."""
    names = list(names)
    if not needed and len(names) > _MOST_FIELDS:
        return ()
    return tuple(field_of(problem, name, prefix, needed) for name in names)


def field_of(problem: Problem, name: str, prefix: str, needed: bool) -> Field:
    """Make a field for a variable, with its unit and allowed values."""
    if name not in problem.space:
        return Field(f"{prefix}:{name}", name, hint=problem.example(name), needed=needed)
    variable = problem.space[name]
    choices = tuple(map(str, variable.choices)) if variable.kind == "categorical" else ()
    hint = "" if choices else variable.range_text
    unit = getattr(variable, "unit", "")
    decimal = not isinstance(variable, Categorical) and variable.low >= 0
    return Field(f"{prefix}:{name}", name, unit, hint, needed, choices, decimal=decimal)


def ask_fields(problem: Problem, stated: str = "") -> tuple[Field, ...]:
    """List the fields needed before a round can be chosen.

    Args:
        problem: whose rounds are asked for.
        stated: the time that earlier rounds stated, where this one has to state its own: see
            `time_needed`.
    """
    found = []
    for field in problem.asked():
        if field.name == SEEN.name:
            found += [
                field_of(problem, n, "seen", problem.space[n].law is None)
                for n in problem.space.seen
            ]
        elif field.name == TIME.name:
            hint = stated or "a number; empty: rounds are counted"
            found.append(Field(f"ask:{TIME.name}", TIME.name, hint=hint, needed=bool(stated)))
        else:
            found.append(
                Field(
                    f"ask:{field.name}",
                    field.name,
                    hint=PAGE.text(field.help),
                    needed=False,
                    extra=True,
                )
            )
    return tuple(found)


def time_needed(study: BaseStudy) -> str:
    """The time that earlier rounds or data stated, in words; empty where the time of the next round may be counted.

    A counted time would be another unit than theirs, or lie before the latest one. Data of an
    earlier study whose rounds were counted are gone on from: their times are whole numbers, of
    which at most half are missing.
    """
    history, clock = study.history, study.history.clock
    if not study.problem.timed:
        return ""
    if clock is not None:
        return (
            ""
            if history.is_counted(clock)
            else f"round {clock.number} was at {numeral(time_of(clock), 15)}"
        )
    dated = [event.outcome.realised for event in history.data.values()]
    times = [float(realised[TIME.name]) for realised in dated if TIME.name in realised]
    counted = all(time.is_integer() and 0 < time <= 2 * len(times) for time in times)
    return "" if counted else f"data were at {numeral(max(times), 15)} at the latest"


def policy_fields(problem: Problem) -> tuple[Field, ...]:
    """List the fields that a policy may depend on: seen or observed variables."""
    contexts = getattr(getattr(problem, "graph", None), "contexts", ())
    names = dict.fromkeys((*problem.space.seen, *contexts))
    return tuple(field_of(problem, name, "given", False) for name in names)


def setting_fields(problem: Problem) -> tuple[Field, ...]:
    """List the fields of settings to predict the objective at."""
    return tuple(field_of(problem, name, "what", False) for name in problem.settable)


TAKEN_BACK = "taken back"
"""The reason that stands in the log."""


@dataclass(frozen=True)
class Undo:
    """A last word that can be taken back.

    Args:
        token, number: the round's.
        said: number of events about it: an attempt to take back an older one is refused.
        now: the present record.
        then: the record afterwards.
        outcome: the same; None: there is nothing to learn from the round.
    """

    token: str
    number: int
    said: int
    now: str
    then: str
    outcome: Outcome | None


def undo_of(study: BaseStudy, token: str) -> Undo | None:
    """State of a round after its latest report is undone.

    A told outcome becomes void (its cost stays spent), a corrected or void one gets its earlier
    value back. A round that broke is not made to be out again, nor is its cost forgotten: None.
    """
    said = list(_said(study.events, token))
    if not said or isinstance(said[-1], Failed):
        return None
    now, before = said[-1], said[-2] if len(said) > 1 else None
    if isinstance(before, Failed) or now == before:
        return None
    if before is not None and before.cost is None and now is not None and now.cost is not None:
        return None  # a cost that was said late cannot be unsaid
    number = study.history[token].number
    return Undo(
        token, number, len(said), _shown(study.problem, now), _shown(study.problem, before), before
    )


def times_said(study: BaseStudy, token: str) -> int:
    """Number of events about a round after it ended."""
    return sum(1 for _ in _said(study.events, token))


def last_said(study: BaseStudy) -> Undo | None:
    """The last word on any round, where it can be taken back."""
    rounds = study.history
    for event in reversed(study.events):
        if isinstance(event, OutcomeTold | Failed | Amended) and event.token not in {
            *rounds.data,
            *rounds.removed,
        }:
            return undo_of(study, event.token)
    return None


def fallen(study: BaseStudy) -> Round | None:
    """The round that broke or was given up last, if nothing was said of another one since."""
    added = {*study.history.data, *study.history.removed}
    for event in reversed(study.events):
        if isinstance(event, OutcomeTold | Failed | Amended | Abandoned):
            if event.token in added:
                continue
            played = study.history[event.token]
            return played if played.state in ("failed", "abandoned") else None
    return None


@dataclass(frozen=True)
class Ending:
    """How somebody ended a study: in words, and the limit of rounds before."""

    said: str
    before: int | None


def ending_of(study: BaseStudy) -> Ending | None:
    """By whom, when and why a study was ended; None where it goes on, or came to its end by itself."""
    history = study.history
    if not history.revisions:
        return None
    last = history.revisions[-1]
    before, limit = last.changes.get("rounds", (None, None))
    if limit is None or limit != max(len(history), 1):
        return None
    if before is not None and before <= limit:
        return None
    by = f" by {last.by}" if last.by else ""
    after = study.events[study.events.index(last) + 1 :][:1]
    why = "".join(f": {each.text.rstrip('.')}" for each in after if isinstance(each, Remarked))
    return Ending(f"ended{by} on {last.when[:10]}{why}", before)


def _said(events: tuple[Event, ...], token: str) -> Iterator[Outcome | Failed | None]:
    """All that was said of a round, in order; None: that it is void."""
    for event in events:
        match event:
            case OutcomeTold(token=name) | Failed(token=name) | Amended(token=name) if (
                name != token
            ):
                pass
            case OutcomeTold():
                yield event.outcome
            case Failed():
                yield event
            case Amended():
                yield event.outcome or event.failure


def _shown(problem: Problem, outcome: Outcome | None) -> str:
    return "void" if outcome is None else numeral(problem.scalar(outcome))


_NAMES = {
    "reason": "Why",
    "sem": "Standard error of the value",
    "source": "Of where, or when",
    "charge": "Counted as spent",
    "budget": "Budget",
    "rounds": "Rounds",
    "stop": "Stop when no more can be gained than",
}
_ENDS = {"low": " from", "high": " to"}


@dataclass(frozen=True)
class Edit:
    """Present values of a round, and its form of correction.

    Args:
        token: of the round, or the name of data that was added.
        title: its title.
        state: open, told, failed, void, abandoned, or added.
        said: the present record, in a sentence.
        why: its settings, and why they were suggested; "" of data.
        times: number of events about it; a form that is older is refused.
        call: "amend", or "tell" where an outcome may still come, or "" where nothing can be said.
        fields: value, cost and measured variables, with their present values.
        files: beside it.
    """

    token: str
    title: str
    state: str
    said: str
    times: int
    call: str
    fields: tuple[Field, ...]
    files: tuple[KeptFile, ...] = ()
    why: str = ""


def edit_of(study: BaseStudy, token: str) -> Edit:
    """The form that corrects a round.

    Raises:
        UnknownSuggestion: there is no such round, and no such data.
    """
    words, datum = Words.of(study), study.history.datum(token)
    if datum is not None:
        outcome, void = datum.outcome, token in study.history.removed
        shown = _outcome_text(study, words, outcome.value, outcome.cost)
        by = _by(study.events, token)
        said = (
            f"Taken out{by}: nothing is learned from it. It was {shown}."
            if void
            else f"Added: {shown}{by}."
        )
        realised = study.history.completed(outcome.realised)
        when = _time_of(study.problem, "empty: as it is", realised.get(TIME.name))
        fields = _fields(study, words, outcome, outcome.cost, realised, when=when)
        title, state = f"Data {number_of(token)}", "void" if void else "added"
        files = study.history.files.get(token, ())
        return Edit(token, title, state, said, times_said(study, token), "amend", fields, files)
    played = study.history[token]
    call = "amend" if not played.waiting else "" if played.suggestion.observe else "tell"
    known = played.outcome or played.failure
    realised = study.history.completed(known.realised) if known else {}
    return Edit(
        token=token,
        title=f"Round {played.number}",
        state=played.state,
        said=said_of(study, played),
        times=times_said(study, token),
        call=call,
        fields=_fields(study, words, played.outcome, played.paid, realised),
        files=study.history.files.get(token, ()),
        why=_why(study, played),
    )


def _why(study: BaseStudy, played: Round) -> str:
    """The settings of a round, and why."""
    shown = in_words(study.problem, played.suggestion.values, played.suggestion.shown)
    why = study.card(played.suggestion.token).why
    done = f"Set: {shown}." if shown else ""
    return f"{done} Why: {why.rstrip('.')}.".strip() if why else done


def said_of(study: BaseStudy, played: Round) -> str:
    """Sentence on the latest report on a round and its author."""
    words, token = Words.of(study), played.suggestion.token
    # a value seen before is no look
    by, seen = _by(study.events, token), played.request.get("context", {})
    match played.state:
        case "told" if played.outcome:
            said = f"It gave {_outcome_text(study, words, played.outcome.value, played.paid)}{by}."
        case "failed":
            reason = played.failure.reason if played.failure else ""
            said = f"It broke{by}: {reason}." if reason else f"It broke{by}."
        case "abandoned":
            reason = _reason(study.events, token)
            said = f"It was given up{by}: {reason}." if reason else f"It was given up{by}."
        case "void" if told := study.history.coded.get(token):
            said = f"It gave {_outcome_text(study, words, told.value, told.cost)}{by}, which looks like a code for a "
            said += "missing value, and is left out. If it was measured, save it as it is."
        case "void":
            said = f"It was taken out{by}: nothing is learned from it."
            if played.outcome:
                said += f" It had given {_outcome_text(study, words, played.outcome.value, played.paid)}."
        case _ if looked := {n: v for n, v in played.suggestion.context.items() if n not in seen}:
            said = f"Looked at{by}: {in_words(study.problem, looked)}."
        case _:
            said = "Nothing was said of it yet."
    return said


def labels(study: BaseStudy, typed: Mapping[str, str]) -> list[tuple[str, str]]:
    """Typed texts of a form by the labels of its fields."""
    words = Words.of(study)
    return [(label_of(words, name), text) for name, text in typed.items()]


def label_of(words: Words, name: str) -> str:
    """The label of a form's field.

    >>> label_of(Words("Yield", "kg"), "value"), label_of(Words(), "seen:weather"), label_of(Words(), "low:heat")
    ('Yield (kg)', 'weather', 'heat from')
    """
    called = {**_NAMES, "value": words.value_label, "cost": words.cost_label}
    prefix, _, variable = name.partition(":")
    return called.get(name) or f"{variable}{_ENDS.get(prefix, '')}" or name


def _outcome_text(study: BaseStudy, words: Words, value: Any, cost: float | None) -> str:
    shown = words.worth(typed_text(value)) if isinstance(value, int | float) else str(value)
    counts = cost is not None and (cost > 0 or study.history.budget is not None)
    return f"{shown} for {words.paid(cost)}" if counts and cost is not None else shown


def typed_text(value: Any) -> str:
    """A value as a person would type it again: every digit that matters, and no more; a table as JSON.

    >>> typed_text(6.6), typed_text(7.0), typed_text(None), typed_text("zinc"), typed_text({"north": 3})
    ('6.6', '7', '', 'zinc', '{"north": 3}')
    """
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return f"{value:.15g}" if isinstance(value, float) else "" if value is None else str(value)


def _fields(
    study: BaseStudy,
    words: Words,
    outcome: Outcome | None,
    cost: float | None,
    realised: Mapping[str, Any],
    *,
    when: tuple[Field, ...] = (),
) -> tuple[Field, ...]:
    problem = study.problem
    value, sem = (None, None) if outcome is None else (outcome.value, outcome.sem)
    names = [name for name in problem.columns if name != TIME.name]
    further = [name for name in realised if name not in names and name != TIME.name]
    fields = [
        Field("value", words.value_label, needed=False, value=typed_text(value)),
        Field("cost", words.cost_label, needed=False, value=typed_text(cost), decimal=True),
        *when,
        *(
            replace(field, value=_short(realised.get(field.name.partition(":")[2])))
            for field in fields_of(problem, [*names, *further], "realised", needed=False)
        ),
        *((sem_field(sem),) if study.takes_sem else ()),
    ]
    return tuple(fields)


def _time_of(problem: Problem, empty: str, value: Any = None) -> tuple[Field, ...]:
    """Field for the time of data; none where nothing drifts."""
    hint = f"a number; {empty}"
    when = Field(f"realised:{TIME.name}", TIME.name, "", hint, False, value=typed_text(value))
    return (when,) if problem.timed else ()


def _short(value: Any) -> str:
    """Shorten a value to six digits; an unchanged field is not sent, so that no digit is lost."""
    return f"{value:.6g}" if isinstance(value, float) else typed_text(value)


def unchanged(study: BaseStudy, token: str) -> dict[str, str]:
    """Contents of the fields of a correction that is unchanged."""
    return {field.name: field.value for field in edit_of(study, token).fields}


def as_it_was(study: BaseStudy, token: str) -> dict[str, Any]:
    """Correction that brings a void outcome, failure or datum back as it was; empty where it is not void.

    Raises:
        UnknownSuggestion: there is no such round, and no such data.
    """
    if (datum := study.history.datum(token)) is not None:
        return {"value": datum.outcome.value} if token in study.history.removed else {}
    played = study.history[token]
    if played.state != "void":
        return {}
    if played.outcome is not None:
        return {"value": played.outcome.value}
    return {"realised": played.failure.realised} if played.failure is not None else {}


def _by(events: tuple[Event, ...], token: str) -> str:
    """Author of the latest report on a round."""
    last = next(_about(events, token), None)
    by = getattr(last, "by", None)
    return f" (entered by {by})" if by else ""


def _reason(events: tuple[Event, ...], token: str) -> str:
    return next(
        (event.reason for event in _about(events, token) if isinstance(event, Abandoned)), ""
    ).rstrip(".")


def _about(events: tuple[Event, ...], token: str) -> Iterator[Event]:
    """Reports on a round, the latest first."""
    kinds = OutcomeTold | Failed | Amended | Abandoned | Decided
    return (
        event for event in reversed(events) if isinstance(event, kinds) and event.token == token
    )


@dataclass(frozen=True)
class Bounds:
    """Variable whose bounds can be widened, with two fields."""

    name: str
    unit: str
    low: Field
    high: Field


@dataclass(frozen=True)
class Management:
    """Forms that change a study.

    Args:
        limits: fields for budget, rounds and the stopping rule.
        bounds: of the variables that are numbers.
        data: fields of external data.
        rounds: how many there are.
        finished: why no more are suggested; "" while they are.
        back: the limit that undoes the end, in words; "" where nobody ended the study.
        scope: an example of variables that may have been held then; "" where it does not matter to
            such an outcome.
    """

    limits: tuple[Field, ...]
    bounds: tuple[Bounds, ...]
    data: tuple[Field, ...]
    rounds: int
    finished: str
    back: str
    scope: str


def management(study: BaseStudy) -> Management:
    """Forms of a study, with the present values."""
    history, words, problem = study.history, Words.of(study), study.problem
    stop = history.stop if isinstance(history.stop, float) else None
    limits = (
        Field(
            "budget",
            _NAMES["budget"],
            words.money,
            "empty: no limit",
            False,
            value=typed_text(history.budget),
            decimal=True,
        ),
        Field(
            "rounds",
            _NAMES["rounds"],
            "",
            "empty: no limit",
            False,
            value=typed_text(history.limit),
            decimal=True,
        ),
        Field(
            "stop",
            _NAMES["stop"],
            words.unit,
            "empty: go on to the end",
            False,
            value=typed_text(stop),
            decimal=True,
        ),
    )
    numbers = [variable for variable in problem.space if not isinstance(variable, Categorical)]
    bounds = tuple(
        Bounds(
            v.name,
            getattr(v, "unit", ""),
            Field(f"low:{v.name}", f"{v.name} from", needed=False, value=typed_text(float(v.low))),
            Field(f"high:{v.name}", f"{v.name} to", needed=False, value=typed_text(float(v.high))),
        )
        for v in numbers
    )
    names = [name for name in problem.columns if name != TIME.name]
    data = (
        Field("value", words.value_label),
        Field("cost", words.cost_label, needed=False, hint="may be left out", decimal=True),
        *_time_of(problem, "empty: now"),
        *(replace(field, needed=False) for field in fields_of(problem, names, "realised")),
        *((sem_field(),) if study.takes_sem else ()),
        *((source_field(),) if study.takes_sources else ()),
    )
    scope = _held(problem) if problem.priced or problem.scoped else ""
    ending = ending_of(study)
    finished = ending.said if ending else study.status.finished
    back = limit_text("rounds", ending.before) if ending else ""
    return Management(limits, bounds, data, len(history), finished, back, scope)


def _held(problem: Problem) -> str:
    """A scope of the problem, as it is typed.

    >>> from steerbo import CostVarying, Float
    >>> _held(CostVarying([Float("heat", 0, 1), Float("glaze", 0, 1)], [["heat", "glaze"]]))
    'heat + glaze'
    """
    sets = getattr(problem, "control_sets", None) or [
        getattr(getattr(problem, "graph", None), "intervenable", ())
    ]
    return " + ".join(max(sets, key=len)[:_HELD]) or "nothing"
