"""Classes by their places, "package.module:Class": imported with care, and named so in logs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import lru_cache
from importlib import import_module, metadata
from typing import Any

from ..errors import InvalidOption

_PLACE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_IN_A_SCRIPT = "It was made in a script or notebook: run that first, or move the class into a module."


def is_place(name: object) -> bool:
    """Whether something is written as a place.

    >>> is_place("my_package.methods:Nearest"), is_place("cheap-first")
    (True, False)
    """
    return isinstance(name, str) and _PLACE.fullmatch(name) is not None


def import_path_of(cls: type) -> str:
    """Where a class is, as logs say it.

    >>> import_path_of(InvalidOption)
    'steerbo.errors:InvalidOption'
    """
    return f"{cls.__module__}:{cls.__qualname__}"


def load(place: str, base: type, field: str, find: Callable[[str], Any] = import_module) -> Any:
    """Import the class at a place. This runs its module; modules of Python itself are never imported.

    Args:
        place: "package.module:Class".
        base: what the class must be derived from.
        field: what errors call it.
        find: imports a module.

    Raises:
        InvalidOption: there is none, its module cannot be imported, or it is another class.

    >>> load("os:system", Exception, "method")
    Traceback (most recent call last):
        ...
    steerbo.errors.InvalidOption: method: 'os:system' is not allowed; expected a class derived from Exception, as \
"package.module:Class".
    """
    allowed = f'a class derived from {base.__name__}, as "package.module:Class"'
    if "<locals>" in place:
        raise InvalidOption(field, place, allowed, "It was made inside a function: move it to the top of a module.")
    module, _, name = place.partition(":")
    if not is_place(place) or module.partition(".")[0] in sys.stdlib_module_names:
        raise InvalidOption(field, place, allowed)
    found = _imported(find, module, place, field)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        hint = f"Was {name} renamed, or is another version of its package installed here?"
        raise InvalidOption(
            field, place, f"a class of the module {module}", _IN_A_SCRIPT if module == "__main__" else hint
        )
    if not (isinstance(found, type) and issubclass(found, base)):
        raise InvalidOption(field, place, allowed)
    return found


def _imported(find: Callable[[str], Any], module: str, place: str, field: str) -> Any:
    try:
        with redirect_stdout(sys.stderr):  # standard output is for answers
            return find(module)
    except (Exception, SystemExit) as error:  # whatever it does
        hint = f"It failed ({type(error).__name__}: {error})."
        if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
            hint = f"There is no module {error.name!r} here: install its package, or add its folder to PYTHONPATH."
        raise InvalidOption(field, place, "a class in a module that can be imported", hint) from error


def entries(group: str) -> list[metadata.EntryPoint]:
    """Entry points that installed packages declare in a group, in a fixed order.

    All packages are read once, and again where a folder they are in has changed: where one was installed.
    """
    return [*_declared(group, tuple((folder, _changed(folder)) for folder in sys.path))]


@lru_cache(maxsize=8)
def _declared(group: str, places: tuple[tuple[str, int | None], ...]) -> tuple[metadata.EntryPoint, ...]:
    found = metadata.entry_points(group=group)
    return tuple(sorted(found, key=lambda entry: (entry.name, package(entry), entry.value)))


def _changed(folder: str) -> int | None:
    """When something came or went in a folder, in nanoseconds; None: it is not there."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return None


def package(entry: metadata.EntryPoint) -> str:
    """The package that declares it, and its version; empty for steerbo itself."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else ""
