"""The committed pages say what the committed runs say, and a claim's verdict follows its rule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from partial_control_bench import data
from partial_control_bench.checking import check
from partial_control_bench.kept import kept_in
from partial_control_bench.papers.claim import DEPENDS, HOLDS, NOT, OPEN, Compared, compare, counted, together
from partial_control_bench.papers.front import PAPERS, write_all
from partial_control_bench.record import Result, parse
from partial_control_bench.registry import problems
from partial_control_bench.statistics import summary

HOME = Path(__file__).parents[3] / "evidence" / "papers"
FILES = kept_in(HOME.parent / "runs", "papers-")
real_data = pytest.mark.skipif(
    data.folder() is None, reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING"
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_committed_runs_can_be_believed(file: Path) -> None:
    assert check(file).complaints == []


def test_committed_results_are_small() -> None:
    everything = [file for file in HOME.parent.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in everything) < 3_000_000


@real_data
def test_pages_are_written_by_the_runs(tmp_path: Path) -> None:
    """Words and tables alike; pictures are there, and are spoken of."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "runs").symlink_to(HOME.parent / "runs")
    for file in write_all(tmp_path):
        home = HOME.parent / file.parent.relative_to(tmp_path)
        committed = (home / file.name).read_text()
        assert file.read_text() == committed, "python -m partial_control_bench.papers evidence"
        for alt, picture in re.findall(r"!\[(.*?)\]\((\S+\.png)\)", committed):
            assert alt
            assert (home / picture).read_bytes().startswith(b"\x89PNG")
    for csv in (tmp_path / "papers").glob("*.csv"):
        assert csv.read_text() == (HOME / csv.name).read_text()


def test_pages_are_of_problems_that_there_are() -> None:
    for paper in PAPERS:
        for name in (*dict(paper.drawn), *paper.problems):
            assert problems()[name].wing == paper.wing


def kept(entrant: str, seed: int, value: float) -> Result:
    line: dict[str, Any] = {
        "schema_version": 1, "problem": "daily", "version": 1, "entrant": entrant, "seed": seed, "rounds": 72,
        "budget": {"rounds": 72}, "money": 72.0, "curve": {"unit": "rounds", "at": [72], "cumulative": [value]},
    }  # fmt: skip
    return parse(Result.model_validate(line).line(), "here")


def test_pairs_at_a_mark() -> None:
    results = [kept("a", seed, 10.0 + seed) for seed in (1, 2, 3)] + [kept("b", seed, 12.0 + seed) for seed in (2, 3)]
    found = compare(results, "daily", "a", "b", "cumulative", 72)
    assert found is not None
    assert (found.first, found.second, found.away.mean, found.away.runs) == (12.5, 14.5, -2.0, 2)
    assert found.verdict == HOLDS
    assert compare(results, "daily", "a", "b", "cumulative", 36) is None
    assert compare(results, "daily", "a", "nobody", "cumulative", 72) is None


@pytest.mark.parametrize(
    ("values", "margin", "verdict"),
    [
        ([-2.0, -2.1, -1.9], 0.0, HOLDS),
        ([2.0, 2.1, 1.9], 0.0, NOT),
        ([-2.0, 2.0, -1.0], 0.0, DEPENDS),
        ([2.0, 2.1, 1.9], 3.0, DEPENDS),
    ],
)
def test_a_verdict(values: list[float], margin: float, verdict: str) -> None:
    assert Compared("x", summary(values), 0.0, 0.0, margin).verdict == verdict


def case(mean: float) -> Compared:
    return Compared("x", summary([mean, mean * 1.01]), 1.0, 1.0 - mean)


def test_several_cases_must_agree() -> None:
    assert together("w", {"x": case(-1), "y": case(-2)}, "c").verdict == HOLDS
    assert together("w", {"x": case(-1), "y": case(2)}, "c").verdict == DEPENDS
    assert together("w", {"x": case(1), "y": None}, "c").verdict == NOT
    assert together("w", {"x": None}, "c").verdict == OPEN


def test_groups_of_cells() -> None:
    mixed = {"x, 1": case(-1), "x, 2": case(-1), "y, 1": case(1), "y, 2": case(-1)}
    found = counted("w", mixed, "c")
    assert found.verdict == "depends: holds on x"
    assert found.number.endswith("x 2/0/0; y 1/0/1")
    assert counted("w", {"x, 1": case(-1)}, "c").verdict == HOLDS
    assert counted("w", {}, "c").verdict == OPEN
