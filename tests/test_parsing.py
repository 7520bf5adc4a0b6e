"""What people type, as values."""

from __future__ import annotations

import csv
import io
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steerbo._parsing import parse_value, read_choice, read_rows
from steerbo.errors import InvalidRequest


@given(st.text())
@example("豈")
def test_any_text_is_read(text: str) -> None:
    """As a number, as JSON, or as itself without the space around it, in its composed form."""
    read = parse_value(text)
    if isinstance(read, str) and not text.strip().startswith('"'):
        assert read == normalize("NFC", text).strip()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back(number: float) -> None:
    assert parse_value(repr(number)) == number


def test_deep_json_is_a_text() -> None:
    assert isinstance(parse_value("[" * 100_000), str)


@given(st.lists(st.one_of(st.booleans(), st.integers(-5, 5), st.text(max_size=3)), min_size=1, unique_by=repr))
def test_a_choice_is_found_by_its_own_name(choices: list[object]) -> None:
    names = [str(choice) for choice in choices]
    for choice, name in zip(choices, names, strict=True):
        if names.count(name) == 1 and name.isprintable():
            assert read_choice(choices, name) is choice


def test_capitals_do_not_decide_between_two_choices() -> None:
    assert read_choice(["North", "north"], "NORTH") == "NORTH", "left as it is, to be refused"


def test_a_truth_value_is_no_number() -> None:
    assert read_choice([True, 2], "1") == "1"
    assert read_choice([True, 2], "2.0") == 2


cell = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5)


@given(st.lists(st.tuples(cell, cell), max_size=5))
def test_tables_come_back(rows: list[tuple[str, str]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerows([("a", "b"), *rows])
    assert read_rows("available", text.getvalue()) == [{"a": a, "b": b} for a, b in rows]


def test_empty_cells_are_left_out() -> None:
    assert read_rows("available", "a, b\n1,\n ,2\n") == [{"a": "1"}, {"b": "2"}]


@pytest.mark.parametrize("text", ["a,b\n1,2,3\n", 'a\n"x'])
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match=r"^available: .* expected a table in CSV"):
        read_rows("available", text)


@pytest.mark.parametrize(
    ("text", "read"), [("a;b\n1.200;0.5\n", "1.200"), ("a,b\n1.200,2\n", "1.200"), ("a\n1.25\n", "1.25")]
)
def test_a_point_is_a_decimal_mark_where_other_cells_or_commas_tell(text: str, read: str) -> None:
    assert read_rows("context", text)[0]["a"] == read


@pytest.mark.parametrize("text", ["a\n1.200\n", "a;b\n1.200;2\n", "a;b\n1.200;0,5\n"])
def test_a_number_that_may_be_a_thousand_times_larger_is_refused(text: str) -> None:
    """The same cell is refused on import; as a context it was read as 1.2."""
    with pytest.raises(
        InvalidRequest, match=r"context\.a: '1\.200' .* one way only: 1,200 or 1200\. Is it 1200\?"
    ) as told:
        read_rows("context", text)
    assert str(told.value).endswith("Is it 1200? Then write 1200. Is it 1,2? Then write 1,2.")
