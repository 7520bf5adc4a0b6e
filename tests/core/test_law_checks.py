"""Stated laws against what was realised: warned once, kept in the study, the same after a restart."""

from __future__ import annotations

import dataclasses
import json
import warnings
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.core.law_tests import LawEvidence
from steerbo.errors import LawWarning

VARIABLES: list[Any] = [
    sb.Float("valve", 0, 1),
    sb.Float("heat", 10, 35, law=sb.TruncatedNormal(22, 3), unit="°C"),
    sb.Float("damp", 0, 1, law=sb.Uniform()),
]


def problem(*more: Any, **fields: Any) -> sb.CostVarying:
    variables = fields.pop("variables", VARIABLES)
    return sb.CostVarying([*variables, *more], [["valve"], ["valve", "heat"]], costs=[0.1, 1.0], **fields)


def play(optimizer: Optimizer, nature: Any, rounds: int = 40, **asked: Any) -> list[str]:
    """Rounds in which nature does what it is told to; what was warned of."""
    found: list[str] = []
    for number in range(rounds):
        request = {name: value(number) for name, value in asked.items()}
        suggestion = optimizer.ask(**request)
        assert suggestion is not None
        realised = {**nature(number), **suggestion.values}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            optimizer.tell(suggestion, 0.0, realised=realised)
        found += [str(each.message) for each in caught if isinstance(each.message, LawWarning)]
    return found


def warm(seed: int = 0) -> Any:
    """Nature keeps to the second law, but not to the first."""
    random = np.random.default_rng(seed)
    return lambda number: {"heat": float(random.normal(30, 0.5)), "damp": float(random.random())}


def lawful(seed: int = 0, sky: bool = False) -> Any:
    random = np.random.default_rng(seed)
    heat = VARIABLES[1].distribution
    return lambda number: {"heat": float(heat.ppf(random.random())), "damp": float(random.random())}


def test_a_law_that_nature_does_not_keep_is_said_once_with_what_to_do() -> None:
    optimizer = sb.Optimizer(problem(), "random", seed=1)
    (warning,) = play(optimizer, warm())
    assert warning.startswith(
        "heat is not as its law says. Expected: half of all values above 22 °C, nine in ten from 17"
    )
    assert "Seen in the first " in warning
    assert "Begin a new study whose law for it is what was seen, or is learned" in warning
    (found,) = optimizer.status.findings
    assert (found.kind, found.where, found.text) == ("law", "heat", warning)
    assert optimizer.status.to_dict()["findings"][0]["text"] == warning
    assert str(optimizer.status).endswith("; warning: heat is not as its law says")
    assert warning in optimizer.explain().text


def test_it_is_the_same_after_a_restart_and_another_batch() -> None:
    optimizer = sb.Optimizer(problem(), "random", seed=1)
    play(optimizer, warm())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = sb.load(optimizer.to_json())
    assert again.status == optimizer.status
    assert again.status.findings
    later = play(optimizer, warm(9), 10)
    assert later == []
    assert optimizer.status.findings == again.status.findings


def test_while_laws_hold_nothing_is_said() -> None:
    """A false alarm comes in at most one study of a hundred: of thirty more than two would be one in 300 times."""
    alarms = 0
    for seed in range(30):
        checks, nature = LawEvidence(problem()), lawful(seed)
        for number in range(60):
            checks.shown(["valve"], (), nature(number))
        alarms += bool(checks.findings)
    assert alarms <= 2


def test_what_goes_together_is_said() -> None:
    optimizer, random = sb.Optimizer(problem(), "random", seed=0), np.random.default_rng(0)

    def nature(number: int) -> dict[str, float]:
        u = random.random()
        return {"heat": float(VARIABLES[1].distribution.ppf(u)), "damp": u}

    (warning,) = play(optimizer, nature, 80)
    assert warning.startswith("heat goes with damp. Expected: heat does not depend on damp. Seen in the first ")
    assert "rank correlation of 1." in warning
    assert "rows of data for both" in warning


def test_rows_say_what_goes_together_and_each_column_is_held_against_its_values() -> None:
    random = np.random.default_rng(3)
    days = [[22 + 3 * z, 0.5 + 0.1 * z] for z in random.normal(size=60).clip(-3, 3)]
    joint = problem(
        variables=[VARIABLES[0], sb.Float("heat", 10, 35), sb.Float("damp", 0, 1)],
        nature=sb.space.JointRows(days, ["heat", "damp"]),
    )
    optimizer = sb.Optimizer(joint, "random", seed=0)
    again = np.random.default_rng(4)
    assert play(optimizer, lambda _: dict(zip(("heat", "damp"), days[again.integers(60)], strict=True)), 60) == []
    optimizer = sb.Optimizer(joint, "random", seed=0)
    found = play(optimizer, warm(), 60)
    assert {each.partition(".")[0] for each in found} == {
        f"{name} is not as the data it comes from says" for name in ("heat", "damp")
    }


