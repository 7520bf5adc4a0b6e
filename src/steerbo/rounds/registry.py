"""Which kinds of problem there are, and which methods solve them: ours, and those of installed packages.

Other packages declare theirs as entry points. Both groups go by the kind of problem; a kind's own package says first
what its default is:

    [project.entry-points."steerbo.problems"]
    shelf = "my_package:Shelf"
    [project.entry-points."steerbo.methods"]
    shelf = "my_package.methods:METHODS"
    cost-varying = "my_package.methods:Nearest"

Nothing is imported before it is needed, and of other packages nothing where one of ours is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from importlib.metadata import EntryPoint
from inspect import isabstract
from typing import Any

from ..errors import InvalidInput, InvalidOption, InvalidProblem, one_of
from ..record import from_plain
from ..text import unsafe
from .answers import Table
from .method import Method
from .places import entries, load, package, place_of
from .problem import Problem

PROBLEMS, METHODS = "steerbo.problems", "steerbo.methods"  # groups of entry points
_OURS = {
    "cost-varying": ("steerbo.costvarying", "CostVarying"),
    "time-varying": ("steerbo.timevarying", "TimeVarying"),
    "causal": ("steerbo.causal", "Causal"),
    "mean-field": ("steerbo.meanfield", "MeanField"),
}
_IN_BENCHMARKS = {"mean-field": ("add-gp-ucb", "annealing", "genetic")}
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
        InvalidProblem: naming the field, the value and what is allowed.
    """
    if not isinstance(plain, Mapping):
        raise InvalidProblem("problem", plain, "a table with a kind and the fields of that kind")
    problem: Problem = from_plain(problem_class(plain.get("kind"), place), dict(plain), "problem")
    return problem


def problem_class(kind: Any, place: str | None = None) -> type[Problem]:
    """The class of a kind of problem.

    Raises:
        InvalidProblem: nobody, or more than one package, brings this kind; or its class cannot be imported.
    """
    places = [f"{module}:{name}" for module, name in [_OURS[kind]]] if isinstance(kind, str) and kind in _OURS else []
    places = [place] if place else places or [entry.value for entry in entries(PROBLEMS) if entry.name == kind]
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
        raise InvalidProblem("problem.kind", kind, "a class that implements all of Problem", f"It lacks {missing}.")
    return found


def place_of_problem(problem: Problem) -> str | None:
    """Where the class of a problem is; None for one of ours."""
    ours = problem.kind in _OURS and type(problem) is problem_class(problem.kind)
    return None if ours else place_of(type(problem))


def packages(*classes: type) -> str:
    """The packages of others that the classes are from, with their versions, as far as these declare something."""
    tops = {cls.__module__.partition(".")[0] for cls in classes} - {__name__.partition(".")[0]}
    declared = [*entries(PROBLEMS), *entries(METHODS)] if tops else []
    return ", ".join(sorted({package(entry) for entry in declared if entry.module.partition(".")[0] in tops}))


def find_method(problem: Problem, said: Any) -> AnyMethod:
    """The method that is meant, checked.

    Args:
        problem: what it is to solve.
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
        known |= {method.name: method for method in _listed(entry, broken) if method.name not in known}
        if said is None and (default := next((m for m in known.values() if m.meant_for(problem)), None)):
            return default
        if isinstance(said, str) and said in known:
            return _checked(known[said], problem, said)
    hint = f"Of others that are installed: {broken[0]}" if broken else ""
    if not known:
        hint = hint or "Give the class of a method."
        raise InvalidOption("method", said, f"a method for {problem.kind} problems; no package lists one", hint)
    others = [kind for kind in kinds() if kind != problem.kind and isinstance(said, str) and said in _names_of(kind)]
    if others:
        hint = f"That is a method for {others[0]} problems."
    if said in _IN_BENCHMARKS.get(problem.kind, ()):
        hint = "It is in another package now: pip install partial-control-bench."
    raise InvalidOption("method", said, f'{one_of(known, said)}, a class, or its place "package.module:Class"', hint)


def _names_of(kind: str) -> set[str]:
    """The names of the methods of a kind."""
    return {method.name for entry in _sources(kind) for method in _listed(entry, [])}


def default_method(problem: Problem) -> str:
    """What solves a problem where no method is named."""
    return name_of(find_method(problem, None))


def name_of(method: AnyMethod) -> str:
    """What logs call a method: its name for one of ours, else its place, where it is found again."""
    return method.name if _ours(method) else place_of(method)


def methods(problem: Problem | str | None = None) -> Table:
    """The methods that can solve a problem (or a kind of problem; None: all of them), what they do, and their options.

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
    rows += [(e.name, "", f"there is no such kind of problem ({package(e)})", "") for e in _stray(known)]
    return Table("Methods", ("kind", "method", "what it does", "options"), tuple(rows))


