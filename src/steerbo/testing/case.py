"""A problem with a method and the world that it is played in: what the contract is tried on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from ..core import Event, Method, Optimizer, Problem, Suggestion, keyed
from ..records import to_dict

Draw = Callable[[Suggestion, np.random.Generator], dict[str, Any]]


def _nothing(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Case:
    """A problem with a method, and the world it is played in.

    `evaluate` returns what `tell` takes beside the suggestion; `look` returns the values of what a suggestion asks to
    observe; `request` returns what `ask` takes in a round; `added` are realised values for `add`; `warns` is what the
    method rightly says of outcomes that no model explains; `predicts` says whether its recommendation has a mean.
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
        """A fresh optimizer; budget and rounds unlimited unless said."""
        return Optimizer(self.problem, self.method, **{"seed": 7, **limits}, **self.options)

    def ask(self, optimizer: Optimizer) -> Suggestion:
        """A suggestion with everything decided."""
        suggestion = optimizer.ask(**self.request(len(optimizer.history) + 1))
        assert suggestion is not None, optimizer.status
        return self.decide(optimizer, suggestion)

    def decide(self, optimizer: Optimizer, suggestion: Suggestion) -> Suggestion:
        """Look until there is nothing left to look at."""
        while suggestion.observe:
            before = dict(suggestion.values)
            suggestion = optimizer.decide(suggestion, self.seen(suggestion))
            assert before.items() <= suggestion.values.items(), "values only grow"
        return suggestion

    def seen(self, suggestion: Suggestion) -> dict[str, Any]:
        """What the world shows: the same for the same round and names, whenever one looks."""
        return self.look(suggestion, keyed(1, suggestion.round, f"look at {suggestion.observe}"))

    def point(self, suggestion: Suggestion) -> str:
        """What is played, and where that is: of what was seen only what was before choosing."""
        seen = {name: value for name, value in suggestion.context.items() if name in self.problem.space.seen}
        return bits({"s": suggestion.scope, "v": suggestion.values, "c": seen})

    def outcome(self, suggestion: Suggestion, cost: float | None = 1.0) -> dict[str, Any]:
        """What the world answers: the same for the same round, whenever it is asked."""
        return {"cost": cost, **self.evaluate(suggestion, keyed(1, suggestion.round, "nature"))}

    def play(self, optimizer: Optimizer, rounds: int) -> Optimizer:
        """Ask, look, decide and tell, that many times."""
        for _ in range(rounds):
            suggestion = self.ask(optimizer)
            optimizer.tell(suggestion, **self.outcome(suggestion))
        return optimizer


def bits(value: Any) -> str:
    """Text that is equal only where every bit is, and where all that stands by name stands in the same order."""
    return json.dumps(to_dict(value))


def backwards(value: Any) -> Any:
    """The same with all that stands by name in another order, as a log may give it back."""
    if isinstance(value, dict):
        return {name: backwards(value[name]) for name in sorted(value, reverse=True)}
    return [backwards(part) for part in value] if isinstance(value, list) else value


def values_of(events: tuple[Event, ...]) -> list[str]:
    """The bits of each event."""
    return [bits(event) for event in events]


def changed(change: Callable[[float], float], value: Any) -> Any:
    """A value of any shape with every number in it changed."""
    if isinstance(value, list | tuple):
        return [changed(change, part) for part in value]
    if isinstance(value, dict):
        return {name: changed(change, part) for name, part in value.items()}
    return change(value) if isinstance(value, float | int) else value


class Contract:
    """What every part of the contract stands on."""

    case: Callable[[], Case]
    _wholes: ClassVar[dict[str, Optimizer]]

    def __init_subclass__(cls, **more: Any) -> None:
        """What a class has played, no other one has: its world may be another."""
        super().__init_subclass__(**more)
        cls._wholes = {}

    def whole(self, world: Case, budget: float | None = None) -> Optimizer:
        """All rounds of a case, played once for all tests: they only read it, or go on with a replay of it."""
        fresh = world.start(budget=budget)
        key = f"{world.rounds} rounds of {values_of(fresh.events)}"
        if key not in self._wholes:
            self._wholes[key] = world.play(fresh, world.rounds)
        return self._wholes[key]

    @pytest.fixture
    def world(self) -> Case:
        """What it is tried on."""
        return type(self).case()

    @pytest.fixture
    def played(self, world: Case) -> Optimizer:
        """All rounds of the case, to go on with."""
        return Optimizer.replay(world.problem, self.whole(world).events)

    @pytest.fixture
    def paid(self, world: Case) -> Optimizer:
        """The same with a budget that is large."""
        return Optimizer.replay(world.problem, self.whole(world, 1000.0).events)
