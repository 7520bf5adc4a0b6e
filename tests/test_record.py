"""Frozen data: what a record takes, refuses and writes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.errors import InvalidProblem, InvalidStudy
from steerbo.record import Plain, from_plain, identity, record, to_plain

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@record
class Point(Plain):
    x: float
    label: str = ""
    inner: Point | None = None


def test_it_is_frozen_and_equal_to_its_copies() -> None:
    point = Point(1, "a", Point(2))
    with pytest.raises(FrozenInstanceError):
        point.x = 2.0  # type: ignore[misc]
    assert point == copy.deepcopy(point) == pickle.loads(pickle.dumps(point))
    assert len({point, Point(1.0, "a", Point(2))}) == 1


@given(st.floats(allow_nan=False, allow_infinity=False), st.text(st.characters(exclude_categories=["Cs"])))
def test_the_plain_form_is_read_back(x: float, label: str) -> None:
    point = Point(x, label, Point(x))
    assert from_plain(Point, to_plain(point)) == point
    assert "inner" not in to_plain(Point(x)), "what is None is left out"


@pytest.mark.parametrize(
    ("values", "named", "said"),
    [
        ((1, "a", None, 3), {}, "at most 3 positional values"),
        ((1,), {"x": 2}, "Point.x: 2 is not allowed; expected this field to be given once"),
        ((), {}, "Point.x: missing"),
        ((1,), {"lable": "a"}, "did you mean 'label'"),
        (("one",), {}, "Point.x: 'one' is not allowed; expected a number"),
        ((1, "a", {"x": "two"}), {}, r"Point.inner.x: 'two' is not allowed"),
    ],
)
def test_what_is_refused_is_named(values: tuple[Any, ...], named: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        Point(*values, **named)


def test_the_kind_of_error_is_the_readers() -> None:
    with pytest.raises(InvalidStudy, match=r"^file\.x: 'one'"):
        from_plain(Point, {"x": "one"}, "file", InvalidStudy)


def test_a_function_cannot_be_written() -> None:
    @record
    class Holder:
        function: Any

    with pytest.raises(InvalidProblem, match="data that can be written as JSON"):
        to_plain(Holder(len))


@given(plain)
def test_identity_knows_content_only(value: Any) -> None:
    wrapped = {"a": value, "b": 1}
    assert identity(wrapped) == identity({"b": 1, "a": value})
    assert identity(wrapped) != identity({"a": value, "b": 2})
    assert len(identity(wrapped)) == 12
