"""Slopes beside the default: the table is of the kept runs."""

from __future__ import annotations

from pathlib import Path

from benchmarks.causal import slanted
from benchmarks.runs import keep

RESULTS = Path(__file__).parents[3] / "docs" / "results"


def test_the_table_is_of_the_kept_runs() -> None:
    assert slanted.section(RESULTS / slanted.KEPT) in (RESULTS / "causal.md").read_text()


def test_differences_are_paired_by_seed(tmp_path: Path) -> None:
    place = tmp_path / slanted.KEPT
    for model, seed, clean in (("slanted", 0, 0.3), ("slanted", 1, 0.1), ("slanted", 2, 0.2), ("default", 1, 0.3)):
        keep(place, {"key": f"figure-1/{model}/{slanted.FIRST + seed}", "clean": clean, "last": 0.0})
    keep(place, {"key": f"figure-1/default/{slanted.FIRST + 2}", "clean": 0.3, "last": 0.0})
    cells = slanted.section(place).splitlines()[2].split("|")
    assert [cell.strip() for cell in cells[2:5]] == [
        "0.2000 ± 0.0577 (3)",
        "0.3000 ± 0.0000 (2)",
        "-0.1500 ± 0.0500 (2)",
    ]


def test_which_runs_there_are() -> None:
    jobs = list(slanted.jobs())
    assert len(set(jobs)) == len(jobs)
    assert [job[:2] for job in jobs[:60]] == [("figure-1", "slanted")] * 60
    assert {job[0] for job in jobs} == set(slanted.SEEDS)
