"""Import of tables of outcomes, written by people, by `export`, or held in a DataFrame: line by line into the study.

A line reports on a round (told, failed, abandoned, void, observed), or is external data. External
data that the study has already is completed, not added twice; new data is written in one commit,
since single ones take much longer.

A line of external data is the measurement that its cell in the column `id` names, where a header of
it is given. Without such a column it is known by its contents and its place: a line that equals
data of another table is there already, unless the import says that its lines are repetitions. The
same table again is there already in any case.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

from ..._parsing import folded, is_number, parse_value, read_choice
from ..._warnings import warn
from ..._wording import MISSING, SHELL, Wording, number_hint, parted
from ...core import (
    SEEN,
    TIME,
    DataAdded,
    MeasuredProblem,
    Outcome,
    Problem,
    Round,
    Scope,
    as_text,
    last_time,
)
from ...core.reports import naming_columns
from ...errors import (
    InvalidOption,
    InvalidOutcome,
    OutOfRangeWarning,
    SteerboError,
    UnknownSuggestion,
    one_of,
)
from ...records import identity, record, to_dict
from ...space import Categorical, Float, Integer
from .._study import Study
from ._whole_table import doubts
from .export import (
    ID,
    OWN_ID,
    OWN_SOURCE,
    SEM,
    SOURCE,
    cells_of,
    column,
    columns_of,
    read_scope,
    units_of,
)
from .spreadsheet import Row, Spreadsheet, read_sheet, without_codes


class _Piece(NamedTuple):
    """Key of external data: its present values, or its first ones where it was amended since."""

    name: str
    cost: float | None
    scope: Scope | None
    complete: bool  # nothing can be missing from it any more
    table: str  # where it was imported from; empty: from none that is known


class ExistingData:
    """The data of a study, each piece to be found once.

    A line is known by its value and measurements, as they stand now or as they first came in;
    by its cost, too, unless that is missing on one side.

    Args:
        study: has the data.
        table: name of the table whose lines are looked for.
        apart: whether lines that equal data from elsewhere are measurements of their own.
    """

    def __init__(self, study: Study, table: str = "", *, apart: bool = False) -> None:
        self.study, self.table, self._apart = study, table, apart
        self._pieces: dict[str, list[_Piece]] = defaultdict(list)
        self._found: set[str] = set()
        self._claimed: dict[str, Outcome] = {}  # new lines, by their identity
        # names by measurements, without the value
        self._measured: dict[str, list[str]] = defaultdict(list)
        added = [event for event in study.events if isinstance(event, DataAdded)]
        self._names = {f"added-{number}": event for number, event in enumerate(added, 1)}
        for name, event in self._names.items():
            now = study.history.data.get(name, event)
            table = (event.id or "").rpartition(_LINE)[0]
            piece = _Piece(name, now.outcome.cost, now.scope, complete=False, table=table)
            self._pieces[_key(now.outcome, event.source)].append(piece)
            self._measured[_settings_key(now.outcome, event.source)].append(name)
            if now.outcome != event.outcome:
                piece = _Piece(name, event.outcome.cost, now.scope, complete=True, table=table)
                self._pieces[_key(event.outcome, event.source)].append(piece)

    def has(self, name: str) -> bool:
        """Whether a piece is, or was, called so."""
        return name in self._names

    def source_of(self, name: str) -> str | None:
        """Source of data."""
        return self._names[name].source

    def find(
        self,
        outcome: Outcome,
        scope: Scope | None,
        name: str = "",
        known_as: str = "",
        source: str | None = None,
    ) -> str:
        """Name of the data that a line repeats, of `name` if that is given; empty where it is new.

        Args:
            outcome: on the line.
            scope: on the line.
            name: of data, on the line.
            known_as: identity on the line: it is new unless data have it, or came from this table
                before it was told.
            source: of the line.
        """
        cost = outcome.cost
        pieces = [
            p
            for p in self._pieces[_key(outcome, source)]
            if p.name not in self._found and name in ("", p.name)
        ]
        pieces = [
            p
            for p in pieces
            if cost is None or p.cost == cost or (p.cost is None and not p.complete)
        ]
        if not name and (known_as or self._apart):
            pieces = [p for p in pieces if self.table and p.table == self.table]
        if not pieces:
            return ""
        best = min(
            pieces,
            key=lambda p: (p.cost != cost, scope is not None and p.scope not in (scope, None)),
        )
        self._found.add(best.name)
        return best.name

    def identified(self, known_as: str, outcome: Outcome, source: str | None = None) -> str:
        """Name of the data with an identity; empty: there is none.

        Raises:
            InvalidOutcome: it was another measurement.
        """
        history = self.study.history
        name = history.identified.get(known_as, "")
        present = history.datum(name)
        stands = [] if present is None else [present.outcome, history.first_data[name].outcome]
        keys = [_key(each, None if present is None else present.source) for each in stands]
        if keys and _key(outcome, source) not in keys:
            hint = "To correct it, use ‹amend›; give another measurement another id."
            raise InvalidOutcome(
                "id", known_as, f"one that no other measurement has: it is {name}'s", hint
            )
        self._found.add(name)
        return name

    def claim(self, known_as: str, outcome: Outcome) -> bool:
        """Note an identity of a new line; returns whether an earlier line of the table is the same.

        Raises:
            InvalidOutcome: an earlier line is another measurement with this identity.
        """
        before = self._claimed.setdefault(known_as, outcome)
        if before != outcome:
            hint = "Choose a column that differs from line to line; a day may have several measurements."
            raise InvalidOutcome("id", known_as, "one that no other line has", hint)
        return before is not outcome

    def of_table(self, name: str) -> bool:
        """Whether data came from the table whose lines are looked for."""
        return bool(self.table) and (self._names[name].id or "").rpartition(_LINE)[0] == self.table

    def line_id(self, number: int, outcome: Outcome, source: str | None = None) -> str:
        """Identity of a line without one of its own: its table, its number and its contents."""
        return f"{self.table}{_LINE}{number} {_hash(outcome, source)}" if self.table else ""

    def same_but_for_cost(self, outcome: Outcome, source: str | None = None) -> str:
        """The name of a piece that is the same but for its cost; empty where there is none."""
        pieces = self._pieces[_key(outcome, source)]
        return next((p.name for p in pieces if p.cost not in (outcome.cost, None)), "")

    def same_but_for_value(self, outcome: Outcome, source: str | None = None) -> str:
        """Name of data with another value where the same was measured, which no line has repeated; empty: none."""
        data = self.study.history.data
        names = (
            name
            for name in self._measured[_settings_key(outcome, source)]
            if name in data and name not in self._found
        )
        return next((name for name in names if data[name].outcome.value != outcome.value), "")

    def complete(self, name: str, outcome: Outcome, scope: Scope | None, charge: bool) -> str:
        """Complete known external data by the further cells of a line; returns the result.

        Raises:
            InvalidOutcome: it says another scope, or another accuracy.
        """
        data = self.study.history.data[name]
        more: dict[str, Any] = {}
        for part in ("cost", SEM):
            if getattr(data.outcome, part) is None and getattr(outcome, part) is not None:
                more[part] = getattr(outcome, part)
        if scope is not None and data.scope is None:
            more["scope"] = scope
        elif scope not in (None, data.scope):
            hint = f"The measurement is there as {name}, a round of {data.scope}. If that is wrong, use ‹amend›."
            raise InvalidOutcome("scope", str(scope), f"{data.scope}, or nothing", hint)
        stated = {None, data.outcome.sem, self.study.history.first_data[name].outcome.sem}
        if SEM not in more and outcome.sem not in stated:
            hint = f"The measurement is there as {name}. If its accuracy is wrong, use ‹amend›."
            raise InvalidOutcome(SEM, outcome.sem, f"{data.outcome.sem:g}, or nothing", hint)
        cost = outcome.cost if data.outcome.cost is None else data.outcome.cost
        if charge and cost is not None and not data.charge:
            more["charge"] = True
        unpaid = _UNPAID if charge and cost is None else ""
        if not more:
            return f"{name} (it was there already{', and is charged' if data.charge else unpaid})"
        self.study.amend(name, **more, reason="imported again")
        said = [f"{part} {more[part]:g}" for part in ("cost", SEM) if part in more]
        said += [f"held {scope}"] * ("scope" in more)
        if "charge" in more:
            said.append(f"charged {cost:g}")
        return f"{name} (it was there already; now also: {', '.join(said)}{unpaid})"


_UNPAID = ", and not charged: it has no cost"


_LINE = ":"  # between the name of a table and the number of a line


def _hash(outcome: Outcome, source: str | None) -> str:
    return identity({"key": _key(outcome, source), "cost": outcome.cost})


def _key(outcome: Outcome, source: str | None) -> str:
    key = [to_dict(outcome.value), to_dict(outcome.realised)]
    return json.dumps(key if source is None else [*key, source], sort_keys=True)


def _settings_key(outcome: Outcome, source: str | None) -> str:
    settings = to_dict(outcome.realised)
    return json.dumps(settings if source is None else [settings, source], sort_keys=True)


@record
class Line:
    """Result of a line of a file: `taken`, `left` (it has no outcome yet) or `refused`, with the reason.

    Args:
        number: of the line in the file.
        fate: whether it was taken, left or refused.
        message: for people.
        known: whether the study had it already.
        equal: whether it was known only by being equal to data from elsewhere: it may be a
            repetition.
    """

    number: int
    fate: Literal["taken", "left", "refused"]
    message: str
    known: bool = False
    equal: bool = False

    @property
    def taken(self) -> bool:
        """Whether all that it says is in the study."""
        return self.fate == "taken"

    def __str__(self) -> str:
        return f"line {self.number}: {self.fate}, {self.message}"


@record
class Said:
    """Parsed content of a line."""

    state: str
    reason: str
    value: Any
    cost: Any
    charged: Any
    scope: list[str] | dict[str, Any]
    realised: dict[str, Any]
    id: str = ""
    sem: Any = None
    source: str | None = None


def _missing_hint(name: str, text: str, words: Wording) -> str:
    """Say how a text is declared to stand for what was not measured."""
    if words is not SHELL:
        return f"If it stands for a missing value, say {name}={text} ‹missing›."
    as_toml = json.dumps(text, ensure_ascii=False)
    key = name if re.fullmatch("[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
    code = (
        f"--missing {shlex.quote(f'{name}={text}')}, or {key} = [{as_toml}] under [study.missing]"
    )
    return f"If it stands for a missing value, say so: {code}."


_BROKE = "If the evaluation broke, leave the cell empty, and write failed in a column state."
_STATES = "Write failed where the evaluation broke; nothing is needed where there is a value."


def read_line(problem: Problem, sheet: Spreadsheet, row: Row, words: Wording = SHELL) -> Said:
    """Parse a line.

    Raises:
        InvalidOutcome: a cell that is neither empty nor a value of its column.
    """

    def number(name: str) -> Any:
        return parse_value(sheet.number(name, row.cells[name])) if name in row.cells else None

    def agents(label: str) -> Any:
        """Number of agents, or their share: 25 % is 0.25."""
        cell = row.cells[label]
        percent = parse_value(sheet.number(label, cell.removesuffix("%")))
        return percent / 100.0 if cell.endswith("%") and is_number(percent) else number(label)

    realised, variables = {}, {variable.name: variable for variable in problem.space}
    measured = problem.measured if isinstance(problem, MeasuredProblem) else ()
    for name in problem.columns:
        if (label := column(name)) in row.cells:
            variable = variables.get(name)
            choice = (
                read_choice(variable.choices, row.cells[label])
                if isinstance(variable, Categorical)
                else None
            )
            if not isinstance(variable, Categorical) or choice not in variable.choices:
                choice = problem.read_cell(name, sheet.number(label, row.cells[label]))
                text = isinstance(choice, str) and not number_hint(choice)
                if text and (isinstance(variable, Float | Integer) or name in measured):
                    unit = variable.unit if isinstance(variable, Float | Integer) else ""
                    allowed = "a finite number" + (f" in {unit}" if unit else "")
                    raise InvalidOutcome(name, choice, allowed, _missing_hint(name, choice, words))
            realised[name] = choice
    if problem.cells:
        labels = cells_of(problem)
        cells = {name: agents(label) for label, name in labels.items() if label in row.cells}
        # of agents, and no share of 1 among others
        if sheet.whole.issuperset(labels.keys() & set(sheet.columns)):
            cells = {name: int(x) for name, x in cells.items()}
        realised = problem.with_cells(realised, cells)
    if isinstance(value := number("value"), str):
        hint = f"{_missing_hint('value', value, words)} {_BROKE}"
        raise InvalidOutcome("value", value, "a finite number", "" if number_hint(value) else hint)
    state = row.cells.get("state", "").casefold()
    scope = _with_own_names(problem, read_scope(row.cells["scope"])) if "scope" in row.cells else []
    reason = row.cells.get("reason", "")
    return Said(
        state=state,
        reason=reason,
        value=value,
        cost=number("cost"),
        charged=number("charged"),
        scope=scope,
        realised=realised,
        id=row.cells.get(OWN_ID, ""),
        sem=number(SEM),
        source=row.cells.get(OWN_SOURCE) or None,
    )


_COMMAS = re.compile(r",(?![^()]*\))")  # but not those within parentheses
# a name in a scope such as "dose (age, pulse)"
_LABEL = re.compile(r"[^,()\s](?:[^,()]*[^,()\s])?")


def _with_own_names(
    problem: Problem, scope: list[str] | dict[str, Any]
) -> list[str] | dict[str, Any]:
    """Write the names of a scope as the problem does: people write pH for ph there, as at the head of a column.

    Raises:
        InvalidOutcome: commas between names, where the problem has no such name.

    >>> from steerbo import CostVarying, Float
    >>> _with_own_names(CostVarying([Float("ph", 4, 8)], [["ph"]]), ["pH"])
    ['ph']
    """
    if isinstance(scope, dict):
        return scope
    names = problem.space.names
    alike = Counter(map(folded, names))
    own = {folded(name): name for name in names if alike[folded(name)] == 1}

    def named(found: re.Match[str]) -> str:
        return found[0] if found[0] in names else own.get(folded(found[0]), found[0])

    for part in scope:
        apart = [name.strip() for name in _COMMAS.split(part) if name.strip()]
        if (
            part not in names
            and len(apart) > 1
            and all(folded(each.partition(" (")[0]) in own for each in apart)
        ):
            raise InvalidOutcome(
                "scope", part, "names with + between them", f"Write {' + '.join(apart)}."
            )
    found = [part if part in names else _LABEL.sub(named, part) for part in scope]
    labels = {
        label for part in found for label in ([part] if part in names else _LABEL.findall(part))
    }
    return found if labels <= set(names) else scope  # a message then quotes the cell


TOGETHER = 250
"""Pieces in one commit: an interrupted import has to take so many again."""


@dataclass(frozen=True)
class NewRow:
    """Line of new external data, ready to be logged.

    Args:
        number: the line's.
        event: the data.
        twin: the name of data that is the same at another cost; empty where there is none.
        unpaid: whether its cost was to be charged, and is not given.
    """

    number: int
    event: DataAdded
    twin: str
    unpaid: bool


def written(
    study: Study, new: Sequence[NewRow], doubted: dict[int, list[OutOfRangeWarning]]
) -> list[Line]:
    """Log external data, all or none; returns the result of each line, and adds its warnings by its number.

    Raises:
        LogUnavailable: the log stays away. It may have been written: the same table again finds
            out.
    """
    if not new:
        return []
    writer = study.session
    if writer.outbox.unsettled:  # data that are alike are told apart by their order
        writer.settle()
    record = study.optimizer.recorder

    def work() -> list[str]:
        events = [record.signed(each.event) for each in new]
        writer.log.extend(events)
        names = []
        for each, event in zip(new, events, strict=True):
            names.append(study.history.next_data)
            _, implausible = record.apply(event)
            doubted[each.number] += [found.warning for found in implausible]
        return names

    with writer._lock:
        added = writer.logged(work)
    lines = []
    for each, name in zip(new, added, strict=True):
        said = f"added as {name}" + ", and charged" * each.event.charge + _UNPAID * each.unpaid
        twin = [
            f"{each.twin} is the same at another cost: void one if it was one measurement"
        ] * bool(each.twin)
        lines.append(Line(each.number, "taken", _joined([said, *twin])))
    return lines


def tell_row(study: Study, number: int, token: str, told: Said) -> Line:
    """Report a line on a round; it may repeat the log's entry."""
    before = study.history[token]
    if told.state not in ("", *_OF_A_ROUND):
        raise InvalidOutcome("state", told.state, one_of(_OF_A_ROUND, told.state), _STATES)
    # of a round, such as its time; a context is among the realised values
    said = before.request.keys() - {SEEN.name}
    logged = {name for name in said if name not in study.problem.space}
    realised = {name: value for name, value in told.realised.items() if name not in logged}
    if before.suggestion.observe and told.value is None and told.state in ("", "open"):
        return _look(study, number, before, realised)
    same = told.value == _value(before) and told.cost in (None, before.paid)
    if (
        same
        and told.state == before.state in ("abandoned", "void")
        and told.charged in (None, before.charged)
    ):
        return Line(
            number,
            "taken",
            f"round {before.number} ({before.state}: it was there already)",
            known=True,
        )
    if told.value is not None:
        _tell_value(study, before, told, realised)
    elif told.state in ("failed", "void"):
        charge = told.charged if told.cost is None else None
        study.fail(token, told.reason, cost=told.cost, charge=charge, realised=realised)
    elif told.state == "abandoned":
        study.abandon(
            token, told.reason, charge=told.cost if told.charged is None else told.charged
        )
    else:
        hint = "" if before.waiting else f", and the round is {before.state}"
        return Line(number, "left", f"round {before.number} has no value here{hint}")
    if told.state == "void":
        study.amend(token, void=True, reason=told.reason)
    known = before.state == study.history[token].state
    there = (
        "it was there already"
        if known and before.state == "told"
        else f"{before.state}: it was there already"
    )
    return Line(
        number, "taken", f"round {before.number}" + (f" ({there})" if known else ""), known=known
    )


