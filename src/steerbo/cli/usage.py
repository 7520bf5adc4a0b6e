"""Usage errors (unknown commands and options, missing words), and exit codes by class of error."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import typer

from .._parsing import typed_number
from .._wording import MISSING, SHELL
from ..errors import (
    DamagedLog,
    InvalidInput,
    MissingExtra,
    OutcomeConflict,
    SteerboError,
    UnknownSuggestion,
    one_of,
)

_NEGATIVE = re.compile(r"-([\d.,]|inf|nan)", re.IGNORECASE)  # a value, not an option
_SETTING = re.compile(r"-[^-=][^=]*=")  # of a variable "-x": options have two dashes


class InvalidCommand(InvalidInput):
    """A command line that nothing understands."""


class Refused(typer.BadParameter):
    """Carries an error of ours through typer, which would take it for one of Python's."""

    def __init__(self, cause: InvalidInput) -> None:
        super().__init__(str(cause))
        self.cause = cause


def whole(name: str, least: int, most: int | None = None) -> Callable[[Any], int]:
    """A reader of an option that takes a whole number.

    >>> whole("--batch", 1)("3")
    3
    """
    allowed = (
        f"a whole number, {least} or more"
        if most is None
        else f"a whole number from {least} to {most}"
    )

    def read(text: Any) -> int:
        plain = str(text).strip()
        if re.fullmatch(r"[+-]?[0-9]{1,18}", plain) and least <= int(plain) <= (
            int(plain) if most is None else most
        ):
            return int(plain)
        raise Refused(InvalidCommand(name, text, allowed))

    return read


def whole_or_all(name: str) -> Callable[[Any], str]:
    """Reader of an option that takes a whole number, 0 or more, or the word "all".

    >>> whole_or_all("--rounds")("all"), whole_or_all("--rounds")("10")
    ('all', '10')
    """

    def read(text: Any) -> str:
        plain = str(text).strip()
        if plain == "all":
            return plain
        try:
            return str(whole(name, 0)(plain))
        except Refused:
            raise Refused(
                InvalidCommand(name, text, "a whole number, 0 or more, or the word all")
            ) from None

    return read


def number(name: str) -> Callable[[Any], float]:
    """Reader of an option that takes a number.

    >>> number("--charge")("1.5")
    1.5
    """

    def read(text: Any) -> float:
        if (found := typed_number(str(text))) is None:
            raise Refused(InvalidCommand(name, text, "a number"))
        return found

    return read


def word(name: str, words: Sequence[str]) -> Callable[[Any], str]:
    """Reader of an argument that is one of these words.

    >>> word("what", ["list", "delete"])("list")
    'list'
    """

    def read(text: Any) -> str:
        if text in words:
            return str(text)
        raise Refused(InvalidCommand(name, text, one_of(words, str(text))))

    return read


def in_order(command: Any, path: str, args: Sequence[str]) -> list[str]:
    """Sort the words after a command's name: options with their values, then, after "--", all others.

    A number below 0 is no option, and neither is the setting of a variable whose name begins with a
    dash. Options that a command has not are refused, and more words than it takes.

    Args:
        command: typer's.
        path: its name, such as "steerbo tell".
        args: the words typed after it.

    Raises:
        InvalidCommand: naming the word.
    """
    if "--help" in args:
        return [*args]
    takes = {
        name: not option.is_flag
        for option in _options(command)
        for name in (*option.opts, *option.secondary_opts)
    }
    declared = command.declares(args) if hasattr(command, "declares") else ()
    takes |= {f"--{name}": True for name in declared}
    shown = [
        name
        for name in takes
        if name not in {opt for o in _options(command) if o.hidden for opt in o.opts}
    ]
    places = [_label(parameter) for parameter in _arguments(command)]
    several = any(getattr(parameter, "nargs", 1) < 0 for parameter in _arguments(command))
    options, words, rest, hint = list[str](), list[str](), iter(args), _hint(command, path)
    for word in rest:
        name, equals, _ = word.partition("=")
        if word == "--":
            words += rest
        elif not word.startswith("-") or word == "-" or _NEGATIVE.match(word):
            words.append(word)
        elif name not in takes:
            if not (several and _SETTING.match(word)):
                if several and equals:
                    hint = f"To set a variable of this name: {path} STUDY -- {word}"
                raise InvalidCommand("option", name, one_of(shown, name), hint)
            words.append(word)
        else:
            options.append(word)
            if takes[name] and not equals:
                options.append(value := next(rest, name))
                if value in takes:  # another option is no value
                    raise InvalidCommand(name, MISSING, "a value after it", hint)
    if len(words) > len(places) and not several:
        raise InvalidCommand("command", words[len(places)], "no more words", hint)
    return [*options, *(["--", *words] if words else [])]


