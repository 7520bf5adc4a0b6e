"""The study's own words, and digits that mean something."""

from __future__ import annotations

import steerbo as sb
from steerbo._wording import interval_texts
from steerbo.page.wording import Words, in_one_line
from steerbo.study import MemoryLog, Study
from tests.torture.kills import WINGS


def named(**columns: str) -> Words:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", rounds=3)
    study.revise(columns=columns)
    return Words.of(study)


def test_headers_of_tables_are_labels_and_units() -> None:
    words = named(value="Yield (kg)", cost="EUR")
    assert (words.value_label, words.cost_label, words.worth("7"), words.paid(2.0)) == (
        "Yield (kg)",
        "Cost (EUR)",
        "7 kg",
        "2 EUR",
    )
    assert named(cost="Energy [kWh]").cost_label == "Energy (kWh)"
    assert named(cost="Effort").cost_label == "Effort"
    assert (named().value_label, named().cost_label) == ("Value", "Cost")


def test_a_causal_outcome_is_called_as_its_target() -> None:
    case, _ = WINGS["causal"]
    study = Study.create(MemoryLog(), case.problem, case.method, rounds=3, options=case.options)
    assert Words.of(study).value == case.problem.graph.target  # type: ignore[attr-defined]


def test_digits_follow_the_variable_and_the_bounds() -> None:
    problem = sb.CostVarying(
        [
            sb.Float("rate", 1e-6, 1, scale="log"),
            sb.Float("step", 0, 1, step=0.25),
            sb.Float("fine", 0, 1e-3),
            sb.Integer("count", 1, 9),
            sb.Categorical("line", ["a", "b"]),
        ],
        [["rate", "step", "fine", "count", "line"]],
    )
    values = {"rate": 0.000123456789012345, "step": 0.25, "fine": 0.000123456789012345, "count": 3, "line": "b"}
    assert in_one_line(problem, values) == "rate 0.000123, step 0.25, fine 0.000123, count 3, line b"
    assert in_one_line(problem, {"fine": -1.23456789012345e-9}) == "fine 0", "next to nothing of the range"
    assert interval_texts(1e12, 0.9e12, 1.1e12) == ("1e+12", "9e+11", "1.1e+12")
    assert interval_texts(-0.0001, -1.0, 1.0) == ("0", "-1", "1"), "zeros that all share say nothing"
    assert interval_texts(None, None, None) == ("", "", "")