def _tell_value(study: Study, before: Round, told: Said, realised: dict[str, Any]) -> None:
    if told.state == "failed":
        raise InvalidOutcome(
            "value", told.value, "no value where the state is 'failed'", "Correct one of them."
        )
    if before.waiting and told.charged not in (None, told.cost):
        raise InvalidOutcome(
            "charged", told.charged, "the cost, or nothing: what an outcome cost is charged"
        )
    if before.waiting and before.suggestion.observe:
        _look_at_all(study, before, told, realised)
    study.tell(
        before.suggestion.token,
        told.value,
        cost=told.cost,
        realised=realised,
        sem=_sem_of(told, before),
    )


def _sem_of(told: Said, before: Round) -> Any:
    """Standard error on a line; where it has none, that of the round: a table without the column says the same."""
    return before.outcome.sem if told.sem is None and before.outcome else told.sem


def _look_at_all(study: Study, before: Round, told: Said, realised: dict[str, Any]) -> None:
    """Enter the observations of a round whose outcome is on the same line.

    Raises:
        InvalidOutcome: the line leaves out values seen or set, or its outcome is not allowed;
            nothing is entered.
    """
    asked = before.suggestion
    looks = (name for seen in asked.scope.look.values() for name in seen)
    known = {**asked.context, **asked.values, **realised}
    if missing := [name for name in dict.fromkeys((*looks, *asked.scope.set)) if name not in known]:
        hint = "Write down what was really seen and set; or leave the value out: the import then says what to set."
        raise InvalidOutcome(
            "value", told.value, f"nothing before these are filled in: {', '.join(missing)}", hint
        )
    study.problem.read_outcome(asked, told.value, told.cost, realised)
    while asked.observe:
        asked = study.decide(asked.token, {name: realised[name] for name in asked.observe})