def before_command(args: Sequence[str]) -> None:
    """Refuse options before the command's name that are none of the program's.

    Raises:
        InvalidCommand: naming the word.
    """
    known = ("--version", "--help", "--install-completion", "--show-completion")
    if args and args[0].startswith("-") and args[0] not in known:
        raise InvalidCommand(
            "option", args[0], one_of(known, args[0]), "Options of a command go after its name."
        )


def unknown_command(names: Sequence[str], given: str) -> InvalidCommand:
    """A command that there is not."""
    return InvalidCommand(
        "command", given, one_of(names, given), "`steerbo --help` says what each does."
    )


def refusal(error: Any, path: str, args: Sequence[str]) -> InvalidInput | None:
    """Translate a complaint of typer; None where it is none.

    Args:
        error: typer's.
        path: the name of the command.
        args: the words typed after it.
    """
    if isinstance(error, Refused):
        return error.cause
    if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
        return None
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    hint = (
        f"`{path} --help` says more."
        if context is None
        else _hint(context.command, context.command_path)
    )
    said = error.format_message().rstrip(".")
    if parameter is None:
        return InvalidCommand("command", " ".join([path, *args]), f"another ({said})", hint)
    if type(error).__name__ == "MissingParameter":
        about = (parameter.help or "it").rstrip(".")
        return InvalidCommand(_label(parameter), MISSING, about[:1].lower() + about[1:], hint)
    allowed = (
        error.message.partition(",")[0]
        .replace("Input should be ", "")
        .replace("a valid ", "a ")
        .rstrip(".")
    )
    return InvalidCommand(_label(parameter), _typed(args, parameter.opts), allowed, hint)


def _typed(args: Sequence[str], names: Sequence[str]) -> str:
    """Words typed after an option."""
    for word, following in zip(args, [*args[1:], ""], strict=False):
        name, equals, text = word.partition("=")
        if name in names:
            return text if equals else following
    return " ".join(args)


def _hint(command: Any, path: str) -> str:
    places = [_label(p) if p.required else f"[{_label(p)}]" for p in _arguments(command)]
    return f"Usage: {' '.join([path, *places])}; `{path} --help` says more."


def _label(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    return str(max(parameter.opts, key=len))


def _arguments(command: Any) -> list[Any]:
    return [parameter for parameter in command.params if parameter.param_type_name == "argument"]


def _options(command: Any) -> list[Any]:
    return [parameter for parameter in command.params if parameter.param_type_name == "option"]


# codes that the program ends with; 130 is the shell's for Ctrl-C
FAILED, REFUSED, STOPPED = 1, 2, 130

CODES = {
    0: "done",
    FAILED: "the objective or the model failed, or a log could not be reached or is damaged",
    REFUSED: "an argument, a study file or a table is not allowed; standard error says why, and what is allowed",
    STOPPED: "stopped by Ctrl-C or a signal; the same command goes on",
}
"""Exit codes in words, for `--help` and the site."""

_NOTHING = {"field": "", "value": "", "allowed": "", "hint": ""}
_REFUSED = (InvalidInput, OutcomeConflict, UnknownSuggestion, MissingExtra)
"""Errors that the caller can mend: an argument, a study file, a token, a contradicting outcome, a package."""


def exit_code(error: SteerboError) -> int:
    """Exit code of a command that raised this error.

    >>> exit_code(OutcomeConflict("round 1 has an outcome already")), exit_code(SteerboError("the log is away"))
    (2, 1)
    """
    return REFUSED if isinstance(error, _REFUSED) and not isinstance(error, DamagedLog) else FAILED


def lines(error: SteerboError) -> list[str]:
    """Lines for standard error, in a shell's wording: one for each error."""
    return [f"steerbo: {' '.join(line.split())}" for line in error.worded(SHELL).split("\n")]


def document(error: SteerboError) -> dict[str, Any]:
    """Document for --json, in a shell's wording. Only errors of given values have the first four fields.

    >>> found = document(InvalidInput("seed", -1, "0 or more"))
    >>> found["exit_code"], found["errors"][0]["field"], found["errors"][0]["allowed"]
    (2, 'seed', '0 or more')
    """
    return _document(exit_code(error), [_parts(each) for each in error.errors])


def plain_document(code: int, kind: str, message: str) -> dict[str, Any]:
    """The same of an end that is no error of ours: a mistyped option, Ctrl-C."""
    return _document(code, [{**_NOTHING, "kind": kind, "message": message}])


def _parts(error: SteerboError) -> dict[str, str]:
    given = error.parts(SHELL) if isinstance(error, InvalidInput) else _NOTHING
    return {**given, "kind": type(error).__name__, "message": " ".join(error.worded(SHELL).split())}


def _document(code: int, errors: list[dict[str, str]]) -> dict[str, Any]:
    return {"errors": errors, "exit_code": code}


def table() -> str:
    """The codes as one paragraph."""
    return "Exit codes: " + "; ".join(f"{code} {words}" for code, words in CODES.items()) + "."
