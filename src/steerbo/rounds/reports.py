"""From what is reported about a round to the event that keeps it, checked: None where the log says it already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidOutcome, OutcomeConflict
from ..text import LONGEST_REASON, shortened, visible
from .events import Abandoned, Added, Amended, Failed, Outcome, Told
from .history import History, Round
from .problem import Problem, finite

Realised = Mapping[str, Any] | None
_VOID = "To void the outcome, use ‹void›."


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

    def failed(self, about: Round, reason: str, cost: Any, charge: Any, realised: Realised) -> Failed | None:
        """An evaluation that broke."""
        paid = self.problem.price(about.suggestion) if cost is None else finite("cost", cost, least=0.0)
        if about.state == "failed" and paid in (None, about.paid):
            return None
        if not about.waiting:
            raise OutcomeConflict(
                f"round {about.number} is {about.state} already; to correct it, use ‹amend›, to void it, ‹void›"
            )
        if paid is None and charge is None and self.history.budget is not None:
            hint = "The study has a budget. Where nothing was paid, it is 0; where nobody knows, use ‹charge›."
            raise InvalidOutcome("cost", None, "a number not below 0: what the failed evaluation cost", hint)
        return self._failure(about, reason, paid, charge, realised)

    def _failure(self, about: Round, reason: str, paid: float | None, charge: Any, realised: Realised) -> Failed:
        counted = None if charge is None or paid is not None else finite("charge", charge, least=0.0)
        point = self.problem.read_realised(about.suggestion, _mapping(realised), needed=False)
        return Failed(about.suggestion.token, _kept(reason), paid, counted, point)

    @staticmethod
    def abandoned(about: Round, reason: str, charge: Any) -> Abandoned | None:
        """A round that nobody evaluates any more."""
        if not about.waiting:
            raise OutcomeConflict(f"round {about.number} is {about.state} already; to void its outcome, use ‹void›")
        counted = None if charge is None else finite("charge", charge, least=0.0)
        return Abandoned(about.suggestion.token, _kept(reason), counted) if about.state == "open" else None

    def corrected(self, about: Round, value: Any, cost: Any, realised: Realised, reason: str) -> Amended:
        """An outcome that takes the place of another; what is not given stays, and what failed without a value too."""
        self._ended(about)
        if value is None and cost is None and realised is None:
            raise InvalidOutcome("value", value, "a new value, a cost or realised variables", _VOID)
        token, measured = about.suggestion.token, {**about.realised, **_mapping(realised)}
        if value is None and about.outcome is None and about.failure is not None:
            paid = about.paid if cost is None else finite("cost", cost, least=0.0)
            failure = self._failure(about, about.failure.reason, paid, about.charge, measured)
            return Amended(token, None, failure, _kept(reason))
        value = about.outcome.value if value is None and about.outcome else value
        cost = about.paid if cost is None else cost
        return Amended(token, self._outcome(about, value, cost, measured), reason=_kept(reason))

    def added(self, value: Any, cost: Any, realised: Any, scope: Any, charge: Any) -> Added:
        """Data that nobody suggested."""
        if not isinstance(charge, bool):
            raise InvalidOutcome("charge", charge, "True or False")
        outcome = self.problem.read_added(value, cost, realised)
        if charge and outcome.cost is None:
            raise InvalidOutcome("cost", None, "a number not below 0", "It is to be charged to the budget.")
        return Added(outcome, charge, self.problem.read_scope(scope))

    def corrected_data(
        self, token: str, value: Any, cost: Any, realised: Realised, reason: str, *, void: bool
    ) -> Amended:
        """Data that nobody suggested, put right or void; what is not given stays."""
        before = self.history.data[token].outcome
        if value is None and cost is None and realised is None:
            if not void:
                raise InvalidOutcome("value", value, "a new value, a cost or realised variables", _VOID)
            return Amended(token, reason=_kept(reason))
        if void:
            raise InvalidOutcome("void", True, "no new value, cost or realised variables beside it")
        value, cost = before.value if value is None else value, before.cost if cost is None else cost
        measured = {**before.realised, **_mapping(realised)}
        return Amended(token, self.problem.read_added(value, cost, measured), reason=_kept(reason))

    def voided(self, about: Round, reason: str, *, given: bool) -> Amended:
        """An outcome that is void; `given`: whether a new one came with it."""
        self._ended(about)
        if given:
            raise InvalidOutcome("void", True, "no new value, cost or realised variables beside it")
        return Amended(about.suggestion.token, reason=_kept(reason))

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


def _mapping(realised: Realised) -> Mapping[str, Any]:
    if realised is not None and not isinstance(realised, Mapping):
        raise InvalidOutcome("realised", realised, "values by variable name, such as {'ph': 6.4}")
    return realised or {}
