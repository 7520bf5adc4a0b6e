"""The policy that maximises an arm's posterior mean, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core import PolicyStep, Streams
from ..errors import InvalidContext
from ..surrogate import ucb
from .acting import Actor


@dataclass(frozen=True, eq=False)
class Greedy:
    """What an arm would do if nothing more were to be learned.

    Attributes:
        actor: sets the arm's actions by its model.
        streams: where randomness comes from.
        number: of the arm.
        when: the time, by name, where effects change with it.
    """

    actor: Actor
    streams: Streams
    number: int
    when: Mapping[str, Any] = field(default_factory=dict)
    _found: dict[Any, dict[str, Any]] = field(default_factory=dict, init=False, repr=False)

    def best(self, ready: tuple[str, ...], known: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the actions `ready` with the largest posterior mean, after what is known."""
        values = {**self.when, **known}
        for group in self.actor.arm.groups(ready):
            random = self.streams(0, f"policy {self.number} {'+'.join(group)}")
            values.update(self.actor.best(group, values, ucb(0.0), random))
        return {name: values[name] for name in ready}

    def __call__(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """From full contexts to values; what was asked for before is answered alike."""
        arm = self.actor.arm
        key = tuple(context.get(name) for name in arm.measured)
        if key not in self._found:
            values: dict[str, Any] = {}
            for _, ready in arm.stages:
                values.update(self.best(ready, {**context, **values}))
            self._found[key] = {name: values[name] for name in arm.actions}
        return dict(self._found[key])

    def step(self, context: Mapping[str, Any]) -> PolicyStep:
        """What can be set after what was seen, and what to look at next.

        Raises:
            InvalidContext: a later stage was seen, and an earlier one was not.
        """
        arm = self.actor.arm
        others = [name for name in context if name not in arm.contexts]
        note = f"the policy does not look at {', '.join(others)}" if others else ""
        seen = {name: value for name, value in context.items() if name in arm.contexts}
        values: dict[str, Any] = {}
        for k, (look, ready) in enumerate(arm.stages):
            later = {name for stage, _ in arm.stages[k:] for name in stage}
            missing = tuple(name for name in look if name not in seen)
            if missing and (ahead := [name for name in seen if name in later - set(arm.problem_space.seen)]):
                together = "They are looked at together." if ahead[0] in look else f"{ahead[0]} comes after it."
                raise InvalidContext("context", seen, f"a value for {missing[0]!r}", together)
            if missing:
                return PolicyStep(arm.scope, values, missing, seen, note)
            values.update(self.best(ready, {**seen, **values}))
        return PolicyStep(arm.scope, values, (), seen, note)
