"""The evidence against one variable's stated law, and which rounds show what nature does."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..space import Categorical
from ..space.evidence import Evidence, Interval, Ranks
from .events import Added, Amended, Event, Failed, Told
from .history import History
from .stated_law import StatedLaw

_ROUNDED = 6  # decimals from which on a number is taken as exact

Shown = tuple[Collection[str], Collection[str], Mapping[str, Any]]
"""Names of the variables that a round sets, of those that were known before, and what was realised."""


class ShownSoFar:
    """What rounds, and data from elsewhere, have shown of nature, as they stand now.

    Failed rounds show what was measured, data something where it is said what was set. A corrected outcome shows the
    same as before where it is the objective alone that was wrong.
    """

    def __init__(self) -> None:
        self._shown: dict[str, Shown] = {}  # by the round's token, or the data's name

    def take(self, event: Event, history: History) -> tuple[bool, list[Shown]]:
        """What an event shows, and whether that takes the place of all that was shown before; `history` has it."""
        match event:
            case Told() | Failed() | Amended():
                name = event.token
            case Added():
                name = history.latest_data
            case _:
                return False, []
        before, now = self._shown.get(name), _shown_by(name, history)
        if now == before:
            return False, []
        if now is None:
            del self._shown[name]
            return True, list(self._shown.values())
        self._shown[name] = now
        return (False, [now]) if before is None else (True, list(self._shown.values()))


def _shown_by(name: str, history: History) -> Shown | None:
    if name in history.data:
        added = history.data[name]
        return None if added.scope is None else (added.scope.set, (), added.outcome.realised)
    if name in history.removed or (played := history[name]).state not in ("told", "failed"):
        return None
    return played.suggestion.values, played.suggestion.context, played.realised


class LawEvidence:
    """What values of a variable say against its law: probability integral transforms, or ranks among the law's data.

    Attributes:
        law: what is stated.
        values: what was seen, in the user's units.

    >>> import steerbo as sb
    >>> evidence = LawEvidence(StatedLaw.of(sb.Float("t", 0, 1, law=sb.Uniform())))
    >>> [evidence.take(0.99) > 100 for _ in range(6)]
    [False, False, False, False, True, True]
    """

    def __init__(self, law: StatedLaw) -> None:
        self.law = law
        self.values: list[Any] = []
        self._evidence, self._decimals = Evidence(), 0
        sample = None if law.sample is None else law.variable.encode(list(law.sample)).tolist()
        self._ranks = None if sample is None else Ranks(sample)

    def take(self, value: Any) -> float:
        """One more value; the evidence against the law by now."""
        self.values.append(value)
        self._evidence.take(self._interval(value))
        return self._evidence.value

    @property
    def value(self) -> float:
        """E: above 1 it speaks against the law."""
        return self._evidence.value

    def _interval(self, value: Any) -> Interval:
        """Where a value stands in its law: between the probabilities of less, and of no more."""
        variable = self.law.variable
        if self._ranks is not None:
            return self._ranks.take(float(variable.encode([value])[0]))
        law = variable.distribution
        if law.atoms is not None:
            values, weights = law.atoms
            code = float(variable.encode([value])[0]) if isinstance(variable, Categorical) else float(value)
            nearest = int(np.abs(values - code).argmin())
            return float(weights[:nearest].sum()), min(float(weights[: nearest + 1].sum()), 1.0)
        self._decimals = max(self._decimals, _decimals(value))
        half = 0.5 * 10.0**-self._decimals if self._decimals < _ROUNDED else 0.0
        low, high = np.clip(np.nan_to_num([law.cdf(value - half), law.cdf(value + half)]), 0.0, 1.0)
        return float(low), float(max(low, high))


def _decimals(value: float) -> int:
    """To how many decimals a number was written down, at most `_ROUNDED`."""
    return next((k for k in range(_ROUNDED) if round(value, k) == value), _ROUNDED)
