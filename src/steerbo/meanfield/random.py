"""The baseline: any distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..record import record
from ..rounds import Choice, History
from .method import Population


class Random(Population[Any]):
    """Every agent picks one of its actions uniformly: the baseline."""

    name: ClassVar[str] = "random"

    @record
    class Options:
        """It has none."""

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Agents that draw uniformly, not as before where that can be had."""
        region = self.region(request)
        draw = self.streams(len(history) + 1, "choose")
        even = region.project(region.allowed[None].astype(float))[0]
        taken = self.played(history, request)
        for _ in range(20):
            counts = region.sampled(even, draw)
            if self.key(counts) not in taken:
                break
        return self.choice(counts)
