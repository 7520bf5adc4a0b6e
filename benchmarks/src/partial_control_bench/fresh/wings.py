"""Studies of every kind on drawn functions, as their bounds are looked at: what is told, and what is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from .crowd import FreshCrowd
from .world import FreshWorld, Shape

_NODES = 8192  # of the average over nature that answers are held against
_SEEN = 32  # values of what is seen that a policy is averaged over


class Played(Protocol):
    """A drawn problem with the study that is made of it."""

    problem: Any

    @property
    def best(self) -> float | None:
        """The best expected value, where that is known."""

    def round(self, optimizer: Any, number: int) -> None:
        """One round: asked, played, told."""

    def truth(self, advice: Any, number: int) -> float:
        """The true expected value of an answer after so many rounds."""


class ControlSets:
    """Cost-varying: nested control sets, nature draws what is not set."""

    def __init__(self, shape: Shape, seed: int) -> None:
        from ..entrants.told import problem_of

        self.world = FreshWorld(shape, seed)
        self.problem = problem_of(self.world.known)

    def round(self, optimizer: Any, number: int) -> None:
        """One round: asked, played, told."""
        suggestion = optimizer.ask()
        outcome = self.world.play(number, suggestion.values, {})
        optimizer.tell(suggestion, outcome.value, cost=outcome.cost, realised=outcome.realised)

    @property
    def best(self) -> float | None:
        """The best expected value of all control sets."""
        return max(self.world._bests[0.0])

    def truth(self, advice: Any, number: int) -> float:
        """The expected value of the settings."""
        return self.world.true_value(advice.values, nodes=_NODES)


class Place:
    """Time-varying without priors: two variables, all set; every other function moves to another one, unannounced."""

    best: float | None = None

    def __init__(self, index: int, kind: str, seed: int) -> None:
        import steerbo as sb

        drift = "linear" if index % 2 else ""
        shape = Shape(
            (0, 0),
            ((0, 1),),
            (1.0,),
            (None, None),
            (0.0, 0.3, 0.7)[index % 3],
            kind,
            drift=drift,
            rounds=80,
        )
        self.world = FreshWorld(shape, seed)
        self.problem = sb.TimeVarying([sb.Float(name, 0, 1) for name in self.world.names])

    def round(self, optimizer: Any, number: int) -> None:
        """One round: asked, played, told."""
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, self.world.play(number, suggestion.values, {}).value)

    def truth(self, advice: Any, number: int) -> float:
        """The value of the place at the time of the last round."""
        return self.world.true_value(advice.values, number)


class Policy:
    """Causal: two actions, which may be left to nature, and a context that may be looked at first."""

    best: float | None = None

    def __init__(self, index: int, kind: str, seed: int) -> None:
        import steerbo as sb

        sets = ((), (0,), (1,), (0, 1))
        shape = Shape(
            (0,) * 3, sets, (1.0,) * 4, (None, 0.15, None), (0.0, 0.3, 0.7)[index % 3], kind
        )
        self.world, self.seen = FreshWorld(shape, seed), FreshWorld(replace(shape, seen=2), seed)
        x, z, c = self.world.names
        graph = sb.CausalGraph([(name, "y") for name in (x, z, c)], target="y", intervenable=(x, z))
        self.problem = sb.Causal(graph, [sb.Float(name, 0, 1) for name in (x, z, c)])

    def round(self, optimizer: Any, number: int) -> None:
        """One round: asked, looked, played, told."""
        suggestion = optimizer.ask()
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict(self.seen.now(number)["context"]))
        optimizer.tell(suggestion, self.seen.play(number, suggestion.values, {}).value)

    def truth(self, advice: Any, number: int) -> float:
        """The expected outcome of the policy, averaged over what is seen."""
        if not advice.scope.contexts:
            return self.world.true_value(advice.values, nodes=_NODES)
        middles = (np.arange(_SEEN) + 0.5) / _SEEN
        name = self.world.names[2]
        each = [
            self.seen.at(0, z).true_value(advice({name: z}), 0, nodes=_NODES // _SEEN)
            for z in middles.tolist()
        ]
        return float(np.mean(each))


class Crowd:
    """Mean-field: agents on sites that crowd; noise of a kind."""

    best: float | None = None

    def __init__(self, kind: str, seed: int) -> None:
        from ..entrants.told import problem_of

        self.world = FreshCrowd(seed)
        self.world.noise = kind
        self.problem = problem_of(self.world.known)

    def round(self, optimizer: Any, number: int) -> None:
        """One round: asked, played, told."""
        suggestion = optimizer.ask()
        optimizer.tell(
            suggestion, self.world.play(number, self._shares(suggestion.values), {}).value
        )

    def truth(self, advice: Any, number: int) -> float:
        """What the distribution pays."""
        return self.world.true_value(self._shares(advice.values))

    def _shares(self, values: Any) -> dict[str, Any]:
        return {"distribution": self.problem.table(values["distribution"]).tolist()}
