"""Where plays were, as rows of models: each encoded once, for as long as its round stays what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from ..core import History, Outcome, Round, Scope
from ..surrogate import EncodingCache
from .arm import Arm
from .contexts import known_in


class PlayedRows:
    """Rows of rounds that have ended.

    Args:
        arms: the scopes.
        number: by scope, which of the arms it is.
    """

    def __init__(self, arms: Sequence[Arm], number: Mapping[Scope, int]) -> None:
        self._arms, self._number = arms, number
        self._arm: dict[str, int] = {}  # by token
        self._encoded = [EncodingCache(arm.encode) for arm in arms]

    def arm(self, played: Round) -> int:
        """Which of the arms was played."""
        token = played.suggestion.token
        if token not in self._arm:
            self._arm[token] = self._number[played.suggestion.scope]
        return self._arm[token]

    def of(self, played: Round) -> Float[np.ndarray, " d"]:
        """Where a round was played, (d,). Of one that failed, what nobody measured counts as in the middle."""
        i, known = self.arm(played), known_in(played)
        if played.state != "told":
            known = {**_middle(self._arms[i]), **known}
        return self._encoded[i].of(played.suggestion.token, known)

    def under(
        self, points: Float[np.ndarray, "n p"], some: Sequence[tuple[Round, Outcome]]
    ) -> Float[np.ndarray, "m q"]:
        """Rows of a model, and then those of some rounds, padded with zeros where the model's have more columns."""
        if not some:
            return points
        plays = np.array([self.of(played) for played, _ in some])
        if not len(points):
            return plays
        return np.concatenate([points, np.pad(plays, ((0, 0), (0, points.shape[1] - plays.shape[1])))])

    def told(self, history: History, model_of: Sequence[int]) -> list[list[tuple[Round, Outcome]]]:
        """By model the rounds that have an outcome, in the order in which they were asked.

        Args:
            history: the rounds.
            model_of: by arm, the model that it has.
        """
        found: list[list[tuple[Round, Outcome]]] = [[] for _ in dict.fromkeys(model_of)]
        for _, outcome, played in history.outcomes():
            if played is not None:
                found[model_of[self.arm(played)]].append((played, outcome))
        return found


def _middle(arm: Arm) -> dict[str, Any]:
    return {name: arm.problem_space[name].decode([0.5])[0] for name in arm.measured}
