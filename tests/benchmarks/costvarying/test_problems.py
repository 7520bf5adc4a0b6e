"""Published objectives against published values."""

from __future__ import annotations

import json
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import data
from benchmarks.costvarying.airfoil import noise_level
from benchmarks.costvarying.plant import leaf_area
from benchmarks.costvarying.problems import COSTS, World
from benchmarks.costvarying.runner import Run, measures, summary
from benchmarks.costvarying.runner import play as play_run
from benchmarks.costvarying.synthetic import ackley, hartmann, levy
from benchmarks.runs import finished
from steerbo.core import Optimizer, keyed
from steerbo.errors import InvalidOption
from tests.sizes import FULL

real_data = pytest.mark.skipif(
    data.folder() is None, reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING"
)


@real_data
@pytest.mark.parametrize(("file", "objective"), [("airfoil_gp.json", noise_level), ("plant_gp.json", leaf_area)])
def test_fitted_processes_against_their_reference(file: str, objective: Any) -> None:
    """Five points and values of the reference program stand in each file; plant's points are in its own units."""
    stored = data.required(file)
    points = np.array(stored["verification"]["points"])
    if file == "plant_gp.json":
        low, high = np.array(stored["bounds"], dtype=float).T
        points = (points - low) / (high - low)
    np.testing.assert_allclose(objective(points), stored["verification"]["values"], atol=1e-9)


def test_synthetic_optima() -> None:
    best = np.array([[0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573, 0.1, 0.9, 0.5, 0.5, 0.5, 0.5]])
    assert hartmann(best)[0] == pytest.approx(3.32237, abs=1e-5)
    assert ackley(np.full((1, 12), 0.5))[0] == pytest.approx(0.0, abs=1e-12)
    assert levy(np.full((1, 6), 0.55))[0] == pytest.approx(0.0, abs=1e-12)
    random = np.random.default_rng(0).random((2000, 12))
    for objective, top in ((hartmann, 3.3224), (ackley, 0.0), (levy, 0.0)):
        values = objective(random)
        assert values.max() < top
        idle = random.copy()
        idle[:, 6:] = 0.3
        np.testing.assert_array_equal(objective(idle), values)


def test_worlds_charge_and_draw_as_stated() -> None:
    """Mean cost within 5 standard errors, law's variance within 2 % (20 000 draws: 2 standard errors are 1.6 %)."""
    world = World("hartmann", "moderate", 0.04)
    assert world.nature(np.random.default_rng(0).random(20_000)).var() == pytest.approx(0.04, rel=0.03)
    problem = world.problem()
    optimizer = Optimizer(problem, "random", seed=0)
    costs: list[float] = []
    for _ in range(40):
        suggestion = optimizer.ask()
        assert suggestion is not None
        told = world.play(suggestion, keyed(0, suggestion.round, "nature"))
        costs.append(told["cost"] - COSTS["moderate"][problem.numbers[suggestion.scope]])
        optimizer.tell(suggestion, **told)
    assert abs(np.mean(costs)) < 5 * 0.02 / 40**0.5


def test_a_run_and_its_measures() -> None:
    """Regret falls, evaluations rise, and everything can be written as JSON."""
    world = World("hartmann", "moderate", 0.02)
    done = json.loads(json.dumps(play_run(Run(world, "random", seed=0, budget=20, rounds=30))))
    assert done["spent"] <= 20
    found = measures(done, np.array([1, 1, 1, 1, 3.32237, 1, 3.32237]), world.worst)
    simple = [value for value in found["simple"] if value is not None]
    assert simple == sorted(simple, reverse=True)
    assert found["evaluations"] == sorted(found["evaluations"])
    assert found["evaluations"][-1] == sum(done["plays"][-1])
    assert all(value >= 0 for value in simple)


def test_measures_by_hand() -> None:
    """Three plays on airfoil: set 6 at 1, set 0 at .1, set 6 at 1."""
    world = World("airfoil", "moderate", 0.02)
    sums = summary(world, np.array([6, 0, 6]), np.array([0.9, 0.1, 5.0]), np.array([0.2, 0.5, 0.4]))
    best = np.array([0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6])
    found = measures({"run": {"world": {"costs": "moderate"}}, **sums}, best, worst=0.0)
    assert found["evaluations"] == [2, 3, 3, 3, 3, 3, 3]
    assert found["simple"][:2] == pytest.approx([0.5, 0.5])
    assert found["weighted"][:2] == pytest.approx([0.8 + 0.05, 0.8 + 0.05 + 0.6])
    assert found["cost"][:2] == pytest.approx([0.8, 1.6])  # the cheapest acceptable set, 3, costs .2
    assert found["quality"][:2] == pytest.approx([1.8 - 0.7, 2.7 - 1.1])


