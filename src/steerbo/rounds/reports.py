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
_ALONE = "nothing else beside it"


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
        told = self._failure(about, reason, paid, charge, realised)
        if about.failure is not None and about.state == "failed" and _adds_nothing(told, about, realised):
            return None
        if not about.waiting:
            raise OutcomeConflict(
                f"round {about.number} is {about.state} already; to correct it, use ‹amend›, to void it, ‹void›"
            )
        if paid is None and charge is None and self.history.budget is not None:
            hint = "The study has a budget. Where nothing was paid, it is 0; where nobody knows, use ‹charge›."
            raise InvalidOutcome("cost", None, "a number not below 0: what the failed evaluation cost", hint)
        return told

    def _failure(self, about: Round, reason: str, paid: float | None, charge: Any, realised: Realised) -> Failed:
        counted = None if charge is None else finite("charge", charge, least=0.0)
        if counted is not None and paid is not None:
            hint = "A charge stands for a cost that nobody knows."
            raise InvalidOutcome("charge", charge, f"nothing, since the cost is known to be {paid:g}", hint)
        point = self.problem.read_realised(about.suggestion, _mapping(realised), needed=False)
        return Failed(about.suggestion.token, _kept(reason), paid, counted, point)

    @staticmethod
    def abandoned(about: Round, reason: str, charge: Any) -> Abandoned | None:
        """A round that nobody evaluates any more."""
        if not about.waiting:
            raise OutcomeConflict(f"round {about.number} is {about.state} already; to void its outcome, use ‹void›")
        counted = None if charge is None else finite("charge", charge, least=0.0)
        if about.state == "open":
            return Abandoned(about.suggestion.token, _kept(reason), counted)
        if counted not in (None, about.charge):
            hint = f"round {about.number} is abandoned already, and {about.charge or 0:g} is charged for it"
            raise OutcomeConflict(f"{hint}; where another amount is right, use ‹charge›")
        return None

    def corrected(
        self, about: Round, value: Any, cost: Any, realised: Realised, *, charge: Any, reason: str
    ) -> Amended:
        """An outcome that takes the place of another; what is not given stays, and what failed without a value too."""
        self._ended(about)
        if all(part is None for part in (value, cost, realised, charge)):
            raise InvalidOutcome("value", value, "a new value, a cost or realised variables", _VOID)
        token, measured = about.suggestion.token, {**about.realised, **_mapping(realised)}
        if value is None and about.outcome is None and about.failure is not None:
            paid = about.paid if cost is None else finite("cost", cost, least=0.0)
            counted = about.charge if charge is None and paid is None else charge
            failure = self._failure(about, about.failure.reason, paid, counted, measured)
            return Amended(token, None, failure, _kept(reason))
        if charge is not None:
            raise InvalidOutcome("charge", charge, "nothing: it is for rounds that failed at a cost that nobody knows")
        value = about.outcome.value if value is None and about.outcome else value
        cost = about.paid if cost is None else cost
        return Amended(token, self._outcome(about, value, cost, measured), reason=_kept(reason))

    def added(self, value: Any, cost: Any, realised: Any, scope: Any, charge: Any) -> Added:
        """Data that nobody suggested."""
        outcome = self.problem.read_added(value, cost, realised)
        _chargeable(outcome, charge)
        return Added(outcome, charge, self.problem.read_scope(scope))

    def corrected_data(
        self, token: str, given: tuple[Any, Any, Realised, Any, Any], reason: str, *, void: bool
    ) -> Amended:
        """Data that nobody suggested, put right or void; `given`: value, cost, realised, charge, scope. None stays."""
        before = self.history.data[token]
        value, cost, realised, charge, scope = given
        if all(part is None for part in given):
            if not void:
                raise InvalidOutcome(
                    "value", value, "a new value, a cost, realised variables, a charge or a scope", _VOID
                )
            return Amended(token, reason=_kept(reason))
        if void:
            raise InvalidOutcome("void", True, _ALONE)
        value, cost = before.outcome.value if value is None else value, before.outcome.cost if cost is None else cost
        outcome = self.problem.read_added(value, cost, {**before.outcome.realised, **_mapping(realised)})
        _chargeable(outcome, before.charge if charge is None else charge)
        played = None if scope is None else self.problem.read_scope(scope)
        return Amended(token, outcome, reason=_kept(reason), charge=charge, scope=played)

    def voided(self, about: Round, reason: str, *, given: bool) -> Amended:
        """An outcome that is void; `given`: whether a new one came with it."""
        self._ended(about)
        if given:
            raise InvalidOutcome("void", True, _ALONE)
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


def _adds_nothing(told: Failed, about: Round, realised: Realised) -> bool:
    """Whether a round that has failed is told nothing new about its money and what happened; reasons may differ."""
    known = {name: told.realised.get(name) for name in _mapping(realised)}
    return (
        told.cost in (None, about.paid)
        and told.charge in (None, about.charge)
        and all(name in about.realised and about.realised[name] == value for name, value in known.items())
    )


def _chargeable(data: Outcome, charge: Any) -> None:
    if not isinstance(charge, bool):
        raise InvalidOutcome("charge", charge, "true or false: whether the cost of this data is charged to the budget")
    if charge and data.cost is None:
        raise InvalidOutcome("cost", None, "a number not below 0", "It is to be charged to the budget.")


def _mapping(realised: Realised) -> Mapping[str, Any]:
    if realised is not None and not isinstance(realised, Mapping):
        raise InvalidOutcome("realised", realised, "values by variable name, such as {'ph': 6.4}")
    return realised or {}