def _look(study: Study, number: int, before: Round, realised: dict[str, Any]) -> Line:
    """A line about a round in which something is looked at before the rest is set."""
    observe = before.suggestion.observe
    if missing := [name for name in observe if name not in realised]:
        hint = f"it is not decided: fill in {', '.join(missing)}, and import it again"
        return Line(number, "left", f"round {before.number} has no value here; {hint}")
    decided = study.decide(before.suggestion.token, {name: realised[name] for name in observe})
    new = {
        name: value
        for name, value in decided.values.items()
        if name not in before.suggestion.values
    }
    then = f", then look at {', '.join(decided.observe)}" if decided.observe else ""
    return Line(number, "taken", f"round {before.number} is decided: set {as_text(new)}{then}")


def _value(played: Round) -> Any:
    return played.outcome.value if played.outcome else None


_HEAD = 30  # lines in which the names of columns are looked for
Codes = Mapping[str, Sequence[Any]]
"""Numbers and texts that stand for a missing value, by the column's own name."""
Labels = Mapping[str, tuple[str, ...]]
"""How each column may be headed, by its own name, the likeliest header first."""


_HEADS_OUTCOMES = re.compile(
    r"yield|outcome|objective|result|target|score|response|ertrag|ausbeute|ergebnis|rendement|résultat",
    re.IGNORECASE,
)
"""Headers of outcomes, to name one of several that are not read."""
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1b]")  # as old workbooks, Parquet and archives have them
_OTHER_FORMS = {"{": "JSON", "[{": "JSON", "<": "HTML or XML", "@": "ARFF"}


