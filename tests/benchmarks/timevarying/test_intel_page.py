"""The page on the Intel lab's temperatures, from runs made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.timevarying.experiments import CHOOSERS, OURS, PAPERS
from benchmarks.timevarying.intel_page import Day, intel

# regret of every round, early and late: the paper's method is best early and worst at the end
EARLY, LATE = {PAPERS: 0.1}, {PAPERS: 9.0, OURS: 3.0, "random": 7.0}


def runs(day: int) -> list[dict[str, Any]]:
    found = []
    for k, method in enumerate((*CHOOSERS, OURS, "random")):
        for seed in range(2):
            regret = [EARLY.get(method, 1.0 + k)] * 36 + [LATE.get(method, 1.0 + k)] * 108
            played = {"experiment": "intel", "method": method, "seed": seed, "setting": {"day": day}}
            found.append({**played, "regret": regret, "total": sum(regret), "plays": [1] * (day - 1)})
    return found


def test_a_day_is_summed_up() -> None:
    day = Day.of(runs(8) + runs(9), 8)
    assert day.order == [*CHOOSERS[1:], "random", PAPERS]
    assert day.first == PAPERS
    assert day.against() == f"{(36 * 5 + 108 * 3) / (36 * 0.1 + 108 * 9):.2f} (0.00)"
    assert day.average[PAPERS][0, [0, 35]] == pytest.approx([0.1, 0.1])
    lines = [line.split(",")[3:] for line in day.lines() if line.startswith(f"8,{PAPERS},average")]
    regrets = {int(step): said for step, said in lines}
    assert [*regrets] == [*range(6, 145, 6)]
    assert [regrets[step] for step in (6, 36, 72, 144)] == ["0.10 (0.00)", "0.10 (0.00)", "4.55 (0.00)", "6.78 (0.00)"]
    shares = [line for line in day.lines() if line.startswith(f"8,{PAPERS},share")]
    assert [line.rpartition(",")[2] for line in shares] == ["14 %"] * 7


def test_the_section_counts_days(tmp_path: Path) -> None:
    said = intel(runs(8) + runs(9), tmp_path)
    assert "holds on 0 of 2 days" in said
    assert (tmp_path / "timevarying-intel.csv").read_text().count("\n9,") > 20
    assert "is the best of the four on\n2 of 2 days" in said
    assert intel([], tmp_path) == ""
