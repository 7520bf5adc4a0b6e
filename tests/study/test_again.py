"""An answer that waited in a file counts once, and only for what it was said of."""

from __future__ import annotations

from pathlib import Path

import pytest

from steerbo.errors import LogUnavailable
from steerbo.study import Study
from tests.core.stub import Nearest, Stub
from tests.study.fragile import CALLS, decided, opened, started, unwritten


def test_data_that_are_alike_count_as_often_as_they_were_added(tmp_path: Path, said: list[str]) -> None:
    study, log = started(tmp_path / "study.db", wait=0.0)
    for _ in range(2):
        log.away = 9
        with pytest.raises(LogUnavailable):
            CALLS["add"](study, decided)  # type: ignore[arg-type]
    log.away = 0
    waiting = {file: file.read_bytes() for file in unwritten(tmp_path)}
    assert len(waiting) == 2
    with opened(tmp_path / "study.db", said) as again:
        assert len(again.history.added) == 2
    for file, content in waiting.items():
        file.write_bytes(content)  # killed after it was written, before the file was gone
    with opened(tmp_path / "study.db", said) as again:
        assert len(again.history.added) == 2
    study.close()


def test_another_outcome_in_the_meantime_is_a_conflict_that_is_kept_and_said(tmp_path: Path, said: list[str]) -> None:
    study, log = started(tmp_path / "study.db", wait=0.0)
    asked = decided(study)
    log.away = 1
    with pytest.raises(LogUnavailable):
        study.tell(asked, 1.5)
    (file,) = unwritten(tmp_path)
    content = file.read_text()
    file.unlink()
    study.session.outbox.unsettled = False
    study.tell(asked, 3.5)
    study.close()
    file.write_text(content)
    for _ in range(2):
        with opened(tmp_path / "study.db", said) as again:
            outcome = again.history[asked.token].outcome
            assert outcome is not None
            assert outcome.value == 3.5
    assert file.read_text() == content
    assert len(said) == 2
    assert "has an outcome already (3.5)" in said[1]
    assert str(file) in said[1]


def test_a_study_that_was_begun_anew_does_not_take_the_old_one_s_outcomes(tmp_path: Path, said: list[str]) -> None:
    study, log = started(tmp_path / "study.db", wait=0.0)
    asked = decided(study)
    log.away = 1
    with pytest.raises(LogUnavailable):
        study.tell(asked, 1.5)
    study.log.close()
    for file in tmp_path.glob("study.db*"):
        if "unwritten" not in file.name:
            file.unlink()
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9) as anew:
        assert anew.ask().token == asked.token
    with opened(tmp_path / "study.db", said) as again:
        assert again.status.told == 0
    assert "what suggestion" in said[0]
    assert unwritten(tmp_path)
