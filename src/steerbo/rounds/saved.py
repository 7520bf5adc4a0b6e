"""From what a log says to the problem that it is about, and to the optimizer that wrote it."""

from __future__ import annotations

import json
from typing import Any

from ..errors import InvalidInput, InvalidStudy
from ..record import from_plain
from .events import Created, Event
from .optimizer import Optimizer
from .problem import Problem
from .registry import find_method, problem_class, read_problem


def load(text: str) -> Optimizer:
    """The optimizer that `Optimizer.to_json` wrote, ready to go on.

    Where its method or its kind of problem is another package's, that package is imported.

    Raises:
        InvalidStudy: the text is not such a log, or what it needs is not installed.
        InvalidProblem: its problem is none.
    """
    try:
        plain = json.loads(text)["events"]
        kind = plain[0]["problem"], plain[0]["kind"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        kind = None, None
    if kind[1] != "created":
        raise InvalidStudy("text", text, "what Optimizer.to_json() returned")
    try:
        events = [from_plain(Event, event, f"events.{i}", InvalidStudy) for i, event in enumerate(plain)]
    except RecursionError:
        raise InvalidStudy("text", text, "what Optimizer.to_json() returned", "(It is nested too deeply.)") from None
    return Optimizer.replay(problem_of(events[0], "events.0"), events)


def problem_of(created: Created, place: str, problem: Problem | None = None) -> Problem:
    """The problem that a log begins with, once it is certain that its class and the method's are found here.

    Args:
        created: the log's first event.
        place: where that is.
        problem: the problem, where the log, in memory, does not say.

    Raises:
        InvalidStudy: a class is not found; what to install is said.
        InvalidProblem: the log's problem is none.
    """
    plain: Any = created.problem
    try:
        if problem is None and isinstance(plain, dict):
            problem_class(plain.get("kind"), created.problem_class)
        known = problem if problem is not None else read_problem(plain, created.problem_class)
        find_method(known, created.method)
    except InvalidInput as error:
        if error.field not in ("problem.kind", "method"):
            raise
        used = created.fingerprint.get("packages")
        made = f"It was made with {used}. " if used else ""
        raise InvalidStudy(f"{place}: {error.field}", error.value, error.allowed, made + error.hint) from error
    return known
