"""Money, summed up as rounds come: what is spent, what is known of costs. A long stream is never read again for it."""

from __future__ import annotations

from fractions import Fraction

from .events import Added
from .round import Round
from .scope import Scope


class Mean:
    """The mean of numbers that come and go; None of none. Sums are exact: what is taken out leaves nothing behind.

    >>> mean = Mean()
    >>> for number in (0.1, 0.2, 0.3):
    ...     mean.change(None, number)
    >>> mean.change(0.2, None)
    >>> mean.value
    0.2
    """

    def __init__(self) -> None:
        self._sum, self._count = Fraction(), 0

    def change(self, before: float | None, after: float | None) -> None:
        """A number was `before`, and is now `after`; None: it was or is not there."""
        if before != after:
            self._sum += Fraction(after or 0.0) - (Fraction(before) if before else 0)
            self._count += (after is not None) - (before is not None)

    @property
    def value(self) -> float | None:
        """It."""
        return float(self._sum) / self._count if self._count else None


class Accounts:
    """What is charged, and what plays are known to have cost, of rounds and of data that was added."""

    def __init__(self) -> None:
        self._charged = self._estimated = Fraction()
        self.unpriced = 0  # rounds that have ended, or are charged for, whose cost nobody knows
        self._rounds = Mean()  # of all rounds
        self._scopes: dict[Scope, Mean] = {}

    @property
    def spent(self) -> float:
        """What is charged in all."""
        return float(self._charged)

    @property
    def estimated(self) -> float:
        """That part of it that is charged where nobody knows the cost."""
        return float(self._estimated)

    @property
    def usual(self) -> float | None:
        """What a round has cost on average; None where nobody knows."""
        return self._rounds.value

    def mean_cost(self, scope: Scope) -> float | None:
        """What a play of a scope has cost on average, data included; None where nobody knows."""
        return self._scopes[scope].value if scope in self._scopes else None

    def change(self, before: Round, after: Round) -> None:
        """A round is another one now."""
        if (after.charged, after.unpriced) == (before.charged, before.unpriced) and after.paid == before.paid:
            return
        for played, sign in ((after, 1), (before, -1)):
            if played.charged:
                self._charged += sign * Fraction(played.charged)
            if played.unpriced:
                self._estimated += sign * Fraction(played.charged)
        self.unpriced += after.unpriced - before.unpriced
        if before.paid != after.paid:
            self._rounds.change(before.paid, after.paid)
            self._of(after.suggestion.scope).change(before.paid, after.paid)

    def add(self, data: Added) -> None:
        """Data came."""
        self._charged += Fraction(data.charged)
        self._learn(data)

    def void(self, data: Added) -> None:
        """Data is void: what it cost is spent all the same, but says nothing of what plays cost."""
        if data.scope is not None:
            self._of(data.scope).change(data.outcome.cost, None)

    def correct(self, before: Added, after: Added) -> None:
        """Data is put right."""
        self._charged += Fraction(after.charged) - Fraction(before.charged)
        self.void(before)
        self._learn(after)

    def _learn(self, data: Added) -> None:
        if data.scope is not None:
            self._of(data.scope).change(None, data.outcome.cost)

    def _of(self, scope: Scope) -> Mean:
        return self._scopes.setdefault(scope, Mean())
