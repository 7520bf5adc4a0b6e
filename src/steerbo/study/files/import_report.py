"""Import of a whole table, with a report in sentences: what was taken, left and refused, and what looks unlikely."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..._wording import SHELL, Wording, counted
from ...core import History
from ...records import record, to_dict
from ...storage.memory import Memory, MemoryLog
from .._study import Study
from .import_csv import Line, ignored, take
from .spreadsheet import Spreadsheet

_DATA = re.compile(r"(?P<before>added as |)(?P<name>added-\d+)(?P<behind> \([^()]*\)|)")
_ONE_BY_ONE = 20  # data in a row that are said line by line: a screen has room for them


@record
class ImportReport:
    """Report on a table: the fate of each of its lines, and notes on the whole.

    Args:
        lines: the fate of each line.
        unread: headers of columns that are not read, with guesses at what they are.
        notes: sentences on the table as a whole, on money, and on what was set.
    """

    lines: tuple[Line, ...]
    unread: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def new(self) -> int:
        """Number of lines that say something new."""
        return sum(line.taken and not line.known for line in self.lines)

    @property
    def known(self) -> int:
        """Number of lines that the study had already."""
        return sum(line.known for line in self.lines)

    def fated(self, fate: str) -> tuple[Line, ...]:
        """Lines that were taken, left or refused."""
        return tuple(line for line in self.lines if line.fate == fate)

    @property
    def doubted(self) -> tuple[Line, ...]:
        """Lines that were taken, and of which there is more to say than the name of their data."""
        return tuple(line for line in self.fated("taken") if _about_data(line) is None)

    @property
    def summary(self) -> str:
        """Numbers of lines by fate, in words."""
        left, refused = len(self.fated("left")), len(self.fated("refused"))
        there = f"{self.known} there already, " if self.known else ""
        as_is = f"{left} left as they are, " if left else ""
        return f"{self.new} new, {there}{as_is}{refused} refused"

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-compatible data."""
        return {
            "summary": self.summary,
            "lines": [to_dict(line) for line in self.lines],
            "unread": list(self.unread),
            "notes": list(self.notes),
        }


def import_table(
    study: Study,
    sheet: Spreadsheet,
    headers: Mapping[str, str],
    *,
    charge: bool = False,
    table: str = "",
    repetitions: bool = False,
    watch: Callable[[int], object] = lambda lines: None,
    words: Wording = SHELL,
) -> ImportReport:
    """Import a table that was read, and report what became of it.

    Args:
        study: takes the outcomes; for a trial, a copy of it: see `in_memory`.
        sheet: the table.
        headers: how the table heads columns, by their own names.
        charge: whether the costs of lines without a token are charged to the budget.
        table: its name: see `take`.
        repetitions: whether lines that equal data of other tables are measurements of their own.
        watch: is told how many lines were read.
        words: in which the reader of the report acts.
    """
    unread = ignored(study.problem, sheet, headers)
    before, spent = set(study.history.data), study.history.spent
    lines = take(study, sheet, charge, watch, table=table, repetitions=repetitions, words=words)
    about_whole = ("codes", "ends", "totals")
    doubts = [str(found) for found in study.status.findings if found.kind in about_whole]
    notes = [
        *_equal(lines, words),
        *doubts,
        *_money(study.history, before, spent, words),
        *_unset(study, before),
    ]
    return ImportReport(tuple(lines), tuple(unread), tuple(notes))


def in_memory(study: Study) -> Study:
    """Copy of a study that no log keeps."""
    shared = Memory()
    MemoryLog(shared).extend(study.events)
    return Study.open(MemoryLog(shared), study.problem)


def grouped(lines: Sequence[Line]) -> list[str]:
    """Results of lines in words.

    Lines that are refused for the same reason are one sentence, at the first of them; so are many
    data in a row of which the same is to be said.
    """
    alike = Counter(line.message for line in lines if line.fate == "refused")
    said, told = list[str](), set[str]()
    for about, run in groupby(lines, key=_about_data):
        some = list(run)
        if about is not None and len(some) > _ONE_BY_ONE:
            first, last = (_DATA.sub(r"\g<name>", some[k].message) for k in (0, -1))
            names = f"{about[0]}{first} to {last}{about[1]}"
            said.append(f"lines {some[0].number} to {some[-1].number}: taken, {names}")
            continue
        for line in some:
            if line.fate != "refused" or alike[line.message] == 1:
                said.append(str(line))
            elif line.message not in told:
                told.add(line.message)
                said.append(f"{alike[line.message]} lines, the first of them {line}")
    return said


def _about_data(line: Line) -> tuple[str, str] | None:
    """Words before and behind the name of a line's data; None where there is more to say."""
    found = _DATA.fullmatch(line.message) if line.fate == "taken" else None
    return None if found is None else (found["before"], found["behind"])


def _equal(lines: Sequence[Line], words: Wording) -> list[str]:
    """Sentence on lines that are there only because data from elsewhere are equal."""
    equal = sum(line.equal for line in lines)
    said = (
        f"{counted(equal, 'line')} there already only because data from elsewhere are equal: if they are repetitions, "
        "import the table again with ‹repetitions›, or name what tells lines apart with ‹told apart by›"
    )
    return [words.text(said)] * bool(equal)


def _money(history: History, names: set[str], spent: float, words: Wording) -> list[str]:
    """Sentence on an import's effect on the budget; empty without a budget."""
    said = (
        [f"spent: {history.spent:.6g}, where it was {spent:.6g}"] if history.spent != spent else []
    )
    new = [
        event
        for name, event in history.data.items()
        if name not in names and event.outcome.cost and not event.charge
    ]
    if new and history.budget is not None:
        total = sum(event.outcome.cost or 0.0 for event in new)
        said.append(
            f"not charged to the budget: {total:.6g}, the cost of {counted(len(new), 'new line')} of data; "
            f"{words.text('‹charge data›')} does it"
        )
    return said


def _unset(study: Study, names: set[str]) -> list[str]:
    """Sentence that new data counts as observed, where its scope matters and is not given."""
    new = [
        event
        for name, event in study.history.data.items()
        if name not in names and event.scope is None
    ]
    if not new or not study.problem.scoped:
        return []
    return [
        f"observed, with nothing set: {counted(len(new), 'new line')} of data; a column scope says what was set"
    ]
