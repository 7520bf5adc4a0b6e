"""Objective of the user: a Python function, or an external command that reads and answers JSON.

Both follow one convention. The argument is a suggestion (token, round, scope, values, observe,
context). The answer is

- the value, a number; or `{"value": …, "cost": …, "realised": {…}, "sem": …}`, of which all but the
  value may be left out;
- where the suggestion has variables to `observe`, `{"context": {…}}`; then the call is repeated
  with more values set.

The module of a Python objective is found without running it, and loaded when it is called. The
study file's folder comes last in the search path, so that a `random.py` in it replaces no other
module; only the objective's own module is taken from there first, under a name of its own where the
name is taken. A command is run to its end: its answer is read up to a limit, and its processes end
with it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Literal, Protocol

from .._text import plain, shortened
from ..core import Suggestion
from ..errors import InvalidStudy, ObjectiveFailure, one_of, short_repr
from ..records import identity
from ..space.fields import as_number


def find_module(name: str, folder: Path) -> str | None:
    """Find the module without importing it; None if it is not found.

    >>> find_module("no_such_module.at.all", Path("."))
    """
    top, *inner = name.split(".")
    spec = _beside(top, folder) or _elsewhere(top) or PathFinder.find_spec(top, [str(folder)])
    for part in inner:
        if spec is None or spec.submodule_search_locations is None:
            return None
        spec = PathFinder.find_spec(f"{spec.name}.{part}", spec.submodule_search_locations)
    return None if spec is None else spec.origin or "a folder"


def load_module(name: str, folder: Path) -> ModuleType:
    """Import the module; its exceptions are passed on."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    importlib.invalidate_caches()
    top, dot, inner = name.partition(".")
    spec = _beside(top, folder)
    found = _elsewhere(top)
    if spec is None or (found is not None and found.origin == spec.origin):
        return importlib.import_module(name)
    alias = f"{top}_{identity({'origin': spec.origin})}"
    if alias not in sys.modules:
        _load_as(alias, spec)
    return importlib.import_module(alias + dot + inner)


def _beside(top: str, folder: Path) -> ModuleSpec | None:
    """The module or package in the folder itself."""
    PathFinder.invalidate_caches()
    spec = PathFinder.find_spec(top, [str(folder)])
    return spec if spec is not None and spec.origin is not None else None


def _elsewhere(top: str) -> ModuleSpec | None:
    """The module that `import` would find."""
    try:
        return importlib.util.find_spec(top)
    except ValueError:  # it is there, and does not know where it came from
        return ModuleSpec(top, None)


def _load_as(alias: str, spec: ModuleSpec) -> None:
    inner = spec.submodule_search_locations
    named = importlib.util.spec_from_file_location(
        alias, spec.origin, submodule_search_locations=inner
    )
    assert named is not None
    assert named.loader is not None
    module = importlib.util.module_from_spec(named)
    sys.modules[alias] = module
    try:
        named.loader.exec_module(module)
    except BaseException:
        del sys.modules[alias]
        raise


LONGEST_ANSWER = 2**20
"""Bytes of standard output; a program that writes more is killed."""
LONGEST_COMPLAINT = 2**16
"""Bytes of standard error that are kept: the last ones."""
_BLOCK = 2**16  # bytes that are read at a time
_GRACE = 1.0  # seconds in which a killed command lets go of its pipes
_WATCH = 'read -r line && exit; kill -s KILL -- "-$1"'


@dataclass(frozen=True)
class Ended:
    """Result of a command: exit status, output and error text.

    Args:
        code: its exit code; below 0 the signal that killed it.
        output: its standard output.
        complaints: the end of its standard error.
        killed: whether it was killed here, and why: it took too long, or its output was too long.
        held: whether it had ended by then, and a process that it started held its standard output
            open.
    """

    code: int
    output: bytes
    complaints: bytes
    killed: Literal["", "time", "output"] = ""
    held: bool = False


