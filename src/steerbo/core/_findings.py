"""Reasons and findings: what is said of an answer and of a study, as data that is worded in one place.

A `Reason` belongs to an answer: why it is the one, and what to know before it is used. Pages, tables and programs read
its kind and values; people read its `text`, which `core._words` makes of them once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field, model_validator

from ..records import Record, record
from ._words import WORDS, worded

__all__ = ["Reason", "good_enough", "reason", "sentence_of"]


@record
class Reason(Record):
    """One reason behind an answer, or one thing to know of it.

    Args:
        kind: what it is, such as "as-of" or "good-enough"; "said" is a `text` of a method's own.
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


def reason(kind: str, **values: Any) -> Reason:
    """Make a reason of a kind that is worded here, and its values by name."""
    assert kind in WORDS, kind
    return Reason(kind, values)


def good_enough(least: float, minimize: bool, scopes: Sequence[str]) -> Reason:
    """Name the scopes whose expected value is acceptable, and the least that is, in the user's units.

    >>> good_enough(8.5, False, ["ph", "temperature + ph"]).text
    'good enough is at least 8.5: ph, temperature + ph'
    """
    return reason("good-enough", least=least, minimize=minimize, scopes=list(scopes))


def sentence_of(reasons: Iterable[Reason]) -> str:
    """Join reasons with semicolons.

    >>> sentence_of([reason("as-of", time=3.0), reason("stay")])
    'as of time 3; stay as you are: it is good enough, and costs no more'
    """
    return "; ".join(each.text for each in reasons)
