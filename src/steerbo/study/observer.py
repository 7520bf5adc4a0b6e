"""Who watches a run."""

from __future__ import annotations

from typing import Protocol

from ..rounds import Reading, Suggestion
from .logger import LOGGER


class Observer(Protocol):
    """Who watches a run."""

    def began(self, suggestion: Suggestion) -> None:
        """A suggestion goes out to be evaluated."""

    def ended(self, study: Reading) -> None:
        """Its outcome, or its failure, is in the log."""

    def say(self, message: str) -> None:
        """Something that the user ought to know."""


class Logged:
    """An observer that leaves what it is told to Python's logging; rounds are logged whoever observes."""

    def began(self, suggestion: Suggestion) -> None:
        """Nothing."""

    def ended(self, study: Reading) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """A warning."""
        LOGGER.warning("%s", message)
