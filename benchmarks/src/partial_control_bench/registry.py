"""Problems and entrants by name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from .causal.problems import problems as causal
from .costvarying.problems import problems as costvarying
from .entrants import BUILT_IN
from .errors import BenchError, told, unknown
from .meanfield.problems import problems as meanfield
from .measured.problems import problems as measured
from .playing import Maker
from .problem import Problem
from .timevarying.problems import problems as timevarying


@cache
def problems() -> dict[str, Problem]:
    """All problems by name, wing by wing."""
    found: dict[str, Problem] = {}
    for each in chain(costvarying(), timevarying(), causal(), meanfield(), measured()):
        if each.name in found:
            raise BenchError(f"problem {each.name!r}: there are two of this name")
        found[each.name] = each
    return found


def problem(name: str) -> Problem:
    """The problem of this name.

    Raises:
        BenchError: there is none.
    """
    if name not in (known := problems()):
        raise unknown("problem", name, known)
    return known[name]


@dataclass(frozen=True)
class Contender:
    """Who plays: a name for tables, a class, and the packages whose versions are written down.

    Attributes:
        place: "module:Class", by which other processes find it; `folder`: where that module is.
        options: that were chosen, and are part of the result; `fixed` ones are what the name stands
            for.
    """

    name: str
    place: str
    options: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    folder: str | None = None

    def load(self) -> Maker:
        """Its class, with what its name stands for.

        Raises:
            BenchError: its module or a package that it needs is missing.
        """
        found: Maker = partial(self.found(), **self.fixed)
        return found

    def found(self) -> Any:
        """What stands at its place; of an empty attribute the module.

        Raises:
            BenchError: its module or a package that it needs is missing.
        """
        module, _, attribute = self.place.partition(":")
        if self.folder is not None and self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        try:
            there = importlib.import_module(module)
            return getattr(there, attribute) if attribute else there
        except ImportError as error:
            missing, extra = (
                error.name or str(error),
                "ours" if self.packages[:1] == ("steerbo",) else "peers",
            )
            every = f", or 'partial-control-bench[{extra}]'" if self.packages else ""
            raise BenchError(
                f"{self.name}: needs {missing}, which is not there; pip install it{every}"
            ) from None
        except AttributeError:
            near = get_close_matches(attribute, dir(sys.modules[module]), n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise BenchError(f"{self.name}: {module} has no {attribute!r}{meant}") from None
        except SyntaxError as error:
            raise BenchError(f"{module}: cannot be read: {error}") from None
        except Exception as error:  # of a stranger's file, while it is read
            raise BenchError(f"{module}: cannot be read: {told(error)}") from error


def contender(name: str, options: Mapping[str, Any] | None = None) -> Contender:
    """An entrant by the name of one of ours or a peer, or as "file.py:Class" or "module:Class".

    Raises:
        BenchError: there is none.
    """
    given = dict(options or {})
    if ":" not in name:
        if name not in BUILT_IN:
            raise unknown("entrant", name, BUILT_IN)
        built = BUILT_IN[name]
        return Contender(name, built.place, given, built.fixed, built.packages)
    module, _, attribute = name.rpartition(":")
    if not module.endswith(".py"):
        return Contender(attribute, f"{module}:{attribute}", given, folder=str(Path.cwd()))
    path = Path(module).resolve()
    if not path.is_file():
        raise BenchError(f"{module}: there is no such file")
    return Contender(attribute, f"{path.stem}:{attribute}", given, folder=str(path.parent))