def _no_table(text: str, labels: Labels) -> str:
    """Hint where the first line is no head of a table; empty where it is one."""
    if not text.strip("\ufeff \r\n\t,;|"):
        return "The table is empty."
    if _NO_TEXT.search(text[:1000]):
        return "It is no text: save it as CSV or as a workbook (.xlsx) where it was made."
    lines = text.lstrip("\ufeff \n").splitlines()
    for begin, form in _OTHER_FORMS.items():
        if lines and lines[0].startswith(begin):
            return f"It looks like {form}: write it as CSV."
    values = {folded(label) for label in labels.get("value", ())}
    names = {folded(label) for each in labels.values() for label in each} - values
    for number, line in enumerate(text.splitlines()[1:_HEAD], 2):
        heads = {folded(cell.strip(" \"'")) for cell in re.split(r"[,;\t|]", line)}
        if heads & values and heads & names:
            return f"The columns are named in line {number}: leave out the lines before it."
    if lines and not re.search(r"[,;\t|]", lines[0]) and len(lines[0].split()) > 1:
        return "Its columns are separated by blanks: commas, semicolons, tabs and | are read."
    return ""


def read_codes(
    problem: Problem, given: Iterable[str], headers: Mapping[str, str], known: Codes
) -> dict[str, list[Any]]:
    """Codes for missing values in tables of outcomes: those that are known, and those of `COLUMN=CODE`.

    Args:
        problem: whose outcomes.
        given: texts `COLUMN=CODE`, with a column's own name or its header.
        headers: of the tables, by the columns' own names.
        known: of the study file.

    Raises:
        InvalidOption: no such column, or no code.
    """
    found: dict[str, list[Any]] = defaultdict(list, {name: [*each] for name, each in known.items()})
    own = [*columns_of(problem), *cells_of(problem)]
    by_header = {header: name for name, header in headers.items()}
    for text in given:
        header, _, code = text.rpartition("=")
        name = header if header in own else by_header.get(header, header)
        if name not in own:
            raise InvalidOption("missing", text, f"COLUMN=CODE, with {one_of(own, name)}")
        found[name].append(parse_value(code))
    return found


