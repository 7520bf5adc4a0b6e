"""Files beside a log: photographs, spectra and the like, each under the checksum of its content.

A file of `study.db` is `study.db.files/9f/9f86d081…`, readable for its owner only; a server has no
such place, so that a folder is named in the environment, as `STEERBO_FILES`. A file is on the disk
before the event that names it is logged: a kill in between leaves a file that no event names, which
does no harm. The log holds name, checksum, size and media type, and none of the content.
"""

from __future__ import annotations

import hashlib
import math
import mimetypes
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from .._files import open_file
from .._parsing import read_number
from .._redaction import split_name
from .._text import normalised
from .._wording import counted
from ..core import KeptFile
from ..errors import InvalidOption, InvalidOutcome, LogUnavailable, MissingFile
from .outbox_files import file_or_server, through_to_disk

FOLDER = "STEERBO_FILES"
"""Names the folder of files in the environment, where the log is on a server."""
LIMIT = "STEERBO_LARGEST_FILE"
"""Names the largest size of a file in the environment, in MB."""
_LARGEST = 50.0  # MB, where that is not set: as much as a table may have
_BLOCK = 2**20  # bytes in memory at once
_LONGEST_NAME = 150  # characters: file systems take it with additions before and behind
_PART = ".part"
_SHA256 = re.compile("[0-9a-f]{64}")
_NO_NAME = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff<>:"|?*]')
"""Characters that cannot be seen or turn the writing round, and those that some systems refuse."""
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)  # names on Windows
_BEGINNINGS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
)
"""How pictures of pixels begin."""
_TYPES = mimetypes.MimeTypes()  # Python's own table: the same on every machine
_UNKNOWN = "application/octet-stream"


def largest_file() -> int:
    """Largest size of a file, in bytes.

    Raises:
        InvalidOption: the environment names no size.
    """
    text = os.environ.get(LIMIT, "")
    size = read_number(LIMIT, text, comma=False) if text.strip() else _LARGEST
    if size is None or not 0 < size < math.inf:
        raise InvalidOption(LIMIT, text, "the largest size of a file, in MB, such as 200")
    return int(size * 1e6)


def safe_name(given: str) -> str:
    r"""Name of a file: one part of a path that every system takes, without characters that disguise it.

    >>> safe_name("../../etc/passwd"), safe_name("C:\\photos\\a7.jpg"), safe_name("\u202egpj.exe"), safe_name("..")
    ('passwd', 'a7.jpg', '_gpj.exe', 'file')
    """
    last = re.split(r"[/\\]", normalised(given))[-1]
    name = _NO_NAME.sub("_", last).strip(". ")
    stem, dot, ending = name.rpartition(".")
    if len(name) > _LONGEST_NAME and dot:
        name = f"{stem[: max(_LONGEST_NAME - len(ending) - 1, 1)]}.{ending}"
    name = f"_{name}" if _DEVICES.match(name) else name
    return name[:_LONGEST_NAME] or "file"


def media_type(name: str, beginning: bytes) -> str:
    """Media type of a file: of a picture by how its content begins, of all else by its name.

    >>> media_type("a.png", b"<script>"), media_type("a.txt", b"GIF89a"), media_type("a.csv", b"")
    ('application/octet-stream', 'image/gif', 'text/csv')
    """
    for pattern, found in _BEGINNINGS:
        if pattern.match(beginning):
            return found
    guessed = _TYPES.guess_type(name)[0] or _UNKNOWN
    return _UNKNOWN if guessed in {found for _, found in _BEGINNINGS} else guessed


@dataclass(frozen=True)
class FilesFolder:
    """Folder of the files of a log.

    Args:
        folder: where; None: there is none.
        own: whether it stands beside one log and is for it alone.
    """

    folder: Path | None = None
    own: bool = False

    @classmethod
    def of(cls, place: Path | str) -> FilesFolder:
        """Folder of the log at a place."""
        file, server = file_or_server(split_name(str(place))[0])
        if file is not None:
            return cls(file.with_name(f"{file.name}.files"), own=True)
        named = os.environ.get(FOLDER, "").strip()
        return cls(Path(named) if server is not None and named else None)

    def path(self, sha256: str) -> Path:
        """Path of the content with this checksum.

        Raises:
            InvalidOutcome: there is no folder, or this is no checksum.
        """
        if not _SHA256.fullmatch(sha256):
            raise InvalidOutcome("sha256", sha256, "64 hexadecimal digits")
        return self._needed() / sha256[:2] / sha256

    def _needed(self) -> Path:
        if self.folder is None:
            hint = f"For a log on a server set {FOLDER} to a folder that all its workers share."
            raise InvalidOutcome("file", None, "nothing: this study has no place for files", hint)
        return self.folder

    def fault(self, kept: KeptFile) -> str:
        """Fault of a file that was kept: "missing", "changed", or nothing."""
        if self.folder is None:
            return "missing"
        try:
            with open_file(self.path(kept.sha256), "file", InvalidOutcome) as opened:
                return "" if _digest(opened) == kept.sha256 else "changed"
        except (InvalidOutcome, OSError):
            return "missing"

    def sound(self, kept: KeptFile) -> Path:
        """Path of a file that was kept, after a check of its content.

        Raises:
            MissingFile: it is not there, or was changed.
        """
        if fault := self.fault(kept):
            raise MissingFile(kept.name, fault, str(self.folder or ""))
        return self.path(kept.sha256)

    def incoming(self, name: str) -> IncomingFile:
        """A file that is to be kept, to be used as a context; it is gone at its end if it was not kept.

        Raises:
            InvalidOutcome: there is no folder for it.
            LogUnavailable: it cannot be written.
        """
        return IncomingFile(self, safe_name(name))

    def named(self) -> dict[str, Path]:
        """All files in the folder, by checksum; unfinished ones by their names."""
        if self.folder is None:
            return {}
        found = [*self.folder.glob("[0-9a-f][0-9a-f]/*"), *self.folder.glob(f"*{_PART}")]
        return {path.name: path for path in sorted(found) if path.is_file()}

    def copy(self, files: Iterable[KeptFile], other: FilesFolder) -> list[tuple[KeptFile, str]]:
        """Copy files into another folder; return those that could not be copied, with the reason.

        Raises:
            InvalidOutcome: there is no other folder.
            LogUnavailable: it cannot be written.
        """
        lost = []
        for kept in dict.fromkeys(files):
            if fault := self.fault(kept):
                lost.append((kept, fault))
            else:
                source = self.path(kept.sha256)
                with source.open("rb") as opened, other.incoming(kept.name) as incoming:
                    incoming.largest = kept.size  # it was small enough once
                    incoming.fill(opened)
                    if incoming.keep().sha256 != kept.sha256:  # this moment
                        lost.append((kept, "changed"))
        return lost

    def remove(self, checksums: Iterable[str]) -> None:
        """Remove files, as far as that goes: the doctor names the rest."""
        for sha256 in checksums:
            with suppress(OSError):
                self.path(sha256).unlink()
            with suppress(OSError):  # there are others in it
                self.path(sha256).parent.rmdir()
        if self.folder is not None:
            with suppress(OSError):
                self.folder.rmdir()


