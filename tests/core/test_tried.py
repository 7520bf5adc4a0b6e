"""Where no outcome tells settings apart, an answer is one that was played."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.core import BaseStudy

PH = sb.Float("ph", 4, 8)
GRAPH = sb.CausalGraph.from_text("ph -> y", target="y", intervenable=["ph"])
PROBLEMS = {
    "cost-varying": sb.CostVarying([PH], [["ph"]]),
    "time-varying": sb.TimeVarying([PH]),
    "causal": sb.Causal(GRAPH, [PH]),
    "mean-field": sb.MeanField(("a", "b", "c"), agents=10),
}


def told(study: BaseStudy, values: list[float]) -> list[object]:
    """Settings that were played with these outcomes."""
    played = [study.ask() for _ in values]
    for suggestion, value in zip(played, values, strict=True):
        study.tell(suggestion, value)
    return [dict(each.values) for each in played]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("outcomes", [1, 3])
@pytest.mark.parametrize("value", [5.0, 0.0])
def test_after_outcomes_that_are_alike_the_answer_was_played(kind: str, outcomes: int, value: float) -> None:
    study = sb.Optimizer(PROBLEMS[kind], seed=2)
    played = told(study, [value] * outcomes)
    answer = study.recommend()
    assert answer.values in played
    assert study.policy({}).values == answer.values


@pytest.mark.filterwarnings("ignore")
def test_what_is_in_use_today_stays_the_answer() -> None:
    study = sb.Optimizer(sb.CostVarying([PH], [["ph"]], current={"ph": 5.0}), seed=0)
    played = told(study, [5.0, 5.0, 5.0])
    assert played[0] == {"ph": 5.0}
    assert study.recommend().values == {"ph": 5.0}


@pytest.mark.few_draws
@pytest.mark.parametrize("origin", [0.0, 2.0**20])
def test_a_better_answer_stands_wherever_outcomes_are_counted_from(origin: float) -> None:
    """Of a million and thousandths the best setting that was played took its place."""
    study = sb.Optimizer(PROBLEMS["cost-varying"], seed=0)
    for ph in (4.0, 4.75, 5.5, 6.25, 7.25, 8.0):
        study.tell(study.attach({"ph": ph}), origin + (1024 - (16 * (ph - 6.75)) ** 2) / 2**20)
    assert study.recommend().values["ph"] == pytest.approx(6.75, abs=0.1)