def columns_wanted(problem: Problem) -> tuple[str, ...]:
    """Own names of all columns that a table of outcomes may have."""
    return (*columns_of(problem), SEM, OWN_SOURCE, OWN_ID, *cells_of(problem))


def find_columns(
    problem: Problem,
    text: str,
    headers: Mapping[str, str] | None = None,
    only: Mapping[str, str] | None = None,
) -> tuple[Spreadsheet, Labels]:
    """Read a table, and find its columns of outcomes; returns how each might be headed, too.

    Args:
        problem: whose outcomes.
        text: the table in CSV; see `read_sheet` for its forms.
        headers: how the lab heads columns, by their own names; those names do, too.
        only: how this table heads those that are read, if no others are.

    Raises:
        InvalidOutcome: it is no table, or has a column twice.
    """
    headers, named = dict(headers or {}), columns_wanted(problem)
    # only where they are named: many tables have an id of something else
    for name, own in ((SOURCE, OWN_SOURCE), (ID, OWN_ID)):
        if name in headers and name not in named:
            headers = {own: headers[name], **headers}
    units = units_of(problem, headers)
    labels: dict[str, tuple[str, ...]] = {name: (headers.get(name, name), name) for name in named}
    plain = {name: parted(head)[0] for name, (head, *_) in labels.items()}
    meant = Counter(map(folded, plain.values()))
    meant.update({folded(label) for each in labels.values() for label in each})
    for name, head in plain.items():
        if meant[folded(head)] == 1:  # a table may head it without its unit
            labels[name] += (head,)
    for each in problem.space:
        if (unit := each.unit) and each.name in named:
            labels[each.name] += tuple(
                form
                for head in dict.fromkeys(labels[each.name])
                for form in (f"{head} [{unit}]", f"{head} ({unit})", f"{head} / {unit}")
            )
    if only is not None:
        units = {**units_of(problem, only), **units}
        labels = {name: (only[name],) for name in named if name in only}
    return read_sheet(text, labels, units=units), labels


def read_results(
    problem: Problem,
    text: str,
    headers: Mapping[str, str] | None = None,
    missing: Codes | None = None,
    only: Mapping[str, str] | None = None,
) -> Spreadsheet:
    """A table of outcomes, with its columns found.

    Args:
        problem: whose outcomes.
        text: the table in CSV; see `read_sheet` for its forms.
        headers: how the table heads columns, by their own names; those names do, too.
        missing: codes for missing values; cells that hold one are empty.
        only: see `find_columns`.

    Raises:
        InvalidOutcome: it is no table, has no `value`, or a column twice.
    """
    sheet, labels = find_columns(problem, text, headers, only)
    if cells := cells_of(problem):
        _check_cells(sheet, list(cells), {name: labels.get(name, (name,))[0] for name in cells})
    if "value" not in sheet.columns:
        wanted = " or ".join(
            dict.fromkeys(f"{label!r}" for label in labels.get("value", ("value",)))
        )
        hint = _no_table(text, labels) or _value_hint(problem, sheet, labels)
        raise InvalidOutcome("line 1", MISSING, f"a column {wanted}", hint)
    return without_codes(sheet, missing) if missing else sheet


def _value_hint(problem: Problem, sheet: Spreadsheet, labels: Labels) -> str:
    """Hint how to name the column of outcomes, with the likeliest one."""
    # of a causal problem, the value's own name
    target = getattr(getattr(problem, "graph", None), "target", None)
    named_so = {folded(label) for label in labels.get("value", ())} | {folded(target or "value")}
    close = [header for header in sheet.ignored if folded(_without_unit(header)) in named_so]
    close = close or get_close_matches("value", sheet.ignored, n=1)
    there = ", ".join(map(repr, sheet.headers))
    outcomes = [header for header in sheet.ignored if _HEADS_OUTCOMES.search(header)]
    # results mostly stand at the end
    likely = [*close, *outcomes, *reversed(sheet.ignored), "Yield"][0]
    as_toml = json.dumps(likely, ensure_ascii=False)
    question = f"Is it {close[0]!r}? Say" if close else "Say"
    return f"The columns are {there}. {question} ‹heading› value ‹is› {as_toml}."


