"""One round as it stands now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .events import Failed, Outcome
from .suggestion import Suggestion

State = Literal["open", "told", "failed", "void", "abandoned"]


@dataclass(frozen=True)
class Round:
    """One round as it stands now."""

    suggestion: Suggestion
    request: dict[str, Any]
    expected_cost: float | None
    state: State = "open"
    outcome: Outcome | None = None
    failure: Failed | None = None
    charge: float | None = None
    gain: float | None = None
    realised: dict[str, Any] = field(default_factory=dict)
    """What is known to have really happened, also of a failed round; what was set where nothing else is known."""

    @property
    def number(self) -> int:
        """From 1."""
        return self.suggestion.round

    @property
    def paid(self) -> float | None:
        """What it is known to have cost so far, which voiding changes nothing about; None where nobody knows."""
        known = self.outcome or self.failure
        return known.cost if known else None

    @property
    def charged(self) -> float:
        """The money that counts as spent: what it cost, or what is charged as long as nobody knows."""
        return self.paid if self.paid is not None else self.charge or 0.0

    @property
    def unpriced(self) -> bool:
        """Whether it has ended, or is charged for, and nobody knows what it cost."""
        return self.paid is None and (not self.waiting or self.charge is not None)

    @property
    def waiting(self) -> bool:
        """Whether an outcome may still be told: it is open, or abandoned and may come late."""
        return self.state in ("open", "abandoned")
