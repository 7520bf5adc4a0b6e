"""A table that people filled in, or that `export` wrote: line by line into the study."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches

from ..errors import InvalidOutcome, OutOfRangeWarning, SteerboError, UnknownSuggestion, one_of
from ..rounds import Added, Outcome, Problem, Scope
from ..words import SHELL
from .columns import columns_of
from .known import KnownData
from .line import Line, Said, read_line
from .sheet import Row, Sheet, read_sheet
from .study import Study
from .together import TOGETHER, New, written
from .told_rounds import tell_round


def read_results(problem: Problem, text: str, headers: Mapping[str, str] | None = None) -> Sheet:
    """A table of outcomes, with its columns found.

    Args:
        problem: whose outcomes.
        text: the table in CSV; see `read_sheet` for what that may be.
        headers: how the table heads columns, by their own names; those names do, too.

    Raises:
        InvalidOutcome: it is no table, has no `value`, or a column twice.
    """
    labels = {name: ((headers or {}).get(name, name), name) for name in columns_of(problem)}
    sheet = read_sheet(text, labels)
    if "value" not in sheet.columns:
        missing = " or ".join(dict.fromkeys(f"{label!r}" for label in labels["value"]))
        close = get_close_matches("value", sheet.ignored, n=1)
        hint = f"Is it {close[0]!r}? Say so in the study file: [study.columns] value = {close[0]!r}." if close else ""
        raise InvalidOutcome("line 1", list(sheet.ignored), f"a column {missing}", hint)
    return sheet


def ignored(problem: Problem, sheet: Sheet) -> list[str]:
    """In words, which columns of a table are not read; what may be mistyped says so."""
    missing = [name for name in columns_of(problem) if name not in sheet.columns]
    said = []
    for header in sheet.ignored:
        close = get_close_matches(header.casefold(), missing, n=1)
        said.append(repr(header) + (f" (did you mean {close[0]!r}?)" if close else ""))
    return said


def import_csv(study: Study, text: str, headers: Mapping[str, str] | None = None, charge: bool = False) -> list[Line]:
    """Take outcomes from a table, line by line; each is taken, left or refused for a reason, and the others go on.

    Columns: `token`, `value`, `cost`, and what was measured, by variable (see `column`); of a mean-field problem
    `distribution`, in JSON. A line with a token tells its round, one without adds data that nobody suggested. `state`
    may say that a round failed (with its `reason`), is abandoned or void; a round without a value is else left as it
    is, or decided where the line has what was to be looked at. What `steerbo export` and `ask --csv` write is read
    back, and a file that is imported again changes nothing; lines that say more than before complete what is there.
    Where a column `scope` names the control set of a line without a token ("ph + temperature"), its cost teaches what
    a play of it costs. `charged` is read of rounds that failed, or are abandoned, at a cost that nobody knows.

    Args:
        study: takes the outcomes.
        text: the table.
        headers: see `read_results`.
        charge: whether the costs of lines without a token are charged to the budget, also of those that are known.

    Raises:
        InvalidOutcome: it is no table, has no `value`, or a column twice.
    """
    return take(study, read_results(study.problem, text, headers), charge)


def as_data(sheet: Sheet) -> Sheet:
    """A table of another study, whose tokens mean nothing here: its outcomes are data that nobody suggested."""
    cells = ({name: cell for name, cell in row.cells.items() if name != "token"} for row in sheet.rows)
    return replace(sheet, rows=tuple(replace(row, cells=rest) for row, rest in zip(sheet.rows, cells, strict=True)))


def take(
    study: Study, sheet: Sheet, charge: bool = False, watch: Callable[[int], object] = lambda lines: None
) -> list[Line]:
    """The same with a table that was read. In the end all that was added is learned from, and that is logged.

    Args:
        study: takes the outcomes.
        sheet: the table.
        charge: see `import_csv`.
        watch: is told how many lines were read, from time to time, and before all is learned from.
    """
    study.refresh()
    known, before = KnownData(study), len(study.history.data)
    lines, new = list[Line](), list[New]()
    for number, row in enumerate(sheet.rows):
        if len(new) >= TOGETHER or (new and row.cells.get("token")):  # what rounds are told stands where it stood
            lines += written(study, new)
            new = []
            watch(number)
        found = _doubted(lambda row=row: _take(study, sheet, row, known, charge))  # type: ignore[misc]
        if isinstance(found, New):
            new.append(found)
        else:
            lines.append(found)
    lines += written(study, new)
    watch(len(sheet.rows))
    if len(study.history.data) > before:
        study.writer.logged(study.optimizer.refit)
    return sorted(lines, key=lambda line: line.number)


def _doubted(take: Callable[[], Line | New]) -> Line | New:
    """What became of a line, with what is hard to believe in it; of what is new nothing has yet."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OutOfRangeWarning)
        line = take()
    for warning in caught:
        if not isinstance(warning.message, OutOfRangeWarning):
            warnings.warn(warning.message, stacklevel=3)
    if isinstance(line, New):
        return line
    doubts = [str(warning.message) for warning in caught if isinstance(warning.message, OutOfRangeWarning)]
    return replace(line, message="; ".join([line.message, *doubts]))


