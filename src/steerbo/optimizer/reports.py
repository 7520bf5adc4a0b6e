"""From what is reported about a round to the event that keeps it, checked: None where the log says it already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidOutcome, OutcomeConflict
from ..text import LONGEST_REASON, shortened, visible
from .events import Abandoned, Amended, Failed, Outcome, Told
from .history import History, Round
from .problem import Problem, finite

Realised = Mapping[str, Any] | None


@dataclass(frozen=True)
class Reports:
    """Reads what is reported about rounds of `history`; the errors are those of `Optimizer`'s calls."""

    problem: Problem
    history: History

    def told(self, about: Round, value: Any, cost: Any, realised: Realised) -> Told | None:
        """An outcome."""
        outcome = self._outcome(about, value, cost, realised)
        if about.waiting:
            if about.suggestion.observe:
                waiting = ", ".join(about.suggestion.observe)
                raise OutcomeConflict(f"round {about.number} is not decided: look at {waiting}, then use ‹decide›")
            return Told(about.suggestion.token, outcome)
        if about.state != "told" or about.outcome != outcome:
            before = about.outcome.value if about.state == "told" and about.outcome else about.state
            raise OutcomeConflict(
                f"round {about.number} has an outcome already ({before}): use ‹amend› or, to void it, ‹void›"
            )
        return None

    def failed(self, about: Round, reason: str, cost: Any, realised: Realised) -> Failed | None:
        """An evaluation that broke."""
        if about.state == "failed":
            return None
        if not about.waiting:
            raise OutcomeConflict(f"round {about.number} is {about.state} already; to void its outcome, use ‹void›")
        paid = self.problem.price(about.suggestion) if cost is None else finite("cost", cost, least=0.0)
        point = self.problem.read_realised(about.suggestion, realised or {}, needed=False)
        return Failed(about.suggestion.token, _kept(reason), paid, point)

    @staticmethod
    def abandoned(about: Round, reason: str) -> Abandoned | None:
        """A round that nobody evaluates any more."""
        if not about.waiting:
            raise OutcomeConflict(f"round {about.number} is {about.state} already; to void its outcome, use ‹void›")
        return Abandoned(about.suggestion.token, _kept(reason)) if about.state == "open" else None

    def corrected(self, about: Round, value: Any, cost: Any, realised: Realised, reason: str) -> Amended:
        """An outcome that takes the place of another; what is not given stays."""
        self._ended(about)
        if value is None and cost is None and realised is None:
            raise InvalidOutcome(
                "value", value, "a new value, a cost or realised variables", "To void the outcome, use ‹void›."
            )
        value = about.outcome.value if value is None and about.outcome else value
        cost = (about.cost or None) if cost is None else cost
        outcome = self._outcome(about, value, cost, {**about.realised, **(realised or {})})
        return Amended(about.suggestion.token, outcome, _kept(reason))

    def voided(self, about: Round, reason: str, *, given: bool) -> Amended:
        """An outcome that is void; `given`: whether a new one came with it."""
        self._ended(about)
        if given:
            raise InvalidOutcome("void", True, "no new value, cost or realised variables beside it")
        return Amended(about.suggestion.token, None, _kept(reason))

    @staticmethod
    def _ended(about: Round) -> None:
        if about.waiting:
            raise OutcomeConflict(f"round {about.number} has no outcome yet: use ‹tell› or ‹fail›")

    def _outcome(self, about: Round, value: Any, cost: Any, realised: Realised) -> Outcome:
        outcome = self.problem.read_outcome(about.suggestion, value, cost, realised if realised is not None else {})
        if outcome.cost is None and self.history.budget is not None:
            raise InvalidOutcome(
                "cost", None, "a number not below 0", "The study has a budget, so every play's cost counts."
            )
        return outcome


def _kept(reason: str) -> str:
    """What the log keeps of a reason: what is written down can be shown anywhere, and fills no disk."""
    return shortened(visible(reason), LONGEST_REASON)
