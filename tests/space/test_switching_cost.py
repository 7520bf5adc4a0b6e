"""The price of moving a variable."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.space import Variable


def test_what_stays_is_free_and_what_moves_pays_by_the_way() -> None:
    change = sb.SwitchingCost(fixed=5, per_unit=0.5)
    assert [change.price(10, after) for after in (10, 12, 4)] == [0, 6, 8]
    assert sb.SwitchingCost(fixed=2).price("a", "b") == 2
    assert change.price(None, 7.0) == 5  # from where nobody knows


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fixed": -1}, r"fixed: -1.* not below 0"),
        ({"per_unit": -0.1}, r"per_unit: -0\.1.* not below 0"),
        ({"fixed": float("nan")}, r"fixed: nan"),
        ({"fixed": "5"}, r"fixed: '5'"),
        ({}, r"fixed: 0.* above 0, or per_unit above 0"),
        ({"rate": 1}, r"rate"),
    ],
)
def test_wrong_prices_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        sb.SwitchingCost(**given)
    with pytest.raises(InvalidProblem, match=message):
        from_dict(Variable, {"kind": "float", "name": "oven", "low": 0, "high": 1, "change": given})


def test_choices_have_no_distance() -> None:
    assert sb.Categorical("die", ["a", "b"], change=sb.SwitchingCost(fixed=1)).change == sb.SwitchingCost(1)
    with pytest.raises(InvalidProblem, match=r"die\.change\.per_unit: 2.* expected 0.*no distance"):
        sb.Categorical("die", ["a", "b"], change=sb.SwitchingCost(per_unit=2))


def test_what_is_seen_is_not_moved() -> None:
    with pytest.raises(InvalidProblem, match=r"rain\.change: .*seen before choosing"):
        sb.Integer("rain", 0, 3, seen=True, change=sb.SwitchingCost(fixed=1))


def test_what_has_no_price_is_written_as_ever() -> None:
    assert to_dict(sb.Float("ph", 4, 8)) == {
        "name": "ph",
        "low": 4,
        "high": 8,
        "scale": "linear",
        "unit": "",
        "kind": "float",
    }
    oven = sb.Float("oven", 0, 1, change=sb.SwitchingCost(5, 0.1))
    assert to_dict(oven)["change"] == {"fixed": 5, "per_unit": 0.1}
    assert from_dict(Variable, to_dict(oven)) == oven