def run_program(command: list[str], folder: Path, question: bytes, timeout: float) -> Ended:
    """Run a program in a group of processes of its own, until it has ended and its standard output is closed.

    A program that takes longer than `timeout` seconds or answers too much is killed with everything
    that it started, and so it is on Ctrl-C, and when this process dies, however that happens
    (POSIX), but for processes that it moved to a group of their own.

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
    """Threads that feed and read a command; another process that holds a pipe open does not block them."""

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
        killed: Literal["", "time", "output"] = (
            "output" if self.full.is_set() else "time" if late else ""
        )
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
    """Write all of the input; a reader that ends early is no error."""
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
    """Context in which the program's group is killed if this process dies, even by SIGKILL.

    A shell waits for a line from here. At our death its input ends without one, since no other
    process has the other end. A signal at the parent's death (Linux has one) would spare the
    processes that the program has started.
    """
    if os.name != "posix":
        yield
        return
    watch = ["/bin/sh", "-c", _WATCH, "steerbo", str(process.pid)]
    quiet = subprocess.DEVNULL
    try:
        watcher = subprocess.Popen(
            watch,
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
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


_FUNCTION = "objective.function"
_LAST_LINES, _LONGEST_LINE = 3, 160  # of a program's output that a message shows


class Objective(Protocol):
    """Anything that can evaluate a suggestion."""

    def __call__(self, suggestion: Suggestion) -> Any:
        """The raw answer.

        Raises:
            ObjectiveFailure: there is none.
        """

    def find(self) -> str:
        """Find the objective. Nothing of it is run.

        Raises:
            InvalidStudy: it is nowhere.
        """

    def prepare(self) -> None:
        """Prepare the first call, so that faults are found before a round begins.

        Raises:
            InvalidStudy: it cannot be called.
        """


@dataclass(frozen=True)
class Function:
    """A Python function `module:function`, looked for in `folder` first. It is called with the suggestion.

    Its module is imported when it is prepared, or called: reading a study runs nothing.

    Raises:
        InvalidStudy: the name is none.
    """

    name: str
    folder: Path

    def __post_init__(self) -> None:
        """Check the name."""
        module, _, attribute = (
            self.name.partition(":") if isinstance(self.name, str) else ("", "", "")
        )
        if not attribute or not all(module.split(".")):
            raise InvalidStudy(_FUNCTION, self.name, 'a text like "module:function"')

    @property
    def module(self) -> str:
        """The module's name."""
        return self.name.partition(":")[0]

    def find(self) -> str:
        """The file of its module, which is not run."""
        place = find_module(self.module, self.folder)
        if place is None:
            raise InvalidStudy(
                _FUNCTION, self.name, f"a module that is installed, or is in {self.folder}"
            )
        return place

    def prepare(self) -> None:
        """Import its module."""
        _ = self._function

    @cached_property
    def _function(self) -> Callable[[Suggestion], Any]:
        try:
            with redirect_stdout(sys.stderr):
                found = load_module(self.module, self.folder)
        except (Exception, SystemExit) as error:
            hint = f"({type(error).__name__}: {_one_line(str(error))})"
            raise InvalidStudy(
                _FUNCTION, self.name, "a module that can be imported", hint
            ) from None
        attribute = self.name.partition(":")[2]
        function = getattr(found, attribute, None)
        if not callable(function):
            names = [
                n for n, member in vars(found).items() if callable(member) and not n.startswith("_")
            ]
            raise InvalidStudy(
                _FUNCTION, self.name, f"a function of {self.module}, {one_of(names, attribute)}"
            )
        return function

    def __reduce__(self) -> tuple[type[Function], tuple[str, Path]]:
        return Function, (self.name, self.folder)  # another process imports it anew

    def __call__(self, suggestion: Suggestion) -> Any:
        """Call the function; its prints go to standard error, since standard output is the program's own."""
        self.prepare()
        try:
            with redirect_stdout(sys.stderr):
                return self._function(suggestion)
        except (Exception, SystemExit) as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(frame.filename).name}, line {frame.lineno}"
            said = _one_line(str(error))
            raise ObjectiveFailure(
                f"{self} raised {type(error).__name__} ({where}): {said}"
            ) from error

    def __str__(self) -> str:
        return f"the Python function {self.name}"


