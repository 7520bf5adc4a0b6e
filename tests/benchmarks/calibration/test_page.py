"""The table of coverage counts what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.calibration.page import cells, section
from benchmarks.calibration.wings import HORIZONS, WINGS


def row(truth: float, lower: float | None, upper: float | None) -> dict[str, Any]:
    return {"truth": truth, "lower": lower, "upper": upper, "spread": 2.0, "times": 1.5}


def test_cells_count_what_is_covered_among_those_with_bounds() -> None:
    rows = [row(1.0, 0.0, 2.0), row(3.0, 0.0, 2.0), row(0.5, 0.0, 4.0), row(9.0, None, None)]
    assert cells(rows) == ("66.7 ± 27.2", "1.00", "1.50", "3 of 4")
    assert cells(rows[3:]) == ("–", "–", "–", "0 of 1")


def test_a_table_has_every_problem_and_all_together(tmp_path: Path) -> None:
    kept = tmp_path / "runs.jsonl"
    runs = [
        {"key": name, "wing": "causal", "problem": name, "seed": 0, "rows": [row(1.0, 0.0, 2.0) for _ in HORIZONS]}
        for name in WINGS["causal"].PROBLEMS
    ]
    kept.write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")
    lines = section(kept).splitlines()
    assert lines[0] == "## Causal"
    assert sum("100.0 ± 0.0" in line for line in lines) == len(HORIZONS) * (len(runs) + 1)
    assert any(line.startswith("| figure 1 |") for line in lines)
    assert any(line.startswith("| context, drawn * |") for line in lines)
