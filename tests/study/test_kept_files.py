"""Files beside remarks: kept under their checksums beside the log, checked, copied with it, and never in the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import steerbo as sb
from steerbo.core import KeptFile
from steerbo.core.events import Remarked
from steerbo.errors import (
    FilesWarning,
    InvalidOption,
    InvalidOutcome,
    InvalidStudy,
    LogUnavailable,
    MissingFile,
    UnknownSuggestion,
)
from steerbo.records import from_dict
from steerbo.storage.backup import archive, delete
from steerbo.storage.doctor import diagnose
from steerbo.storage.kept_files import FOLDER, LIMIT, FilesFolder, safe_name
from steerbo.study import MemoryLog, Study, backup, restore
from steerbo.study.files.export import FILES, rounds_csv, to_frame
from steerbo.study.files.import_csv import import_csv
from steerbo.study.formatting import shown_rounds
from tests.torture.server import Server

PROBLEM = sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]])
PNG = b"\x89PNG\r\n\x1a\n and so on"


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "a7.png"
    path.write_bytes(PNG)
    return path


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with begun(tmp_path / "study.db") as made:
        yield made


def begun(place: Path | str, name: str = "study") -> Study:
    made = Study.create(place, PROBLEM, "random", name=name, rounds=9)
    made.tell(made.ask(), 1.0)
    made.add(3.0, {"ph": 5})
    return made


def first(study: Study) -> str:
    return next(iter(study.history)).suggestion.token


def kept_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_file_is_kept_beside_the_log_and_only_named_in_it(study: Study, tmp_path: Path, photo: Path) -> None:
    study.remark(first(study), "lot 7", file=photo)
    study.remark("added-1", file=str(photo))
    study.remark("study", "how it is measured", file=photo)
    (kept,) = study.history.files[first(study)]
    assert (kept.name, kept.size, kept.media_type) == ("a7.png", len(PNG), "image/png")
    assert [*study.history.files] == [first(study), "added-1", "study"]
    assert study.history.remarks == {first(study): ("lot 7",), "study": ("how it is measured",)}
    photo.unlink()
    assert study.read_file(kept) == PNG
    assert kept_in(tmp_path / "study.db.files") == [kept.sha256], "one file for the same content"
    assert b"and so on" not in (tmp_path / "study.db").read_bytes()
    if os.name == "posix":
        assert {path.stat().st_mode & 0o077 for path in (tmp_path / "study.db.files").rglob("*")} == {0}
    with Study.open(tmp_path / "study.db") as again:
        assert again.history.files == study.history.files
    assert sb.load(study.optimizer.to_json()).history.files == study.history.files


def test_the_same_file_twice_is_one_remark(study: Study, photo: Path) -> None:
    study.remark(first(study), "lot 7", file=photo)
    events = len(study.events)
    assert "is there already" in str(study.remark(first(study), "lot 7", file=photo))
    assert len(study.events) == events
    other = photo.rename(photo.with_name("b.png"))
    study.remark(first(study), "lot 7", file=other)
    assert [kept.name for kept in study.history.files[first(study)]] == ["a7.png", "b.png"]
    assert study.history.remarks[first(study)] == ("lot 7",)


def test_nothing_follows_from_a_file(study: Study, photo: Path) -> None:
    before = sb.load(study.optimizer.to_json())
    study.remark(first(study), file=photo)
    assert study.ask().values == before.ask().values


def test_a_file_is_found_by_its_name_and_exported(study: Study, photo: Path) -> None:
    study.remark(first(study), "lot 7", file=photo)
    (row,) = shown_rounds(study, "A7.PNG").rows
    assert row[-1] == "lot 7; a7.png"
    (kept,) = study.history.files[first(study)]
    table = rounds_csv(PROBLEM, study.history)
    assert table.splitlines()[0].endswith(FILES)
    assert f"a7.png {kept.sha256}" in table
    events = len(study.events)
    assert all(line.taken for line in import_csv(study, table))
    assert len(study.events) == events
    if pytest.importorskip("pandas"):
        assert to_frame(study, "pandas")[FILES].iloc[0] == f"a7.png {kept.sha256}"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("..", "file"),
        ("", "file"),
        (".htaccess", "htaccess"),
        ("a\x00b\n.jpg", "a_b_.jpg"),
        ("gpj\u202eexe.png", "gpj_exe.png"),
        ("a:stream?.txt", "a_stream_.txt"),
        ("CON.txt", "_CON.txt"),
        ("x" * 400 + ".jpeg", "x" * 145 + ".jpeg"),
        ("Gl\u00fchkurve \u2116 3.csv", "Gl\u00fchkurve \u2116 3.csv"),
    ],
)
def test_names_are_one_part_of_a_path(given: str, name: str) -> None:
    assert safe_name(given) == name


def test_files_that_are_none_or_too_large_are_refused_and_leave_nothing(
    study: Study, tmp_path: Path, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    for path in (tmp_path, tmp_path / "nothing.jpg", empty, "a\0b"):
        with pytest.raises(InvalidOutcome, match="file"):
            study.remark(first(study), file=path)
    with pytest.raises(InvalidOutcome, match="file"):
        study.remark(first(study), file=7)
    with pytest.raises(UnknownSuggestion):
        study.remark("7-none", file=photo)
    monkeypatch.setenv(LIMIT, "0.00001")
    with pytest.raises(InvalidOutcome, match=rf"at most 1e-05 MB.*{LIMIT}"):
        study.remark(first(study), file=photo)
    for text in ("many", "-1", "nan", "inf"):
        monkeypatch.setenv(LIMIT, text)
        with pytest.raises(InvalidOption, match=LIMIT):
            study.remark(first(study), file=photo)
    assert not study.history.files
    assert kept_in(tmp_path / "study.db.files") == []


def test_a_disk_that_cannot_be_written_ends_nothing(
    study: Study, tmp_path: Path, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(LogUnavailable, match="No space left"):
            study.remark(first(study), file=photo)
    assert not study.history.files
    assert study.ask() is not None


def test_without_links_it_is_copied(study: Study, photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    study.remark(first(study), file=photo)
    assert study.read_file(study.history.files[first(study)][0]) == PNG


KILLED = """
import os, signal, sys
from pathlib import Path
from steerbo.storage import kept_files
from steerbo.storage.database import DatabaseLog
from steerbo.study import Study