def _take(study: Study, sheet: Sheet, row: Row, known: KnownData, charge: bool) -> Line | New:
    if row.width > sheet.width:
        hint = " Does a decimal comma stand in a table separated by commas?" if not sheet.local else ""
        return Line(row.number, "refused", f"it has {row.width} cells, and the first line {sheet.width}.{hint}")
    try:
        told = read_line(study.problem, sheet, row)
        token = row.cells.get("token", "")
        if token and not known.has(token):
            return tell_round(study, row.number, token, told)
        return _learn(known, row.number, token, told, charge)
    except UnknownSuggestion as error:
        return Line(row.number, "refused", f"{error.worded(SHELL)}. {_ELSEWHERE}")
    except SteerboError as error:
        return Line(row.number, "refused", error.worded(SHELL))


_ELSEWHERE = (
    "If the table is another study's, empty its column token, or use `steerbo import --as-data`: its outcomes are then "
    "added as data."
)
_OUTCOME = ("", "open", "told", "added")
"""States of a line without a token whose value is data."""
_NO_OUTCOME = ("failed", "void", "abandoned")
"""States of a line without a token that has none: a round of elsewhere, which cannot be failed here."""


def _learn(known: KnownData, number: int, name: str, told: Said, charge: bool) -> Line | New:
    """A line of data that nobody suggested: new, or there already, of this name where it has one."""
    study = known.study
    if told.value is None and not told.realised and told.cost is None:
        return Line(number, "left", "it has neither a token nor a value")
    if told.state in _NO_OUTCOME and not name:
        return Line(number, "left", f"its state is {told.state!r}, so there is nothing to learn from it")
    if told.value is None and told.state == "open" and not name:
        return Line(number, "left", "it is a round of another study that has no outcome yet")
    allowed = [*_OUTCOME, "void"] if name else [*_OUTCOME, *_NO_OUTCOME]
    if told.state not in allowed:
        raise InvalidOutcome("state", told.state, one_of(allowed[1:], told.state))
    outcome: Outcome = study.problem.read_added(told.value, told.cost, told.realised)
    scope: Scope | None = study.problem.read_scope(told.scope) if told.scope else None
    study.problem.check_data(outcome, scope)
    if there := known.find(outcome, scope, name):
        if told.state == "void" and there in study.history.data:
            study.amend(there, void=True, reason=told.reason)
            return Line(number, "taken", f"{there} is void now")
        return Line(number, "taken", known.complete(there, outcome, scope, charge))
    if name:
        hint = f"To correct it, use ‹amend›. {_ELSEWHERE}"
        raise InvalidOutcome("value", told.value, f"what {name} is known to be", hint)
    return New(number, Added(outcome, charge and told.cost is not None, scope), known.alike(outcome))
