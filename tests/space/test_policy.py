"""How a system is run today: values, and formulas of what is seen, as settings that can be made."""

from __future__ import annotations

import pytest

from steerbo.errors import InvalidProblem
from steerbo.space import Categorical, CurrentPolicy, Float, Integer, Space

SPACE = Space(
    [
        Float("supply", 30, 60, step=0.5),
        Integer("pumps", 0, 3),
        Categorical("mode", ["eco", "day"]),
        Float("outdoor", -10, 30, seen=True),
    ]
)


def test_a_formula_gives_the_nearest_setting() -> None:
    today = CurrentPolicy({"supply": "55 - 1.1 * outdoor", "pumps": "outdoor / 10", "mode": "day"}, SPACE, ["outdoor"])
    assert today({"outdoor": 10.1}) == {"supply": 44.0, "pumps": 1, "mode": "day"}
    assert today({"outdoor": -10.0})["supply"] == 60.0, "a curve ends where the boiler does"
    assert today.reads == ("outdoor",)
    assert today.in_words() == {"supply": "55 - 1.1 * outdoor", "pumps": "outdoor / 10", "mode": "day"}


def test_a_function_is_a_formula_too() -> None:
    today = CurrentPolicy({"supply": lambda outdoor: 40.0 if outdoor > 0 else 50.0}, SPACE, ["outdoor"])
    assert today({"outdoor": 5.0}) == {"supply": 40.0}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"suply": 40}, "suply"),
        ({"supply": 70}, "current.supply: 70 is not allowed"),
        ({"supply": "55 - wind"}, "current.supply"),
        ({"supply": "1 / 0"}, "a finite number everywhere"),
        ({"mode": "night"}, "current.mode"),
    ],
)
def test_what_cannot_be_set_is_refused_by_name(given: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        CurrentPolicy(given, SPACE, ["outdoor"])
