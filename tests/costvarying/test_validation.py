"""What is no cost-varying problem is refused by its place."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.costvarying._validation import INSTEAD, MOST_HARD, MOST_SETS
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict

LAW = sb.Uniform()
TWO = [sb.Float("a", 0, 1, law=LAW), sb.Float("b", 0, 1, law=LAW)]
SEEN = sb.Float("weather", 0, 1, seen=True)
DEAR = sb.SwitchingCost(fixed=5)
COUNTLESS = [sb.Float(f"x{i}", 0, 1, law=LAW) for i in range(2001)]

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no variables": ({"variables": []}, "variables: .*at least one variable"),
    "too many variables": ({"variables": COUNTLESS}, "variables: 2001 .*at most"),
    "no sets": ({"control_sets": []}, "control_sets: .*at least one control set"),
    "a set of nothing": ({"control_sets": [["a"], []]}, r"control_sets\.1: .*controls nothing"),
    "a name that is none": ({"control_sets": [["a", "c"]]}, r"control_sets\.0: 'c'"),
    "a name twice": ({"control_sets": [["a", "a"]]}, r"control_sets\.0: .*each variable once"),
    "a set twice": (
        {"control_sets": [["a", "b"], ["a"], ["b", "a"]]},
        r"control_sets\.2: .*0 is the same",
    ),
    "no law": ({"variables": [TWO[0], sb.Float("b", 0, 1)], "control_sets": [["a"]]}, r"variables\.b\.law: .*\['a'\]"),
    "too few costs": ({"costs": [1]}, "costs: .*2 costs, one for each"),
    "a set for nothing": ({"costs": [1, 0]}, r"costs\.1: 0.* above 0"),
    "a cost without end": ({"costs": [1, float("inf")]}, r"costs\.1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    given, said = WRONG[name]
    with pytest.raises(InvalidProblem, match=said):
        sb.CostVarying(**{"variables": TWO, "control_sets": [["a"], ["a", "b"]], **given})


def test_what_is_seen_before_choosing_is_not_set() -> None:
    sb.CostVarying([*TWO, SEEN], [["a"]])
    with pytest.raises(InvalidProblem, match=r"control_sets\.1: 'weather' .*one of a, b.*seen before choosing"):
        sb.CostVarying([*TWO, SEEN], [["a"], ["a", "weather"]])


def test_rows_of_data_stand_for_laws() -> None:
    lawless = [sb.Float("a", 0, 1), sb.Float("b", 0, 1), sb.Float("c", 0, 1)]
    rows = sb.space.JointRows([[0.1, 0.2], [0.3, 0.4]], ["b", "c"])
    sb.CostVarying(lawless, [["a"], ["a", "c"]], nature=rows)
    with pytest.raises(InvalidProblem, match=r"variables\.a\.law: .*leaves 'a' to nature"):
        sb.CostVarying(lawless, [["a"], ["c"]], nature=rows)


def test_there_are_only_so_many_sets() -> None:
    with pytest.raises(InvalidProblem, match=f"control_sets: {MOST_SETS + 1} .*at most {MOST_SETS}"):
        sb.CostVarying(TWO, [["a"]] * (MOST_SETS + 1))


def test_changing_has_a_price_where_somebody_moves_something_and_for_few_of_a_set() -> None:
    hard = [sb.Float(f"h{i}", 0, 1, law=LAW, change=DEAR) for i in range(MOST_HARD + 1)]
    names = [variable.name for variable in hard]
    sb.CostVarying(hard, [names[1:], names[:1]])
    with pytest.raises(InvalidProblem, match=rf"control_sets\.1: .*at most {MOST_HARD} variables with a price"):
        sb.CostVarying(hard, [names[:1], names])
    with pytest.raises(InvalidProblem, match=r"variables\.h1\.change: .*it is never moved"):
        sb.CostVarying(hard[:2], [["h0"]])


@pytest.mark.parametrize("costs", [[1, -1], [float("nan"), 1], [1, 2, 3]])
def test_costs_are_one_price_for_each_set(costs: list[float]) -> None:
    sb.CostVarying(TWO, [["a"], ["b"]], costs=[1, 1e-9])
    with pytest.raises(InvalidProblem, match="costs"):
        sb.CostVarying(TWO, [["a"], ["b"]], costs=costs)


@pytest.mark.parametrize("field", INSTEAD)
def test_fields_of_other_kinds_are_refused_with_what_there_is_instead(field: str) -> None:
    plain = {"kind": "cost-varying", "variables": [{"kind": "float", "name": "a", "low": 0, "high": 1}]}
    beginning = " ".join(INSTEAD[field].split()[:4])
    with pytest.raises(InvalidProblem, match=rf"{field}: 1 is not allowed.* {beginning}"):
        from_dict(sb.CostVarying, {**plain, "control_sets": [["a"]], field: 1})
