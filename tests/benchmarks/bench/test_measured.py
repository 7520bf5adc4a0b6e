"""Problems of other people's data: cuts, truths and what may be set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import steerbo as sb
from partial_control_bench import data
from partial_control_bench.errors import BenchError
from partial_control_bench.measured import cuts, fetch, limited, olympus
from partial_control_bench.measured.places import Ithaca, best
from partial_control_bench.measured.tables import Nearest
from partial_control_bench.registry import problem

real = pytest.mark.skipif(
    not data.there((data.measured("bms"),)),
    reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING",
)


def test_nearest_rows_are_weighted_and_drawn() -> None:
    near = Nearest(np.array([[0.0], [10.0], [40.0]]), np.array([1.0, 3.0, 90.0]), 2)
    assert near.mean(np.array([[5.0]]))[0] == pytest.approx(2.0)
    assert near.drawn(np.array([[4.0], [4.0]]), np.array([0.1, 0.9])).tolist() == [1.0, 3.0]


def test_couplings_without_a_halide_are_left_out() -> None:
    head = "base,ligand,aryl_halide_number,additive_number,yield"
    text = f"{head}\nB,L,1.0,2.0,10.12345\nB,L,,2.0,0\n"
    assert cuts.couplings({"aryl": text}) == "base,ligand,additive,halide,yield\nB,L,A2,H1,10.123\n"


def test_half_hours_are_summed_to_two_hours() -> None:
    rows = [f"2014-07-01 0{k // 2}:{30 * (k % 2):02}:00,{k}" for k in range(7)]
    text = "\n".join(["timestamp,value", *rows])
    assert cuts.taxis({"taxi": text}) == "start,passengers\n2014-07-01 00:00,6\n"


def test_of_two_roads_the_quicker_is_driven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "STATIONS", 2)
    edges = "0 1 {'travel_time': 9.0}\n1 0 {'travel_time': 4.0}\n1 2 {'travel_time': 5.0}\n"
    assert cuts.roads({"edges": edges, "arrivals": "0\n1\n"}) == "call0,call1,station\n0.0,4.0,n0\n9.0,5.0,n2\n"


def test_another_table_than_the_frozen_one_is_not_written(tmp_path: Path) -> None:
    text = "base,ligand,solvent,concentration,temperature,yield\nB,L,S,1,2,3\n"
    with pytest.raises(data.DataChanged, match="after cutting"):
        fetch.fetch(tmp_path, ("bms",), lambda source: text)
    assert not list(tmp_path.iterdir())


def test_every_source_has_one_commit_and_sum() -> None:
    for source in fetch.SOURCES.values():
        assert len(source.commit) == 40
        assert len(source.digest) == 64
        assert " " not in source.address
        assert source.commit in source.address


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder := tmp_path / "olympus").mkdir()
    monkeypatch.setenv("STEERBO_DATA", str(tmp_path))
    return folder


def test_a_listed_setting_is_looked_up_and_smaller_gaps_are_better(tables: Path) -> None:
    rows = [f"o{i},c{j},a{k},{i + 10 * j + 100 * k}" for i in range(4) for j in range(3) for k in range(2)]
    (tables / "perovskites.csv").write_text("\n".join(rows))
    world = olympus.World("perovskites")
    assert world.truth({"v0": "o3", "v1": "c1", "v2": "a1"}) == 113
    assert world.problem().minimize
    answer, play = olympus.played("perovskites", "one at a time", 0, 0.0)
    assert answer == 0.0  # the first of every choice
    assert play < answer


def test_a_mixture_keeps_its_total_and_takes_the_nearest_rows(tables: Path) -> None:
    rows = [f"{a},{b},{4 - a - b},{a * b}" for a in range(5) for b in range(5 - a)]
    (tables / "thin_film.csv").write_text("\n".join(rows))
    world = olympus.World("thin_film")
    assert world.mixed({"v0": 3.0, "v1": 1.0, "v2": 0.0}) == {"v0": 0.75, "v1": 0.25, "v2": 0.0}
    assert world.truth({"v0": 2.0, "v1": 2.0, "v2": 0.0}) == pytest.approx(4.0, abs=0.05)
    book = olympus.Book(world, 0, 0.05)
    olympus.drawn(world, book, 0)
    assert not book.left
    np.testing.assert_allclose([sum(values.values()) for values in book.values], 1.0)


def test_a_limit_cuts_off_the_half_with_the_best_row(tables: Path) -> None:
    rows = [f"{a},{b},{c},{d},{a - b}" for a in (60, 90) for b in (1, 5) for c in (1, 2) for d in (0, 3)]
    (tables / "suzuki.csv").write_text("\n".join(rows))
    found = limited.Limited("suzuki")
    assert found.load({"v0": 90, "v1": 1, "v2": 1, "v3": 0}) == pytest.approx(1.0)  # the best: up, down
    assert found.bound == pytest.approx(0.0, abs=0.03)
    (known,) = found.problem(known=True).limits or ()
    assert isinstance(known, sb.LinearConstraint)
    assert known.breaks({"v0": 90, "v1": 1})
    assert not known.breaks({"v0": 66, "v1": 5})


@real
def test_truths_are_those_of_the_tables() -> None:
    reactions, setting = problem("real-bms").make(0), {"base": "KOAc", "ligand": "BrettPhos"}
    setting |= {"solvent": "DMAc", "concentration": "0.1", "temperature": "105"}
    assert reactions.regret(1, setting, {}) == pytest.approx(100 - 5.47)
    barrel = {"n": 6.4, "theta": 3, "r": 1.5, "t": 0.7}  # the nearest design counts
    assert problem("real-barrel").make(0).play(1, barrel, {}).value in (1.1447, 1.277, 0.9847)
    pure = {"wf3": 0.0, "p3ht": 0.0, "pcbm": 0.0, "oidtbr": 1.0}
    assert problem("real-opv").make(0).regret(1, pure, {}) == pytest.approx(0.02218 - 0.00445, abs=1e-3)


@real
def test_prices_are_taken_off_in_percent_of_yield() -> None:
    world = problem("real-aryl").make(0)
    assert world.play(1, {"ligand": "XPhos"}, {}).cost == 1.0
    assert world.known["worth"] == 0.25
    assert world.best == pytest.approx(46.92726666666667)  # type: ignore[attr-defined]
    with pytest.raises(BenchError, match="control sets"):
        world.play(1, {"base": "P2Et"}, {})
    with pytest.raises(BenchError, match="none of"):
        world.play(1, {"ligand": "Phos"}, {})


@real
def test_moving_one_agent_of_the_best_gains_nothing() -> None:
    assert best(4) == pytest.approx(-77.9208530805687)
    assert best(100) == pytest.approx(0.7533938494212002)
    with pytest.raises(BenchError, match="sum to 1"):
        Ithaca(4, 0).truth({"distribution": [[0.5] * 20]})


@real
def test_what_is_recorded_loses_nothing() -> None:
    taxis = problem("real-taxi").make(0)
    assert taxis.now(1) == {"context": {"hour": 0.0, "weekend": 0.0}}
    assert taxis.regret(1, {"seats": 29.837}, {}) == pytest.approx(0)
    assert taxis.regret(1, {"seats": 28.837}, {}) == pytest.approx(3)
    assert taxis.regret(1, {"seats": 30.837}, {}) == pytest.approx(1)


@real
def test_a_cell_is_the_same_whatever_is_set() -> None:
    cells = problem("real-sachs").make(0)
    levels = {}
    for name in ("pka", "mek"):
        low, high = cells.known["ranges"][name]
        levels[name] = np.linspace(low, high, 5).tolist()
    lost = [cells.regret(1, {"pka": a, "mek": b}, {}) for a in levels["pka"] for b in levels["mek"]]
    assert min(lost) == 0.0 < max(lost)
