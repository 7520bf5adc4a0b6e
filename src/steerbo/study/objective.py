"""The user's objective: a Python function, or an external command that reads and answers JSON.

One convention for both. What is given: a suggestion (token, round, scope, values, observe, context). What is answered:

- the value, a number; or `{"value": …, "cost": …, "realised": {…}}`, of which cost and realised may be left out;
- where the suggestion has something to `observe`: `{"context": {…}}`; then it is called again with more values set.
"""

from __future__ import annotations

import json
import shutil
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from ..errors import InvalidStudy, ObjectiveFailure, one_of, show
from ..rounds import Suggestion
from ..space.fields import as_number
from ..text import plain, shortened
from .modules import find_module, load_module
from .program import LONGEST_ANSWER, Ended, run_program

_FUNCTION = "objective.function"
_LAST_LINES, _LONGEST_LINE = 3, 160


class Objective(Protocol):
    """Anything that can evaluate a suggestion."""

    def __call__(self, suggestion: Suggestion) -> Any:
        """The raw answer.

        Raises:
            ObjectiveFailure: there is none.
        """

    def find(self) -> str:
        """Where it is. Nothing of it is run.

        Raises:
            InvalidStudy: it is nowhere.
        """

    def prepare(self) -> None:
        """Do what comes before the first call, so that what is wrong is found before a round is begun.

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
        module, _, attribute = self.name.partition(":") if isinstance(self.name, str) else ("", "", "")
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
            raise InvalidStudy(_FUNCTION, self.name, f"a module that is installed, or is in {self.folder}")
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
            raise InvalidStudy(_FUNCTION, self.name, "a module that can be imported", hint) from None
        attribute = self.name.partition(":")[2]
        function = getattr(found, attribute, None)
        if not callable(function):
            names = [n for n, member in vars(found).items() if callable(member) and not n.startswith("_")]
            raise InvalidStudy(_FUNCTION, self.name, f"a function of {self.module}, {one_of(names, attribute)}")
        return function

    def __reduce__(self) -> tuple[type[Function], tuple[str, Path]]:
        return Function, (self.name, self.folder)  # another process imports it anew

    def __call__(self, suggestion: Suggestion) -> Any:
        """Call it; what it prints goes to standard error, since standard output is ours."""
        self.prepare()
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
        timeout: seconds after which it is killed, with everything it started; so it is when its answer is longer than
            `LONGEST_ANSWER` bytes.

    Raises:
        InvalidStudy: the command is no list of texts, or the timeout is not a positive number.
    """

    command: list[str]
    folder: Path
    timeout: float = 600.0

    def __post_init__(self) -> None:
        """Check the fields."""
        command, field = self.command, "objective.command"
        if not isinstance(command, list) or not command or not all(isinstance(part, str) and part for part in command):
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
                [self._program, *self.command[1:]], self.folder, json.dumps(question).encode(), self.timeout
            )
        except OSError as error:
            raise ObjectiveFailure(f"{self} could not be started: {error.strerror}") from None
        said = _one_line(ended.complaints.decode(errors="replace"))
        if ended.killed or ended.code:
            raise ObjectiveFailure(f"{self} {self._what_happened(ended)}{': ' if said else ''}{said}")
        return self._read(ended.output, said)

    def _what_happened(self, ended: Ended) -> str:
        if ended.killed == "output":
            return f"answered more than {LONGEST_ANSWER} bytes and was killed"
        if ended.held:
            return f"ended, but what it started held its standard output for {self.timeout:g} s and was killed"
        if ended.killed:
            return f"did not answer within {self.timeout:g} s and was killed"
        return f"failed with exit code {ended.code}" if ended.code > 0 else f"was killed by signal {-ended.code}"

    def _read(self, output: bytes, said: str) -> Any:
        """The answer."""
        hint = f" ({said})" if said and not output.strip() else ""
        try:
            text = output.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            where = f"byte {error.start + 1} is none of UTF-8"
            raise ObjectiveFailure(f"{self} answered {show(output.strip())}, which is not JSON: {where}") from None
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise ObjectiveFailure(f"{self} answered {show(text.strip())}, which is not JSON{hint}") from None

    def __str__(self) -> str:
        return f"the command `{' '.join(self.command)}`"


def _one_line(text: str) -> str:
    """The last lines that say something, in one."""
    lines = [line.strip() for line in plain(text).splitlines() if line.strip()]
    return " / ".join(shortened(line, _LONGEST_LINE) for line in lines[-_LAST_LINES:])
