"""Files that are no study files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from steerbo.errors import InvalidStudy
from steerbo.study import read_study
from tests.study.files import write_study


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_study(path).settings.budget == 10


NO_FILES = {
    "UTF-16": ("a = 1".encode("utf-16"), "It is in UTF-16"),
    "deep": (b"a = " + b"[" * 3000 + b"]" * 3000, "at most 50 deep"),
    "deep tables": (b"[" + b".".join([b"a"] * 3000) + b"]", "at most 50 deep"),
    "long number": (b"a = 1\nb = " + b"9" * 5000, r"fewer digits. \(line 2"),
    "large": (b"#" * 10_000_001, "at most 10 MB"),
    "NUL": (b"a = 1\0", "TOML"),
}


@pytest.mark.parametrize(("content", "message"), NO_FILES.values(), ids=NO_FILES)
def test_what_only_looks_like_a_study_file(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidStudy, match=message):
        read_study(path)


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices")
def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InvalidStudy, match="a folder, a pipe or a device"):
            read_study(path)
    for odd in ("a\0b", None, 3, b"study.toml"):
        with pytest.raises(InvalidStudy, match="study file"):
            read_study(odd)  # type: ignore[arg-type]


def test_toml_errors_say_where(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    wrong = {"a = 1\nb c = 3\n": "at line 2, column 3", "a = 1\nb = [1, 2": "at line 2, column 10"}
    for text, where in wrong.items():
        path.write_text(text)
        with pytest.raises(InvalidStudy, match=rf"study\.toml.* TOML.*{where}"):
            read_study(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidStudy, match="No such file"):
        read_study(tmp_path / "none.toml")
    with pytest.raises(InvalidStudy, match="a file that can be read"):
        read_study(tmp_path)
    (tmp_path / "latin.toml").write_bytes("unit = '°C'".encode("latin-1"))
    with pytest.raises(InvalidStudy, match="Byte 8, in line 1, is not UTF-8"):
        read_study(tmp_path / "latin.toml")
