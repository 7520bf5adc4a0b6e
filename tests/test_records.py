"""Frozen data: what a record takes, refuses and writes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidProblem, InvalidStudy
from steerbo.records import Record, from_dict, identity, record, to_dict

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
class Point(Record):
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
    assert from_dict(Point, to_dict(point)) == point
    assert "inner" not in to_dict(Point(x)), "what is None is left out"


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
        from_dict(Point, {"x": "one"}, "file", InvalidStudy)


def test_a_function_cannot_be_written() -> None:
    @record
    class Holder:
        function: Any

    with pytest.raises(InvalidProblem, match="data that can be written as JSON"):
        to_dict(Holder(len))


@given(plain)
def test_identity_knows_content_only(value: Any) -> None:
    wrapped = {"a": value, "b": 1}
    assert identity(wrapped) == identity({"b": 1, "a": value})
    assert identity(wrapped) != identity({"a": value, "b": 2})
    assert len(identity(wrapped)) == 12


@record
class Mixed:
    """A field of each type."""

    number: float = 0.0
    count: int = 0
    flag: bool = False
    name: str = ""
    shares: dict[str, float] | None = None
    stop: float | Literal["enough"] | None = None


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("number", "1", "a number"),
        ("number", b"1", "a number"),
        ("number", True, "a number"),
        ("count", "1", "a whole number"),
        ("count", True, "a whole number"),
        ("count", 1.5, "a whole number"),
        ("flag", 1, "true or false"),
        ("flag", "yes", "true or false"),
        ("name", 1, "a text"),
        ("name", b"x", "a text"),
        ("shares.a", {"a": "1"}, "a number"),
        ("stop", "1", "a number"),
    ],
)
def test_nothing_is_converted_silently(field: str, value: Any, allowed: str) -> None:
    given: Any = {field.partition(".")[0]: value}
    with pytest.raises(InvalidProblem, match=f"^Mixed.{field}: .* is not allowed; expected {allowed}"):
        Mixed(**given)
    with pytest.raises(InvalidProblem, match=f"^Mixed.{field}: "):
        from_dict(Mixed, given)


def test_numbers_of_numpy_and_whole_floats_are_numbers() -> None:
    given: Any = {"number": np.float32(0.5), "count": np.int64(3), "flag": np.bool_(True), "name": np.str_("x")}
    made = Mixed(**given, shares={"a": 1}, stop="enough")
    assert (made.number, made.count, made.flag, made.name) == (0.5, 3, True, "x")
    assert type(made.count) is int
    assert type(made.flag) is bool
    assert Mixed(count=4.0).count == 4  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [sb.Absolute, sb.costvarying.Threshold, sb.costvarying.Fraction])
@pytest.mark.parametrize("value", ["1", True, False])
def test_tolerances_take_numbers_like_variables_do(kind: Any, value: Any) -> None:
    with pytest.raises(InvalidProblem, match="expected a number"):
        kind(value)
