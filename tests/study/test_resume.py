"""A study file and its log: a run goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from steerbo.errors import InvalidStudy
from tests.study.files import (
    MEASURE,
    STUDY,
    Watcher,
    write_function,
    write_study,
)
from tests.study.runs import plain, run


def test_a_study_in_pieces_is_the_study_in_one(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole = run(write_function(tmp_path / "a", MEASURE))
    assert whole.status.finished
    pieces = write_function(tmp_path / "b", MEASURE)
    for _ in range(3):
        run(pieces, rounds=2)
    assert plain(run(pieces)) == plain(whole)
    assert plain(run(pieces)) == plain(whole), "a finished study stays as it is"


def test_more_money_continues_a_finished_study(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    before = run(path)
    path.write_text(path.read_text().replace("budget = 10", "budget = 15"))
    after = run(path)
    assert plain(after)[1 : len(before.events)] == plain(before)[1:]
    assert after.status.spent > before.status.spent


def test_what_the_file_leaves_out_is_as_the_study_began(tmp_path: Path) -> None:
    """As when a default changes between versions; what the file does say must agree."""
    path = write_function(tmp_path, MEASURE)
    before = run(path, rounds=3)
    path.write_text(path.read_text().replace('method = "random"\n', ""))
    watcher = Watcher()
    after = run(path, rounds=2, watcher=watcher)
    assert after.events[0].method == "random"  # type: ignore[union-attr]
    assert plain(after)[: len(before.events)] == plain(before)
    assert any("method = 'random'" in said and "as this study began" in said for said in watcher.said)
    path.write_text(path.read_text().replace("seed = 3", "seed = 3\noptions = { beta = 1.0 }"))
    with pytest.raises(InvalidStudy, match=r"study\.db: method: .* another study"):
        run(path)


def test_unknown_study_files_leave_no_log(tmp_path: Path) -> None:
    path = write_study(tmp_path, study=STUDY.replace("random", "rondom"))
    with pytest.raises(InvalidStudy):
        run(path)
    assert not list(tmp_path.glob("*.db"))
