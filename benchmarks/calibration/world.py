"""A small problem, played round by round, with the truth about any answer; functions drawn from a Gaussian process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from steerbo.core import Optimizer, Problem, Recommendation, Suggestion

Function = Callable[[Float[np.ndarray, "n d"]], Float[np.ndarray, " n"]]
_FEATURES = 200


@dataclass(frozen=True, eq=False)
class World:
    """A problem, and what is behind it.

    Args:
        problem: what the optimiser knows.
        play: from a suggestion on which all is decided, and a generator of this round's noise, to what is told.
        truth: what an answer is really worth on average, in the user's units, after so many rounds.
        look: from a suggestion, and the same generator anew, to what is seen of what it wants to observe.
        method: None for the default.
    """

    problem: Problem
    play: Callable[[Suggestion, np.random.Generator], dict[str, Any]]
    truth: Callable[[Recommendation, int], float]
    look: Callable[[Suggestion, np.random.Generator], dict[str, Any]] = field(default=lambda suggestion, random: {})
    method: str | None = None

    def advance(self, optimizer: Optimizer, seed: int) -> None:
        """One round."""
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, self.look(suggestion, noise(seed, suggestion.round)))
        optimizer.tell(suggestion, **self.play(suggestion, noise(seed, suggestion.round)))


def noise(seed: int, number: int) -> np.random.Generator:
    """Of a round: the same whoever asks, and whenever."""
    return np.random.default_rng([seed, number])


def drawn(lengthscales: list[float], seed: int) -> Function:
    """A draw from a Gaussian process of variance 1 with a squared exponential kernel, by random features."""
    random = np.random.default_rng([seed, 77])
    frequencies = random.standard_normal((len(lengthscales), _FEATURES)) / np.array(lengthscales)[:, None]
    phases, weights = random.uniform(0, 2 * np.pi, _FEATURES), random.standard_normal(_FEATURES)

    def function(points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        return np.asarray(np.sqrt(2 / _FEATURES) * np.cos(points @ frequencies + phases) @ weights)

    return function


def middles(n: int) -> Float[np.ndarray, " n"]:
    """The middles of n equal parts of [0, 1]: what a uniform variable is averaged over."""
    return (np.arange(n) + 0.5) / n
