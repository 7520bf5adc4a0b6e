"""A count of steps, so that an enumeration that may take for ever ends with an error instead."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InvalidProblem

PATIENCE = 200_000
"""Steps after which an enumeration is given up: some minutes."""


@dataclass
class Effort:
    """Steps left to an enumeration.

    Args:
        left: how many; each takes about a millisecond.
    """

    left: int = PATIENCE

    def step(self) -> None:
        """One more step.

        Raises:
            InvalidProblem: there is none left.
        """
        self.left -= 1
        if self.left < 0:
            raise InvalidProblem(
                "graph.intervenable",
                "too many combinations of actions that may matter together",
                "a graph whose scopes can be enumerated within `limit` steps",
                "List fewer intervenable variables, contexts or prices, or raise ‹limit›.",
            )