@dataclass(frozen=True)
class Command:
    """An external command, run in `folder`: JSON on its standard input, JSON on its standard output.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        timeout: seconds after which it is killed, with everything it started; so it is when its
            answer is longer than `LONGEST_ANSWER` bytes.

    Raises:
        InvalidStudy: the command is no list of texts, or the timeout is not a positive number.
    """

    command: list[str]
    folder: Path
    timeout: float = 600.0

    def __post_init__(self) -> None:
        """Check the fields."""
        command, field = self.command, "objective.command"
        if (
            not isinstance(command, list)
            or not command
            or not all(isinstance(part, str) and part for part in command)
        ):
            raise InvalidStudy(field, command, 'a list of texts, such as ["python", "plant.py"]')
        seconds = as_number(self.timeout)
        if seconds is None or seconds <= 0:
            raise InvalidStudy("objective.timeout", self.timeout, "a number of seconds above 0")

    def find(self) -> str:
        """The program's file."""
        place = shutil.which(self._program)
        if place is None:
            allowed = "a program on the PATH or in the study file's folder"
            raise InvalidStudy("objective.command.0", self.command[0], allowed)
        return place

    def prepare(self) -> None:
        """Find it."""
        self.find()

    @property
    def _program(self) -> str:
        """`plant.sh` and `./plant.sh` mean a file beside the study file, if there is one."""
        beside = self.folder / self.command[0]
        return str(beside) if beside.is_file() else self.command[0]

    def __call__(self, suggestion: Suggestion) -> Any:
        """Run it once."""
        question = suggestion.to_dict()
        del question["note"]  # reasons, which differ by method
        try:
            ended = run_program(
                [self._program, *self.command[1:]],
                self.folder,
                json.dumps(question).encode(),
                self.timeout,
            )
        except OSError as error:
            raise ObjectiveFailure(f"{self} could not be started: {error.strerror}") from None
        said = _one_line(ended.complaints.decode(errors="replace"))
        if ended.killed or ended.code:
            raise ObjectiveFailure(
                f"{self} {self._what_happened(ended)}{': ' if said else ''}{said}"
            )
        return self._read(ended.output, said)

    def _what_happened(self, ended: Ended) -> str:
        if ended.killed == "output":
            return f"answered more than {LONGEST_ANSWER} bytes and was killed"
        if ended.held:
            return f"ended, but what it started held its standard output for {self.timeout:g} s and was killed"
        if ended.killed:
            return f"did not answer within {self.timeout:g} s and was killed"
        return (
            f"failed with exit code {ended.code}"
            if ended.code > 0
            else f"was killed by signal {-ended.code}"
        )

    def _read(self, output: bytes, said: str) -> Any:
        """The answer."""
        hint = f" ({said})" if said and not output.strip() else ""
        try:
            text = output.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            where = f"byte {error.start + 1} is not UTF-8"
            raise ObjectiveFailure(
                f"{self} answered {short_repr(output.strip())}, which is not JSON: {where}"
            ) from None
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise ObjectiveFailure(
                f"{self} answered {short_repr(text.strip())}, which is not JSON{hint}"
            ) from None

    def __str__(self) -> str:
        return f"the command `{' '.join(self.command)}`"


def _one_line(text: str) -> str:
    """Last lines that are not empty, in one."""
    lines = [line.strip() for line in plain(text).splitlines() if line.strip()]
    return " / ".join(shortened(line, _LONGEST_LINE) for line in lines[-_LAST_LINES:])
