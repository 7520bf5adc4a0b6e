"""Answers as text: numbers that people read, tables that line up, sentences that say what is not known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.core import (
    Explanation,
    PolicyStep,
    Recommendation,
    Scope,
    Status,
    Table,
    as_text,
    numeral,
    reason,
)
from steerbo.records import from_dict, to_dict

number = st.floats(-1e300, 1e300)


@given(number)
def test_a_numeral_is_the_number_to_four_digits(x: float) -> None:
    assert float(numeral(x)) == pytest.approx(x, rel=5.1e-4, abs=0)
    assert len(numeral(x)) <= 11


@given(number.filter(lambda x: x != 0))
def test_next_to_nothing_is_nothing_beside_something(x: float) -> None:
    assert numeral(1e-12 * x, beside=x) == "0"
    assert numeral(x, beside=x) != "0"


def test_cells_are_words() -> None:
    cells: list[object] = [None, True, False, "a", 3, (), [1.5, "b"], {}]
    assert [as_text(cell) for cell in cells] == ["–", "yes", "no", "a", "3", "nothing", "1.5, b", "–"]


@given(st.lists(st.tuples(st.text("abc", min_size=1, max_size=9), number), min_size=1, max_size=5))
def test_columns_line_up(rows: list[tuple[str, float]]) -> None:
    title, *lines = str(Table("Title", ("name", "number"), tuple(rows))).splitlines()
    assert title == "Title"
    start = lines[0].index("number")
    assert all(line[start - 1] == " " and line[start] != " " for line in lines)


def test_a_recommendation_says_what_is_not_known() -> None:
    scope = Scope(["ph"])
    assert Recommendation(scope, {"ph": 6.5}).expected == "expected value unknown"
    known = Recommendation(scope, {"ph": 6.5}, mean=1.0, lower=-1e-12, upper=2.0, cost=3.25)
    assert known.expected == "expected value 1 (between 0 and 2), cost 3.25 a round"
    other = Recommendation(Scope(["t"]), {"t": 1.0}, reasons=(reason("said", text="dearer"),))
    both = Recommendation(scope, {"ph": 6.5}, alternatives=(other,))
    assert str(both).splitlines() == [
        "hold ph: set ph = 6.5; expected value unknown",
        "  or hold t: set t = 1; expected value unknown",
        "     dearer",
    ]


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status(1, 1, 0), "1 round"),
        (Status(0, 0, 0, added=1), "0 rounds, 1 row of past data"),
        (Status(1, 1, 0, spent=3.0, budget=10.0, added=12), "1 round, 12 rows of past data, 3 of 10 spent"),
        (Status(2, 1, 1, ("2-ab",), limit=5), "2 of 5 rounds, 1 open, 1 failed"),
        (Status(2, 1, 0, spent=3.0, budget=10.0), "2 rounds, 3 of 10 spent"),
        (Status(3, 2, 1, spent=3.0, unpriced=1, estimated=1.5), "and a round of unknown cost (charged 1.5)"),
        (Status(3, 2, 1, unpriced=1), "3 rounds, 1 failed"),
        (Status(3, 3, 0, abandoned=2, finished="the budget is spent"), "2 abandoned; finished: the budget is spent"),
    ],
)
def test_a_status_in_words(status: Status, text: str) -> None:
    assert text in str(status)


def test_a_policy_step_says_what_comes_first() -> None:
    scope = Scope.of({"dose": ["age"]})
    assert str(PolicyStep(scope, {}, ("age",))) == "look at age"
    assert str(PolicyStep(scope, {"dose": 1.0}, ("pulse",), {"age": 61.0})) == (
        "having seen age = 61: set dose = 1, then look at pulse"
    )
    assert (
        str(PolicyStep(Scope([]), {}, reasons=(reason("said", text="as nature does"),)))
        == "set nothing (as nature does)"
    )


def test_answers_are_read_back_from_json() -> None:
    table = Table("Sets", ("set", "mean"), (("ph", 1.25), ("t", 2.5)))
    why = Explanation("Because.", (table,))
    assert str(why) == f"Because.\n\n{table}"
    for answer in (why, Status(1, 1, 0, ("1-ab",)), Recommendation(Scope(["ph"]), {"ph": 6.5}, 1.0)):
        assert from_dict(type(answer), to_dict(answer)) == answer