def test_the_tolerance_does_not_hang_on_a_run_s_own_worst_play() -> None:
    """Two runs that expect as much in sum have the same quality and cost regret, however low one of them once fell."""
    best = np.array([0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6])
    found = []
    for expected in ([0.3, 0.3, 0.3], [-2.0, 1.4, 1.5]):
        sums = summary(World("airfoil"), np.array([6, 0, 6]), np.array([0.9, 0.1, 5.0]), np.array(expected))
        found.append(measures({"run": {"world": {"costs": "moderate"}}, **sums}, best, World("airfoil").worst))
    assert found[0]["quality"][1:] == pytest.approx(found[1]["quality"][1:])
    assert found[0]["cost"] == found[1]["cost"]


LOWEST = {
    "airfoil": [0.703, 0.6197, 0.4133, 0.2231, 1.0],
    "plant": [0.0006, 0.9811, 0.5830, 0.0364, 0.5619],
    "hartmann": [1.0, 1, 0, 1, 1, 1],
    "ackley": [0.99591695] * 6,
    "levy": [0.0] * 6,
}


@real_data
@pytest.mark.parametrize("name", LOWEST)
def test_the_worst_of_a_problem_is_reached_and_not_passed(name: str) -> None:
    world = World(name)
    place = np.full((1, world.dimension), 0.5)
    place[:, : len(LOWEST[name])] = LOWEST[name]
    assert world.objective(place)[0] == pytest.approx(world.worst, abs=1e-4)
    near = np.clip(place + 0.05 * np.random.default_rng(1).normal(size=(2000, world.dimension)), 0, 1)
    away = np.random.default_rng(0).random((2000, world.dimension))
    assert min(world.objective(near).min(), world.objective(away).min()) >= world.worst


def test_no_kept_run_fell_below_the_worst() -> None:
    kept = finished(Path(__file__).parents[3] / "docs" / "results" / "runs/costvarying-runs.jsonl").values()
    runs = [done for done in kept if "run" in done]
    assert len(runs) == 1450  # fifty of them of the default told nothing
    assert all(done["worst"] >= World(**done["run"]["world"]).worst for done in runs)


@pytest.mark.parametrize("wrong", [("hartman", "moderate"), ("levy", "free")])
def test_unknown_worlds(wrong: tuple[str, str]) -> None:
    with pytest.raises(InvalidOption, match=r"did you mean|one of"):
        World(*wrong)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A folder served on the loopback address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", tmp_path
    server.shutdown()
    server.server_close()
    thread.join()


def test_downloads_are_checked(served: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    address, folder = served
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    with zipfile.ZipFile(folder / "table.zip", "w") as archive:
        archive.writestr("table.dat", "1\t2\r\n3\t4\r\n")
    digest = hashlib.sha256(b"a,b\n1,2\n3,4\n").hexdigest()
    assert data.download(f"{address}/table.zip", "table.dat", digest, "a,b") == "a,b\n1,2\n3,4\n"
    with pytest.raises(data.DataChanged, match="checksum"):
        data.download(f"{address}/table.zip", "table.dat", "0" * 64, "a,b")
    with pytest.raises(data.DataMissing, match="STEERBO_DATA"):
        data.download(f"{address}/nothing.zip", "table.dat", digest, "a,b")


def test_a_data_folder_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(data.VARIABLE, "no-such-folder")
    with pytest.raises(data.DataMissing, match="no-such-folder"):
        data.folder()
    monkeypatch.delenv(data.VARIABLE)
    with pytest.raises(data.DataMissing, match=r"plant_gp\.json"):
        data.required("plant_gp.json")


@real_data
@pytest.mark.parametrize(
    ("name", "method"),
    [("airfoil", "explore-then-commit"), ("plant", "cheap-first"), *([("airfoil", "cheap-first")] if FULL else [])],
)
def test_real_data_end_to_end(name: str, method: str) -> None:
    """A short study learns something: its best play beats the mean of random ones.

    On the plant `explore-then-commit` no longer does within seven plays, since noise may be as large as the signal.
    """
    world = World(name)
    done = play_run(Run(world, method, seed=0, budget=12, rounds=40))
    blind = play_run(Run(world, "random", seed=0, budget=12, rounds=40))
    assert max(done["expected"]) > np.mean(blind["expected"])
