"""Problems with limits on further outcomes: these are told beside the value, among what really happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ..errors import InvalidOutcome, one_of
from ..space import Limit, Measured, outcomes_of
from .events import Outcome
from .finite import by_name, finite
from .problem import Problem
from .suggestion import Suggestion


class Measuring(Problem):
    """A problem that may have `Measured` limits: their outcomes are columns of tables, and `tell` insists on them."""

    limits: Sequence[Limit] | None

    @cached_property
    def further(self) -> dict[str, Measured]:
        """The further outcomes that are limited, by name."""
        return outcomes_of(self.limits)

    @property
    def columns(self) -> tuple[str, ...]:
        """See `Problem.columns`."""
        return (*super().columns, *self.further)

    def unmeasured(self, suggestion: Suggestion) -> tuple[str, ...]:
        """What `tell` must be given beside the value."""
        return (*super().unmeasured(suggestion), *self.further)

    def read_realised(self, suggestion: Suggestion, realised: Mapping[str, Any], needed: bool) -> dict[str, Any]:
        """See `Problem.read_realised`; with the further outcomes."""
        if not self.further:
            return super().read_realised(suggestion, realised, needed)
        rest, told = self._apart(by_name("realised", realised))
        missing = [name for name in self.further if name not in told]
        if needed and missing:
            hint = "The problem has a limit on it. If the evaluation broke, use ‹fail›."
            raise InvalidOutcome(f"realised.{missing[0]}", None, f"the measured {missing[0]}, a number", hint)
        return {**super().read_realised(suggestion, rest, needed), **told}

    def read_added(self, value: Any, cost: Any, realised: Mapping[str, Any]) -> Outcome:
        """See `Problem.read_added`; further outcomes may be there or not."""
        if not self.further:
            return super().read_added(value, cost, realised)
        rest, told = self._apart(by_name("realised", realised), more=("time",))
        read = super().read_added(value, cost, rest)
        return Outcome(read.value, read.cost, {**read.realised, **told})

    def _apart(self, realised: Mapping[str, Any], more: Sequence[str] = ()) -> tuple[dict[str, Any], dict[str, float]]:
        """What happened to variables, and the further outcomes, checked."""
        names = (*self.space.names, *self.further)
        for name, value in realised.items():
            if name not in names and name not in more:
                raise InvalidOutcome(f"realised.{name}", value, f"values for {one_of(names, name)}")
        told = {name: finite(f"realised.{name}", realised[name]) for name in self.further if name in realised}
        return {name: value for name, value in realised.items() if name not in told}, told
