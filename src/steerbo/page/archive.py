"""The rounds of a study for its table: newest first, a part at a time, searched; and data that was added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from ..core import (
    TIME,
    BaseStudy,
    DataAdded,
    KeptFile,
    Outcome,
    Problem,
    Round,
    as_text,
    number_of,
    numeral,
)
from ..study.formatting import added_as
from .wording import amount_text, in_one_line, in_resolution, in_step

SHOWN = 20
"""Rounds on the page of a study; more of them on demand."""

MANY = 400
"""Outcomes from which on the page is shown before the answer is computed."""


def takes_its_time(study: BaseStudy) -> bool:
    """Whether the recommendation is better computed after the page is shown."""
    return study.history.n_completed + len(study.history.data) > MANY


@dataclass(frozen=True)
class Line:
    """A round in the table.

    Args:
        token: its name.
        number: of the round; 0 for data that was added.
        title: its title.
        scope: the variables set.
        set: the settings.
        also: values seen, values that stayed, and values that nature drew.
        value, cost: its outcome.
        others: further outcomes that the value is traded against, as those of `Part`.
        remarks: sentences about it, which are among `also`; that has no room on a telephone.
        state: open, told, failed, void, abandoned or added.
        note: the state, in words.
        files: beside it.
    """

    token: str
    number: int
    title: str
    scope: str
    set: str
    also: str
    value: str
    cost: str
    state: str
    note: str
    files: tuple[KeptFile, ...] = ()
    others: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether there is something to correct."""
        return self.state in ("told", "failed", "void", "added")


@dataclass(frozen=True)
class Part:
    """Part of the rounds.

    Args:
        lines: newest first.
        before: the number of the round at which the next part begins; 0: these are all.
        total: how many rounds there are, or were found.
        scoped: whether they hold different things.
        priced: whether they have costs.
        more: whether there is anything beside the settings.
        others: names of the further outcomes.
    """

    lines: tuple[Line, ...]
    before: int
    total: int
    scoped: bool
    priced: bool
    more: bool
    others: tuple[str, ...] = ()


def rounds_before(
    study: BaseStudy, number: int = 0, most: int | None = SHOWN, text: str = ""
) -> Part:
    """The latest rounds below a number (0: of all), which hold a text."""
    last = number - 1 if number > 0 else len(study.history)
    lines = (_line(study, played) for played in _down(study, last))
    if text:
        found = [line for line in lines if _holds(line, text)]
        return _part(
            study,
            found[:most] if most else found,
            found[most].number + 1 if most and len(found) > most else 0,
            found,
        )
    wanted = last if most is None else most
    some = list(islice(lines, wanted))
    return _part(
        study,
        some,
        some[-1].number if some and some[-1].number > 1 else 0,
        some,
        len(study.history),
    )


_CODE = ": it looks like a code for a missing value"


@dataclass(frozen=True)
class AddedData:
    """Part of the external data.

    Args:
        lines: newest first.
        total: how many there are, or were found.
    """

    lines: tuple[Line, ...]
    total: int


def added(study: BaseStudy, most: int | None = SHOWN, text: str = "") -> AddedData:
    """The latest external data, void ones too, which hold a text."""
    history = study.history
    data = sorted(
        {**history.data, **history.removed}.items(),
        key=lambda item: number_of(item[0]),
        reverse=True,
    )
    if not text:
        some = data[:most]
        return AddedData(tuple(_added_line(study, *each) for each in some), len(data))
    lines = (_added_line(study, *each) for each in data)
    found = [line for line in lines if _holds(line, text)]
    return AddedData(tuple(found[:most]), len(found))


def _added_line(study: BaseStudy, name: str, data: DataAdded) -> Line:
    problem, history, outcome = study.problem, study.history, data.outcome
    measured = in_one_line(problem, _but(problem, history.completed(outcome.realised)))
    void = name in history.removed
    if name in history.coded:
        fate = _CODE
    else:
        fate = ", taken out" if void else ""
    return Line(
        token=name,
        number=0,
        title=f"added {name.rpartition('-')[2]}",
        scope=str(data.scope) if data.scope else "",
        set="",
        also="; ".join([measured, *accuracy_text(outcome), *history.remarks.get(name, ())]),
        value=as_text(outcome.value),
        cost="" if outcome.cost is None else amount_text(outcome.cost),
        state="void" if void else "added",
        note=added_as(data) + fate,
        files=history.files.get(name, ()),
        others=_others(problem, outcome),
    )