def _about(method: AnyMethod) -> tuple[str, str]:
    return (method.__doc__ or "").strip().split("\n")[0], str(method.Options()).partition("(")[2][:-1]


def _stray(known: Iterable[str]) -> list[EntryPoint]:
    return [entry for entry in entries(METHODS) if entry.name not in known]


def _ours(cls: type) -> bool:
    return f"{cls.__module__}.".startswith(tuple(f"{module}." for module, _ in _OURS.values()))


def _sources(kind: str) -> Iterator[EntryPoint]:
    """Where methods of a kind are listed: first by the package that brings the kind."""
    if kind in _OURS:
        yield EntryPoint(kind, f"{_OURS[kind][0]}.methods:METHODS", METHODS)
    home = {package(entry) for entry in entries(PROBLEMS) if entry.name == kind}
    listed = [entry for entry in entries(METHODS) if entry.name == kind]
    yield from sorted(listed, key=lambda entry: package(entry) not in home)


def _listed(entry: EntryPoint, broken: list[InvalidInput]) -> tuple[AnyMethod, ...]:
    """The methods of an entry point, one or several; none where it is broken, which is said."""
    field = f"method of {package(entry)}"
    try:
        found = entry.load()
    except Exception as error:  # whatever another package does
        fault = f"It failed ({type(error).__name__}: {error})."
        broken.append(InvalidOption(field, entry.value, "a method that can be imported", fault))
        return ()
    listed = found if isinstance(found, list | tuple) else (found,)
    if not all(isinstance(method, type) and issubclass(method, Method) for method in listed):
        broken.append(InvalidOption(field, entry.value, "a class derived from Method, or a tuple of these"))
        return ()
    faults = {method: _fault(method) for method in listed}
    broken += [InvalidOption(field, place_of(method), *fault) for method, fault in faults.items() if fault]
    return tuple(method for method, fault in faults.items() if not fault)


def _fault(method: AnyMethod) -> tuple[str, str] | None:
    """What a class must be and is not, and what to do; None where it is whole."""
    name = getattr(method, "name", None)
    if missing := method.missing():
        return "a class that implements all of Method", f"It lacks {', '.join(missing)}."
    if not isinstance(name, str) or not name or ":" in name or unsafe(name):
        return "a class with a name that can be shown, without a colon", 'Give it one: name = "my-method".'
    try:
        whole = is_dataclass(method.Options()) if isinstance(method.Options, type) else False
    except Exception:  # whatever it raises without its fields
        whole = False
    return None if whole else ("a class whose Options are a record in which every field has a default", "")


def _checked(method: AnyMethod, problem: Problem, said: Any) -> AnyMethod:
    """The method, if it is whole and made for such a problem."""
    if fault := _fault(method):
        raise InvalidOption("method", said, *fault)
    if not isinstance(problem, method.solves):
        solved = getattr(method.solves, "kind", method.solves.__name__)
        raise InvalidOption("method", said, f"a method for {problem.kind} problems", f"{method.name} solves {solved}.")
    return method
