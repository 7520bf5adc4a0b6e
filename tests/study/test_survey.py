"""Damage is found, and what is whole is saved."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from steerbo.errors import InvalidStudy
from steerbo.storage.database import body_of
from steerbo.storage.doctor import examine, repair
from steerbo.study import Study
from tests.core.stub import Nearest, Stub, stub_case
from tests.study.database import change, played, read

DAMAGE = {
    "an event changed": ("UPDATE steerbo_event SET body = replace(body, 'age', 'agf') WHERE position = 3", 2),
    "an event removed": ("DELETE FROM steerbo_event WHERE position = 4", 3),
    "the last event removed": (
        "DELETE FROM steerbo_event WHERE position = (SELECT max(position) FROM steerbo_event)",
        -1,
    ),
    "an event moved": ("UPDATE steerbo_event SET position = 99 WHERE position = 2", 1),
    "a checksum changed": ("UPDATE steerbo_event SET checksum = 'x' WHERE position = 5", 4),
    "the head counts too few": ("UPDATE steerbo_study SET events = events - 1", None),
    "the head's checksum": ("UPDATE steerbo_study SET tip = 'x'", None),
    "no text": ("UPDATE steerbo_event SET body = x'ff00' WHERE position = 2", 1),
}


@pytest.mark.parametrize(("statement", "whole"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_and_what_is_whole_is_saved(tmp_path: Path, statement: str, whole: int | None) -> None:
    path = tmp_path / "study.db"
    before = played(path)
    change(path, statement)
    with pytest.raises(InvalidStudy, match=r"study\.db.*(event|events).*doctor"):
        Study.open(path, Stub())
    saved = len(before) if whole is None else whole % len(before)
    (found,) = examine(path).studies
    assert (found.events, bool(found.complaint)) == (saved, True)
    done = repair(path)
    assert "study.db.damaged1" in done.repaired
    assert read(path) == before[:saved]
    assert not examine(path).damaged
    assert (tmp_path / "study.db.damaged1").exists()
    assert repair(path).repaired == "", "a log that is whole is left alone"


@pytest.mark.parametrize("part", range(4))
def test_flipped_bits_and_torn_files_never_give_a_wrong_answer(tmp_path: Path, part: int) -> None:
    """One to eight flipped bits, or a cut, anywhere in the file: every event comes back, or an error names the log."""
    path = tmp_path / "study.db"
    before = played(path, rounds=6)
    whole = path.read_bytes()
    assert not path.with_name("study.db-wal").exists(), "closing leaves one file"
    random = np.random.default_rng(part)
    named = 0
    for _ in range(30):
        data = bytearray(whole)
        if random.random() < 0.3:
            del data[int(random.integers(len(data))) :]
        for _ in range(int(random.integers(1, 9)) if data else 0):
            data[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
        for file in tmp_path.iterdir():
            file.unlink()
        path.write_bytes(bytes(data))
        try:
            with Study.open(path, Stub()) as study:
                assert [body_of(e) for e in study.events] == before
        except InvalidStudy as error:
            named += "study.db" in str(error)
            with suppress(InvalidStudy):  # nothing of it can be read
                repair(path)
                after = read(path)
                assert after == before[: len(after)]
        else:
            named += 1
    assert named == 30


def test_a_torn_write_ahead_log_is_recovered(tmp_path: Path) -> None:
    """What is cut off the file that SQLite writes first is what the last commits wrote; the rest is there."""
    path = tmp_path / "study.db"
    study = Study.create(path, Stub(), Nearest, seed=7)
    before = [body_of(e) for e in stub_case().play(study.optimizer, 3).events]
    wal = path.with_name("study.db-wal").read_bytes()
    main = path.read_bytes()
    study.close()
    lengths = set()
    for cut in np.linspace(0, len(wal), 12).astype(int):
        copy = tmp_path / f"cut{cut}" / "study.db"
        copy.parent.mkdir()
        copy.write_bytes(main)
        copy.with_name("study.db-wal").write_bytes(wal[:cut])
        try:
            after = read(copy)
        except InvalidStudy:
            continue
        assert after == before[: len(after)]
        lengths.add(len(after))
    assert len(before) in lengths
