"""What a run shows: plain lines where nobody watches, a live line on a terminal, nothing when quiet."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

import steerbo as sb
from steerbo.study import Display, MemoryLog, Study, resume, run_study
from steerbo.study.progress import best_round
from tests.study.files import MEASURE, function_study


def shown(folder: Path, terminal: bool, quiet: bool = False) -> str:
    study = function_study(folder, f"if suggestion.round == 2:\n    raise ValueError('[pump]')\n{MEASURE}")
    written = io.StringIO()
    display = Display(Console(file=written, force_terminal=terminal, width=80, highlight=False), quiet)
    with display:
        assert study.objective is not None
        with resume(study, MemoryLog(), display) as going:
            run_study(going, going.session, study.objective, display)
    return written.getvalue()


def test_plain_lines(tmp_path: Path) -> None:
    lines = shown(tmp_path, terminal=False).splitlines()
    assert any("round 2 failed: " in line and "[pump]" in line for line in lines)
    progress = [line for line in lines if "spent" in line]
    assert 3 <= len(progress) <= 11
    assert "of 10, best -" in progress[-1]
    assert "\x1b" not in "".join(lines)


def test_a_live_line(tmp_path: Path) -> None:
    text = shown(tmp_path, terminal=True)
    assert "spent 10 of 10" in text or "spent 11 of 10" in text
    assert "[pump]" in text
    assert "\x1b[" in text


@pytest.mark.parametrize("terminal", [True, False])
def test_quiet_says_only_what_went_wrong(tmp_path: Path, terminal: bool) -> None:
    lines = shown(tmp_path, terminal, quiet=True).splitlines()
    failed, cost = (line for line in lines if line.strip())
    assert "round 2 failed: " in failed
    assert "its cost is unknown" in cost


def test_the_best_is_the_studys_whoever_played_it() -> None:
    written = io.StringIO()
    display = Display(Console(file=written, width=120, highlight=False))
    problem = sb.CostVarying([sb.Float("t", 0, 1)], [["t"]])
    with Study.create(MemoryLog(), problem, "random", rounds=10) as study:
        for value, told in ((1, True), (5, False), (2, True), (3, True)):  # one of them is another worker's
            study.tell(study.ask(), value, cost=1)
            if told:
                display.ended(study)
        study.amend(next(r for r in study.history if r.number == 2).suggestion, void=True)
        display.ended(study)
        for _ in range(2):
            study.tell(study.ask(), 0, cost=1)
        display.ended(study)
    best = [line.split("best ")[1].split()[0] for line in written.getvalue().splitlines()]
    assert best == ["1", "5", "5", "3"], "alone, with the other's, still, and after that was void"


def test_where_the_optimum_moves_what_was_best_long_ago_is_no_more() -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], drift=sb.Decay(0.1))
    study = Study.create(MemoryLog(), problem, "random", rounds=30)
    for number in range(1, 15):
        study.tell(study.ask(), 100.0 if number == 2 else float(number % 5))
    best = best_round(study.history, problem)
    assert best is not None
    assert best.number in (9, 14)
    screen = io.StringIO()
    with Display(Console(file=screen, width=200)) as display:
        display.ended(study)
    assert "best of late 4" in screen.getvalue()


def test_where_nothing_moves_the_best_stays_the_best() -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]])
    study = Study.create(MemoryLog(), problem, "random", rounds=30)
    for number in range(1, 15):
        study.tell(study.ask(), 100.0 if number == 2 else float(number % 5))
    best = best_round(study.history, problem)
    assert best is not None
    assert best.number == 2
