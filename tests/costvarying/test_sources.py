"""Data of another year or site: told apart by `source`, they help as far as they are like those of here."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.costvarying.methods import METHODS

PROBLEM = sb.CostVarying(
    [sb.Float("t", 0, 1, law=sb.Uniform()), sb.Float("ph", 0, 1, law=sb.Uniform())],
    [["t"], ["t", "ph"]],
    [1, 2],
    value_of_one=1.0,
)


def yields(t: float, ph: float) -> float:
    return math.sin(5 * t) + 0.5 * math.cos(3 * ph)


def study_with(sign: float = 1.0, offset: float = 0.0, rows: int = 24, **options: Any) -> sb.Optimizer:
    """A study with data of last year, and seven of here."""
    random, study = np.random.default_rng(0), sb.Optimizer(PROBLEM, options.pop("method", None), seed=0, **options)
    for t, ph in random.random((rows, 2)).tolist():
        study.add(sign * yields(t, ph) + offset, {"t": t, "ph": ph}, source="last year")
    for t, ph in random.random((7, 2)).tolist():
        study.add(yields(t, ph) + 0.02 * random.standard_normal(), {"t": t, "ph": ph})
    return study


def error(study: sb.Optimizer) -> float:
    """Root mean square error of predictions on a grid."""
    grid = [{"t": t, "ph": ph} for t in np.linspace(0, 1, 5) for ph in np.linspace(0, 1, 5)]
    found = [study.predict(row).mean or 0.0 for row in grid]
    return float(np.sqrt(np.mean([(mean - yields(**row)) ** 2 for mean, row in zip(found, grid, strict=True)])))


def test_what_is_like_here_helps_whatever_its_level_and_what_is_not_is_left_aside() -> None:
    alone = error(study_with(rows=0))
    assert error(study_with(offset=300.0)) < 0.4 * alone
    assert error(study_with(sign=-1.0, offset=300.0)) < 1.5 * alone


@pytest.mark.parametrize("method", [method.name for method in METHODS if not method.trades])
def test_every_method_chooses_with_them_and_a_replay_is_equal(method: str) -> None:
    study = study_with(method=method, budget=30, rows=12)
    suggestion = study.ask()
    study.tell(suggestion, 0.5, realised={"t": 0.3, "ph": 0.4, **suggestion.values})
    study.add(2.0, {"t": 0.5, "ph": 0.5}, source="pilot plant")  # after a fit that knows nothing of it
    again = sb.load(study.to_json())
    expected, found = study.ask(), again.ask()
    assert found.values == expected.values
    assert str(again.recommend()) == str(study.recommend())


def test_what_was_learned_of_a_source_is_explained() -> None:
    study = study_with(offset=300.0, rounds=3)
    study.ask()
    said = study.explain().summary
    assert "Data from last year resemble those from here by 0.9" in said
    assert "and are larger by 3e+02" in said


def test_they_teach_nothing_but_values() -> None:
    """No cost, no law, no typical context, and they are no surprise."""
    variables = [sb.Float("t", 0, 1, law=sb.space.Learned()), sb.Float("sun", 0, 1, seen=True), sb.Float("ph", 0, 1)]
    problem = sb.CostVarying(variables, [["t", "ph"], ["ph"]])
    study, other = sb.Optimizer(problem, seed=0), sb.Optimizer(problem, seed=0)
    random = np.random.default_rng(1)
    rows = [dict(zip(("t", "sun", "ph"), row, strict=True)) for row in random.random((12, 3)).tolist()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for row in rows:
            for each in (study, other):
                each.add(row["t"], row, scope=["ph"], cost=1.0)
        study.add(1e4, {"t": 0.9, "sun": 0.1, "ph": 0.1}, scope=["ph"], cost=1e3, source="other plant")
    assert study.history.mean_cost(problem.scopes[1]) == 1.0
    assert [*study.history.outcomes()] == [*other.history.outcomes()]
    assert study.history.results == other.history.results
    assert study.recommend().cost == other.recommend().cost


def test_a_fit_follows_each_outcome_of_here_beside_many_of_elsewhere() -> None:
    study = study_with(rows=40, rounds=5)
    fits = 0
    for _ in range(3):
        suggestion = study.ask()
        study.tell(suggestion, 0.5, realised={"t": 0.3, "ph": 0.4, **suggestion.values})
        fits = sum(event.kind == "refitted" for event in study.events)
    assert fits >= 2


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (sb.TimeVarying([sb.Float("x", 0, 1)]), "takes all data as measured here"),
        (sb.CostVarying([sb.Float("t", 0, 1)], [["t"]], drift="learned"), "count by their `time`"),
        (sb.CostVarying([sb.Float("t", 0, 1)], [["t"]], outcomes={"e": "minimize"}), "traded against other outcomes"),
    ],
)
def test_where_sources_are_not_told_apart_they_are_refused(problem: Any, why: str) -> None:
    study = sb.Optimizer(problem, seed=0)
    name = problem.space.names[0]
    with pytest.raises(sb.errors.InvalidOutcome, match=f"source: .*nothing: .*{why}"):
        study.add(
            1.0,
            {name: 0.5, "e": 1.0} if problem.kind == "cost-varying" and problem.outcomes else {name: 0.5},
            source="pilot",
        )


@pytest.mark.parametrize("source", ["", "  ", 7, "a\x00b"])
def test_a_source_that_is_no_name_is_refused(source: Any) -> None:
    study = sb.Optimizer(PROBLEM, seed=0)
    with pytest.raises(sb.errors.InvalidOutcome, match=r"source: .*a name, such as 'last year'"):
        study.add(1.0, {"t": 0.5, "ph": 0.5}, source=source)


def test_a_source_is_the_same_whatever_its_capitals() -> None:
    study = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), seed=0)
    for source in ("last year", "Last Year", " LAST YEAR "):
        study.add(1.0, {"x": 0.5}, source=source)
    assert list(study.history.sources) == ["last year"]


def test_a_correction_keeps_the_source_and_an_identity_belongs_to_one() -> None:
    study = sb.Optimizer(PROBLEM, seed=0)
    study.add(1.0, {"t": 0.5, "ph": 0.5}, source="pilot", id="a")
    study.amend("added-1", 2.0)
    assert study.history.data["added-1"].source == "pilot"
    with pytest.raises(sb.errors.OutcomeConflict, match="with source = 'pilot'"):
        study.add(1.0, {"t": 0.5, "ph": 0.5}, id="a")
