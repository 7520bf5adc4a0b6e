"""Today's settings often fail: it may be why the study is made, so plays leave them, and answers say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb

pytestmark = pytest.mark.few_draws

TODAY = {"x": 0.3, "w": 0.5}
VARIABLES = [sb.Float("x", 0, 1), sb.Float("w", 0, 1)]
GRAPH = sb.CausalGraph.from_text("x -> y; w -> y", target="y", intervenable=["x", "w"])


def problem(kind: str, **more: Any) -> Any:
    if kind == "cost-varying":
        return sb.CostVarying(VARIABLES, [["x", "w"]], costs=[1], current=TODAY, **more)
    if kind == "time-varying":
        return sb.TimeVarying(VARIABLES, current=TODAY, **more)
    return sb.Causal(GRAPH, VARIABLES, current=TODAY, **more)


def played(kind: str, rounds: int, below: float, chance: float) -> tuple[sb.Optimizer, list[bool], list[bool]]:
    """A study whose plays fail below some x, which ones played today's settings, and which ones failed."""
    study, random = sb.Optimizer(problem(kind), seed=0), np.random.default_rng(0)
    stayed, failed = [], []
    for _ in range(rounds):
        asked = study.ask()
        assert asked is not None
        drawn = {"x": random.random(), "w": random.random()}
        x, w = ({**drawn, **asked.values}[name] for name in ("x", "w"))
        stayed.append(asked.values == TODAY)
        failed.append(bool(x < below and random.random() < chance))
        if failed[-1]:
            study.fail(asked, "broke")
        else:
            value = 2 - 4 * (x - 0.7) ** 2 - 4 * (w - 0.3) ** 2 + 0.1 * random.normal()
            realised = {name: drawn[name] for name in drawn if name not in asked.values}
            study.tell(asked, value, realised=realised)
    return study, stayed, failed


@pytest.mark.parametrize("kind", ["cost-varying", "time-varying", "causal"])
def test_where_nothing_near_today_works_plays_look_everywhere(kind: str) -> None:
    """All thirty plays failed: nothing was better, so nothing came within reach."""
    study, stayed, failed = played(kind, 16, 0.5, 1.0)
    assert sum(stayed) <= 3
    assert sum(failed) <= 10
    assert study.recommend().says("today-unfit")


@pytest.mark.parametrize("kind", ["time-varying", "causal"])
def test_settings_of_today_that_mostly_fail_are_not_held_again(kind: str) -> None:
    """They were held after each play that was not surely better by its value."""
    study, random = sb.Optimizer(problem(kind), seed=0), np.random.default_rng(0)
    for number in range(20):
        asked = study.attach(TODAY if number % 2 == 0 else {"x": 0.42, "w": 0.5})
        if number % 2 == 0 and number not in (0, 10):
            study.fail(asked, "broke")
        else:
            study.tell(asked, 1.0 + 0.1 * random.normal())
    asked = study.ask()
    assert asked is not None
    assert asked.values != TODAY
    assert asked.values.get("x", 1.0) > 0.36
    advice = study.recommend()
    assert advice.says("today-unfit")
    assert "today's settings are too unlikely to work" in advice.why


@pytest.mark.parametrize("kind", ["cost-varying", "time-varying", "causal"])
def test_today_is_not_called_unfit_where_nothing_fails(kind: str) -> None:
    study, _, _ = played(kind, 8, 0.0, 0.0)
    assert not study.recommend().says("today-unfit")


@pytest.mark.parametrize("kind", ["cost-varying", "time-varying", "causal"])
def test_where_all_that_works_near_today_breaks_a_limit_plays_look_everywhere(kind: str) -> None:
    """Plays near today's settings fail, or break the limit, and nothing else came within reach."""
    limit = sb.OutcomeConstraint("smoke", at_most=0.0, probability=0.8)
    study, random = sb.Optimizer(problem(kind, limits=[limit]), seed=0), np.random.default_rng(0)
    kept = []
    for _ in range(30):
        asked = study.ask()
        assert asked is not None
        x, w = ({**TODAY, **asked.values}[name] for name in ("x", "w"))
        smoke = 0.5 - w + 0.01 * random.normal()
        realised = {name: TODAY[name] for name in TODAY if name not in asked.values} | {"smoke": smoke}
        works = x + w < 0.68 or w > 0.8
        kept.append(bool(works and w > 0.5))
        if works:
            study.tell(asked, x + 0.05 * random.normal(), realised=realised)
        else:
            study.fail(asked, "broke", realised=realised)
    assert sum(kept[20:]) >= 8


@pytest.mark.parametrize("kind", ["time-varying", "causal"])
def test_settings_of_today_whose_category_breaks_a_limit_are_not_held_again(kind: str) -> None:
    """Its numbers keep it with the category of the latest play: every second round broke the limit."""
    variables: list[sb.space.Variable] = [sb.Float("x", 0, 1), sb.Categorical("fuel", ["gas", "coal"])]
    limit = sb.OutcomeConstraint("smoke", at_most=0.5, probability=0.9)
    more: dict[str, Any] = {"current": {"x": 0.5, "fuel": "coal"}, "limits": [limit]}
    graph = sb.CausalGraph.from_text("x -> y; fuel -> y", target="y", intervenable=["x", "fuel"])
    one = sb.TimeVarying(variables, **more) if kind == "time-varying" else sb.Causal(graph, variables, **more)
    study, random, burnt = sb.Optimizer(one, seed=0), np.random.default_rng(0), []
    for number in range(24):
        asked = study.attach({"x": 0.5, "fuel": "coal" if number % 3 == 0 else "gas"}) if number < 12 else study.ask()
        assert asked is not None
        x, fuel = asked.values.get("x", 0.5), asked.values.get("fuel", "gas")
        burnt.append(fuel)
        told = {"x": x, "fuel": fuel, "smoke": float(fuel == "coal") + 0.05 * random.normal()}
        realised = {name: value for name, value in told.items() if name not in asked.values}
        study.tell(asked, 0.1 * x + 0.5 * random.normal(), realised=realised)
    assert burnt[12:].count("coal") <= 1
