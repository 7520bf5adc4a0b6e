"""The journal: what was acknowledged is there, whatever happens to the last line."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.errors import InvalidStudy
from steerbo.optimizer import Event, Failed, Optimizer
from steerbo.record import to_plain
from steerbo.study import Journal
from tests.optimizer.stub import Stub
from tests.optimizer.test_optimizer import stub_case


def played(log: Journal | None = None, rounds: int = 3) -> Optimizer:
    return stub_case().play(Optimizer(Stub(), log=log, seed=7), rounds)


LINES = [json.dumps(to_plain(event, Event)) for event in played().events]
TEXT = "".join(line + "\n" for line in LINES).encode()


def lines(events: tuple[Any, ...]) -> list[str]:
    return [json.dumps(to_plain(event, Event)) for event in events]


def test_events_come_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "j.jsonl"
    with Journal(path) as journal:
        assert journal.events == ()
        optimizer = played(journal)
    assert path.read_bytes() == TEXT
    with Journal(path) as journal:
        assert journal.events == optimizer.events
        assert journal.torn == ""


@settings(deadline=None, derandomize=True, max_examples=60)
@given(size=st.integers(0, len(TEXT)))
def test_cut_anywhere_only_the_last_line_is_lost(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "j.jsonl"
        path.write_bytes(TEXT[:size])
        whole = TEXT[:size].count(b"\n")
        with Journal(path) as journal:
            assert lines(journal.events)[:whole] == LINES[:whole]
            assert len(journal.events) - whole == (size < len(TEXT) and TEXT[size : size + 1] == b"\n" and size > 0)
            assert bool(journal.torn) == (len(journal.events) == whole and not TEXT[:size].endswith(b"\n") and size > 0)
            journal.append(Failed("9-zz", "after the crash"))
            before = len(journal.events)
        with Journal(path) as journal:
            assert len(journal.events) == before + 1
            assert journal.events[-1] == Failed("9-zz", "after the crash")
            assert journal.torn == ""


@pytest.mark.parametrize("damage", ["not json", '{"kind": "told"}', '{"kind": "tld"}', "[]", "\x00\x00"])
def test_a_damaged_line_is_refused_by_number(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text("\n".join([LINES[0], damage, *LINES[2:], ""]))
    before = path.read_bytes()
    with pytest.raises(InvalidStudy, match=r"j\.jsonl: line 2"):
        Journal(path)
    assert path.read_bytes() == before
    path.write_bytes(TEXT)
    Journal(path).close()  # and the refused one did not keep the lock


@pytest.mark.skipif(os.name != "posix", reason="locks")
def test_one_run_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path), pytest.raises(InvalidStudy, match="no other run"):
        Journal(path)
    Journal(path).close()


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidStudy, match="a file that can be written"):
        Journal(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidStudy, match="a file that can be written"):
        Journal(tmp_path / "file" / "j.jsonl")


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal(tmp_path / "j.jsonl") as journal:
        optimizer = played(journal)
        suggestion = stub_case().ask(optimizer)

        def full(file: int, data: bytes) -> int:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("steerbo.study.journal.os.write", full)
            with pytest.raises(InvalidStudy, match=r"No space left.* Not written: .*\"value\": 0\.123"):
                optimizer.tell(suggestion, 0.123)
        assert optimizer.status.pending == (suggestion.token,)
        optimizer.tell(suggestion, 0.123)
    with Journal(tmp_path / "j.jsonl") as journal:
        assert journal.events == optimizer.events