def is_readable(
    problem: Problem,
    text: str,
    headers: Mapping[str, str],
    only: Mapping[str, str] | None = None,
) -> bool:
    """Whether `read_results` reads a table, which may be one of several in a workbook."""
    try:
        read_results(problem, text, headers, only=only)
    except InvalidOutcome:
        return False
    return True


def _check_cells(sheet: Spreadsheet, cells: Sequence[str], headers: Mapping[str, str]) -> None:
    """Refuse a table with columns for some cells and not for others: a missing number is not 0.

    Raises:
        InvalidOutcome: naming the first that is missing.
    """
    there = set(sheet.columns)
    missing = [name for name in cells if name not in there]
    otherwise = there & {"token", "distribution", "counts"}
    if missing and (len(missing) < len(cells) or not otherwise):
        header = headers[missing[0]]
        close = get_close_matches(header.casefold(), sheet.ignored, n=1) or get_close_matches(
            header, sheet.ignored, n=1
        )
        hint = (
            f"Is it {close[0]!r}? Rename it, or say so ‹heading› {missing[0]!r} ‹is› {close[0]!r}."
            if close
            else "Write 0 where no agent was."
        )
        more = f" (and of {len(missing) - 1} others)" if len(missing) > 1 else ""
        allowed = f"a column {header!r}{more}, with the number of agents there, or their share"
        raise InvalidOutcome("line 1", [*sheet.columns, *sheet.ignored], allowed, hint)


def _without_unit(header: str) -> str:
    return re.split(r"[\[(/]", header)[0]


def ignored(
    problem: Problem, sheet: Spreadsheet, headers: Mapping[str, str] | None = None
) -> list[str]:
    """Headers of the columns that are not read, with guesses at variables, and at costs, that are missing.

    Args:
        problem: whose outcomes.
        sheet: the table, as read.
        headers: how the table heads columns, by their own names.
    """
    missing = [
        name for name in ("cost", *map(column, problem.columns)) if name not in sheet.columns
    ]
    meant = {folded((headers or {}).get(name, name)): name for name in missing}
    said = []
    for header in sheet.ignored:
        close = get_close_matches(folded(_without_unit(header)), meant, n=1)
        close += [label for label in meant if label in re.split(r"\W+", folded(header))]
        said.append(repr(header) + (f" (did you mean {meant[close[0]]!r}?)" if close else ""))
    return said


def import_csv(
    study: Study, text: str, headers: Mapping[str, str] | None = None, charge: bool = False
) -> list[Line]:
    """Take outcomes from a table, line by line; each is taken, left or refused for a reason, and the others go on.

    Columns: `token`, `value`, `cost`, and measurements, by variable (see `column`); of a
    mean-field problem `distribution`, in JSON, or one for each action with its agents, or their
    shares (see `cells_of`), which take precedence. A line with a token tells its round, one without
    adds external data. `state` may say that a round failed (with its `reason`), is abandoned or
    void; a round without a value is else left as it is, or decided where the line has the values
    to be looked at. Tables of `steerbo export` and `ask --csv` are read back, and a file that is
    imported again changes nothing; lines that say more than before complete the earlier ones. `sem`
    is the standard error of the value, where that is known. Where a column `scope` names the
    control set of a line without a token ("ph + temperature"), its cost teaches the price of its
    plays. `charged` is read of rounds that failed, or are abandoned, at an unknown cost.

    Args:
        study: takes the outcomes.
        text: the table.
        headers: see `read_results`.
        charge: whether the costs of lines without a token are charged to the budget, also of those
            that are known.

    Raises:
        InvalidOutcome: it is no table, has no `value`, or a column twice.
    """
    return take(study, read_results(study.problem, text, headers), charge)


def as_data(sheet: Spreadsheet) -> Spreadsheet:
    """Read a table of another study, whose tokens are unknown here, as external data."""
    cells = (
        {name: cell for name, cell in row.cells.items() if name != "token"} for row in sheet.rows
    )
    return replace(
        sheet,
        rows=tuple(replace(row, cells=rest) for row, rest in zip(sheet.rows, cells, strict=True)),
    )


def as_source(sheet: Spreadsheet, source: str) -> Spreadsheet:
    """Read a table of another place or time: its lines are of a source, but those that say another one."""
    rows = (replace(row, cells={OWN_SOURCE: source, **row.cells}) for row in sheet.rows)
    return replace(sheet, rows=tuple(rows))


def take(
    study: Study,
    sheet: Spreadsheet,
    charge: bool = False,
    watch: Callable[[int], object] = lambda lines: None,
    *,
    table: str = "",
    repetitions: bool = False,
    words: Wording = SHELL,
) -> list[Line]:
    """Import a table that was read. At the end hyperparameters are learned from all added data, and logged.

    Args:
        study: takes the outcomes.
        sheet: the table.
        charge: see `import_csv`.
        table: its name: with `repetitions`, lines of this table that are there already are not
            added again.
        repetitions: whether lines that equal data of other tables are measurements of their own.
        watch: is told how many lines were read, from time to time, and before all is learned from.
        words: in which the reader of the lines acts.
    """
    study.refresh()
    known = ExistingData(study, table, apart=repetitions)
    lines, new, added = list[Line](), list[NewRow](), dict[int, DataAdded]()
    doubted = defaultdict[int, list[OutOfRangeWarning]](list)
    for number, row in enumerate(sheet.rows):
        # earlier lines are written first, so that outcomes of rounds keep the table's order
        if len(new) >= TOGETHER or (new and row.cells.get("token")):
            lines += written(study, new, doubted)
            new = []
            watch(number)
        with _caught() as warned:
            found = _take(study, sheet, row, known, charge, words)
        if isinstance(found, NewRow):
            new.append(found)
            added[found.number] = found.event
        else:
            lines.append(found)
            doubted[found.number] += warned
    lines += written(study, new, doubted)
    watch(len(sheet.rows))
    if added:
        study.session.logged(study.optimizer.refit)
    for doubt in doubts(study.problem, [(k, each.outcome) for k, each in added.items()]):
        warn(doubt.warning)
    timed = study.problem.timed and any(column(TIME.name) in row.cells for row in sheet.rows)
    more = _said_together(doubted)
    for number, event in added.items():
        outcome = event.outcome
        more[number] += [
            *_without_time(outcome, timed, study),
            *_twin(known.same_but_for_value(outcome, event.source)),
            *(_open_round(study, outcome) if event.source is None else ()),
        ]
    lines = [replace(line, message=_joined([line.message, *more[line.number]])) for line in lines]
    return sorted(lines, key=lambda line: line.number)


