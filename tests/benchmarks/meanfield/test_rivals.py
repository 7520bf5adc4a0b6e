"""Rivals of the benchmarks' package keep the contract, are found by their entry points, and open old logs."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from partial_control_bench.meanfield.rivals import AddGPUCB, AdditiveGP, Annealing, Genetic
from steerbo.core import Method, Optimizer, Streams, registry
from steerbo.errors import InvalidOption, InvalidProblem, InvalidStudy
from steerbo.meanfield import MeanField
from steerbo.testing import Case, WingContract
from tests.meanfield.worlds import case, check_vectors, crowd
from tests.outsiders import install

PLACE = "partial_control_bench.meanfield.rivals"
RIVALS = (AddGPUCB, Annealing, Genetic)
OLD = ("add-gp-ucb", "annealing", "genetic")


class TestAddGPUCB(WingContract):
    @staticmethod
    def case() -> Case:
        return case(f"{PLACE}:AddGPUCB", starting_points=3)


class TestGenetic(WingContract):
    @staticmethod
    def case() -> Case:
        pytest.importorskip("pymoo", reason="pymoo is not installed: pip install './benchmarks[genetic]'")
        return case(f"{PLACE}:Genetic", population=3)


class TestAnnealing(WingContract):
    @staticmethod
    def case() -> Case:
        return case(f"{PLACE}:Annealing")


@pytest.mark.parametrize("method", RIVALS)
@pytest.mark.parametrize("limit", [{"capacity": {"a": 30}}, {"largest_move": 0.5}, {"moving_cost": 1.0}])
def test_limits_they_cannot_keep_are_refused(method: type[Method[Any, Any]], limit: dict[str, Any]) -> None:
    with pytest.raises(InvalidProblem, match=next(iter(limit))):
        Optimizer(crowd(**limit), method)


@pytest.mark.parametrize("method", [AddGPUCB, Annealing])
def test_vectors_are_what_is_suggested_and_keep_to_open_cells(method: type[Method[Any, Any]]) -> None:
    check_vectors(method)


def test_agents_who_decide_one_by_one_reach_the_maximum() -> None:
    """Against all 3⁴ vectors."""
    problem = MeanField(actions=("a", "b", "c"), agents=4)
    random = np.random.default_rng(1)
    vectors, values = random.integers(3, size=(6, 4)), random.normal(size=6)
    process = AdditiveGP.fitted(vectors, values)
    method = AddGPUCB(problem, AddGPUCB.Options(), Streams(0), Optimizer(problem).history)

    def bound(vector: tuple[int, ...]) -> float:
        total = 0.0
        for m, a in enumerate(vector):
            k = (vectors[:, m] == a) / 4
            total += k @ process.weights + np.sqrt(process.scale * max(1 / 4 - k @ process.inverse @ k, 1e-12))
        return total

    best = max(map(bound, itertools.product(range(3), repeat=4)))
    assert bound(tuple(method.best(vectors, values, random))) == pytest.approx(best)


def test_contributions_of_agents_add_up() -> None:
    random = np.random.default_rng(0)
    vectors, values = random.integers(3, size=(8, 5)), random.normal(size=8)
    process = AdditiveGP.fitted(vectors, values)
    trials = random.integers(3, size=(4, 5))
    for trial, bound, mean in zip(trials, process.bound(trials, 1.0), process.bound(trials, 0.0), strict=True):
        k = 1 - np.array([(trial != row).mean() for row in vectors])
        assert mean == pytest.approx(process.mean + k @ process.weights)
        spread = max(1 - k @ process.inverse @ k, 1e-12)
        assert bound - mean == pytest.approx(np.sqrt(process.scale * spread), rel=1e-6)


# -- by the door for outsiders


def old_log(name: str) -> str:
    """A log as it was written while steerbo had the method itself."""
    world = case(f"{PLACE}:{dict(zip(OLD, RIVALS, strict=True))[name].__name__}")
    plain = json.loads(world.play(world.start(), 7).to_json())
    plain["events"][0]["method"] = name
    return json.dumps(plain)


@pytest.mark.parametrize("name", OLD)
def test_old_logs_open_where_the_package_is_installed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pymoo", reason="pymoo is not installed: pip install './benchmarks[genetic]'")
    install(tmp_path / "site", monkeypatch, "rivals_of_ours", "", methods=f"mean-field = {PLACE}:METHODS")
    log = old_log(name)
    again = sb.load(log)
    assert again.ask() is not None
    assert json.loads(again.to_json())["events"][:8] == json.loads(log)["events"][:8]
    assert name in [row[1] for row in sb.methods("mean-field").rows]


@pytest.mark.parametrize("name", OLD)
def test_elsewhere_it_is_said_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = old_log(name)
    monkeypatch.setattr(registry, "entries", lambda group: [])
    with pytest.raises(InvalidOption, match="pip install partial-control-bench"):
        Optimizer(MeanField(["a", "b"], agents=4), name)
    with pytest.raises(InvalidStudy, match="pip install partial-control-bench"):
        sb.load(log)
