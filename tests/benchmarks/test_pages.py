"""Committed tables and pictures are what the programs that are named beside them make of the committed runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.calibration import page as calibration
from benchmarks.causal import front as causal
from benchmarks.costvarying import front as costvarying
from benchmarks.limits import page as limits
from benchmarks.meanfield import front as meanfield
from benchmarks.timevarying import front as timevarying
from benchmarks.timevarying import intel_page
from benchmarks.traits import changing_page, context_page, hanging_page, laws_page, moving_page, prices_page
from benchmarks.traits import front as traits
from partial_control_bench import data

RESULTS = Path(__file__).parents[2] / "docs" / "results"
PAGES: dict[str, Callable[[Path], str | None]] = {
    "calibration": calibration.write,
    "limits": limits.write,
    "context": context_page.write,
    "changing": changing_page.write,
    "moving": moving_page.write,
    "prices": prices_page.write,
    "hanging": hanging_page.write,
    "laws": laws_page.write,
    "time-varying": timevarying.write,
    "causal": causal.write,
    "mean-field": meanfield.write,
    "cost-varying": costvarying.write,
    "traits": traits.write,
}
_NEED_DATA = {"cost-varying"}
_needs = pytest.mark.skipif(
    data.folder() is None, reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING"
)


@pytest.mark.parametrize("name", [pytest.param(name, marks=_needs if name in _NEED_DATA else ()) for name in PAGES])
def test_tables_are_those_of_the_runs(name: str, tmp_path: Path) -> None:
    for file in RESULTS.glob("*.jsonl"):
        (tmp_path / file.name).symlink_to(file)
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