_EACH, _NAMED = 3, 20
"""Lines with doubts of one kind about one column that are said one by one, and those that are named where there are
more."""


def _said_together(doubted: Mapping[int, Sequence[OutOfRangeWarning]]) -> dict[int, list[str]]:
    """Sentences by number of the line; many that are alike are one, at the first, which says where the others are."""
    where = defaultdict[tuple[str, str], list[int]](list)
    for number in sorted(doubted):
        for warned in doubted[number]:
            where[warned.alike].append(number)
    said = defaultdict[int, list[str]](list)
    for number in sorted(doubted):
        for warned in doubted[number]:
            first, *others = where[warned.alike]
            if len(others) < _EACH:
                said[number].append(str(warned))
            elif number == first:
                named = ", ".join(map(str, others[:_NAMED])) + ", …" * (len(others) > _NAMED)
                said[number].append(
                    f"{warned} The same holds for {len(others)} more lines: {named}."
                )
    return said


def _without_time(outcome: Outcome, timed: bool, study: Study) -> Iterator[str]:
    """Sentence on a line without the time that other lines have."""
    if timed and TIME.name not in outcome.realised:
        known = study.history.clock is not None
        when = (
            f"now, at {last_time(study.history):.15g}"
            if known
            else f"at the {TIME.name} of the first round"
        )
        yield f"its {TIME.name} is empty: it counts as measured {when}; if not, amend it with its time"


def _twin(name: str) -> Iterator[str]:
    """Sentence on data that a line may be a correction of: somebody may as well have measured twice."""
    if name:
        yield f"the same settings as {name} with another value: void one if it was one measurement"


_ALIKE = 0.002  # share of a range within which people round their settings


def _open_round(study: Study, outcome: Outcome) -> Iterator[str]:
    """Sentence on data that look like the outcome of an open round: as data they are not charged, and it stays open."""
    space = study.problem.space
    for asked in study.pending:
        names = [name for name in asked.values if name in space]
        same = all(
            name in outcome.realised
            and space[name].apart(asked.values[name], outcome.realised[name]) <= _ALIKE
            and (space[name].kind == "float" or asked.values[name] == outcome.realised[name])
            for name in names
        )
        # few choices are alike by chance
        if same and any(space[name].kind == "float" for name in names):
            yield (
                f"its settings are those of round {asked.round}, which has no outcome yet: if it is that round, void "
                f"these data, and import the line with {asked.token} in a column token"
            )
            return


@contextmanager
def _caught() -> Iterator[list[OutOfRangeWarning]]:
    """Context whose warnings of unlikely values are in the list afterwards; others are passed on."""
    found = list[OutOfRangeWarning]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OutOfRangeWarning)
        yield found
    for warning in caught:
        if isinstance(warning.message, OutOfRangeWarning):
            found.append(warning.message)
        else:
            warnings.warn(warning.message, stacklevel=4)


def _joined(parts: Sequence[str]) -> str:
    """One message of parts, some of which are whole sentences.

    >>> _joined(["added as added-4", "added-4: ph = 65 is far outside. If it is wrong, amend added-4.", "empty"])
    'added as added-4; added-4: ph = 65 is far outside. If it is wrong, amend added-4. empty'
    """
    return "".join(part + (" " if part.endswith(".") else "; ") for part in parts[:-1]) + parts[-1]


def _take(  # noqa: PLR0917
    study: Study,
    sheet: Spreadsheet,
    row: Row,
    known: ExistingData,
    charge: bool,
    words: Wording,
) -> Line | NewRow:
    if row.width > sheet.width:
        hint = (
            " Does a decimal comma stand in a table separated by commas?" if not sheet.local else ""
        )
        return Line(
            row.number,
            "refused",
            f"it has {row.width} cells, and the first line {sheet.width}.{hint}",
        )
    try:
        told = read_line(study.problem, sheet, row, words)
        if "value" in row.missing and told.state in _OUTCOME:
            return Line(
                row.number, "left", f"its value is {row.missing['value']}, a code for a missing one"
            )
        token = row.cells.get("token", "")
        if token and not known.has(token):
            if told.source is not None:
                hint = "Rounds are of here."
                raise InvalidOutcome("source", told.source, "nothing", f"{hint} {_ELSEWHERE}")
            return tell_row(study, row.number, token, told)
        with naming_columns(study.history.columns):
            return _learn(known, row.number, token, told, charge, words)
    except UnknownSuggestion as error:
        return Line(row.number, "refused", f"{error.worded(words)}. {words.text(_ELSEWHERE)}")
    except SteerboError as error:
        return Line(row.number, "refused", error.worded(words))