def end(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

place, photo, when = sys.argv[1:]
with Study.open(place) as study:
    if when == "event":
        DatabaseLog.append = end
    else:
        kept_files._link = end
    study.remark(next(iter(study.history)).suggestion.token, file=photo)
"""


@pytest.mark.skipif(os.name != "posix", reason="it kills a process by a signal")
@pytest.mark.parametrize("when", ["file", "event"])
def test_a_kill_before_the_event_is_logged_loses_nothing(tmp_path: Path, photo: Path, when: str) -> None:
    place = tmp_path / "study.db"
    begun(place).close()
    killed = subprocess.run([sys.executable, "-c", KILLED, place, photo, when], check=False)
    assert killed.returncode == -signal.SIGKILL
    left = diagnose(place)
    assert not left.damaged
    assert not left.files
    assert left.unnamed, "it may be deleted"
    assert all(name.endswith(".part") for name in left.unnamed) == (when == "file")
    with Study.open(place) as study:
        assert not study.history.files
        study.remark(first(study), file=photo)
        assert study.read_file(study.history.files[first(study)][0]) == PNG


def test_what_is_changed_missing_or_unnamed_is_named_and_ends_nothing(
    study: Study, tmp_path: Path, photo: Path
) -> None:
    spectrum = tmp_path / "s.csv"
    spectrum.write_text("1,2\n")
    study.remark(first(study), file=photo)
    study.remark("added-1", file=spectrum)
    place = tmp_path / "study.db"
    assert "2 files in" in str(diagnose(place))
    (kept,), (other,) = study.history.files.values()
    path = study.files.path(kept.sha256)
    path.write_bytes(PNG[:-1] + b"!")
    study.files.path(other.sha256).unlink()
    (path.parent / ("0" * 64)).write_bytes(b"x")
    found = diagnose(place)
    assert not found.damaged
    assert [(each.token, each.name, each.fault) for each in found.files] == [
        (first(study), "a7.png", "changed"),
        ("added-1", "s.csv", "missing"),
    ]
    assert found.unnamed == ("0" * 64,)
    assert "a7.png is changed in" in str(found)
    assert "1 file in" in str(found)
    for broken, fault in ((kept, "changed"), (other, "missing")):
        with pytest.raises(MissingFile, match=fault):
            study.read_file(broken)
    with Study.open(place) as again:
        assert again.ask() is not None
    study.remark(first(study), "once more", file=photo)
    assert study.read_file(kept) == PNG, "the same content mends it"


def test_a_link_to_elsewhere_is_no_file(study: Study, tmp_path: Path, photo: Path) -> None:
    study.remark(first(study), file=photo)
    (kept,) = study.history.files[first(study)]
    path = study.files.path(kept.sha256)
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(MissingFile, match="changed"):
        study.read_file(kept)


@pytest.mark.parametrize("sha256", ["../../../etc/passwd", "9F" * 32, "", "9f" * 31 + "/x"])
def test_a_log_that_names_no_checksum_is_refused(study: Study, sha256: str) -> None:
    file = {"name": "x", "sha256": sha256, "size": 1}
    with pytest.raises(InvalidStudy, match="sha256"):
        from_dict(Remarked, {"token": "1", "text": "", "file": file, "kind": "remarked"}, "event 3", InvalidStudy)
    with pytest.raises(InvalidOutcome, match="sha256"):
        study.files.path(sha256)


def test_files_go_into_a_backup_and_back(study: Study, tmp_path: Path, photo: Path) -> None:
    study.remark(first(study), file=photo)
    (kept,) = study.history.files[first(study)]
    backup(tmp_path / "study.db", tmp_path / "copy.db")
    study.backup(tmp_path / "own.db")
    for name in ("copy.db", "own.db"):
        assert not diagnose(tmp_path / name).files
    restore(tmp_path / "copy.db", tmp_path / "again.db")
    with Study.open(tmp_path / "again.db") as again:
        assert again.read_file(kept) == PNG
    study.files.path(kept.sha256).unlink()
    with pytest.warns(FilesWarning, match=r"a7\.png is missing"):
        backup(tmp_path / "study.db", tmp_path / "lost.db")
    with Study.open(tmp_path / "lost.db") as lost:
        assert lost.history.files == study.history.files


def test_a_study_takes_its_files_along_and_leaves_those_of_others(tmp_path: Path, photo: Path) -> None:
    place = tmp_path / "log.db"
    only = tmp_path / "only.txt"
    only.write_text("of north alone")
    for name in ("north", "south"):
        with begun(place, name) as study:
            study.remark(first(study), file=photo)
            if name == "north":
                study.remark(first(study), file=only)
                shared, own = study.history.files[first(study)]
    archive(place, "north", tmp_path / "north.db")
    assert kept_in(tmp_path / "log.db.files") == [shared.sha256]
    restore(tmp_path / "north.db", place)
    assert kept_in(tmp_path / "log.db.files") == sorted([shared.sha256, own.sha256])
    delete(place, "south")
    assert not diagnose(place).files
    delete(place, "north")
    assert not (tmp_path / "log.db.files").exists()


def test_a_study_that_is_deleted_meanwhile_takes_no_file_of_another(
    tmp_path: Path, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "log.db"
    with begun(place, "north") as north:
        north.remark(first(north), file=photo)
    with begun(place, "south") as south:
        report = type(south.optimizer)._report

        def deleted_before(self: object, *about: object, **given: object) -> object:
            delete(place, "north")
            return report(self, *about, **given)  # type: ignore[arg-type]

        monkeypatch.setattr(type(south.optimizer), "_report", deleted_before)
        south.remark(first(south), file=photo)
        (kept,) = south.history.files[first(south)]
        assert south.read_file(kept) == PNG


def test_a_study_in_memory_keeps_no_files(photo: Path) -> None:
    optimizer = sb.Optimizer(PROBLEM, rounds=2)
    with pytest.raises(InvalidOutcome, match=r"memory keeps no files.*Study.create"):
        optimizer.remark(optimizer.ask(), file=photo)
    study = Study.create(MemoryLog(), PROBLEM, rounds=2)
    with pytest.raises(InvalidOutcome, match="no place for files"):
        study.remark(study.ask(), file=photo)


def test_on_a_server_a_folder_is_named(
    running: Server, tmp_path: Path, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = running.database().url
    shared = tmp_path / "shared"
    with begun(url) as study:
        with pytest.raises(InvalidOutcome, match=FOLDER):
            study.remark(first(study), file=photo)
        monkeypatch.setenv(FOLDER, str(shared))
        with pytest.raises(LogUnavailable, match="No such file"):
            study.remark(first(study), file=photo)  # it may be a drive that is away
        shared.mkdir()
        study.remark(first(study), file=photo)
        (kept,) = study.history.files[first(study)]
    (shared / "00").mkdir()
    (shared / "00" / ("0" * 64)).write_bytes(b"of another database")
    found = diagnose(url)
    assert not found.files
    assert not found.unnamed, "others may name it"
    backup(url, tmp_path / "copy.db")
    monkeypatch.delenv(FOLDER)
    assert [each.fault for each in diagnose(url).files] == ["missing"]
    with pytest.raises(InvalidStudy, match=FOLDER):
        restore(tmp_path / "copy.db", running.database().url)
    with Study.open(tmp_path / "copy.db") as copy:
        assert copy.read_file(kept) == PNG
    monkeypatch.setenv(FOLDER, str(shared))
    delete(url, "study")
    assert kept.sha256 in kept_in(shared)


def test_a_reference_is_data() -> None:
    kept = KeptFile("x.svg", "0" * 64, 3, "image/svg+xml")
    assert not kept.is_picture, "it may hold a program"
    assert FilesFolder().fault(kept) == "missing"
