"""How a clinic is run today, by a rule over what is looked at: played first, left step by step, and compared with."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal._policy_value import Policy
from steerbo.causal.cheap_first import CheapFirst
from steerbo.causal.method import CausalMethod
from steerbo.errors import InvalidProblem

pytestmark = pytest.mark.few_draws

RULE = {"dose": "0.2 + 0.4 * age", "rest": "1 - pressure"}
GRAPH = sb.CausalGraph.from_text(
    "age -> dose; age -> y; dose -> pressure -> y; pressure -> rest -> y; dose -> y; dose <-> y",
    target="y",
    intervenable=["dose", "rest"],
)
VARIABLES = [sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pressure")]


def clinic(current: dict[str, Any] | None = RULE, **more: Any) -> sb.Causal:
    return sb.Causal(GRAPH, VARIABLES, current=current, **more)


def round_of(
    optimizer: sb.Optimizer, random: np.random.Generator, noise: float = 0.02
) -> tuple[sb.Suggestion, dict[str, float]]:
    """A patient, whose best dose is a fifth above today's."""
    suggestion = optimizer.ask()
    assert suggestion is not None
    row = {"age": random.uniform(), "u": 0.1 * random.normal()}
    while True:
        dose = suggestion.values.get("dose", 0.2 + 0.4 * row["age"])
        row["pressure"] = float(np.clip(0.8 - 0.5 * dose + row["u"], 0, 1))
        if not suggestion.observe:
            break
        suggestion = optimizer.decide(suggestion, {name: row[name] for name in suggestion.observe})
    rest = suggestion.values.get("rest", 1 - row["pressure"])
    wrong = (dose - 0.4 - 0.4 * row["age"]) ** 2 + 0.2 * (rest - 1 + row["pressure"]) ** 2
    measured = {"age": row["age"], "pressure": row["pressure"], "dose": dose, "rest": rest}
    told = {name: value for name, value in measured.items() if name not in suggestion.values}
    optimizer.tell(suggestion, 1 - 10 * wrong + noise * random.normal(), realised=told)
    return suggestion, measured


@cache
def treated(rounds: int = 14) -> tuple[sb.Optimizer, list[tuple[sb.Suggestion, dict[str, float]]]]:
    optimizer, random = sb.Optimizer(clinic(), rounds=rounds, seed=5), np.random.default_rng(5)
    return optimizer, [round_of(optimizer, random) for _ in range(rounds)]


def test_today_is_played_first_in_stages_and_left_step_by_step() -> None:
    optimizer, rounds = treated()
    first, seen = rounds[0]
    assert first.values == {
        "dose": pytest.approx(0.2 + 0.4 * seen["age"]),
        "rest": pytest.approx(1 - seen["pressure"]),
    }
    assert [each.kind for each in optimizer.card(first.token).reasons] == ["current-play"]
    both = [(each, seen) for each, seen in rounds[1:] if "dose" in each.values]
    away = [abs(each.values["dose"] - 0.2 - 0.4 * seen["age"]) for each, seen in both]
    assert away[0] <= 0.1 + 1e-6, "a tenth of the range at first"
    assert max(away) > 0.1, "and further where that was no worse"
    some = [(each, seen) for each, seen in rounds[1:4] if "rest" in each.values]
    assert all(abs(each.values["rest"] - 1 + seen["pressure"]) <= 0.2 + 1e-6 for each, seen in some)


def test_answers_say_by_how_much_they_are_better() -> None:
    optimizer, _ = treated()
    advice = optimizer.recommend()
    [reason] = [each for each in advice.reasons if each.kind == "gain-over-current"]
    assert reason.values["low"] < reason.values["gain"] < reason.values["high"]
    assert reason.values["gain"] == pytest.approx(0.4, abs=0.3), "ten times the square of a fifth"


def test_today_is_held_again_after_plays_that_noise_leaves_open() -> None:
    noisy, random = sb.Optimizer(clinic(), rounds=14, seed=5), np.random.default_rng(5)
    for _ in range(14):
        round_of(noisy, random, noise=1.0)
    late = [
        [each.suggestion.note["phase"] == "current" for each in each.history][-4:] for each in (noisy, treated()[0])
    ]
    assert late == [[True, False] * 2, [False] * 4], "not where outcomes tell"


