"""Registry of kinds of problems and of methods: the library's own, and those of installed packages.

Other packages declare theirs as entry points. Both groups go by the kind of problem; a kind's own
package names its default first:

    [project.entry-points."steerbo.problems"]
    shelf = "my_package:Shelf"
    [project.entry-points."steerbo.methods"]
    shelf = "my_package.methods:METHODS"
    cost-varying = "my_package.methods:Nearest"

Modules are imported when they are needed; no other package is imported for one of the library's own
names.

Classes by their places, "package.module:Class": imported with care, and named so in logs.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import is_dataclass
from functools import lru_cache
from importlib import import_module, metadata
from importlib.metadata import EntryPoint
from inspect import isabstract
from typing import Any

from .._text import unsafe
from ..errors import InvalidInput, InvalidOption, InvalidProblem, one_of
from ..records import from_dict
from ._method import Method
from ._problem import Problem
from .answers import Table

_PLACE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_IN_A_SCRIPT = (
    "It was made in a script or notebook: run that first, or move the class into a module."
)


def is_place(name: object) -> bool:
    """Whether a text is written as a place.

    >>> is_place("my_package.methods:Nearest"), is_place("cheap-first")
    (True, False)
    """
    return isinstance(name, str) and _PLACE.fullmatch(name) is not None


def import_path_of(cls: type) -> str:
    """Import path of a class, as logs have it.

    >>> import_path_of(InvalidOption)
    'steerbo.errors:InvalidOption'
    """
    return f"{cls.__module__}:{cls.__qualname__}"


def load(place: str, base: type, field: str, find: Callable[[str], Any] = import_module) -> Any:
    """Import the class at a place. This runs its module; modules of Python itself are never imported.

    Args:
        place: "package.module:Class".
        base: the base that the class must derive from.
        field: its name in errors.
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
        raise InvalidOption(
            field, place, allowed, "It was made inside a function: move it to the top of a module."
        )
    module, _, name = place.partition(":")
    if not is_place(place) or module.partition(".")[0] in sys.stdlib_module_names:
        raise InvalidOption(field, place, allowed)
    found = _imported(find, module, place, field)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        hint = f"Was {name} renamed, or is another version of its package installed here?"
        raise InvalidOption(
            field,
            place,
            f"a class of the module {module}",
            _IN_A_SCRIPT if module == "__main__" else hint,
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
        if (
            isinstance(error, ModuleNotFoundError)
            and error.name
            and f"{module}.".startswith(f"{error.name}.")
        ):
            hint = f"There is no module {error.name!r} here: install its package, or add its folder to PYTHONPATH."
        raise InvalidOption(
            field, place, "a class in a module that can be imported", hint
        ) from error


def entries(group: str) -> list[metadata.EntryPoint]:
    """Entry points that installed packages declare in a group, in a fixed order.

    All packages are read once, and again where a folder they are in has changed: where one was
    installed.
    """
    return [*_declared(group, tuple((folder, _changed(folder)) for folder in sys.path))]


@lru_cache(maxsize=8)
def _declared(
    group: str, places: tuple[tuple[str, int | None], ...]
) -> tuple[metadata.EntryPoint, ...]:
    found = metadata.entry_points(group=group)
    return tuple(sorted(found, key=lambda entry: (entry.name, package(entry), entry.value)))


def _changed(folder: str) -> int | None:
    """Time of a folder's last change, in nanoseconds; None: there is no such folder."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return None


def package(entry: metadata.EntryPoint) -> str:
    """Package that declares an entry point, with its version; empty for steerbo itself."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else ""


PROBLEMS, METHODS = "steerbo.problems", "steerbo.methods"  # groups of entry points
_OURS = {
    "cost-varying": ("steerbo.costvarying", "CostVarying"),
    "time-varying": ("steerbo.timevarying", "TimeVarying"),
    "causal": ("steerbo.causal", "Causal"),
    "mean-field": ("steerbo.meanfield", "MeanField"),
}
_IN_BENCHMARKS = {
    "mean-field": ("add-gp-ucb", "annealing", "genetic"),
    "time-varying": ("mle", "regret-balancing", "r-gp-ucb", "sw-gp-ucb", "w-gp-ucb"),
}
"""Rivals that steerbo once had, by kind of problem: logs name them, and the benchmarks' package brings them."""
AnyMethod = type[Method[Any, Any]]


def kinds() -> tuple[str, ...]:
    """All kinds of problem, ours first.

    >>> kinds()[:4]
    ('cost-varying', 'time-varying', 'causal', 'mean-field')
    """
    return tuple(dict.fromkeys([*_OURS, *(entry.name for entry in entries(PROBLEMS))]))


def read_problem(plain: Any, place: str | None = None) -> Problem:
    """A problem from its plain form, as in a study file or a log.

    Args:
        plain: a table with the kind, and the fields of that kind.
        place: where its class is, as a log says it; None: the kind's.

    Raises:
        InvalidProblem: naming the field, its value and the allowed values.
    """
    if not isinstance(plain, Mapping):
        raise InvalidProblem("problem", plain, "a table with a kind and the fields of that kind")
    problem: Problem = from_dict(problem_class(plain.get("kind"), place), dict(plain), "problem")
    return problem


def problem_class(kind: Any, place: str | None = None) -> type[Problem]:
    """The class of a kind of problem.

    Raises:
        InvalidProblem: no package, or more than one, brings this kind; or its class cannot be
            imported.
    """
    places = (
        [f"{module}:{name}" for module, name in [_OURS[kind]]]
        if isinstance(kind, str) and kind in _OURS
        else []
    )
    places = (
        [place]
        if place
        else places or [entry.value for entry in entries(PROBLEMS) if entry.name == kind]
    )
    if not places:
        raise InvalidProblem("problem.kind", kind, one_of(kinds(), kind))
    if len(places) > 1:
        allowed = f"a kind that one package brings: this is in {' and in '.join(places)}"
        raise InvalidProblem("problem.kind", kind, allowed, "Uninstall one of the packages.")
    try:
        found: type[Problem] = load(places[0], Problem, "problem.kind")
    except InvalidOption as error:
        raise error.moved(error.field, InvalidProblem) from None
    if isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise InvalidProblem(
            "problem.kind", kind, "a class that implements all of Problem", f"It lacks {missing}."
        )
    return found


def place_of_problem(problem: Problem) -> str | None:
    """Import path of a problem's class; None for one of the library."""
    ours = problem.kind in _OURS and type(problem) is problem_class(problem.kind)
    return None if ours else import_path_of(type(problem))


def packages(*classes: type) -> str:
    """Other packages that the classes are from, with their versions, if they declare entry points."""
    tops = {cls.__module__.partition(".")[0] for cls in classes} - {__name__.partition(".")[0]}
    declared = [*entries(PROBLEMS), *entries(METHODS)] if tops else []
    return ", ".join(
        sorted({package(entry) for entry in declared if entry.module.partition(".")[0] in tops})
    )


def find_method(problem: Problem, said: Any) -> AnyMethod:
    """Find and check the method that a user names.

    Args:
        problem: the problem to solve.
        said: its name, its place, its class, or None for the kind's default.

    Raises:
        InvalidOption: there is none such, or it solves another kind of problem.
    """
    if isinstance(said, type) and issubclass(said, Method):
        return _checked(said, problem, said)
    if isinstance(said, str) and ":" in said:
        return _checked(load(said, Method, "method"), problem, said)
    broken: list[InvalidInput] = []
    known: dict[str, AnyMethod] = {}
    for entry in _sources(problem.kind):
        known |= {
            method.name: method for method in _listed(entry, broken) if method.name not in known
        }
        for method in known.values() if said is None else ():
            if method.trades == bool(problem.traded) and method.is_default_for(problem):
                return method
        if isinstance(said, str) and said in known:
            return _checked(known[said], problem, said)
    hint = f"Another installed package is broken: {broken[0]}" if broken else ""
    if not known:
        hint = hint or "Give the class of a method."
        raise InvalidOption(
            "method", said, f"a method for {problem.kind} problems; no package lists one", hint
        )
    others = [
        kind
        for kind in kinds()
        if kind != problem.kind and isinstance(said, str) and said in _names_of(kind)
    ]
    if others:
        hint = f"That is a method for {others[0]} problems."
    if said in _IN_BENCHMARKS.get(problem.kind, ()):
        hint = "It is in another package now: pip install partial-control-bench."
    raise InvalidOption(
        "method", said, f'{one_of(known, said)}, a class, or its place "package.module:Class"', hint
    )


def _names_of(kind: str) -> set[str]:
    """The names of the methods of a kind."""
    return {method.name for entry in _sources(kind) for method in _listed(entry, [])}


def default_method(problem: Problem) -> str:
    """Default method of a problem."""
    return name_of(find_method(problem, None))


def name_of(method: AnyMethod) -> str:
    """Name of a method in logs: its own for a method of the library, else its import path."""
    return method.name if _ours(method) else import_path_of(method)


def methods(problem: Problem | str | None = None) -> Table:
    """List the methods for a problem (or a kind of problem; None: for all), with their options.

    >>> print(methods("cost-varying").columns)
    ('kind', 'method', 'what it does', 'options')
    """
    known = kinds()
    if problem is not None and not isinstance(problem, str | Problem):
        raise InvalidProblem("problem", problem, "a problem, or the name of its kind")
    if isinstance(problem, str) and problem not in known:
        raise InvalidProblem("kind", problem, one_of(known, problem))
    wanted = known if problem is None else (problem if isinstance(problem, str) else problem.kind,)
    rows: list[tuple[str, str, str, str]] = []
    for kind in wanted:
        broken: list[InvalidInput] = []
        for entry in _sources(kind):
            rows += [(kind, method.name, *_about(method)) for method in _listed(entry, broken)]
        rows += [(kind, "", str(fault), "") for fault in broken]
    rows += [
        (e.name, "", f"there is no such kind of problem ({package(e)})", "")
        for e in entries(METHODS)
        if e.name not in known
    ]
    return Table("Methods", ("kind", "method", "what it does", "options"), tuple(rows))


def _about(method: AnyMethod) -> tuple[str, str]:
    return (method.__doc__ or "").strip().split("\n")[0], str(method.Options()).partition("(")[2][
        :-1
    ]


def _ours(cls: type) -> bool:
    return f"{cls.__module__}.".startswith(tuple(f"{module}." for module, _ in _OURS.values()))


def _sources(kind: str) -> Iterator[EntryPoint]:
    """Modules that list methods of a kind, the package of the kind first."""
    if kind in _OURS:
        yield EntryPoint(kind, f"{_OURS[kind][0]}.methods:METHODS", METHODS)
    home = {package(entry) for entry in entries(PROBLEMS) if entry.name == kind}
    listed = [entry for entry in entries(METHODS) if entry.name == kind]
    yield from sorted(listed, key=lambda entry: package(entry) not in home)


def _listed(entry: EntryPoint, broken: list[InvalidInput]) -> tuple[AnyMethod, ...]:
    """Methods of an entry point, one or several; none, with a warning, where it is broken."""
    field = f"method of {package(entry)}"
    try:
        found = entry.load()
    except Exception as error:  # whatever another package does
        fault = f"It failed ({type(error).__name__}: {error})."
        broken.append(InvalidOption(field, entry.value, "a method that can be imported", fault))
        return ()
    listed = found if isinstance(found, list | tuple) else (found,)
    if not all(isinstance(method, type) and issubclass(method, Method) for method in listed):
        broken.append(
            InvalidOption(field, entry.value, "a class derived from Method, or a tuple of these")
        )
        return ()
    faults = {method: _fault(method) for method in listed}
    broken += [
        InvalidOption(field, import_path_of(method), *fault)
        for method, fault in faults.items()
        if fault
    ]
    return tuple(method for method, fault in faults.items() if not fault)


def _fault(method: AnyMethod) -> tuple[str, str] | None:
    """Fault of a method's class: the requirement and a hint; None where there is none."""
    name = getattr(method, "name", None)
    if missing := sorted(method.__abstractmethods__):
        return "a class that implements all of Method", f"It lacks {', '.join(missing)}."
    if not isinstance(name, str) or not name or ":" in name or unsafe(name):
        return (
            "a class with a name that can be shown, without a colon",
            'Give it one: name = "my-method".',
        )
    try:
        whole = is_dataclass(method.Options()) if isinstance(method.Options, type) else False
    except Exception:  # whatever it raises without its fields
        whole = False
    return (
        None
        if whole
        else ("a class whose Options are a record in which every field has a default", "")
    )


def _checked(method: AnyMethod, problem: Problem, said: Any) -> AnyMethod:
    """Check that a method is complete and made for such a problem, and return it."""
    if fault := _fault(method):
        raise InvalidOption("method", said, *fault)
    if not isinstance(problem, method.solves):
        solved = getattr(method.solves, "kind", method.solves.__name__)
        raise InvalidOption(
            "method",
            said,
            f"a method for {problem.kind} problems",
            f"{method.name} solves {solved}.",
        )
    return method
