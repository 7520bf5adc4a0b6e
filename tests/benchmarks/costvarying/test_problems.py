"""Published objectives against published values."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from partial_control_bench import data
from partial_control_bench.costvarying.airfoil import noise_level
from partial_control_bench.costvarying.plant import leaf_area
from partial_control_bench.costvarying.synthetic import ackley, hartmann, levy
from partial_control_bench.costvarying.world import COSTS, Plant

real_data = pytest.mark.skipif(
    data.folder() is None, reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING"
)


@real_data
@pytest.mark.parametrize(("file", "objective"), [("airfoil_gp.json", noise_level), ("plant_gp.json", leaf_area)])
def test_fitted_processes_against_their_reference(file: str, objective: Any) -> None:
    """Five points and values of the reference program stand in each file; plant's points are in its own units."""
    stored = data.required_json(file)
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
    """Mean cost within 5 standard errors, law's variance within 3 % (20 000 draws: 2 standard errors are 1.6 %)."""
    world = Plant("hartmann", "moderate", 0.04)
    assert world.nature(np.random.default_rng(0).random(20_000)).var() == pytest.approx(0.04, rel=0.03)
    first = {f"x{d + 1}": 0.5 for d in world.sets[0]}
    costs = [world.drawn(0, first, np.random.default_rng(k))["cost"] for k in range(40)]
    assert abs(np.mean(costs) - COSTS["moderate"][0]) < 5 * 0.02 / 40**0.5


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
    world = Plant(name)
    place = np.full((1, world.dimension), 0.5)
    place[:, : len(LOWEST[name])] = LOWEST[name]
    assert world.objective(place)[0] == pytest.approx(world.worst, abs=1e-4)
    near = np.clip(place + 0.05 * np.random.default_rng(1).normal(size=(2000, world.dimension)), 0, 1)
    away = np.random.default_rng(0).random((2000, world.dimension))
    assert min(world.objective(near).min(), world.objective(away).min()) >= world.worst


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
        data.required_json("plant_gp.json")