_ELSEWHERE = (
    "If the table is another study's, empty its column token, or use ‹as data›: its outcomes are then "
    "added as data."
)
_OF_A_ROUND = ("open", "told", "failed", "void", "abandoned")
"""States of a line about a round of the study."""
_OUTCOME = ("", "open", "told", "added")
"""States of a line without a token whose value is data."""
_NO_OUTCOME = ("failed", "void", "abandoned")
"""States of a line without a token that has none: a round of elsewhere, which cannot be failed here."""


def _learn(  # noqa: PLR0917
    known: ExistingData, number: int, name: str, told: Said, charge: bool, words: Wording
) -> Line | NewRow:
    """Take in a line of external data: new, or a repetition of data by name or by values."""
    study = known.study
    if told.value is None and not told.realised and told.cost is None:
        return Line(number, "left", "it has neither a token nor a value")
    if told.state in _NO_OUTCOME and not name:
        return Line(
            number, "left", f"its state is {told.state!r}, so there is nothing to learn from it"
        )
    if told.value is None and told.state == "open" and not name:
        return Line(number, "left", "it is a round of another study that has no outcome yet")
    allowed = [*_OUTCOME, "void"] if name else [*_OUTCOME, *_NO_OUTCOME]
    if told.state not in allowed:
        raise InvalidOutcome("state", told.state, one_of(allowed[1:], told.state), _STATES)
    outcome = study.optimizer.read_data(told.value, told.cost, told.realised, told.sem)
    scope: Scope | None = study.problem.read_scope(told.scope) if told.scope else None
    study.problem.check_data(outcome, scope)
    source = study.optimizer.read_source(told.source)
    if name and source is None:
        source = known.source_of(name)
    there = known.identified(told.id, outcome, source) if told.id and not name else ""
    if there := there or known.find(outcome, scope, name, told.id, source):
        if there in study.history.coded and told.state != "void":
            return Line(
                number, "taken", f"{there} (it was there already, and is left out)", known=True
            )
        if there in study.history.removed:
            if told.state == "void":
                return Line(number, "taken", f"{there} (void: it was there already)", known=True)
            amend = words.text("‹amend›").replace("TOKEN", there)
            said = f"{there} is void here; {amend} brings it back"
            return Line(number, "left", said)
        if told.state == "void":
            study.amend(there, void=True, reason=told.reason)
            return Line(number, "taken", f"{there} is void now")
        equal = not name and not told.id and not known.of_table(there)
        return Line(
            number, "taken", known.complete(there, outcome, scope, charge), known=True, equal=equal
        )
    if name:
        hint = f"To correct it, use ‹amend›. {_ELSEWHERE}"
        raise InvalidOutcome("value", told.value, f"what {name} is known to be", hint)
    if told.id and known.claim(told.id, outcome):
        return Line(
            number, "taken", f"an earlier line is the same measurement, {told.id}", known=True
        )
    charged = charge and told.cost is not None
    own = told.id or known.line_id(number, outcome, source)
    event = DataAdded(outcome, charged, scope, id=own or None, source=source)
    twin = known.same_but_for_cost(outcome, source)
    return NewRow(number, event, twin, charge and told.cost is None)


def _csv_of(frame: Any) -> str:
    """Text of a DataFrame of pandas or polars, with tables and lists in its cells as JSON.

    Raises:
        InvalidOutcome: it is none.
    """
    if callable(getattr(frame, "to_dicts", None)):  # of polars
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(frame.columns)
        writer.writerows(
            [_tables_as_json(cell) for cell in row.values()] for row in frame.to_dicts()
        )
        return text.getvalue()
    if not callable(getattr(frame, "to_csv", None)):
        raise InvalidOutcome("frame", type(frame).__name__, "a DataFrame of pandas or polars")
    # of pandas before 2.1
    by_cell = getattr(frame, "map", None) or getattr(frame, "applymap", None)
    plain = frame if by_cell is None else by_cell(_tables_as_json)
    return str(plain.to_csv(index=False))


def _tables_as_json(cell: Any) -> Any:
    return json.dumps(cell) if isinstance(cell, dict | list) else cell


def add_frame(
    study: Study,
    frame: Any,
    headers: Mapping[str, str] | None = None,
    charge: bool = False,
    *,
    repetitions: bool = False,
    missing: Codes | None = None,
    source: str | None = None,
) -> list[Line]:
    """Take outcomes from a DataFrame, line by line; each is taken, left or refused for a reason, and the others go on.

    It is read as `steerbo import` reads a table: columns `value`, `sem` (its standard error),
    `cost`, `token`, `state`, and measurements, by variable; further ones are ignored. A line
    without a token is external data. A line that is there already is not counted twice: one with
    the same text in the column that `headers` names as `id`, or else one that is equal. The frame's
    index is not read.

    Args:
        study: takes the outcomes.
        frame: of pandas or polars, or anything with `to_csv` or `to_dicts` as theirs.
        headers: how the frame heads columns, by their own names, such as
            ``{"value": "Yield (kg)"}``.
        charge: whether the costs of lines without a token are charged to the budget.
        repetitions: whether lines that equal data of the study are measurements of their own; each
            call adds them.
        missing: codes for missing values, by column, such as ``{"value": [-200]}``.
        source: name of the place or time that the lines are of, where that is not here and now; a
            column that `headers` names as `source` says it line by line.

    Returns:
        The fate of each line; its `number` counts the header as line 1, as in a spreadsheet.

    Raises:
        InvalidOutcome: it is no frame, has no `value`, or a column twice.
    """
    sheet = read_results(study.problem, _csv_of(frame), headers, missing)
    sheet = replace(sheet, mark="dot", local=False)
    sheet = sheet if source is None else as_source(sheet, source)
    # numbers are numbers, and not how people write
    return take(study, sheet, charge, repetitions=repetitions)
