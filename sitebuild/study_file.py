"""The page on the study file: every field of every kind, read from the records that a file is checked against."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic_core import PydanticUndefined

from steerbo.causal import Causal
from steerbo.core import Problem
from steerbo.costvarying import CostVarying
from steerbo.meanfield import MeanField
from steerbo.study import Settings
from steerbo.timevarying import TimeVarying

KINDS: dict[type[Problem], str] = {
    CostVarying: "greenhouse",
    TimeVarying: "drifting-stream",
    Causal: "dose",
    MeanField: "fleet",
}
"""Kinds of problem, and the example of each."""
_WORDS = {str: "text", float: "number", int: "whole number", bool: "true or false"}
_OBJECTIVE = """## [objective]

| Field | Takes | Meaning |
|---|---|---|
| `command` | list of texts | a program and its arguments: reads JSON, writes JSON |
| `timeout` | number | seconds that it may take; 600 if left out |
| `function` | text | `"module:function"`, in the place of a command; the module may be beside the file |

See [your own objective](../how-to/operating.md#your-own-objective).
"""


def body(examples: Path) -> str:
    """Every field as Markdown.

    Args:
        examples: the folder of examples.
    """
    parts = ["## [study]\n", _table(Settings), _OBJECTIVE]
    found: dict[type, None] = {}
    for kind, example in KINDS.items():
        parts += [f"## [problem] {_kind(kind)}\n", _summary(kind), _table(kind)]
        text = (examples / example / "study.toml").read_text("utf-8")
        parts += [f"An example:\n\n```toml\n{text}```\n"]
        _collect(kind, found)
    for record in sorted(found, key=lambda r: r.__name__):
        parts += [f"## {record.__name__}\n", _summary(record), _table(record)]
    return "\n".join(parts)


def _collect(record: type, found: dict[type, None]) -> None:
    for inner in _records(get_type_hints(record).values()):
        if inner not in found:
            found[inner] = None
            _collect(inner, found)


def _records(types: Any) -> Iterator[type]:
    for one in types:
        if is_dataclass(one) and isinstance(one, type):
            yield one
        elif get_origin(one) not in (None, Literal, Callable):
            yield from _records(get_args(one))


def _kind(record: type) -> str:
    default = next((f.default for f in fields(record) if f.name == "kind"), MISSING)
    return default if isinstance(default, str) else ""


def _summary(record: type) -> str:
    kind = f'`kind = "{_kind(record)}"`. ' if _kind(record) else ""
    first = (inspect.getdoc(record) or "").partition("\n\n")[0]
    return f"{kind}{_escaped(' '.join(first.split()))}\n"


def _table(record: type) -> str:
    hints, meanings = get_type_hints(record), _arguments(record)
    lines = ["| Field | Takes | If left out | Meaning |", "|---|---|---|---|"]
    for field in fields(record):
        if field.name == "kind" and _kind(record):
            continue
        meaning = _escaped(meanings.get(field.name, ""))
        lines.append(
            f"| `{field.name}` | {takes(hints[field.name])} | {_default(field)} | {meaning} |"
        )
    return "\n".join(lines) + "\n" if len(lines) > 2 else "No fields.\n"


def takes(type_: Any) -> str:
    """A type in words.

    >>> takes(dict[str, float] | None), takes(Literal["a", "b"]), takes(Sequence[Sequence[str]])
    ('table: number by name', '`"a"` or `"b"`', 'list of lists of texts')
    """
    if type_ in _WORDS:
        return _WORDS[type_]
    if is_dataclass(type_) and isinstance(type_, type):
        return f"[{type_.__name__}](#{type_.__name__.lower()})"
    origin, inside = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType):
        known = [one for one in inside if one is not NoneType and get_origin(one) is not Callable]
        return " or ".join(dict.fromkeys(takes(one) for one in known if get_origin(one) != _CALL))
    if origin is Literal:
        return " or ".join(f'`"{value}"`' for value in inside)
    if origin in (dict, Mapping):
        return f"table: {takes(inside[1])} by name"
    if origin in (list, tuple, Sequence):
        items = tuple(one for one in inside if one is not Ellipsis)
        return f"list of {_many(takes(items[0]))}"
    return "anything"


_CALL = get_origin(Callable[..., Any])
_PLURALS = {"text": "texts", "number": "numbers", "whole number": "whole numbers"}


def _many(words: str) -> str:
    return _PLURALS.get(words, re.sub(r"^list\b", "lists", words))


def _default(field: Field[Any]) -> str:
    if field.default is MISSING and field.default_factory is MISSING:
        return "**needed**"
    # pydantic keeps it in a field of its own
    default = getattr(field.default, "default", field.default)
    if default is PydanticUndefined:
        return "" if getattr(field.default, "default_factory", None) else "**needed**"
    if default is MISSING or default in (None, "", ()) or callable(default):
        return ""
    return f"`{json.dumps(default)}`"


def _arguments(record: type) -> dict[str, str]:
    """What the docstring says of each field."""
    text = inspect.getdoc(record) or ""
    found = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", text, re.M | re.S)
    meanings: dict[str, str] = {}
    names: list[str] = []
    for line in (found[1] if found else "").splitlines():
        if start := re.match(r"^    ([\w, ]+): (.*)", line):
            names = start[1].split(", ")
            meanings.update(dict.fromkeys(names, start[2]))
        else:
            meanings.update({name: f"{meanings[name]} {line.strip()}".strip() for name in names})
    return meanings


def _escaped(text: str) -> str:
    return re.sub(r"``([^`]+)``", r"`\1`", text).replace("|", "\\|").replace("<", "&lt;")
