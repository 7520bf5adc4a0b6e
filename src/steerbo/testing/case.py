"""Cases of the contract: a problem, a method, and the world in which it is played."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core import Event, Method, Optimizer, Problem, Suggestion, keyed
from ..records import to_dict

Draw = Callable[[Suggestion, np.random.Generator], dict[str, Any]]


def _nothing(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Case:
    """A problem, a method, and the world in which it is played.

    Args:
        problem: to be solved.
        method: its name or class.
        evaluate: returns the arguments of `tell` beside the suggestion and its cost.
        look: returns the values of the variables that a suggestion asks to observe.
        request: returns the arguments of `ask` in a round.
        added: realised values for `add`; None: data are not tried.
        options: of the method.
        rounds: that are played.
        warns: warning that the method rightly gives of outcomes that no model explains.
        predicts: whether the method's recommendation has a mean.
    """

    problem: Problem
    method: str | type[Method[Any, Any]]
    evaluate: Draw
    look: Draw = _nothing
    request: Callable[[int], dict[str, Any]] = lambda round: {}
    added: Mapping[str, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    rounds: int = 9
    warns: type[Warning] | None = None
    predicts: bool = True

    def start(self, **limits: Any) -> Optimizer:
        """Start a study of seed 7; `limits` are arguments of `Optimizer`."""
        return Optimizer(self.problem, self.method, **{"seed": 7, **limits}, **self.options)

    def ask(self, optimizer: Optimizer) -> Suggestion:
        """Ask, and look until everything is decided."""
        suggestion = optimizer.ask(**self.request(optimizer.history.next_round))
        assert suggestion is not None, optimizer.status
        return self.decide(optimizer, suggestion)

    def decide(self, optimizer: Optimizer, suggestion: Suggestion) -> Suggestion:
        """Look until a suggestion asks to observe nothing more."""
        while suggestion.observe:
            before = dict(suggestion.values)
            suggestion = optimizer.decide(suggestion, self.seen(suggestion))
            assert before.items() <= suggestion.values.items(), "values only grow"
        return suggestion

    def seen(self, suggestion: Suggestion) -> dict[str, Any]:
        """Values that the world shows: always the same for the same round and names."""
        return self.look(suggestion, keyed(1, suggestion.round, f"look at {suggestion.observe}"))

    def point(self, suggestion: Suggestion) -> str:
        """Bits of the scope, the values, and the context that was seen before choosing."""
        seen = {
            name: value
            for name, value in suggestion.context.items()
            if name in self.problem.space.seen
        }
        return bits({"s": suggestion.scope, "v": suggestion.values, "c": seen})

    def outcome(self, suggestion: Suggestion, cost: float | None = 1.0) -> dict[str, Any]:
        """Arguments of `tell`: always the same for the same round."""
        return {"cost": cost, **self.evaluate(suggestion, keyed(1, suggestion.round, "nature"))}

    def play(self, optimizer: Optimizer, rounds: int) -> Optimizer:
        """Play some rounds: ask, look, decide and tell."""
        for _ in range(rounds):
            suggestion = self.ask(optimizer)
            optimizer.tell(suggestion, **self.outcome(suggestion))
        return optimizer


def bits(value: Any) -> str:
    """JSON of a value, which is equal only where every bit and the order of every mapping is."""
    return json.dumps(to_dict(value))


def backwards(value: Any) -> Any:
    """Reverse the order of every mapping in plain data, as a log may return it."""
    if isinstance(value, dict):
        return {name: backwards(value[name]) for name in sorted(value, reverse=True)}
    return [backwards(part) for part in value] if isinstance(value, list) else value


def values_of(events: tuple[Event, ...]) -> list[str]:
    """The bits of each event, but for the time at which it was logged: nothing is computed from that."""
    plain = [to_dict(event) for event in events]
    return [bits({name: part for name, part in each.items() if name != "when"}) for each in plain]


def changed(change: Callable[[float], float], value: Any) -> Any:
    """Apply a function to every number in a value of any shape."""
    if isinstance(value, list | tuple):
        return [changed(change, part) for part in value]
    if isinstance(value, dict):
        return {name: changed(change, part) for name, part in value.items()}
    return change(value) if isinstance(value, float | int) else value
