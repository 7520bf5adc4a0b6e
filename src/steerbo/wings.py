"""The wings by the `kind` of their problems, imported when first needed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .errors import InvalidProblem, InvalidStudy, one_of
from .record import from_plain
from .rounds import Event, Optimizer, Problem, Table

_KINDS = {
    "cost-varying": "costvarying:CostVarying",
    "time-varying": "timevarying:TimeVarying",
    "causal": "causal:Causal",
    "mean-field": "meanfield:MeanField",
}


def kinds() -> dict[str, type[Problem]]:
    """The classes of problems, by kind.

    >>> list(kinds())
    ['cost-varying', 'time-varying', 'causal', 'mean-field']
    """
    found = {}
    for kind, home in _KINDS.items():
        module, name = home.split(":")
        found[kind] = getattr(import_module(f".{module}", __package__), name)
    return found


def read_problem(plain: Any) -> Problem:
    """A problem from its plain form, as in a study file.

    Raises:
        InvalidProblem: naming the field, the value and what is allowed.
    """
    if not isinstance(plain, Mapping):
        raise InvalidProblem("problem", plain, "a table with a kind and the fields of that kind")
    kind = plain.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InvalidProblem("problem.kind", kind, one_of(_KINDS, kind))
    problem: Problem = from_plain(kinds()[kind], dict(plain), "problem")
    return problem


def load(text: str) -> Optimizer:
    """The optimizer that `Optimizer.to_json` wrote, ready to go on.

    Raises:
        InvalidStudy: the text is not such a log.
    """
    try:
        saved = json.loads(text)
        plain = saved["events"]
        created = plain[0]["problem"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise InvalidStudy("text", text, "what Optimizer.to_json() returned") from None
    events = [from_plain(Event, event, f"events.{i}", InvalidStudy) for i, event in enumerate(plain)]
    return Optimizer.replay(read_problem(created), events)


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
    kind = problem if isinstance(problem, str) or problem is None else problem.kind
    rows = [
        (name, method, (cls.__doc__ or "").strip().split("\n")[0], str(cls.Options()).partition("(")[2][:-1])
        for name, wing in known.items()
        if kind in (None, name)
        for method, cls in wing.methods().items()
    ]
    return Table("Methods", ("kind", "method", "what it does", "options"), tuple(rows))