class IncomingFile:
    """Content that is written into a folder of files, and counted and summed meanwhile.

    Args:
        files: where it goes.
        name: of the file.
    """

    def __init__(self, files: FilesFolder, name: str) -> None:
        self.files, self.name, self.largest = files, name, largest_file()
        self._size, self._sum, self._beginning = 0, hashlib.sha256(), b""
        folder = files._needed()
        self._part = folder / f"{uuid.uuid4().hex}{_PART}"
        try:
            if files.own:  # another one may be on a drive that is away
                _make(folder)
            number = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise self._unavailable(error) from None
        self._file: BinaryIO = os.fdopen(number, "wb")

    def __enter__(self) -> IncomingFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        with suppress(OSError):
            self._part.unlink()

    def write(self, block: bytes) -> None:
        """Add to the content.

        Raises:
            InvalidOutcome: it is too large.
            LogUnavailable: the disk is full, say.
        """
        self._size += len(block)
        if self._size > self.largest:
            allowed = f"a file of at most {self.largest / 1e6:g} MB"
            hint = f"{LIMIT} in the environment allows other sizes, in MB."
            raise InvalidOutcome("file", self.name, allowed, hint)
        self._sum.update(block)
        self._beginning = (self._beginning + block[:16])[:16]
        try:
            self._file.write(block)
        except OSError as error:
            raise self._unavailable(error) from None

    def fill(self, source: BinaryIO) -> None:
        """Add all of a file; raises as `write` does."""
        for block in _blocks(source):
            self.write(block)

    def keep(self) -> KeptFile:
        """Put the content in its place, on the disk; returns the reference to it. The same again is fine.

        Raises:
            InvalidOutcome: there is no content.
            LogUnavailable: it cannot be written.
        """
        if not self._size:
            raise InvalidOutcome("file", self.name, "a file that is not empty")
        sha256 = self._sum.hexdigest()
        kept = KeptFile(self.name, sha256, self._size, media_type(self.name, self._beginning))
        path = self.files.path(sha256)
        try:
            if not self._file.closed:
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
            if self.files.fault(kept):
                _make(path.parent)
                twin = self._part.with_name(f"{self._part.stem}-{_PART}")
                _link(self._part, twin)
                twin.replace(path)
            through_to_disk(path)  # also where a process was killed before it did so
        except OSError as error:
            raise self._unavailable(error) from None
        return kept

    def _unavailable(self, error: OSError) -> LogUnavailable:
        return LogUnavailable(str(self._part.parent), error.strerror or str(error))


def files_in(plain: Iterable[Any]) -> Iterator[tuple[str, KeptFile]]:
    """Tokens and files of the events that name any."""
    for event in plain:
        if getattr(event, "kind", "") == "remarked" and event.file is not None:
            yield event.token, event.file


def lost_text(lost: Iterable[tuple[KeptFile, str]], folder: Path | None) -> str:
    """Sentence on files that are not as they were; empty where there are none."""
    said = [f"{kept.name} is {fault}" for kept, fault in lost]
    if not said:
        return ""
    rest = f", and {len(said) - 3} more" if len(said) > 3 else ""
    where = f" in {folder}" if folder else f": {FOLDER} names no folder"
    return f"{counted(len(said), 'file')}{where}: {', '.join(said[:3])}{rest}"


def _make(folder: Path) -> None:
    """Make a folder for its owner only, whose name is on the disk."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, exist_ok=True)
        through_to_disk(folder)


def _link(file: Path, twin: Path) -> None:
    """A second name of a file, or a copy of it where the disk knows no links."""
    try:
        os.link(file, twin)
    except OSError:
        shutil.copyfile(file, twin)
        through_to_disk(twin)


def _blocks(source: BinaryIO) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        yield block


def _digest(source: BinaryIO) -> str:
    found = hashlib.sha256()
    for block in _blocks(source):
        found.update(block)
    return found.hexdigest()
