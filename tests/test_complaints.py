"""All that is wrong, at once."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field

from steerbo.complaints import attempt
from steerbo.errors import InvalidInput, InvalidOption, together
from steerbo.record import from_plain, record


@record
class Round:
    kind: Literal["round"] = "round"
    size: int = Field(1, ge=1, lt=10)


@record
class Square:
    side: float
    kind: Literal["square"] = "square"


@record
class Shapes:
    shapes: list[Annotated[Round | Square, Field(discriminator="kind")]]
    colour: Literal["red", "blue"] = "red"


def faults(plain: object) -> dict[str, str]:
    with pytest.raises(InvalidInput) as caught:
        from_plain(Shapes, plain)
    return {fault.field: fault.allowed for fault in caught.value.errors}


def test_every_fault_once_with_its_place() -> None:
    found = faults({"shapes": [{"kind": "round", "size": 0}, {"kind": "square"}, 3], "colour": "green"})
    assert found["Shapes.shapes.0.size"] == "a number not below 1"
    assert found["Shapes.shapes.1.side"] == "this field to be given"
    assert found["Shapes.colour"] == "'red' or 'blue'"
    assert len(found) == 4


def test_an_unknown_kind_and_a_mistyped_name_are_guessed() -> None:
    assert faults({"shapes": [{"kind": "sqare"}]}) == {
        "Shapes.shapes.0.kind": "one of round, square (did you mean 'square'?)"
    }
    (allowed,) = faults({"shapes": [{"kind": "square", "sied": 1}]}).values()
    assert allowed == "one of side, kind (did you mean 'side'?)", "the missing field is not complained of as well"


def test_attempts_collect_what_is_wrong() -> None:
    wrong: list[InvalidInput] = []

    def refuse() -> int:
        raise together([InvalidOption("seed", -1, "0 or more"), InvalidOption("rounds", 0, "1 or more")])

    assert attempt(wrong, lambda: 3) == 3
    assert attempt(wrong, refuse) is None
    assert [error.field for error in wrong] == ["seed", "rounds"]


def test_other_errors_are_not_collected() -> None:
    with pytest.raises(ZeroDivisionError):
        attempt([], lambda: 1 // 0)
