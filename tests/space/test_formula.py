"""Numbers that depend on variables: what may be said, what is read, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

from steerbo.errors import InvalidProblem
from steerbo.space.formula import Formula

NAMES = ["dose", "clinic"]


def at(given: Any, **values: Any) -> float:
    return Formula(given, NAMES, "prices.dose")(values)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("1 + 0.5 * dose", 2.0),
        ("3 if clinic == 'north' else 1", 3.0),
        ("min(dose, 1) ** 2 + abs(-1) + sqrt(4) - log(exp(1))", 3.0),
        ("sin(dose) - cos(dose)", math.sin(2.0) - math.cos(2.0)),
        ("2 if dose > 1 and not clinic != 'north' else 0", 2.0),
        (lambda dose: dose * 3, 6.0),
        (lambda dose, clinic: len(clinic) + dose, 7.0),
        (lambda dose, factor=4: dose * factor, 8.0),
        (lambda **values: values["dose"], 2.0),
    ],
)
def test_it_is_the_number_at_these_values(given: Any, found: float) -> None:
    assert at(given, dose=2.0, clinic="north") == found


def test_it_says_what_it_reads() -> None:
    assert Formula("1 + dose", NAMES, "p").reads == ("dose",)
    assert Formula(lambda clinic, dose: 0, NAMES, "p").reads == ("clinic", "dose")
    assert Formula("max(1, 2)", NAMES, "p").reads == ()


@pytest.mark.parametrize(
    "given",
    [
        "__import__('os')", "dose.real", "[1][0]", "(lambda: 1)()", "open('x')", "f'{dose}'", "1 +", "", "dose := 1",
        "max(*[1])", "max(1, key=abs)", "x" * 2000, "(" * 500 + "1" + ")" * 500, "1 if True else print", 3, ["dose"],
    ],
)  # fmt: skip
def test_nothing_else_can_be_said(given: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"prices\.dose"):
        at(given, dose=1.0, clinic="north")


@pytest.mark.parametrize("given", ["1 + age", lambda age: 1.0])
def test_what_it_may_not_read_is_named(given: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"prices.dose: .* reads one of dose, clinic.* It reads 'age'"):
        at(given)


@pytest.mark.parametrize(
    "given", ["1 / (dose - 1)", "9 ** 9 ** 9 ** 9", "clinic * 1000000000", "(-dose) ** 0.5", "log(0 * dose)", "clinic"]
)
def test_where_there_is_no_number_it_says_so(given: str) -> None:
    with pytest.raises(InvalidProblem, match=r"a finite number everywhere.* At "):
        at(given, dose=1.0, clinic="north")


def test_a_function_that_fails_is_no_foreign_traceback() -> None:
    def broken(dose: float) -> float:
        raise KeyError("no such dose")

    with pytest.raises(InvalidProblem, match="it fails: KeyError: 'no such dose'"):
        at(broken, dose=1.0)
    assert str(Formula(broken, NAMES, "p")) == "broken"
