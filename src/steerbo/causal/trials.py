"""Trials of elsewhere: data that nobody suggested here, of which it is known what was set, after looking at what."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..core import TIME, DataAdded, Outcome, Scope
from ..errors import InvalidOutcome, InvalidProblem, one_of
from ..records import from_dict
from ..space import Space
from ..wording import MISSING, counted
from .arm import Arm
from .graph import CausalGraph

_ALLOWED = "what was set, such as ['dose'], or ['dose (age)'] where one looked at age before"


def read_trial(scope: Any, graph: CausalGraph, space: Space) -> Scope | None:
    """What was set, and what was looked at before, checked; None where nothing was: that is an observation.

    Args:
        scope: a `Scope`, its plain form, or the names of what was set; in parentheses behind a name stands what was
            looked at before it was set.
        graph: says what can be set.
        space: the variables.

    Raises:
        InvalidOutcome: naming what cannot be set or looked at.

    >>> graph = CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    >>> from steerbo import Float
    >>> print(read_trial(["dose (age)"], graph, Space([Float("dose", 0, 1), Float("age", 20, 90)])))
    dose after looking at age
    """
    if scope is None:
        return None
    read = _scope(scope, space)
    if read.keep:
        raise InvalidOutcome("scope.keep", list(read.keep), "nothing: what was kept was set, too")
    for name in read.set:
        if name not in graph.intervenable:
            raise InvalidOutcome("scope", name, f"what can be set, {one_of(graph.intervenable, name)}")
    allowed = [name for name in space.names if name not in read.set]
    for name in read.contexts:
        if name not in allowed:
            raise InvalidOutcome("scope", name, f"what can be looked at before, {one_of(allowed, name)}")
    return Scope(read.set, read.look) if read.set else None


def _scope(scope: Any, space: Space) -> Scope:
    if isinstance(scope, Scope):
        return scope
    try:
        if isinstance(scope, Mapping):
            read: Scope = from_dict(Scope, scope, "scope", InvalidOutcome)
            return read
        if isinstance(scope, Sequence) and not isinstance(scope, str) and all(isinstance(name, str) for name in scope):
            return Scope.of(_pairs([_looking(name, space) for name in scope]))
    except InvalidProblem as error:
        raise InvalidOutcome("scope", error.value, error.allowed) from None
    raise InvalidOutcome("scope", scope, _ALLOWED)


def _pairs(parts: Sequence[tuple[str, list[str]]]) -> dict[str, list[str]]:
    if len(pairs := dict(parts)) < len(parts):
        raise InvalidOutcome("scope", [name for name, _ in parts], "every variable once")
    return pairs


def _looking(part: str, space: Space) -> tuple[str, list[str]]:
    """A name, and those in parentheses behind it; a variable may itself be called so."""
    name, there, seen = part.removesuffix(")").partition(" (")
    if part in space or not (there and part.endswith(")")):
        return part, []
    return name, [each.strip() for each in seen.split(",")]


def check_trial(scope: Scope, outcome: Outcome, *, timed: bool) -> None:
    """Refuse a trial of which something is missing that it cannot teach without.

    Raises:
        InvalidOutcome: the value of something that was set or looked at, or the time where effects change.
    """
    for name in (*scope.set, *scope.contexts):
        if name not in outcome.realised:
            how = "set" if name in scope.set else "looked at"
            raise InvalidOutcome(f"realised.{name}", MISSING, f"its value: the scope says that it was {how}")
    if timed and TIME.name not in outcome.realised:
        hint = "Effects change with time, so a trial says nothing without it."
        raise InvalidOutcome(f"realised.{TIME.name}", MISSING, "when it was, a number", hint)


def tells_of(scope: Scope, arm: Arm) -> bool:
    """Whether a trial says what an arm's actions do in its contexts.

    It does if just these were set, and nothing else was looked at before: given what was looked at, what was set then
    hangs on nothing that affects the target. (Of trials that looked at more, it would have to be adjusted for.)
    """
    return set(scope.set) == set(arm.actions) and set(scope.contexts) <= set(arm.measured)


def feeds(trial: DataAdded, arm: Arm) -> bool:
    """Whether an arm's model learns from a trial: it tells of it, and has all that the model has a column for."""
    return trial.scope is not None and tells_of(trial.scope, arm) and trial.outcome.realised.keys() >= set(arm.names)


def trials_explained(trials: Sequence[DataAdded], arms: Collection[Arm]) -> str:
    """Which scopes trials feed, in words.

    Args:
        trials: data of which it is known what was set.
        arms: the arms.
    """
    said = ""
    for scope in dict.fromkeys(trial.scope for trial in trials if trial.scope is not None):
        alike = [trial for trial in trials if trial.scope == scope]
        fed = [_fed(arm, alike) for arm in arms if tells_of(scope, arm)]
        feed = "feeds" if len(alike) == 1 else "feed"
        said += f" {counted(len(alike), 'trial')} of elsewhere that set {scope} {feed}: {', '.join(fed) or 'no scope'}."
    return said


def _fed(arm: Arm, trials: Sequence[DataAdded]) -> str:
    number = sum(feeds(trial, arm) for trial in trials)
    fewer = f" ({number} of them, the others lack something)" if number < len(trials) else ""
    return f"set {arm.scope}{fewer}"
