"""The baseline: anything that is available."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..core import Choice, Explanation, History
from ..records import record
from .acquisition import View
from .method import CandidatePriors
from .places import settings
from .prior_table import table_of_priors


class Random(CandidatePriors[Any]):
    """Choose uniformly among what is available, whatever limited outcomes come to: the baseline."""

    name: ClassVar[str] = "random"

    @record
    class Options:
        """It has none."""

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Any available point."""
        left = self.problem.within(request.get("available"), request.get("context", {}))
        place = self.surrogate.anywhere(View(request["time"], left), self.streams(len(history) + 1, "choose"))
        return Choice(self.problem.scope, settings(self.problem, place))

    def explain(self, history: History) -> Explanation:
        """Posterior weights, which nobody acts upon."""
        return Explanation("every available point is equally likely", (table_of_priors(self, {}, ()),))
