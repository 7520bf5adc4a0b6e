"""Pages of results are short enough to be read, and the store of runs is what its index says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from partial_control_bench.store import differing

RESULTS = Path(__file__).parents[2] / "evidence"


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
    assert not list(store.glob("*.jsonl")), "python -m partial_control_bench.store packs what was played"
    for name in ("index.json", "costs.jsonl.gz"):
        shutil.copy(store / name, tmp_path)
    (tmp_path / "costs.jsonl.gz").write_bytes(b"other")
    found = list(differing(tmp_path))
    assert "costs.jsonl.gz: its SHA-256 is not the one that is listed" in found
    assert "papers-toy.jsonl.gz: is listed, and not there" in found
