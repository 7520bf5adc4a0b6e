"""Reasons and findings: statements about an answer and about a study, as data that is worded in one place.

A `Reason` belongs to an answer: why it is the one, or a caution before it is used. A `Finding`
belongs to a value that somebody gave, or to a study: an observation, and how it is put right.
Pages, tables and programs read their kinds and values; people read their `text`, which
`core._words` makes of them once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field, model_validator

from ..errors import OutOfRangeWarning, UnusualOutcomeWarning
from ..records import Record, record
from ._words import WORDS, worded

__all__ = [
    "Finding",
    "Reason",
    "bound_reason",
    "finding",
    "gain_over_current",
    "good_enough",
    "reason",
    "sentence_of",
]

OF_A_RANGE = frozenset({"far-outside-range", "too-small"})
"""Kinds of findings that compare a value with a statement, and not with other outcomes, costs or settings."""


@record
class Reason(Record):
    """One reason behind an answer, or one thing to know of it.

    Args:
        kind: a name, such as "as-of" or "good-enough"; "said" is a `text` of a method's own.
        values: numbers and names in it, by name.
        text: in words, without a full stop; left out, it is made of the kind and the values.

    Raises:
        InvalidProblem: a kind that is not known, without a text.

    >>> reason("as-of", time=3.0).text
    'as of time 3'
    """

    kind: str
    values: Mapping[str, Any] = Field(default_factory=dict)
    text: str = ""

    @model_validator(mode="after")
    def _word(self) -> Reason:
        if not self.text:
            object.__setattr__(self, "text", worded(self.kind, self.values))
        return self

    def __str__(self) -> str:
        return self.text


@record
class Finding(Record):
    """Notice about a value that was given, or about a study.

    Args:
        kind: a name, such as "far-from-expected" or "outliers".
        where: the round, data or variable that it belongs to; empty: the study.
        field: where a call was given the value: "value", "cost", "realised.ph", "context.age";
            empty: of the study.
        values: numbers and names in it, by name.
        remedy: how a value that is kept is put right; empty: `text` says how.
        text: in words; left out, it is made of the kind and the values.

    >>> others = {"name": "value", "value": 740.0, "low": 3.0, "high": 10.0}
    >>> print(Finding("far-from-others", "round 5", "value", others, "amend 5-3fa2"))
    round 5: value = 740 is far from the others, 3 to 10; it is kept. If it is wrong, amend 5-3fa2.
    """

    kind: str
    where: str = ""
    field: str = ""
    values: Mapping[str, Any] = Field(default_factory=dict)
    remedy: str = ""
    text: str = ""

    @model_validator(mode="after")
    def _word(self) -> Finding:
        if not self.text:
            object.__setattr__(self, "text", worded(self.kind, self.values))
        return self

    def __str__(self) -> str:
        if not self.field:
            return self.text
        kept = f"; it is kept. If it is wrong, {self.remedy}." if self.remedy else "."
        return f"{self.where}: {self.text}{kept}"

    @property
    def warning(self) -> OutOfRangeWarning:
        """The warning that Python is given when the value is logged."""
        said = (OutOfRangeWarning if self.kind in OF_A_RANGE else UnusualOutcomeWarning)(str(self))
        said.alike = self.kind, self.field
        return said


def finding(kind: str, where: str = "", /, **values: Any) -> Finding:
    """Make a finding about a study, and its values by name."""
    assert kind in WORDS, kind
    return Finding(kind, where, values=values)


def reason(kind: str, /, **values: Any) -> Reason:
    """Make a reason of a kind that is worded here, and its values by name."""
    assert kind in WORDS, kind
    return Reason(kind, values)


def good_enough(
    least: float, minimize: bool, scopes: Sequence[str], step: float = 0.0, counted: bool = False
) -> Reason:
    """Name the scopes whose expected value is acceptable, and the least that is, in the user's units.

    No scopes: none is, and the answer is the best there is. Its digits tell differences of `step`
    apart, such as a share of the distance between an answer's bounds. `counted`: others reach it
    where they work, and may fail or break a limit.

    >>> good_enough(8.5, False, ["ph", "temperature + ph"]).text
    'good enough is at least 8.5: ph, temperature + ph'
    """
    return reason(
        "good-enough",
        least=least,
        minimize=minimize,
        scopes=list(scopes),
        step=step,
        counted=counted,
    )


def gain_over_current(gain: float, unsure: float, *, net: bool = False) -> Reason:
    """State the expected gain over today's settings, which may be by `unsure` less or more; `net`: of net value.

    >>> gain_over_current(0.5, 0.25).text
    "0.5 better than today's settings (from 0.25 to 0.75)"
    """
    low, high = gain - unsure, gain + unsure
    return reason("gain-over-current", gain=gain, low=low, high=high, net=net)


def bound_reason(
    played: int,
    scopes: Sequence[object],
    upper: Sequence[float | None],
    costs: Sequence[float],
    *,
    minimize: bool,
    least: float | None,
    width: float,
) -> Reason | None:
    """Compare the bound of a played scope with the largest one, and their costs; None: nothing can be said.

    Args:
        played: number of the scope.
        scopes: all of them.
        upper: the bounds by which it was chosen, in the user's units; None: a scope could not be
            played.
        costs: of a play of each scope; NaN where unknown.
        minimize: whether smaller values are better.
        least: the value that is good enough.
        width: the uncertainty of the play's expected value.

    >>> bound_reason(0, ["ph", "ph + t"], [9.4, 9.9], [1.0, 3.0], minimize=False, least=8.4, width=0.5).text
    'cheaper than ph + t, and may reach 9.4, where 8.4 is enough to be tried; ph + t may reach 9.9'
    """
    known = {k: bound for k, bound in enumerate(upper) if bound is not None}
    if played not in known:
        return None
    rival = min(known, key=known.__getitem__) if minimize else max(known, key=known.__getitem__)
    if known[played] == known[rival]:
        return reason("best-bound", bound=known[played])
    if not costs[played] < costs[rival]:  # prices that count as equal, or that were learned since
        return None
    bound, sign = known[played], -1 if minimize else 1
    enough = least is not None and sign * bound >= sign * least
    beside = {"rival": str(scopes[rival]), "highest": known[rival], "bound": bound}
    return reason("cheaper", **beside, width=width, enough=enough, least=least)


def least_acceptable(reasons: Iterable[Reason]) -> float | None:
    """The least acceptable value by the reasons of an answer, in the user's units; None: none is stated.

    >>> least_acceptable([good_enough(8.5, False, ["ph"])]), least_acceptable([reason("stay")])
    (8.5, None)
    """
    return next(
        (float(each.values["least"]) for each in reasons if each.kind == "good-enough"), None
    )


def sentence_of(reasons: Iterable[Reason]) -> str:
    """Join reasons with semicolons.

    >>> sentence_of([reason("as-of", time=3.0), reason("stay")])
    'as of time 3; stay as you are: it is good enough, and costs no more'
    """
    return "; ".join(each.text for each in reasons)
