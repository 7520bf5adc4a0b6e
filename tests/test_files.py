"""Files that somebody named, and what only looks like one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from steerbo._files import read_file
from steerbo.errors import InvalidOutcome
from tests.torture.endless import endless


def refused(path: Path | str, most: int = 100) -> str:
    with pytest.raises(InvalidOutcome) as raised:
        read_file(path, "table", InvalidOutcome, most)
    assert raised.value.field == "table"
    return str(raised.value)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x" * 100)
    assert read_file(path, "table", InvalidOutcome, 100) == b"x" * 100
    assert "a file of at most 9.9e-05 MB" in refused(path, 99)
    assert "No such file" in refused(tmp_path / "b.csv")
    assert "NUL" in refused("a\0b")


@pytest.mark.skipif(os.name != "posix", reason="devices, pipes, sparse files")
def test_what_never_ends_is_not_begun(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**32)
    for path in ("/dev/zero", tmp_path / "pipe", tmp_path):
        assert "a folder, a pipe or a device" in refused(path)
    assert "at most 0.0001 MB" in refused(tmp_path / "sparse")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc")
def test_a_file_that_hides_its_size_is_read_no_further_than_its_limit() -> None:
    assert "at most" in refused("/proc/self/status", 10)


@pytest.mark.skipif(os.name != "posix", reason="devices, pipes, sparse files")
def test_every_door_refuses_them(tmp_path: Path) -> None:
    assert endless(tmp_path)["refused"] == 27
