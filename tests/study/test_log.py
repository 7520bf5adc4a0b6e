"""Who has ended is known, and who cannot be seen is not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from steerbo.study.log import is_gone, new_holder
from tests.study.test_workers import SPAWN


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only where processes can be seen")
def test_holders_that_have_ended_are_known() -> None:
    process = SPAWN.Process(target=time.sleep, args=(60,))
    process.start()
    mine = new_holder()
    here, number, began, _ = mine.rsplit("|", 3)
    started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    theirs = f"{here}|{process.pid}|{started}|x"
    assert not is_gone(theirs)
    assert is_gone(f"{here}|{process.pid}|1|x"), "another process of the same number"
    process.kill()
    process.join()
    assert is_gone(theirs)
    assert not is_gone(mine)
    for unknown in ("by hand", "a|b|c|d", f"another machine||{number}|{began}|x"):
        assert not is_gone(unknown), "nobody can know"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only where processes can be seen")
def test_nobody_is_gone_whom_nobody_can_see(monkeypatch: pytest.MonkeyPatch) -> None:
    """/proc may show another name space of processes than ours, or hide the processes of other users."""
    mine = new_holder()
    monkeypatch.setattr("os.readlink", lambda path: "4242" if path == "/proc/self" else "pid:[1]")
    assert new_holder().split("|")[-2] == "", "what is there under our number is not us"
    monkeypatch.undo()
    monkeypatch.setattr("steerbo.study.log._started", lambda process: None)
    assert not is_gone(mine), "it is hidden, and lives"
