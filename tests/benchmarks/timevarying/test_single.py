"""Methods that believe one prior: the table is of the kept runs, and a run done again comes to the same."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks.runs import finished
from benchmarks.timevarying import single

RESULTS = Path(__file__).parents[3] / "docs" / "results"


def test_the_table_is_of_the_kept_runs() -> None:
    kept = RESULTS / single.KEPT
    assert single.section(kept) in (RESULTS / "timevarying.md").read_text()
    again = single.run(("switch", single.EVENT, single.FIRST))["regret"]
    assert math.isclose(again, finished(kept)[f"switch/{single.EVENT}/{single.FIRST}"]["regret"], rel_tol=0.05)


def test_nothing_is_forgotten_where_nothing_changes() -> None:
    assert [single.in_vain(0.1, seed) for seed in range(3)] == [0, 0, 0]
