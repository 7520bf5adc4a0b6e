"""What a study is told: outcomes, failures, corrections, data that nobody suggested."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from .recorder import Doubts
from .reports import Realised
from .suggestion import Suggestion


class Answering(ABC):
    """The words by which an `Optimizer`, or a `Study` on its log, is told what came of its suggestions."""

    @abstractmethod
    def _give(self, call: str, suggestion: Suggestion | str | None, /, **given: Any) -> Doubts:
        """Check what a call was given (see `Reports`), and write it down; returns what is warned of."""

    def tell(
        self, suggestion: Suggestion | str, value: Any, *, cost: float | None = None, realised: Realised = None
    ) -> Doubts:
        """Give the outcome of a suggestion. The same outcome twice is fine.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            value: the objective's value, in the user's units.
            cost: what it cost, not below 0; needed where there is a budget and the problem states no prices.
            realised: what really happened, by variable.

        Returns:
            What is hard to believe in it, a sentence each (values far outside their range, or far from the others), and
            which stated laws nature is now seen not to keep; None: nothing. It is kept all the same, and warned of.

        Raises:
            InvalidOutcome: NaN, an infinite or missing value, an unknown or unmeasured variable, a negative cost.
            OutcomeConflict: there is another outcome already, or something is still to be decided.
        """
        return self._give("tell", suggestion, value=value, cost=cost, realised=realised)

    def fail(
        self,
        suggestion: Suggestion | str,
        reason: str = "",
        *,
        cost: float | None = None,
        charge: float | None = None,
        realised: Realised = None,
    ) -> Doubts:
        """The evaluation broke: its point and cost count, a value there is none. Calling it twice is fine.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            reason: for people.
            cost: what it cost all the same, not below 0. None: nobody knows, and it stays out of what a play costs on
                average; `amend(suggestion, cost=…)` says it later.
            charge: what counts as spent as long as nobody knows the cost; needed where there is a budget and no cost.
            realised: what really happened, as far as it is known.

        Raises:
            InvalidOutcome: a negative cost or an unknown variable; neither cost nor charge where there is a budget.
            OutcomeConflict: there is an outcome already, or another cost.
        """
        return self._give("fail", suggestion, reason=reason, cost=cost, charge=charge, realised=realised)

    def abandon(self, suggestion: Suggestion | str, reason: str = "", *, charge: float | None = None) -> Doubts:
        """Nobody evaluates it any more: what was reserved for it is free again. A late outcome is kept and used.

        Its point counts as known when the next is chosen, since nobody knows whether it was tried. Calling it twice is
        fine.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            reason: for people.
            charge: what counts as spent all the same, until an outcome says what it cost; None: what the problem's
                prices say of looks that were made for it, else nothing.

        Raises:
            InvalidOutcome: a negative charge.
            OutcomeConflict: there is an outcome already.
        """
        return self._give("abandon", suggestion, reason=reason, charge=charge)

    def amend(
        self,
        suggestion: Suggestion | str,
        value: Any = None,
        *,
        cost: float | None = None,
        realised: Realised = None,
        charge: float | bool | None = None,
        scope: Any = None,
        void: bool = False,
        reason: str = "",
    ) -> Doubts:
        """Correct an outcome, or void it with `void=True`. What is not given stays; the log keeps the old outcome.

        Data that was added is called "added-1", "added-2" and so on, in the order in which it came.

        Args:
            suggestion: a round's suggestion or its token, or the name of data.
            value: the right one.
            cost: the right one, not below 0.
            realised: what really happened, by variable; what is left out stays.
            charge: of data, whether its cost is charged to the budget; of a round that failed at a cost that nobody
                knows, what counts as spent.
            scope: of data, what was played.
            void: there is nothing to learn from after all. What was spent is spent.
            reason: for people.

        Raises:
            InvalidOutcome: as `tell`; or neither a correction nor `void` was given.
            OutcomeConflict: there is no outcome yet.
        """
        given = {"value": value, "cost": cost, "realised": realised, "charge": charge, "scope": scope}
        return self._give("amend", suggestion, **given, void=void, reason=reason)

    def add(
        self,
        value: Any,
        realised: Mapping[str, Any],
        *,
        cost: float | None = None,
        scope: Any = None,
        charge: bool = False,
    ) -> Doubts:
        """Add data that nobody suggested: it feeds the posterior, never counts, elimination sums or the budget.

        Args:
            value: the objective's value, in the user's units.
            realised: what really happened, by variable.
            cost: what it cost, not below 0.
            scope: what was played, as a `Scope` or the names of what was set: then `cost` says what such a play costs.
            charge: whether the cost is charged to this study's budget.

        Returns:
            As `tell`.

        Raises:
            InvalidOutcome: as `tell`; every variable must be there.
        """
        return self._give("add", None, value=value, realised=realised, cost=cost, scope=scope, charge=charge)
