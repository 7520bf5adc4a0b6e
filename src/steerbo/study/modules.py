"""The module of a Python objective: found without running any of it, and loaded only when it is to be called.

The study file's folder comes last where modules are looked for, so that a `random.py` in it is nobody else's `random`.
Only the objective's own module is taken from there first, under a name of its own where the name is taken.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from ..record import identity


def find_module(name: str, folder: Path) -> str | None:
    """Where the module is, or None if it is nowhere. Nothing is imported.

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
    """Import the module; what it raises comes out."""
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
    named = importlib.util.spec_from_file_location(alias, spec.origin, submodule_search_locations=inner)
    assert named is not None
    assert named.loader is not None
    module = importlib.util.module_from_spec(named)
    sys.modules[alias] = module
    try:
        named.loader.exec_module(module)
    except BaseException:
        del sys.modules[alias]
        raise
