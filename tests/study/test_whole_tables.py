"""Tables that are unlikely as a whole: said once, and taken all the same."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Outcome
from steerbo.study import MemoryLog, Study
from steerbo.study.files._whole_table import doubts
from steerbo.study.files.import_csv import import_csv

PROBLEM = sb.CostVarying(
    [sb.Float("x", 0, 10), sb.Float("z", 0, 1), sb.Categorical("line", ["a", "b"])], [["x", "z", "line"]]
)


def told(noise: float, lines: int, seed: int) -> list[Outcome]:
    random = np.random.default_rng(seed)
    return [Outcome(_value(row, noise, random), realised=row) for row in _rows(random, lines)]


def _rows(random: np.random.Generator, lines: int) -> Iterator[dict[str, float | str]]:
    for _ in range(lines):
        yield {"x": float(random.uniform(0, 10)), "z": float(random.uniform()), "line": str(random.choice(["a", "b"]))}


def _value(row: dict[str, float | str], noise: float, random: np.random.Generator) -> float:
    return 5 - (float(row["x"]) - 4) ** 2 / 4 + (row["line"] == "a") + float(random.normal(0, noise))


def kinds(outcomes: list[Outcome], problem: sb.CostVarying = PROBLEM) -> list[str]:
    return [found.kind for found in doubts(problem, list(enumerate(outcomes, 2)))]


@pytest.mark.parametrize("noise", [0.05, 0.5, 1.0])
def test_tables_of_measurements_are_no_doubt(noise: float) -> None:
    assert not [kinds(told(noise, 60, seed)) for seed in range(40) if kinds(told(noise, 60, seed))]


def test_outcomes_that_were_shifted_or_sorted_are_said() -> None:
    """An outcome that has nothing to do with its line passes for one that has in fewer than one table of ten."""
    found = 0
    for seed in range(60):
        outcomes = told(0.2, 60, seed)
        values = [outcome.value for outcome in outcomes]
        wrong = [*values[1:], values[0]] if seed % 2 else sorted(values)
        moved = [Outcome(value, realised=each.realised) for value, each in zip(wrong, outcomes, strict=True)]
        found += "like-shuffled" in kinds(moved)
    assert found >= 48


def test_a_fleet_s_outcomes_have_to_do_with_its_spread() -> None:
    """Its rain was looked at alone, which does nothing."""
    problem = sb.MeanField(["north", "south"], agents=60, counts=True, variables=[sb.Float("rain", 0, 30, seen=True)])
    random, outcomes = np.random.default_rng(0), list[Outcome]()
    for share in random.uniform(0, 1, 40):
        counts = {"north": round(60 * share), "south": 60 - round(60 * share)}
        spread = {action: number / 60 for action, number in counts.items()}
        realised = {"distribution": {"everyone": spread}, "rain": float(random.uniform(0, 30))}
        if len(outcomes) % 2:  # a table may have both
            realised["counts"] = {"everyone": counts}
        outcomes.append(Outcome(float(-((share - 0.4) ** 2) + random.normal(0, 0.02)), realised=realised))
    assert not [*doubts(problem, list(enumerate(outcomes, 2)))]
    found = 0
    for _ in range(20):  # values that have nothing to do with their lines pass for others in fewer than one of ten
        values = random.permutation([outcome.value for outcome in outcomes])
        moved = [Outcome(float(value), realised=each.realised) for value, each in zip(values, outcomes, strict=True)]
        found += "like-shuffled" in [each.kind for each in doubts(problem, list(enumerate(moved, 2)))]
    assert found >= 14


def test_outcomes_that_follow_the_time_are_no_doubt() -> None:
    problem = sb.TimeVarying([sb.Float("x", 0, 1)])
    random = np.random.default_rng(0)
    outcomes = [
        Outcome(5 * float(np.sin(hour / 3)), realised={"x": float(random.uniform()), "time": float(hour)})
        for hour in range(60)
    ]
    assert not [*doubts(problem, list(enumerate(outcomes, 2)))]


def test_a_column_in_another_unit_is_said_once() -> None:
    outcomes = [Outcome(each.value, realised={**each.realised, "x": 50.0 + each.value}) for each in told(0.2, 20, 1)]
    (found,) = doubts(PROBLEM, list(enumerate(outcomes, 2)))
    assert found.text.startswith("x lies outside its range, 0 to 10, in 20 of 20 lines")


def test_a_block_that_comes_twice_is_said_with_its_lines() -> None:
    outcomes = told(0.2, 60, 2)
    (found,) = doubts(PROBLEM, list(enumerate([*outcomes, *outcomes], 2)))
    assert found.text.startswith("Lines 62 to 121 repeat lines 2 to 61")
    assert not kinds([*outcomes, outcomes[3], outcomes[17]]), "single repetitions are usual"


def test_a_table_that_is_unlikely_is_taken_with_a_warning() -> None:
    study = Study.create(MemoryLog(), PROBLEM, rounds=5)
    text = "x,z,line,value\n" + "".join(f"{20 + k},0.5,a,{k}.5\n" for k in range(6))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lines = import_csv(study, text)
    assert all(line.taken for line in lines)
    assert sum("x lies outside its range" in str(each.message) for each in caught) == 1
