"""Nature's laws as they are known by now: learned, given what is seen, from rounds that left a variable to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.study import read_study
from steerbo.testing import Case, TraitContract
from tests.costvarying.worlds import LEARNED_LAWS, learned_laws_case


class TestCheapFirst(TraitContract):
    @staticmethod
    def case() -> Case:
        return learned_laws_case("cheap-first")


class TestTsPsq(TraitContract):
    @staticmethod
    def case() -> Case:
        return learned_laws_case("ts-psq")


def problem(law: Any, *more: Any) -> sb.CostVarying:
    return sb.CostVarying(
        [sb.Float("valve", 0, 1), sb.Float("heat", 0, 1, law=law), *more],
        [["valve"], ["valve", "heat"]],
        costs=[0.1, 1.0],
    )


def mean_of(optimizer: Any, **known: float) -> float:
    law: Any = optimizer._method.search_space.nature.at(known)["heat"].law
    nodes, weights = law.rule([0], np.array([1.0]))
    return float(weights @ nodes[:, 0])


def tell(optimizer: Any, heat: float, value: float = 0.0, **context: float) -> None:
    """A round; heat is realised where it is not set."""
    suggestion = optimizer.ask(**({"context": context} if context else {}))
    optimizer.tell(suggestion, value, realised={"heat": heat, **suggestion.values})


@pytest.mark.parametrize("law", ["learned", sb.space.Learned(sb.Normal(0.3, 0.1))])
def test_the_law_moves_to_where_nature_is(law: Any) -> None:
    optimizer = sb.Optimizer(problem(law), "random", seed=0)
    away = []
    for number in range(40):
        tell(optimizer, 0.8 + 0.01 * (number % 5 - 2))
        away.append(abs(mean_of(optimizer) - 0.8))
    left = sum("heat" not in played.suggestion.values for played in optimizer.history)
    assert away[-1] <= 0.55 / (left + 1)
    assert optimizer.status.findings == (), "a law that is learned needs no warning"


def test_only_what_nature_did_is_learned_from() -> None:
    optimizer = sb.Optimizer(sb.CostVarying(problem("learned").variables, [["valve", "heat"]]), "random", seed=0)
    for _ in range(5):
        tell(optimizer, 0.8)
    optimizer.add(0.0, {"valve": 0.1, "heat": 0.9}, scope=["valve", "heat"])
    assert mean_of(optimizer) == pytest.approx(0.5)
    optimizer = sb.Optimizer(problem("learned"), "random", seed=0)
    optimizer.add(0.0, {"valve": 0.1, "heat": 0.9}, scope=["valve"])
    assert mean_of(optimizer) == pytest.approx(0.7)
    optimizer.add(0.0, {"valve": 0.1, "heat": 0.1})
    assert mean_of(optimizer) == pytest.approx(0.7), "nobody knows whether somebody set it"
    optimizer.amend("added-1", realised={"heat": 0.5})
    assert mean_of(optimizer) == pytest.approx(0.5)
    asked = (optimizer.ask() for _ in range(30))
    left = next(suggestion for suggestion in asked if suggestion and "heat" not in suggestion.values)
    optimizer.fail(left, "the valve broke", realised={"heat": 0.8})
    assert mean_of(optimizer) == pytest.approx((0.5 + 0.5 + 0.8) / 3)


def test_a_stated_law_that_is_right_is_kept() -> None:
    heat = sb.Float("heat", 0, 1, law=sb.TruncatedNormal(0.8, 0.05)).distribution
    optimizer: Any = sb.Optimizer(problem(sb.space.Learned(sb.TruncatedNormal(0.8, 0.05))), "random", seed=0)
    random = np.random.default_rng(0)
    for _ in range(60):
        tell(optimizer, float(heat.ppf(random.random())))
    assert optimizer._method.search_space.nature.at({})["heat"].law.trust > 0.75
    assert mean_of(optimizer) == pytest.approx(0.8, abs=0.01)


def test_what_is_learned_is_learned_given_what_is_seen() -> None:
    """Heat follows the weather: on a cold day it is not what it was on warm ones."""
    optimizer = sb.Optimizer(problem("learned", sb.Float("weather", 0, 1, seen=True)), "random", seed=0)
    random = np.random.default_rng(0)
    for _ in range(120):
        weather = float(random.random())
        tell(optimizer, weather, weather=weather)
    assert mean_of(optimizer, weather=0.15) == pytest.approx(0.15, abs=0.08)
    assert mean_of(optimizer, weather=0.85) == pytest.approx(0.85, abs=0.08)


def test_weather_that_never_was_teaches_nothing() -> None:
    """Heat was left to nature on warm days only: of cold ones the law knows what it knew at first."""
    optimizer = sb.Optimizer(problem("learned", sb.Float("weather", 0, 1, seen=True)), "random", seed=0)
    for number in range(30):
        tell(optimizer, 0.9, weather=0.8 + 0.005 * number)
    assert mean_of(optimizer, weather=0.9) > 0.85
    assert mean_of(optimizer, weather=0.1) == pytest.approx(0.5, abs=0.01)


def test_a_constant_a_repeated_and_an_extreme_value_are_draws_too() -> None:
    for heat in (0.0, 1.0, -0.4, 1.4):
        optimizer = sb.Optimizer(problem("learned"), "cheap-first", seed=0, rounds=9)
        while (suggestion := optimizer.ask()) is not None:
            value = -((suggestion.values["valve"] - 0.4) ** 2)
            optimizer.tell(suggestion, value, realised={"heat": heat, **suggestion.values})
        advice: Any = optimizer.recommend()
        assert np.isfinite([advice.mean, advice.lower, advice.upper]).all()


def test_answers_are_surer_the_more_was_seen() -> None:
    widths = []
    for rounds in (8, 60):
        alone = sb.CostVarying(problem("learned").variables, [["valve"]], costs=[0.1])
        optimizer = sb.Optimizer(alone, "cheap-first", seed=1, rounds=rounds)
        random = np.random.default_rng(0)
        for valve, heat in random.random((40, 2)).tolist():
            optimizer.add(valve * heat, {"valve": valve, "heat": heat})
        while (suggestion := optimizer.ask()) is not None:
            x = {"heat": float(random.normal(0.6, 0.15)), **suggestion.values}
            optimizer.tell(suggestion, x["valve"] * x["heat"], realised=x)
        cheap: Any = optimizer.recommend()
        widths.append(cheap.upper - cheap.lower)
        assert cheap.lower <= 0.6 <= cheap.upper
    assert widths[1] < 0.6 * widths[0]


def test_a_learned_law_in_files_and_logs(tmp_path: Path) -> None:
    assert from_dict(sb.CostVarying, json.loads(json.dumps(to_dict(LEARNED_LAWS))), "problem") == LEARNED_LAWS
    file = tmp_path / "study.toml"
    file.write_text("""
        [problem]
        kind = "cost-varying"
        control_sets = [["valve"]]
        [[problem.variables]]
        kind = "float"
        name = "valve"
        low = 0
        high = 1
        [[problem.variables]]
        kind = "float"
        name = "heat"
        low = 10
        high = 35
        law = "learned"
        [[problem.variables]]
        kind = "float"
        name = "damp"
        low = 0
        high = 1
        law = { kind = "learned", prior = { kind = "beta", a = 2, b = 2 } }
        [study]
        rounds = 3
    """)
    heat, damp = read_study(file).problem.space.variables[1:]
    assert heat.law == sb.space.Learned()
    assert damp.law == sb.space.Learned(sb.space.Beta(2, 2))


def test_bounds_that_are_widened_leave_what_was_believed_at_first() -> None:
    wider = sb.Float("heat", 10, 30, law=sb.space.Learned()).widened(0, 40)
    assert wider.law == sb.space.Learned(sb.Uniform(10, 30))


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ({"kind": "learned", "prior": "learned"}, "prior"),
        ({"kind": "learned", "prior": {"kind": "learned"}}, "prior"),
        ("learnt", "law"),
        (sb.space.Learned, "law"),
    ],
)
def test_what_is_no_law_is_refused_by_name(law: Any, said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        sb.Float("heat", 0, 1, law=law)


def test_kinds_that_learn_no_laws_say_so() -> None:
    drifting = sb.TimeVarying([sb.Float("x", 0, 1, law=sb.space.Learned())])
    with pytest.raises(InvalidProblem, match="time-varying problem does not learn laws"):
        sb.Optimizer(drifting)
