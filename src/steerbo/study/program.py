"""A program, run to its end: it is given a question, its answer is read up to a limit, and it outlives nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

LONGEST_ANSWER = 2**20
"""Bytes of standard output; a program that writes more is killed."""
LONGEST_COMPLAINT = 2**16
"""Bytes of standard error that are kept: the last ones."""
_BLOCK = 2**16
_GRACE = 1.0  # seconds in which what was killed lets go of its pipes
_WATCH = 'read -r line && exit; kill -s KILL -- "-$1"'


@dataclass(frozen=True)
class Ended:
    """What came of a program.

    Args:
        code: its exit code; below 0 the signal that killed it.
        output: what it wrote to standard output.
        complaints: the end of what it wrote to standard error.
        killed: whether it was killed here, and why: it took too long, or its output was too long.
        held: whether it had ended by then, and something that it started held its standard output open.
    """

    code: int
    output: bytes
    complaints: bytes
    killed: Literal["", "time", "output"] = ""
    held: bool = False


def run_program(command: list[str], folder: Path, question: bytes, timeout: float) -> Ended:
    """Run a program in a group of processes of its own, until it has ended and its standard output is closed.

    What takes longer than `timeout` seconds or answers too much is killed with everything that it started, and so it is
    on Ctrl-C, and when this process dies, however that happens (POSIX). What a program moves to a group of its own is
    its own affair.

    Raises:
        OSError: it cannot be started.
    """
    deadline = time.monotonic() + min(timeout, threading.TIMEOUT_MAX / 2)
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )
    try:
        with _dies_with_us(process):
            return _Conversation(process).end(question, deadline)
    except BaseException:  # Ctrl-C: the program has a session of its own and would live on
        _kill_group(process)
        raise


class _Conversation:
    """Threads feed and read a program, and close what they use: whoever else holds a pipe open holds nobody up here."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.output, self.complaints = bytearray(), bytearray()
        self.full = threading.Event()

    def end(self, question: bytes, deadline: float) -> Ended:
        """Wait for its end, or bring it about."""
        process = self.process
        _thread(_feed, process.stdin, question)
        reader = _thread(_read, process.stdout, self._answered)
        listener = _thread(_read, process.stderr, self._complained)
        reader.join(max(deadline - time.monotonic(), 0.0))
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(deadline - time.monotonic(), 0.0))
        ended = process.returncode is not None
        late = reader.is_alive() or not ended
        if late:
            _kill_group(process)
            reader.join(_GRACE)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
        listener.join(_GRACE)
        killed: Literal["", "time", "output"] = "output" if self.full.is_set() else "time" if late else ""
        code = -1 if process.returncode is None else process.returncode
        return Ended(code, bytes(self.output), bytes(self.complaints), killed, late and ended)

    def _answered(self, block: bytes) -> None:
        if self.full.is_set():
            return
        if len(self.output) + len(block) > LONGEST_ANSWER:
            self.full.set()
            _kill_group(self.process)
        else:
            self.output += block

    def _complained(self, block: bytes) -> None:
        self.complaints += block
        del self.complaints[:-LONGEST_COMPLAINT]


def _thread(work: Callable[..., None], *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def _feed(stream: IO[bytes], question: bytes) -> None:
    """Write all of it, to whoever reads it."""
    left = memoryview(question)
    with suppress(OSError), stream:
        while left:
            left = left[stream.write(left) :]


def _read(stream: IO[bytes], take: Callable[[bytes], None]) -> None:
    with suppress(OSError), stream:
        while block := stream.read(_BLOCK):
            take(block)


@contextmanager
def _dies_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Should this process die, even by SIGKILL, the program's group is killed.

    A shell waits for a line from here. At our death its input ends without one, since nobody else has the other end;
    a signal at the parent's death (Linux has one) would spare what the program itself has started.
    """
    if os.name != "posix":
        yield
        return
    watch = ["/bin/sh", "-c", _WATCH, "steerbo", str(process.pid)]
    quiet = subprocess.DEVNULL
    try:
        watcher = subprocess.Popen(
            watch, cwd="/", stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True
        )
    except OSError:  # no shell: the program then ends by itself
        yield
        return
    try:
        yield
    finally:
        watcher.communicate(b"\n")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """The program and everything that it started."""
    with suppress(ProcessLookupError, PermissionError):  # it ended in the meantime
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
