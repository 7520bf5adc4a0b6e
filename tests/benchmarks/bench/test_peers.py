"""Each peer that is installed plays in every wing that it can; none sees more than it is told."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np
import pytest

from partial_control_bench.entrants.columns import Columns, looked_at, seen_first
from partial_control_bench.entrants.cube import Cube
from partial_control_bench.fresh.family import TRAITS, world
from partial_control_bench.playing import run
from partial_control_bench.problem import Budget
from partial_control_bench.protocol import Outcome
from partial_control_bench.registry import contender, problem
from partial_control_bench.space import space_of
from tests.sizes import FULL, size

QUICK = {"optuna-tpe": "optuna", "sklearn-gp-ei": "sklearn", "cma-es": "cma", "botorch": "botorch"}
HERE = [name for name, package in QUICK.items() if find_spec(package)]
PROBLEMS = ("toy-h5-l0.5", "hartmann-moderate-0.02", "psa-2", "swarm")
SLOW = {("botorch", "hartmann-moderate-0.02")}  # a choice takes it many seconds: before a release alone


PLAYED = [(entrant, name) for entrant, name in product(HERE, PROBLEMS) if FULL or (entrant, name) not in SLOW]


@pytest.mark.parametrize(("entrant", "name"), PLAYED)
def test_peers_play(entrant: str, name: str) -> None:
    about = problem(name)
    rounds = size(7, 6) if entrant == "botorch" else 7  # five draws, and what a model says
    budget = Budget(rounds, about.budget.money, (about.budget.money or 7.0,))
    who = contender(entrant)
    runs = [run(replace(about, budget=budget), entrant, who.load(), 1000) for _ in range(2)]
    assert runs[0].rounds == rounds
    assert runs[0].curve == runs[-1].curve, "the same seed plays the same"


@pytest.mark.skipif(find_spec("optuna") is None, reason="needs optuna: pip install './benchmarks[peers]'")
def test_what_was_not_asked_for_is_a_trial_too() -> None:
    entrant: Any = contender("optuna-tpe").load()(known("hartmann-cheap-0.02"), 0)
    for values, outcome in problem("hartmann-cheap-0.02").make(0).before():
        entrant.tell(values, outcome)
    entrant.tell({"x1": 0.5}, Outcome(1.0))  # no control set
    entrant.tell(entrant.ask({"round": 1}), Outcome(2.0))
    trials = entrant.study.trials
    assert [trial.params["controls"] for trial in trials[:5]] == [6] * 5, "the set that holds everything"
    assert len(trials) == 6


def test_peers_are_told_outcomes_less_the_price_of_what_was_held() -> None:
    told = {**world("tuning", TRAITS.index("sets")).known, "budget": {"rounds": 10, "money": None}}
    values = dict.fromkeys(told["control_sets"][1], 0.5)
    net = 2.0 - told["costs"][1] / told["worth"]
    assert space_of(told).net(values, Outcome(2.0)) == pytest.approx(net)
    assert space_of(known("plant-cheap-0.02")).net({"x3": 0.3}, Outcome(2.0)) == 2.0, "no price is known there"
    cube = Cube(told)
    cube.learn(values, Outcome(2.0, realised={v["name"]: 0.5 for v in told["variables"]}))
    assert cube.data()[1].tolist() == pytest.approx([net])


@pytest.mark.skipif(find_spec("optuna") is None, reason="needs optuna: pip install './benchmarks[peers]'")
def test_the_sampler_on_a_process_is_asked_for_every_variable() -> None:
    entrant: Any = contender("optuna-gp").load()(known("plant-cheap-0.02"), 0)
    values = entrant.ask({"round": 1})
    assert len(entrant.trial.params) == 6
    assert len(values) < 6
    entrant.tell(values, Outcome(1.0))
    assert len(entrant.study.trials) == 1


def known(name: str) -> dict[str, Any]:
    return {**problem(name).make(problem(name).seeds.tuning[0]).known, "budget": {"rounds": 10, "money": None}}


def test_control_sets_are_conditional_parameters() -> None:
    space = space_of(known("plant-cheap-0.02"))
    point = {"controls": 1, **{f"x{d}": 0.1 * d for d in range(1, 6)}}
    assert space.values(point, {}) == pytest.approx({"x3": 0.3, "x4": 0.4})
    assert space.point({"x3": 0.3, "x4": 0.4}) == {"controls": 1, "x3": 0.3, "x4": 0.4}
    assert space.point({"x1": 0.3}) is None
    assert [p.name for p in space.parameters if p.active(point)] == ["controls", "x3", "x4"]


def test_what_is_known_before_acting() -> None:
    assert looked_at(known("psa-2")) == ["age", "bmi"]
    assert [p.name for p in seen_first(known("psa-2"))] == ["age", "bmi"]
    assert [p.name for p in seen_first(known("seen-first"))] == ["z"]
    assert seen_first(known("swarm")) == []


def test_what_is_not_available_becomes_the_nearest_that_is() -> None:
    space = space_of(known("moving"))
    mask = np.zeros((16, 16), dtype=bool)
    mask[3, 4] = mask[12, 12] = True
    values = space.values({"x": 4, "y": 6}, {"available": mask.ravel().tolist()})
    assert values == pytest.approx({"x": 3 / 15, "y": 4 / 15})


def test_a_cube_learns_what_nature_drew() -> None:
    cube = Cube(known("plant-cheap-0.02"))
    asked = cube.values(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), {})
    assert asked == pytest.approx({"x1": 0.2, "x2": 0.3})
    cube.learn(asked, Outcome(1.0, 0.1, {f"x{d}": 0.9 for d in range(1, 6)} | asked))
    X, y = cube.data()
    np.testing.assert_allclose(X, [[0.5 / 7, 0.2, 0.3, 0.9, 0.9, 0.9]])
    assert y.tolist() == [1.0]


def test_a_cube_learns_the_shares_that_were_played() -> None:
    cube = Cube(known("swarm"))
    asked = cube.values(np.full(cube.dimension, 0.5), {})
    cube.learn(asked, Outcome(1.0))
    np.testing.assert_allclose(cube.data()[0], np.ravel(asked["distribution"])[None])


def test_what_is_made_small_is_learned_upside_down() -> None:
    cube = Cube(known("psa-1"))
    cube.learn(cube.values(np.array([0.5, 0.5]), {}), Outcome(3.0))
    assert cube.data()[1].tolist() == [-3.0]


def test_columns_hold_what_was_seen_and_when() -> None:
    seen = Columns(known("psa-2"), 0)
    assert seen.begin({"round": 1})
    assert seen.looks == ["age", "bmi"]
    seen.see({"age": 65.5, "bmi": 26.5})
    ((chosen, fixed),) = seen.fixed()
    assert (chosen, fixed) == (None, {2: 0.5, 3: 0.5})
    seen.learn(seen.values(None, np.array([0.25, 0.75, 0.5, 0.5])), Outcome(1.0))
    np.testing.assert_allclose(seen.data()[0], [[0.25, 0.75, 0.5, 0.5]])
    timed = Columns(known("daily"), 0)
    assert not timed.begin({"round": 5, "time": 5.0})
    assert [*timed.fixed()] == [(None, {1: 1.0})], "now, in rounds so far"
    timed.learn(timed.drawn(), Outcome(1.0))
    timed.begin({"round": 10, "time": 10.0})
    assert timed.data()[0][0, 1] == 0.5


def test_columns_search_each_control_set() -> None:
    columns = Columns(known("plant-cheap-0.02"), 0)
    columns.begin({"round": 1})
    sets = dict(columns.fixed())
    assert len(sets) == 7
    assert sets[0] == {2: 0.5, 3: 0.5, 4: 0.5}
    assert sets[6] == {}
    assert columns.values(0, np.full(5, 0.2)) == pytest.approx({"x1": 0.2, "x2": 0.2})


@pytest.mark.skipif(find_spec("botorch") is None, reason="needs botorch: pip install './benchmarks[peers]'")
def test_botorch_averages_over_nature_and_searches_what_is_held() -> None:
    import torch

    entrant: Any = contender("botorch").load()(known("plant-cheap-0.02"), 0, nodes=8)
    for values, outcome in problem("plant-cheap-0.02").make(0).before():
        entrant.tell(values, outcome)
    model = entrant._model()
    points = torch.rand(1, 2, 6, dtype=torch.double)
    points[..., -1] = 0.0  # x1 and x2 are held
    both = torch.stack([torch.where(entrant.held[0], x, entrant.draws) for x in points[0, :, :-1]])
    joint = model.base.posterior(both.reshape(-1, 5)).mvn
    average = torch.block_diag(*(torch.full((1, 8), 1 / 8, dtype=torch.double) for _ in range(2)))
    found = model.posterior(points).mvn
    assert torch.allclose(found.mean[0], average @ joint.mean, atol=1e-3)
    wanted = average @ joint.covariance_matrix @ average.T
    assert torch.allclose(found.covariance_matrix[0], wanted, atol=1e-4)


def test_a_smaller_budget_plays_the_same_first_rounds() -> None:
    """Time is counted in rounds so far, not in shares of the budget."""
    rows = []
    for rounds in (10, 400):
        columns = Columns({**known("toy-h5-l0.5"), "budget": {"rounds": rounds, "money": None}}, 0)
        for number in (1, 2):
            columns.begin({"round": number, "time": float(number)})
            columns.learn(columns.drawn(), Outcome(1.0))
        rows.append(columns.data()[0])
    assert np.array_equal(rows[0], rows[1])
    assert rows[0][:, -1].tolist() == [0.5, 1.0]
