"""Where the files are that answers wait in, and what is in them."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from steerbo.errors import InvalidOutcome, LogUnavailable, SteerboError
from steerbo.storage.outbox_files import OutboxFiles
from tests.study.fragile import decided, opened, started, unwritten


def test_a_file_that_nobody_can_read_is_named(tmp_path: Path, said: list[str]) -> None:
    study, _ = started(tmp_path / "study.db")
    study.close()
    (tmp_path / "study.db.unwritten.1-x-tell-0.json").write_text('{"call": "te')
    with opened(tmp_path / "study.db", said) as again:
        assert again.ask() is not None
    assert "study.db.unwritten.1-x-tell-0.json" in said[0]


def test_where_no_file_can_be_written_the_outcome_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    nowhere = tmp_path / "a file"
    nowhere.touch()
    monkeypatch.setattr(OutboxFiles, "of", lambda *_: OutboxFiles("study", ((nowhere, "x"), (nowhere / "state", "x"))))
    study, log = started(tmp_path / "study.db", wait=0.0, say=said.append)
    asked = decided(study)
    log.away = 1
    with pytest.raises(LogUnavailable, match=r'NOT KEPT.*Write this down: .*"value": 1.5'):
        study.tell(asked, 1.5)
    assert "NOT KEPT" in said[0], "as soon as it is known, not only when there was no use in waiting"
    study.close()


def test_a_full_folder_leaves_the_user_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    files = OutboxFiles.of(str(tmp_path / "away" / "study.db"), "study")
    answer = files.entry("tell", "1-x", {"value": 1.5})
    path = files.store(answer)
    assert path is not None
    assert path.parent == tmp_path / "state" / "steerbo"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [found for _, found in files.waiting()] == [answer]
    assert list(OutboxFiles.of(str(tmp_path / "away" / "study.db"), "another").waiting()) == []


def test_two_that_store_the_same_outcome_at_once_both_have_it_in_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As two clients who say the same: one took the other's half of a file, and went on to another place."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    files = OutboxFiles.of(str(tmp_path / "study.db"), "study")
    answer = files.entry("tell", "1-x", {"value": 1.5})
    named, others = Path.replace, list[Path | None]()

    def slow(self: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "replace", named)
        others.append(files.store(answer))
        return named(self, target)

    monkeypatch.setattr(Path, "replace", slow)
    assert [files.store(answer)] == others
    assert [path.name for path in tmp_path.iterdir()] == [path.name for path in others if path]
    assert [found for _, found in files.waiting()] == [answer]


def test_no_file_is_named_after_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    spills = [OutboxFiles.of(f"postgresql://{user}@host:5432/lab", "field") for user in ("ann:sesame", "bob")]
    assert spills[0] == spills[1], "another user's name and password lead to the same study"
    path = spills[0].store(spills[0].entry("tell", "1-x", {"value": 1.5}))
    assert path is not None
    assert "sesame" not in path.name + path.read_text()
    assert OutboxFiles.of("sqlite://", "study").places == ()


@pytest.mark.parametrize("given", [{"realised": {(1, 2): 3}}, {"cost": object()}, {"realised": {"\ud800": 1}}])
def test_what_no_file_can_say_is_refused_as_ever(tmp_path: Path, given: dict[str, Any]) -> None:
    study, _ = started(tmp_path / "study.db")
    asked = decided(study)
    for about in (asked, asked.token):
        with pytest.raises(InvalidOutcome):
            study.tell(about, 1.5, **given)
    for nobody in (None, 5, b"x", ["x"]):
        with pytest.raises(SteerboError):
            study.tell(nobody, 1.5)  # type: ignore[arg-type]
        with pytest.raises(SteerboError):
            study.decide(nobody, {"age": 0.5})  # type: ignore[arg-type]
    assert not unwritten(tmp_path)
    study.close()


def test_whoever_looks_sees_all_of_an_answer_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = OutboxFiles.of(str(tmp_path / "study.db"), "study")
    answer = files.entry("tell", "1-x", {"value": 1.5})
    seen: list[list[Any]] = []
    replace = Path.replace

    def watched(path: Path, target: Path) -> Path:
        seen.append([found for _, found in files.waiting()])
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", watched)
    path = files.store(answer)
    again = files.store(answer)
    assert seen == [[], [answer]], "whole as it was, while it is written anew"
    assert path == again
    assert list(tmp_path.iterdir()) == [path]