@pytest.mark.parametrize(("name", "rounds"), [("cheap-first", 19), ("coca-bo", 12)])
def test_what_can_be_gained_is_within_reach(name: str, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was that of all settings, to which neither a round nor the answer may go."""
    optimizer, random = sb.Optimizer(clinic(), name, rounds=40, seed=5), np.random.default_rng(5)
    for _ in range(rounds):
        round_of(optimizer, random)
    ours = optimizer._method
    assert isinstance(ours, CausalMethod)
    near = ours.gain()
    monkeypatch.setattr(ours, "within_reach", ours.feasibility.of)
    assert 0.0 < near < ours.gain() - 0.01


def test_what_is_expected_of_an_answer_is_that_of_settings_within_reach() -> None:
    """It was the mean of the best policy of all, and its settings were moved within reach."""
    optimizer, random = sb.Optimizer(clinic(), "cheap-first", rounds=40, seed=5), np.random.default_rng(5)
    for _ in range(8):
        round_of(optimizer, random)
    ours, advice = optimizer._method, optimizer.recommend()
    assert isinstance(ours, CheapFirst)
    assert isinstance(advice, Policy)
    i = ours.models.number[advice.scope]
    (value,) = ours.policy_values([i], {})
    found, reach = value.at_rate(0.0, 8), ours.within_reach(i).reach
    assert reach is not None
    for row, actions in zip(value.contexts.points[:8], found.actions, strict=True):
        seen = dict(zip(value.arm.measured, row.tolist(), strict=True))
        for name, code in zip(value.arm.actions, actions.tolist(), strict=True):
            low, high = reach((name,), seen)[name]
            assert low - 1e-9 <= code <= high + 1e-9


def test_a_policy_that_no_scope_needs_is_an_arm() -> None:
    graph = sb.CausalGraph.from_text("x -> z -> y", target="y", intervenable=["x", "z"])
    variables = [sb.Float("x", 0, 1), sb.Float("z", 0, 1)]
    optimizer = sb.Optimizer(sb.Causal(graph, variables, current={"x": 0.3}), seed=0)
    first = optimizer.ask()
    assert first is not None
    assert (first.scope.set, first.values) == (("x",), {"x": 0.3})


def test_settings_that_limits_forbid_are_moved_within_them() -> None:
    limits = [sb.LinearConstraint({"dose": 1}, at_most=0.15)]
    suggestion = sb.Optimizer(clinic(limits=limits), seed=0).ask()
    assert suggestion is not None
    optimizer = sb.Optimizer(clinic(limits=limits), seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    decided = optimizer.decide(suggestion, {"age": 0.9})
    assert decided.values["dose"] <= 0.15 + 1e-9


def test_what_is_no_policy_is_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"current\.age: .* settings of"):
        clinic({"age": 0.3})
    with pytest.raises(InvalidProblem, match=r"current\.dose: .* reads"):
        clinic({"dose": "0.1 + weight"})
    with pytest.raises(InvalidProblem, match=r"current: .* no consequence of what they set"):
        clinic({"dose": "0.1 + 0.2 * pressure"})
    with pytest.raises(InvalidProblem, match=r"current\.dose: 2"):
        clinic({"dose": 2})
    assert ("today's settings", "dose = 0.2 + 0.4 * age, rest = 1 - pressure") in clinic().describe()


@pytest.mark.parametrize("current", [{"dose": 0.3}, {"dose": "0.2 + 0.4 * age"}])
def test_answers_say_so_where_looks_cost_money_and_are_measured_afterwards(current: dict[str, Any]) -> None:
    """The model of a scope has columns that it does not look at."""
    graph = sb.CausalGraph.from_text("age -> y; dose -> y; dose <-> y", target="y", intervenable=["dose"])
    variables = [sb.Float("dose", 0, 1), sb.Float("age", 0, 1)]
    problem = sb.Causal(graph, variables, prices={"dose": 1, "age": 2}, base=1, current=current)
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for _ in range(10):
        suggestion, age = optimizer.ask(), random.uniform()
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"age": age})
        dose = suggestion.values.get("dose", random.uniform())
        realised = {"dose": dose, "age": age}
        optimizer.tell(suggestion, 1 - (dose - 0.6) ** 2 + 0.02 * random.normal(), realised=realised)
    assert optimizer.recommend().says("gain-over-current")
