"""How much is enough to compare with, and how seldom chance alone may raise an alarm: the same on every floor."""

from __future__ import annotations

import math
from functools import lru_cache

COMPARABLE = 8
"""Outcomes from which on another one is compared with them, or with a model of them."""
ALIKE = 0.02
"""Share of a range within which two numbers are not told apart, outcomes or settings."""
ALPHA = 0.01
"""Share of studies in which all is right that an alarm may be raised in at any time."""
FALSE_ALARM = 1e-4
"""Probability by which chance alone is to raise an alarm at one look: looks are as many as rounds."""
BOUND = 2.0
"""Half the width of bounds, in standard deviations: about 95 %."""
DEVIATIONS = 5.0
"""Standard deviations from a posterior's mean, beyond which an outcome is questioned.

Posteriors of other people's data are surer than a normal law: of 640 true outcomes of five tables and series six lie
beyond 5 deviations, and 13 beyond the 3.9 that a normal law passes in `FALSE_ALARM` of looks.
"""


@lru_cache(maxsize=512)
def ranges_beyond(n: int) -> float:
    """Ranges of n numbers by which one more lies beyond them at most, but by chance in `FALSE_ALARM` of looks.

    Of numbers with an exponential tail, n + 1 in all, the last one is the largest with probability
    1/(n + 1), and by how much is exponential again. The range of the others is Σ Eᵢ/i over i < n
    (Rényi 1953), so that it exceeds them by c ranges with probability

        Γ(n) Γ(1 + c) / ((n + 1) Γ(n + c)).

    Normal numbers exceed them less often, lognormal ones more: see evidence/sensitivity.md.

    >>> [round(ranges_beyond(n), 1) for n in (1, 2, 4, 8, 20, 100)]
    [inf, 3332.3, 20.9, 5.4, 2.4, 1.0]
    """
    if n < 2:
        return math.inf
    low, high = 0.0, 1.0 / FALSE_ALARM
    while high - low > 1e-9 * high:
        c = 0.5 * (low + high)
        tail = math.lgamma(n) + math.lgamma(1.0 + c) - math.lgamma(n + c) - math.log(n + 1)
        low, high = (c, high) if tail > math.log(FALSE_ALARM) else (low, c)
    return high


def gaps_ahead(n: int) -> float:
    """Times the largest of n gaps that one more is at most, but by chance in `FALSE_ALARM` of looks.

    Gaps between rounds have nights, weekends and holidays among them. Where they have Pareto's tail
    of index 2, the heaviest that a mean can be told of, one of them exceeds c times the largest of
    n others with probability 1/((n + 1) c²).

    >>> [round(gaps_ahead(n), 1) for n in (1, 3, 25, 100)]
    [70.7, 50.0, 19.6, 10.0]
    """
    return 1.0 / math.sqrt(FALSE_ALARM * (n + 1))
