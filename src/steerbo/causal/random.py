"""The baseline: any scope, any actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..core import Choice, History
from .coca_bo import CoCaBO


class Random(CoCaBO):
    """Play a uniformly drawn possibly-optimal scope with uniformly drawn actions: the baseline."""

    name: ClassVar[str] = "random"

    def start(self) -> str:
        """How arms are played for a start."""
        return "every play is drawn at random"

    def needed(self, i: int) -> int:
        """Actions are always drawn."""
        return 2**62

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Any arm."""
        draw = self.streams(len(history) + 1, "choose")
        some = self.within_reach(history)
        return self.play(history, int(some[draw.integers(len(some))]), request, {})
