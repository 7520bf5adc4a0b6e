"""Answers formatted for the terminal and the page: with units, and without empty columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from ..core import (
    Abandoned,
    Amended,
    Asked,
    BaseStudy,
    BoundsExtended,
    DataAdded,
    Decided,
    Event,
    ExpectedOutcome,
    Failed,
    History,
    LimitsRevised,
    Outcome,
    OutcomeTold,
    Problem,
    Recommendation,
    Remarked,
    Round,
    Table,
    TradeOff,
    as_text,
    limit_text,
    number_of,
)
from ..core.events import STUDY

LEFT_OUT = "left out"
"""State of an outcome that holds a code for a missing value, as far as people are told."""
# columns that are not shown where empty
_MAYBE = ("seen", "set", "nature", "sem", "cost", "reason", "remarks")
_COLUMNS = (
    "round",
    "token",
    "hold",
    "seen",
    "set",
    "nature",
    "value",
    "sem",
    "cost",
    "state",
    "reason",
    "remarks",
)


def in_words(
    problem: Problem, values: Mapping[str, Any], shown: Mapping[str, str] | None = None
) -> str:
    """Values by name in one line, as they are `shown` where that is known; empty where there are none."""
    return ", ".join(_named(problem, values, shown))


def _named(
    problem: Problem, values: Mapping[str, Any], shown: Mapping[str, str] | None
) -> list[str]:
    """Each with its name; a table in words has equals signs itself."""
    texts = (shown or problem.shown(values)).items()
    return [
        f"{name}: {text}" if isinstance(values[name], dict) else f"{name} = {text}"
        for name, text in texts
        if name in values
    ]


def advised(problem: Problem, advice: Recommendation) -> list[str]:
    """Lines of a recommendation without its alternatives; the first names the scope."""
    seen = f"having seen {in_words(problem, advice.context)}: " if advice.context else ""
    return [
        f"{seen}hold {advice.scope}",
        *_named(problem, advice.values, advice.shown),
        advice.expected,
        *([advice.why] if advice.why else []),
    ]


def alternatives(problem: Problem, advice: Recommendation) -> Table:
    """Table of the alternatives, cheapest first, the recommended one marked; or of a trade-off, or by context."""
    if advice.outcomes:
        ways = {"value": problem.sign, **problem.traded}
        return TradeOff.of(advice, ways).table
    everyone = [advice, *advice.alternatives]
    if not advice.context:
        everyone.sort(key=lambda a: float("inf") if a.cost is None else a.cost)
    # settings that depend on looks have a table of their own
    told = any(choice.values for choice in everyone)
    counted = problem.priced or any(choice.cost is not None for choice in everyone)
    reasoned = any(choice.why for choice in advice.alternatives)

    columns = [*advice.context, "hold"]
    columns += ["settings"] * told
    columns += ["expected value"]
    columns += ["cost"] * counted
    columns += ["reasons"] * reasoned

    rows = []
    for choice in everyone:
        mark = "→ " if choice is advice else "  "
        row: list[Any] = [*problem.shown(choice.context).values()]
        row += [str(choice.scope) if advice.context else f"{mark}{choice.scope}"]
        row += [in_words(problem, choice.values, choice.shown)] * told
        row += [ExpectedOutcome(choice.mean, choice.lower, choice.upper)]
        row += ["unknown" if choice.cost is None else choice.cost] * counted
        row += [choice.why] * reasoned
        rows.append(tuple(row))
    title = "Recommended by context" if advice.context else "Expected outcome of each"
    return Table(title, tuple(columns), tuple(rows))


def with_units(problem: Problem, table: Table) -> Table:
    """The same table; columns that are named as variables say their units, and so do values by name."""
    units = {v.name: unit for v in problem.space if (unit := getattr(v, "unit", ""))}
    columns = tuple(f"{c} ({units[c]})" if c in units else c for c in table.columns)

    def cell(x: Any) -> Any:
        return in_words(problem, x) if isinstance(x, dict) else x

    rows = tuple(tuple(map(cell, row)) for row in table.rows)
    return Table(table.title, columns, table.texts or rows)


def rounds_table(study: BaseStudy) -> Table:
    """Table of rounds: scope, context, settings, realised values and outcome as it was told."""
    rows = tuple(_round_cells(study.history, played) for played in study.history)
    return Table("Rounds", _COLUMNS, rows)


def _round_cells(history: History, played: Round) -> tuple[Any, ...]:
    """Cells of a round, in the order of `_COLUMNS`."""
    suggestion, token = played.suggestion, played.suggestion.token
    # an outcome that holds a code no longer counts, and is shown as it was told
    told = history.coded.get(token) or played.outcome
    return (
        played.number,
        token,
        str(suggestion.scope),
        _seen(played),
        suggestion.values,
        _nature(played),
        told.value if told else None,
        told.sem if told else None,
        told.cost if told else played.paid,
        LEFT_OUT if token in history.coded else played.state,
        played.failure.reason if played.failure else None,
        remarks_cell(history, token),
    )


def data_table(study: BaseStudy) -> Table:
    """Table of external data in the columns of rounds; `token` is the name that `amend` takes."""
    history = study.history
    rows = tuple(_data_cells(history, name, data) for name, data in _data_as_told(history))
    return Table("Data that was added", _COLUMNS, rows)


def _data_cells(history: History, name: str, data: DataAdded) -> tuple[Any, ...]:
    """Cells of external data, in the order of `_COLUMNS`."""
    return (
        None,
        name,
        str(data.scope) if data.scope else None,
        {},
        {},
        history.completed(data.outcome.realised),
        data.outcome.value,
        data.outcome.sem,
        data.outcome.cost,
        LEFT_OUT if name in history.coded else added_as(data),
        None,
        remarks_cell(history, name),
    )


def added_as(data: DataAdded) -> str:
    """Say that data were added, whether they are charged, and their source, where it is not here.

    >>> from steerbo.core import Outcome
    >>> added_as(DataAdded(Outcome(1.0), True, source="last year"))
    'added, charged, of last year'
    """
    return f"added{', charged' * data.charge}{f', of {data.source}' if data.source else ''}"


def _data_as_told(history: History) -> Iterator[tuple[str, DataAdded]]:
    """Data that are not void, in order, also those that hold a code."""
    coded = {name: history.removed[name] for name in history.coded if name in history.removed}
    every = {**history.data, **coded}
    for name in sorted(every, key=number_of):
        yield name, replace(every[name], outcome=history.coded.get(name, every[name].outcome))


def remarks_cell(history: History, name: str) -> str | None:
    """All remarks on a round, or on data, and names of files, in one line; None: there are none."""
    files = (kept.name for kept in history.files.get(name, ()))
    return "; ".join([*history.remarks.get(name, ()), *files]) or None


def shown_rounds(study: BaseStudy, find: str = "", most: int | None = None) -> Table:
    """Tables of rounds and external data with units, without empty columns; the scope only where it varies.

    Only lines with the text `find` in one of their cells, in capitals or not; of rounds and of data
    the last `most` each, None: all.
    """
    rows, titles, wanted = list[list[Any]](), list[str](), find.casefold()
    for table in (rounds_table(study), data_table(study)):
        found = [row for row in table.rows if not find or _has(study, row, wanted)]
        last = found if most is None else found[len(found) - min(most, len(found)) :]
        rows += [_in_words(study, row) for row in last]
        if found or not titles:
            titles.append(_counted_title(table.title, len(last), len(found)))
    held = {row[_COLUMNS.index("hold")] for row in rows}
    kept = [
        k
        for k, name in enumerate(_COLUMNS)
        if (name not in _MAYBE or any(row[k] not in (None, "") for row in rows))
        and (name != "hold" or len(held) > 1)
    ]
    first, *others = titles
    title = ", and ".join([first, *(f"{text[0].lower()}{text[1:]}" for text in others)])
    columns = tuple(_COLUMNS[k] for k in kept)
    return Table(title, columns, tuple(tuple(row[k] for k in kept) for row in rows))


def timeline(study: BaseStudy, most: int | None = None) -> Table:
    """Table of events, when (in UTC) and by whom as far as the log says, the latest first; `most` lines."""
    lines = ((event, _happened(study, event)) for event in reversed(study.events))
    told = ((event, text) for event, text in lines if text)
    rows = tuple(
        (when_text(each), getattr(each, "by", None) or "", text)
        for each, text in islice(told, most)
    )
    return Table("Timeline, in UTC", ("when", "who", "what"), rows)


def when_text(event: Event) -> str:
    """The time of an event, to the minute; empty where the log does not say it.

    >>> from steerbo.core import Outcome, OutcomeTold
    >>> when_text(OutcomeTold("1-ab", Outcome(7.4), when="2026-01-02T03:04:05+00:00"))
    '2026-01-02 03:04'
    """
    return (getattr(event, "when", None) or "")[:16].replace("T", " ")


def _happened(study: BaseStudy, event: Event) -> str:
    """An event in words; empty where nobody did anything."""
    problem, named = study.problem, _named_as(study, getattr(event, "token", ""))
    match event:
        case Asked():
            own = " with settings of your own" if event.note.get("own") else ""
            asked = in_words(problem, event.values)
            return f"{named} begun{own}" + (f": {asked}" if asked else "")
        case Decided():
            seen, then = in_words(problem, event.context), in_words(problem, event.values)
            return f"{named}: {seen} seen" + (f"; {then}" if then else "")
        case OutcomeTold():
            return f"{named} gave {_outcome_in_words(problem, event.outcome)}"
        case Failed():
            return f"{named} broke{_because(event.reason)}"
        case Abandoned():
            return f"{named} given up{_because(event.reason)}"
        case Amended(outcome=None, failure=None):
            return f"{named} taken out{_because(event.reason)}"
        case Amended():
            now = f": {_outcome_in_words(problem, event.outcome)}" if event.outcome else ""
            paid = {True: ", charged", False: ", not charged", None: ""}[event.charge]
            return f"{named} corrected{now}{paid}{_because(event.reason)}"
        case DataAdded():
            return f"data added: {_outcome_in_words(problem, event.outcome)}"
        case Remarked():
            said = "; ".join(filter(None, [event.text, event.file.name if event.file else ""]))
            return f"remark on {named}: {said}"
        case BoundsExtended():
            wider = (f"{name} {low:g} to {high:g}" for name, (low, high) in event.bounds.items())
            return f"bounds widened: {', '.join(wider)}"
        case LimitsRevised():
            limits = [limit_text(n, x) for n, (_, x) in event.changes.items() if n != "columns"]
            return f"from here on: {'; '.join(limits)}" if limits else ""
    return ""


def _outcome_in_words(problem: Problem, outcome: Outcome) -> str:
    """Everything that an outcome says: a correction may be of a cost or of a measurement alone."""
    measured = in_words(problem, outcome.realised)
    money = "" if outcome.cost is None else f", cost {as_text(outcome.cost)}"
    error = "" if outcome.sem is None else f", sem {as_text(outcome.sem)}"
    return f"{as_text(outcome.value)}{error}{money}" + (f", at {measured}" if measured else "")


def _named_as(study: BaseStudy, token: str) -> str:
    """Name of a token as people say it: the round's number, the data's name, or the study; empty without one."""
    if token == STUDY:
        return "the study"
    if not token or study.history.datum(token) is not None:
        return token
    return f"round {study.history[token].number}"


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def _in_words(study: BaseStudy, row: Sequence[Any]) -> list[Any]:
    """Row of the table of rounds: settings as they were shown, measurements as people read them."""
    number, token = (row[_COLUMNS.index(name)] for name in ("round", "token"))
    shown = {} if number is None else study.history[token].suggestion.shown
    return [
        in_words(study.problem, cell, shown if name == "set" else None)
        if isinstance(cell, dict) and name != "value"
        else cell
        for name, cell in zip(_COLUMNS, row, strict=True)
    ]


def _has(study: BaseStudy, row: Sequence[Any], text: str) -> bool:
    """Whether a cell of a row, as people read it, has a text in small letters."""
    return any(text in str(cell).casefold() for cell in _in_words(study, row))


def _counted_title(title: str, shown: int, there: int) -> str:
    """Title of a table of which the last rows are shown.

    >>> _counted_title("Rounds", 10, 2001), _counted_title("Rounds", 3, 3)
    ('Rounds, the last 10 of 2001', 'Rounds')
    """
    return title if shown == there else f"{title}, the last {shown} of {there}"


def _seen(played: Round) -> dict[str, Any]:
    """Context of a round: the time, and seen or observed values."""
    known = {
        name: value
        for name, value in played.request.items()
        if isinstance(value, int | float | str)
    }
    return {**known, **played.suggestion.context}


def _nature(played: Round) -> dict[str, Any]:
    """Realised values other than settings and context; also a setting that came out otherwise."""
    expected = {**played.suggestion.values, **played.suggestion.context}
    measured = played.realised.items()
    return {
        name: value for name, value in measured if name not in expected or expected[name] != value
    }
