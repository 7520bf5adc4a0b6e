"""The user's objective: a Python function, or an external command that reads and answers JSON.

One convention for both. What is given: a suggestion (token, round, scope, values, observe, context). What is answered:

- the value, a number; or `{"value": …, "cost": …, "realised": {…}}`, of which cost and realised may be left out;
- where the suggestion has something to `observe`: `{"context": {…}}`; then it is called again with more values set.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from ..errors import InvalidStudy, ObjectiveFailure, one_of, show
from ..optimizer import Suggestion
from ..space.fields import as_number

_LAST_LINES = 3


class Objective(Protocol):
    """Anything that can evaluate a suggestion."""

    def __call__(self, suggestion: Suggestion) -> Any:
        """The raw answer.

        Raises:
            ObjectiveFailure: there is none.
        """


@dataclass(frozen=True)
class Function:
    """A Python function `module:function`, looked for in `folder` first. It is called with the suggestion.

    Raises:
        InvalidStudy: there is no such function, or its module cannot be imported.
    """

    name: str
    folder: Path

    def __post_init__(self) -> None:
        """Import it."""
        _ = self._function

    @cached_property
    def _function(self) -> Callable[[Suggestion], Any]:
        field, name = "objective.function", self.name
        module, _, attribute = name.partition(":") if isinstance(name, str) else ("", "", "")
        if not module or not attribute:
            raise InvalidStudy(field, name, 'a text like "module:function"')
        if str(self.folder) not in sys.path:
            sys.path.insert(0, str(self.folder))
        try:
            with redirect_stdout(sys.stderr):
                found = importlib.import_module(module)
        except Exception as error:
            raise InvalidStudy(
                field, name, "a module that can be imported", f"({type(error).__name__}: {error})"
            ) from None
        function = getattr(found, attribute, None)
        if not callable(function):
            names = [n for n, member in vars(found).items() if callable(member) and not n.startswith("_")]
            raise InvalidStudy(field, name, f"a function of {module}, {one_of(names, attribute)}")
        return function

    def __reduce__(self) -> tuple[type[Function], tuple[str, Path]]:
        return Function, (self.name, self.folder)  # another process imports it anew

    def __call__(self, suggestion: Suggestion) -> Any:
        """Call it; what it prints goes to standard error, since standard output is ours."""
        try:
            with redirect_stdout(sys.stderr):
                return self._function(suggestion)
        except (Exception, SystemExit) as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(frame.filename).name}, line {frame.lineno}"
            said = _one_line(str(error))
            raise ObjectiveFailure(f"{self} raised {type(error).__name__} ({where}): {said}") from error

    def __str__(self) -> str:
        return f"the Python function {self.name}"


@dataclass(frozen=True)
class Command:
    """An external command, run in `folder`: JSON on its standard input, JSON on its standard output.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        timeout: seconds after which it is killed, with everything it started.

    Raises:
        InvalidStudy: there is no such program, or the timeout is not a positive number.
    """

    command: list[str]
    folder: Path
    timeout: float = 600.0

    def __post_init__(self) -> None:
        """Check that the program exists."""
        command, field = self.command, "objective.command"
        if not isinstance(command, list) or not command or not all(isinstance(part, str) and part for part in command):
            raise InvalidStudy(field, command, 'a list of texts, such as ["python", "plant.py"]')
        if shutil.which(self._program) is None:
            raise InvalidStudy(f"{field}.0", command[0], "a program on the PATH or in the study file's folder")
        seconds = as_number(self.timeout)
        if seconds is None or seconds <= 0:
            raise InvalidStudy("objective.timeout", self.timeout, "a number of seconds above 0")

    @property
    def _program(self) -> str:
        """`plant.sh` and `./plant.sh` mean a file beside the study file, if there is one."""
        beside = self.folder / self.command[0]
        return str(beside) if beside.is_file() else self.command[0]

    def __call__(self, suggestion: Suggestion) -> Any:
        """Run it once."""
        question = {
            name: getattr(suggestion, name) for name in ("token", "round", "scope", "values", "observe", "context")
        }
        try:
            process = subprocess.Popen(
                [self._program, *self.command[1:]],
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ObjectiveFailure(f"{self} could not be started: {error.strerror}") from None
        with process:
            try:
                output, complaints = process.communicate(json.dumps(question).encode(), self.timeout)
            except subprocess.TimeoutExpired:
                _kill_group(process)
                raise ObjectiveFailure(f"{self} did not answer within {self.timeout:g} s and was killed") from None
            except BaseException:  # Ctrl-C: the command has a session of its own and would live on
                _kill_group(process)
                raise
        said = _one_line(complaints.decode(errors="replace"))
        if process.returncode:
            how = (
                f"failed with exit code {process.returncode}"
                if process.returncode > 0
                else f"was killed by signal {-process.returncode}"
            )
            raise ObjectiveFailure(f"{self} {how}{': ' if said else ''}{said}")
        text = output.decode(errors="replace")
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            hint = "" if text.strip() else f" ({said})" if said else ""
            raise ObjectiveFailure(f"{self} answered {show(text.strip())}, which is not JSON{hint}") from None

    def __str__(self) -> str:
        return f"the command `{' '.join(self.command)}`"


def read_outcome(answer: Any) -> dict[str, Any]:
    """An answer as what `tell` takes.

    Raises:
        ObjectiveFailure: it is neither a number nor a table with a value.

    >>> read_outcome(1.5)
    {'value': 1.5}
    """
    if not isinstance(answer, Mapping):
        return {"value": answer}
    _check_keys(answer, ("value", "cost", "realised"), "value")
    return dict(answer)


def read_context(answer: Any, observe: tuple[str, ...]) -> Mapping[str, Any]:
    """An answer as what `decide` takes.

    Raises:
        ObjectiveFailure: it is not a table with a context.
    """
    if not isinstance(answer, Mapping):
        wanted = ", ".join(observe)
        raise ObjectiveFailure(f'the objective answered {show(answer)}; expected {{"context": {{…}}}} with {wanted}')
    _check_keys(answer, ("context",), "context")
    if not isinstance(answer["context"], Mapping):
        raise ObjectiveFailure(f"the objective's context is {show(answer['context'])}; expected values by name")
    context: Mapping[str, Any] = answer["context"]
    return context


def _check_keys(answer: Mapping[str, Any], names: tuple[str, ...], needed: str) -> None:
    for name in answer:
        if name not in names:
            raise ObjectiveFailure(f"the objective answered an unknown {name!r}; expected {one_of(names, name)}")
    if needed not in answer:
        raise ObjectiveFailure(f"the objective answered {show(dict(answer))}; {needed!r} is missing")


def _one_line(text: str) -> str:
    """The last lines that say something, in one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " / ".join(lines[-_LAST_LINES:])


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """The command and everything it started."""
    with suppress(ProcessLookupError, PermissionError):  # it ended in the meantime
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
