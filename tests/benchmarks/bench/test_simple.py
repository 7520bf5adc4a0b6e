"""Simple rules play every problem that allows them, keep to what is told, and are measured against what is best."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from partial_control_bench.entrants.rules import BestOfFive, OneAtATime, ResponseSurface, Retune, Rule, Sweep
from partial_control_bench.fresh import simple
from partial_control_bench.fresh.crowd import FreshCrowd
from partial_control_bench.fresh.family import TRAITS, shape, trait, world
from partial_control_bench.fresh.world import FreshWorld
from partial_control_bench.playing import play
from partial_control_bench.problem import Budget
from partial_control_bench.protocol import Outcome
from partial_control_bench.registry import contender, problem
from tests.benchmarks.bench.calls import pcb

COMMIT = "7c" * 20
ONE: dict[str, Any] = {
    "wing": "cost-varying",
    "variables": [{"name": name, "low": 0.0, "high": 10.0} for name in ("a", "b")],
    "control_sets": [["a"], ["a", "b"]],
    "costs": [1.0, 3.0],
    "tolerance": 0.5,
}


def told(rule: Rule, value: Any, plays: int) -> list[dict[str, Any]]:
    """What a rule plays, when it is told a function of that."""
    found = []
    for number in range(1, plays + 1):
        values = dict(rule.ask({"round": number}))
        rule.tell(values, Outcome(value(values), 1.0, {"a": 5.0, "b": 5.0} | values))
        found.append(values)
    return found


@pytest.mark.parametrize("index", range(len(TRAITS)))
def test_every_rule_plays_every_trait_and_none_passes_the_best(index: int) -> None:
    of = world(COMMIT, index)
    for name in simple.RULES:
        line = simple.Run(COMMIT, index, 0, name).play()
        assert line["rounds"] > 3
        assert line["play"] > -0.05, f"{name} passes the best of {trait(index)}"
        if isinstance(of, FreshWorld):
            assert line["money"] <= of.shape.money + 1e-9


def test_the_same_draw_gives_the_same_line() -> None:
    first, second, other = (simple.Run(COMMIT, 1, draws, "retune").play() for draws in (0, 0, 1))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert first["play"] != other["play"]


def test_all_that_issue_names_is_drawn() -> None:
    shapes = [shape(COMMIT, i) for i in range(60) if trait(i) != "agents"]
    assert {each.drift for each in shapes} == {"", "linear", "seasonal", "jump"}
    assert {each.d for each in shapes} >= {3, 4, 5, 6, 7, 8}
    assert len({each.noise for each in shapes}) == 8
    sites = {world(COMMIT, i).sites for i in range(7, 120, 12) if isinstance(world(COMMIT, i), FreshCrowd)}  # type: ignore[union-attr]
    assert len(sites) >= 4


def test_a_sweep_holds_the_cheapest_that_is_good_enough() -> None:
    near = told(Sweep(ONE, 0), lambda values: values["a"] + (0.4 if "b" in values else 0.0), 20)
    assert near[-1].keys() == {"a"}
    assert near[-1]["a"] == pytest.approx(10 * 6.5 / 7)
    far = told(Sweep(ONE, 0), lambda values: values["a"] + (2.0 if "b" in values else 0.0), 20)
    assert far[-1].keys() == {"a", "b"}


def test_what_a_unit_of_value_is_worth_counts_in_place_of_a_tolerance() -> None:
    held = told(BestOfFive(ONE | {"worth": 0.1}, 0), lambda values: values["a"], 8)[-1]
    assert held.keys() == {"a"}, "a dearer set costs 20 units of value more"


def test_one_at_a_time_finds_a_top_where_effects_add_up() -> None:
    rule = OneAtATime(ONE, 0)
    told(rule, lambda values: -abs(values["a"] - 8.5) - abs(values["b"] - 2.5), 20)
    answer = rule.answer({})
    assert answer["a"] == pytest.approx(8.5, abs=0.8)
    assert answer["b"] == pytest.approx(2.5, abs=0.8)


def test_a_parabola_is_found_by_its_fit() -> None:
    rule = ResponseSurface({**ONE, "control_sets": [["a", "b"]], "costs": [1.0]}, 0)
    told(rule, lambda values: 9 - 0.3 * (values["a"] - 7) ** 2 - 0.3 * (values["b"] - 3) ** 2, 40)
    answer = rule.answer({})
    assert answer["a"] == pytest.approx(7, abs=1.5)
    assert answer["b"] == pytest.approx(3, abs=1.5)


def test_retuning_follows_what_has_moved() -> None:
    rule = Retune({**ONE, "control_sets": [["a"]], "costs": [1.0]}, 0)
    told(rule, lambda values: -abs(values["a"] - 1), 30)
    before = rule.answer({})["a"]
    told(rule, lambda values: -abs(values["a"] - 9), 150)
    assert abs(rule.answer({})["a"] - 9) < abs(before - 9) - 3


def test_a_limit_is_kept_by_all() -> None:
    index = TRAITS.index("limit")
    of = world(COMMIT, index)
    assert isinstance(of, FreshWorld)
    assert of.shape.limit is not None
    for name in ("one-at-a-time", "random"):
        entrant = simple.Remembering(contender(name).load()({**of.known, "budget": {}}, 0), of)
        assert len(play(of, entrant, Budget(40, 40.0)).regret) == 40, "a broken limit is refused"
    kept = of.kept({"x1": 1.0, "x2": 1.0, "x3": 1.0})
    assert kept["x1"] + kept["x2"] == pytest.approx(of.shape.limit)


@pytest.mark.parametrize("name", ["hartmann-moderate-0.02", "daily", "figure-1", "arena"])
def test_rules_are_peers_in_every_wing(name: str) -> None:
    of = problem(name).make(problem(name).seeds.tuning.start)
    for rule in simple.RULES:
        entrant = contender(rule).load()({**of.known, "budget": {"rounds": 30, "money": None}}, 0)
        assert np.isfinite(play(of, entrant, Budget(30)).regret).all()


def test_the_command_writes_lines_once_and_counts_who_is_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "simple.jsonl"
    words = ["simple", "--registration", "tuning", "--problems", "1", "--seeds", "2", "--out", str(out)]
    words += ["--entrants", "hold-the-middle,sweep"]
    assert pcb(monkeypatch, *words) == 0
    assert [json.loads(line)["entrant"] for line in out.read_text().splitlines()] == ["hold-the-middle", "sweep"] * 2
    capsys.readouterr()
    assert pcb(monkeypatch, *words) == 0
    printed = capsys.readouterr()
    assert not printed.err
    assert "ahead of ours / behind" in printed.out
    assert pcb(monkeypatch, "simple", "--entrants", "swep") == 2


def test_the_default_answers_where_something_is_seen() -> None:
    index = TRAITS.index("context")
    of = world(COMMIT, index)
    assert isinstance(of, FreshWorld)
    entrant = simple.Remembering(
        contender("cheap-first").load()({**of.known, "budget": {"rounds": 8, "money": 8.0}}, 0), of
    )
    play(of, entrant, Budget(8, 8.0))
    assert simple.shortfall_of_answer(of, entrant, 9) > -0.05
