"""Committed tables and pictures are what the programs that are named beside them make of the committed runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.calibration import page as calibration
from benchmarks.limits import page as limits
from benchmarks.traits import changing_page, context_page, hanging_page, laws_page, moving_page, prices_page

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
}


@pytest.mark.parametrize("name", PAGES)
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
