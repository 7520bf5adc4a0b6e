"""What plays of every scope are known to have cost, summed up as they come: a long stream is not read again."""

from __future__ import annotations

from fractions import Fraction

from .scope import Scope


class KnownCosts:
    """Exact sums by scope: what is taken out again leaves nothing behind.

    >>> costs = KnownCosts()
    >>> for paid in (0.1, 0.2, 0.3):
    ...     costs.change(Scope(("x",)), None, paid)
    >>> costs.change(Scope(("x",)), 0.2, None)
    >>> costs.mean(Scope(("x",))), costs.mean(Scope(("y",)))
    (0.2, None)
    """

    def __init__(self) -> None:
        self._sums: dict[Scope, Fraction] = {}
        self._counts: dict[Scope, int] = {}

    def change(self, scope: Scope, before: float | None, after: float | None) -> None:
        """A play was known to have cost `before`, and is now known to have cost `after`; None: nobody knows."""
        if before == after:
            return
        self._sums[scope] = self._sums.get(scope, Fraction()) + Fraction(after or 0.0) - Fraction(before or 0.0)
        self._counts[scope] = self._counts.get(scope, 0) + (after is not None) - (before is not None)

    def mean(self, scope: Scope) -> float | None:
        """What a play has cost on average; None where nobody knows."""
        count = self._counts.get(scope, 0)
        return float(self._sums[scope]) / count if count else None