def accuracy_text(outcome: Outcome | None) -> list[str]:
    """Say how accurate a value is; nothing where that was not told.

    >>> accuracy_text(Outcome(1.5, sem=0.25)), accuracy_text(Outcome(1.5))
    (['value ± 0.25'], [])
    """
    return [] if outcome is None or outcome.sem is None else [f"value ± {numeral(outcome.sem)}"]


def _part(
    study: BaseStudy, lines: list[Line], before: int, found: list[Line], total: int | None = None
) -> Part:
    return Part(
        lines=_aligned(study, lines),
        before=before,
        total=len(found) if total is None else total,
        scoped=len({line.scope for line in lines}) > 1,
        priced=any(line.cost for line in lines),
        more=any(line.also for line in lines),
        others=tuple(study.problem.traded),
    )


def _aligned(study: BaseStudy, lines: list[Line]) -> tuple[Line, ...]:
    """Lines whose values, and whose costs, have equally many decimals."""
    rounds = [study.history[line.token] for line in lines]
    values = in_step([r.outcome.value if r.outcome and r.state == "told" else None for r in rounds])
    costs = in_step([r.paid for r in rounds], amount_text)
    aligned = []
    for line, value, cost in zip(lines, values, costs, strict=True):
        shown = value if line.value else ""
        paid = cost if line.cost else ""
        aligned.append(replace(line, value=shown, cost=paid))
    return tuple(aligned)


def _down(study: BaseStudy, last: int) -> Iterator[Round]:
    """Rounds from a number down."""
    history = study.history
    return (
        reversed(history.last(len(history))[:last])
        if last < len(history)
        else iter(history.last(last)[::-1])
    )


def _line(study: BaseStudy, played: Round) -> Line:
    problem, asked = study.problem, played.suggestion
    stays = {name: value for name, value in asked.values.items() if name in asked.scope.keep}
    moved = {name: value for name, value in asked.values.items() if name not in stays}
    known = {
        name: x
        for name, x in played.request.items()
        if isinstance(x, int | float | str) and (name, x) != (TIME.name, played.number)
    }
    expected = {**asked.values, **asked.context}
    was = dict(in_resolution(problem, expected))
    nature = {
        name: x
        for name, x in _but(problem, played.realised).items()
        if x != expected.get(name) and (name not in was or _differs(problem, name, x, was[name]))
    }
    also = [
        in_one_line(problem, {**known, **asked.context}, asked.shown),
        *([f"{in_one_line(problem, stays, asked.shown)} stays"] if stays else []),
        in_one_line(problem, nature),
        *accuracy_text(played.outcome),
        *study.history.remarks.get(asked.token, ()),
    ]
    return Line(
        token=asked.token,
        number=played.number,
        title=str(played.number),
        scope=str(asked.scope),
        set=in_one_line(problem, moved, asked.shown),
        also="; ".join(filter(None, also)),
        value=_value(played),
        cost="" if played.paid is None else amount_text(played.paid),
        state=played.state,
        note=_note(played) + _CODE * (asked.token in study.history.coded),
        files=study.history.files.get(asked.token, ()),
        others=_others(problem, played.outcome if played.state == "told" else None),
        remarks=tuple(study.history.remarks.get(asked.token, ())),
    )


def _but(problem: Problem, realised: Mapping[str, Any]) -> dict[str, Any]:
    """Measurements without traded outcomes, which have columns of their own."""
    return {name: x for name, x in realised.items() if name not in problem.traded}


def _others(problem: Problem, outcome: Outcome | None) -> tuple[str, ...]:
    """Texts of the traded outcomes; empty where one was not measured."""
    told = {} if outcome is None else outcome.realised
    return tuple(numeral(told[name], 6) if name in told else "" for name in problem.traded)


def _differs(problem: Problem, name: str, value: object, text: str) -> bool:
    """Whether a value came out otherwise than it was set, as far as one can read it."""
    return dict(in_resolution(problem, {name: value})).get(name) != text


def _value(played: Round) -> str:
    if played.outcome is None or played.state != "told":
        return ""
    value = played.outcome.value
    return numeral(value, 6) if isinstance(value, float) else as_text(value)


def _note(played: Round) -> str:
    """Sentence on a round's state; empty for a completed round."""
    match played.state:
        case "open":
            return "look first" if played.suggestion.observe else "open"
        case "failed":
            reason = played.failure.reason if played.failure else ""
            return f"broke: {reason}" if reason else "broke"
        case "abandoned":
            return "given up"
        case "void":
            return "taken out"
    return ""


def _holds(line: Line, text: str) -> bool:
    parts = (
        line.title,
        line.scope,
        line.set,
        line.also,
        line.value,
        line.cost,
        line.note,
        line.token,
        *(kept.name for kept in line.files),
    )
    return text.casefold() in " ".join((*parts, *line.others)).casefold()
