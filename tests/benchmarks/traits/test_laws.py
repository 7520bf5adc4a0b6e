"""Laws from data, learned and checked: the worlds are what they say, runs come out the same, tables count them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import steerbo as sb
from benchmarks.traits import laws, laws_checks, laws_page
from benchmarks.traits.laws_worlds import LawWorld


@pytest.mark.parametrize("rho", [0.9, -0.9])
def test_what_nature_draws_goes_together_as_it_should(rho: float) -> None:
    world = LawWorld(f"rho {rho}", 9900)
    assert np.corrcoef(world.population.T)[0, 1] == pytest.approx(rho, abs=0.03)
    assert world.problem("rows").nature is not None
    assert world.problem("independent").nature is None
    value, realised = world.play(3, {"x0": 0.4})
    assert world.play(3, {"x0": 0.4}) == (value, realised)
    assert realised["x0"] == 0.4


def test_the_truth_of_an_answer_is_the_average_over_what_nature_draws() -> None:
    world = LawWorld("shifted", 9900)
    full = np.column_stack([np.full(len(world.population), 0.3), world.population])
    assert world.expected(np.array([[0.3]]))[0] == pytest.approx(world.value(full).mean())
    assert world.best[1] >= world.best[0] - 0.02, "who holds more can do as much"
    assert world.population[:, 0].mean() == pytest.approx(0.6, abs=0.02)
    assert isinstance(world.problem("doubted").variables[1].law, sb.space.Learned)


def test_runs_are_kept_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "ROUNDS", 8)
    monkeypatch.setattr(laws, "HORIZONS", (8,))
    jobs = [("elsewhere", method, 6900) for method in ("stated", "learned")]
    played = [laws.run(job) for job in jobs]
    assert played[0] == laws.run(jobs[0])
    file = tmp_path / laws.KEPT
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(run) + "\n" for run in played))
    groups = laws_page.grouped(file)
    assert "| elsewhere | stated | 1 |" in laws_page.table(groups)
    assert "| elsewhere: learned − stated | 1 |" in laws_page.paired(groups)
    laws_page.picture(groups, tmp_path / "laws.png")
    assert (tmp_path / "laws.png").stat().st_size > 0


def test_checks_are_kept_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws_checks, "BLOCK", 2)
    found = [
        laws_checks.run(("checks", kind, 900)) for kind in ("elsewhere", "laws hold", "selected, given", "rho 0.9")
    ]
    found.append(laws_checks.run(("given", "U-shape", 900)))
    file = tmp_path / laws_checks.KEPT
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(run) + "\n" for run in found))
    text = laws_page.checks(file)
    assert "| elsewhere | 2 | 2 |" in text
    assert "| U-shape | 1 |" in text
    assert found[-1]["given"] < 0.07 < found[-1]["ignored"]
