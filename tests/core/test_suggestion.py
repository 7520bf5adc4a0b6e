"""Batches of suggestions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from steerbo.core import BatchPosition, Scope, Suggestion, one_or_more
from steerbo.errors import InvalidRequest


def numbered(last: int) -> list[Suggestion | None]:
    return [Suggestion(f"{k}-ab", k, Scope(["ph"]), {}) for k in range(1, last + 1)] + [None]


def test_one_alone_or_a_list_that_ends_where_there_are_no_more() -> None:
    def next_of(last: int) -> Callable[[BatchPosition], Suggestion | None]:
        left = iter(numbered(last))
        return lambda place: next(left)

    assert one_or_more(None, next_of(2)) == numbered(2)[0]
    assert one_or_more(None, lambda place: None) is None
    assert one_or_more(2, next_of(5)) == numbered(2)[:2]
    assert one_or_more(9, next_of(3)) == numbered(3)[:3]
    assert one_or_more(1, lambda place: None) == []


def test_each_is_asked_for_its_place() -> None:
    places: list[BatchPosition] = []

    def ask(place: BatchPosition) -> Suggestion:
        places.append(place)
        return Suggestion("1-ab", 1, Scope(["ph"]), {})

    one_or_more(None, ask)
    one_or_more(3, ask)
    assert places == [BatchPosition(1, 1), BatchPosition(1, 3), BatchPosition(2, 3), BatchPosition(3, 3)]


@pytest.mark.parametrize("batch", [0, -1, 1.5, True, "2", 10_001, float("nan")])
def test_what_is_no_number_of_suggestions_asks_for_none(batch: object) -> None:
    asked: list[None] = []
    with pytest.raises(InvalidRequest, match=r"^batch: "):
        one_or_more(batch, lambda place: asked.append(None))  # type: ignore[arg-type]
    assert asked == []


def test_reasons_are_not_shown_but_kept() -> None:
    suggestion = Suggestion("1-ab", 1, Scope(["ph"]), {"ph": 6.5}, note={"upper": 3.0})
    assert "upper" not in repr(suggestion)
    assert suggestion.to_dict()["note"] == {"upper": 3.0}