def test_what_is_left_to_nature_only_when_it_is_warm_outside_raises_no_alarm() -> None:
    """Which set is played hangs on the weather, and nature keeps its laws: at most one study of a hundred is warned."""
    alarms = 0
    for seed in range(30):
        checks, nature = LawEvidence(problem(sb.Float("weather", 0, 1, seen=True))), lawful(seed)
        weather = np.random.default_rng(100 + seed).random(100)
        for number, w in enumerate(weather.tolist()):
            held = ["valve"] if w > 0.8 else ["valve", "heat"]
            checks.shown(held, ("weather",), {**nature(number), "weather": w})
        alarms += bool(checks.findings)
    assert alarms <= 2


def test_what_goes_with_what_is_seen_is_said() -> None:
    checks = LawEvidence(problem(sb.Float("weather", 0, 1, seen=True)))
    random, heat = np.random.default_rng(0), VARIABLES[1].distribution
    for w in random.random(80).tolist():
        checks.shown(["valve"], (), {"heat": float(heat.ppf(w)), "damp": float(random.random()), "weather": w})
    (finding,) = checks.findings
    assert finding.text.startswith("heat goes with weather.")
    assert "rounds that left heat to nature" in finding.text


def season(joint: bool) -> sb.CostVarying:
    """Heat follows the weather, which is seen and gets warmer from round to round; damp does not."""
    heat = VARIABLES[1] if joint else sb.Float("heat", 10, 35, law=sb.space.Learned())
    days = [[w / 100, 12 + w / 5] for w in range(100)]
    return sb.CostVarying(
        [
            VARIABLES[0],
            dataclasses.replace(heat, law=None) if joint else heat,
            VARIABLES[2],
            sb.Float("w", 0, 1, seen=True),
        ],
        [["valve"]],
        nature=sb.space.JointRows(days, ["w", "heat"]) if joint else None,
    )


@pytest.mark.parametrize("joint", [True, False])
def test_a_law_given_what_is_seen_may_change_with_it(joint: bool) -> None:
    """Neither is heat held against the weather, nor against what it was on other days; damp is held against heat."""
    checks, random = LawEvidence(season(joint)), np.random.default_rng(0)
    for w in np.linspace(0, 0.99, 120).tolist():
        checks.shown(["valve"], ("w",), {"heat": 12 + 20 * w, "damp": float(random.random()), "w": w})
    assert checks.findings == ()
    checks = LawEvidence(season(joint))
    for w in random.random(120).tolist():
        checks.shown(["valve"], ("w",), {"heat": 12 + 20 * w, "damp": w, "w": w})
    assert {finding.text.partition(".")[0] for finding in checks.findings} == {
        "damp goes with heat",
        "damp goes with w",
    }


def test_choices_whole_and_rounded_numbers_raise_no_alarm_when_they_keep_their_laws() -> None:
    more = [
        sb.Categorical("sky", ["sun", "rain"], law=sb.space.Discrete({"sun": 0.8, "rain": 0.2})),
        sb.Integer("wind", 0, 9, law=sb.Uniform()),
    ]
    alarms = 0
    for seed in range(8):
        checks, nature, random = LawEvidence(problem(*more)), lawful(seed), np.random.default_rng(seed)
        for number in range(120):
            drawn = nature(number)
            sky = "sun" if random.random() < 0.8 else "rain"
            there = {"heat": float(round(drawn["heat"])), "sky": sky, "wind": int(random.integers(10))}
            checks.shown(["valve"], (), {**drawn, **there})
        alarms += bool(checks.findings)
    assert alarms <= 1


def test_a_choice_that_is_rarer_than_stated_is_said() -> None:
    sky = sb.Categorical("sky", ["sun", "rain"], law=sb.space.Discrete({"sun": 0.8, "rain": 0.2}))
    nature = lawful()
    (warning,) = play(sb.Optimizer(problem(sky), "random", seed=0), lambda n: {**nature(n), "sky": "rain"})
    assert "Expected: rain in 20 % of all rounds. Seen in the first " in warning
    assert "in 100 %" in warning


def test_corrections_and_data_from_elsewhere_count() -> None:
    optimizer = sb.Optimizer(problem(), "random", seed=1)
    play(optimizer, warm(), 30)
    assert optimizer.status.findings
    nature = lawful()
    for number, played in enumerate(list(optimizer.history)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimizer.amend(played.suggestion, realised={**nature(number), **played.suggestion.values})
    assert not optimizer.status.findings
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(20):
            optimizer.add(0.0, {"valve": 0.5, "heat": 31.0 + number / 100, "damp": number / 20}, scope=["valve"])
    assert [type(each.message) for each in caught] == [LawWarning]
    for number in range(20):  # where nobody knows what was set, nobody knows what nature did
        optimizer.add(0.0, {"valve": 0.5, "heat": 14.0, "damp": number / 20})
    (found,) = optimizer.status.findings
    assert json.loads(json.dumps(optimizer.status.to_dict()))["findings"] == [found.to_dict()]


@pytest.mark.parametrize("value", [9.0, 36.0, 1e6, -1e6])
def test_values_that_no_law_has_are_evidence_too(value: float) -> None:
    checks = LawEvidence(problem())
    random = np.random.default_rng(0)
    for _ in range(20):
        checks.shown(["valve"], (), {"heat": value, "damp": float(random.random())})
    assert len(checks.findings) == 1


def test_a_problem_in_which_nature_has_no_part_has_nothing_to_check() -> None:
    checks = LawEvidence(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]))
    checks.shown(["ph"], (), {"ph": 5.0})
    assert checks.findings == ()
