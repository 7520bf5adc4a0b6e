"""Committed tables and pictures are what the programs that are named beside them make of the committed runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import simple
from benchmarks.store import PAGES, differing
from benchmarks.timevarying import intel_page
from partial_control_bench import data

RESULTS = Path(__file__).parents[2] / "docs" / "results"
_NEED_DATA = {"cost-varying"}
_needs = pytest.mark.skipif(
    data.folder() is None, reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING"
)


@pytest.mark.parametrize("name", [pytest.param(name, marks=_needs if name in _NEED_DATA else ()) for name in PAGES])
def test_tables_are_those_of_the_runs(name: str, tmp_path: Path) -> None:
    (tmp_path / "runs").symlink_to(RESULTS / "runs")
    for file in RESULTS.glob("*.md"):
        shutil.copy(file, tmp_path)
    PAGES[name](tmp_path)
    made = [file for file in tmp_path.iterdir() if not file.is_symlink()]
    assert any(file.suffix == ".png" for file in made)
    for file in made:
        assert (RESULTS / file.name).is_file(), f"python -m benchmarks.…: {file.name} is not committed"
        if file.suffix != ".png":
            assert file.read_text() == (RESULTS / file.name).read_text()


def test_the_picture_of_the_intel_days_is_that_of_the_table(tmp_path: Path) -> None:
    shutil.copy(RESULTS / intel_page.CSV, tmp_path)
    intel_page.picture(tmp_path)
    assert (RESULTS / intel_page.PICTURE).stat().st_size == pytest.approx(
        (tmp_path / intel_page.PICTURE).stat().st_size, rel=0.2
    )


@pytest.mark.parametrize(
    "name", ["timevarying", "causal", "costvarying", "meanfield", "traits", "calibration", "limits"]
)
def test_two_screens_come_before_the_appendix(name: str) -> None:
    """A page begins with its claims and one picture; what explains and details them comes after the heading."""
    before, heading, _ = (RESULTS / f"{name}.md").read_text().partition("\n## Appendix\n")
    assert heading
    prose, rows = ([line for line in before.splitlines() if line.startswith("|") == table] for table in (False, True))
    assert len(" ".join(prose).split()) <= 350
    assert len(rows) <= 20
    assert "| **holds** |" in before
    assert before.count("![") == 1
    assert "## " not in before.removeprefix("# ")


@pytest.mark.parametrize("page", sorted(RESULTS.glob("*.md")), ids=lambda page: page.stem)
def test_no_table_is_longer_than_a_screen(page: Path) -> None:
    rows = 0
    for line in page.read_text().splitlines():
        rows = rows + 1 if line.startswith("|") else 0
        assert rows <= 2 + 30


def test_the_store_is_what_its_index_says(tmp_path: Path) -> None:
    store = RESULTS / "runs"
    assert list(differing(store)) == []
    assert not list(store.glob("*.jsonl")), "python -m benchmarks.store packs what was played"
    for name in ("index.json", "costs.jsonl.gz"):
        shutil.copy(store / name, tmp_path)
    (tmp_path / "costs.jsonl.gz").write_bytes(b"other")
    found = list(differing(tmp_path))
    assert "costs.jsonl.gz: its SHA-256 is not the one that is listed" in found
    assert "papers-toy.jsonl.gz: is listed, and not there" in found


def test_tables_of_simple_rules_are_made_of_the_runs(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / "runs", tmp_path / "runs")
    shutil.copy(RESULTS / "simple.md", tmp_path)
    simple.write(tmp_path)
    assert (tmp_path / "simple.md").read_text(encoding="utf-8") == (RESULTS / "simple.md").read_text(encoding="utf-8")
    (tmp_path / "simple.md").write_text("<!-- play -->\n\n<!-- /play -->\n<!-- answer -->\n\n<!-- /answer -->\n")
    simple.write(tmp_path)
    assert (tmp_path / "simple.md").read_text(encoding="utf-8").count("| **ahead of ours / behind** |") == 2
