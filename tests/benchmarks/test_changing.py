"""The price of changing: the script counts money as the library does, and every job is another one."""

from __future__ import annotations

import pytest

import steerbo as sb
from benchmarks.traits.changing import BLIND, METHODS, jobs, run
from benchmarks.traits.changing_page import paired, table
from benchmarks.traits.changing_worlds import KINDS, World


@pytest.mark.parametrize("name", ["two of four", "by the way"])
def test_money_is_what_the_library_charges(name: str) -> None:
    world = World(name, 7)
    optimizer = sb.Optimizer(world.problem(declared=True), "random", seed=0)
    before = None
    for _ in range(8):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, world.play(suggestion.round, suggestion.values))
        assert optimizer.history[suggestion.token].paid == pytest.approx(world.price(suggestion.values, before))
        before = suggestion.values
        assert world.regret(before) >= 0


def test_jobs() -> None:
    assert len(set(jobs())) == len(jobs()) == 300
    assert {world for world, _, _ in jobs()} == set(KINDS)
    assert not any(method in METHODS for method in (BLIND, "twin arms"))


def test_a_run_and_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "oven", KINDS["oven"].__class__(3, 1, sb.SwitchingCost(fixed=3), 14))
    runs = {(world, method): {3: run((world, method, 3))} for world, method in (("oven", "twin arms"), ("oven", BLIND))}
    for (_, method), played in runs.items():
        assert played[3]["spent"] <= 14
        assert played[3]["rounds"] == pytest.approx(played[3]["spent"] - 3 * played[3]["moves"])
        assert len(played[3]["regret"]) == 3
        assert f"| oven | {method} | 1 |" in table(runs)
    assert "oven: blind" in paired(runs)


def test_a_study_that_stayed_for_ever_moves() -> None:
    """Three neighbouring values of the oven had taught a long lengthscale, and that nothing better can be elsewhere."""
    played = run(("oven", "twin arms", 6))
    assert played["moves"] > 1
    assert played["regret"][-1] < 0.5
