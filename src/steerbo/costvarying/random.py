"""The baseline: any control set, any settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..core import Choice, Explanation, History
from ..records import record
from .control_sets import Arm
from .method import PartialControl


class Random(PartialControl[Any]):
    """Play a uniformly drawn control set at uniformly drawn settings: the baseline."""

    name: ClassVar[str] = "random"

    @record
    class Options:
        """It has none."""

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Any set that fits into what is left."""
        draw = self.streams(len(history) + 1, "choose")
        i = int(draw.choice(np.flatnonzero(self.affordable(history))))
        point = self.placed(Arm(i), request.get("context", {}), draw.random((1, len(self.sets[i]))))
        return self.play(history, Arm(i), point, request)

    def explain(self, history: History) -> Explanation:
        """What was played, and what it cost."""
        return Explanation("every set and setting is drawn uniformly", (self.table_of_sets(history),))
