"""How much draws speak against a law, at any moment: the money of somebody who bets against it.

Numbers that are spread evenly over (0, 1) as long as the law holds fall into B bins of equal chance. The bet on the
t-th is placed by what the t − 1 before did, with odds that are fair under the law, so that the stake is multiplied by

    B (c_b + ½) / (t − 1 + B/2),    c_b: how many of them fell into the bin of the t-th,

and the evidence is the mean of such stakes over several B. While the law holds its expectation stays 1, so the chance
that it *ever* reaches 1/α is at most α (Ville's inequality), however often somebody looks. Draws known only to lie
in an interval (a law with atoms, a rounded value) count for every bin by their share of it, which keeps the odds fair.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float

BINS = (2, 4, 8, 16)
"""Of the bets on one variable."""
_FIRST = [sum(BINS[:k]) for k in range(len(BINS))]
PAIR_BINS = 3
"""Of each of two variables, in bets on whether they go together."""
Interval = tuple[float, float]
_MOST = 700.0  # of the logarithm of a stake: more is no number
_POINT = 1e-12  # an interval that is no wider is a number


def shares(interval: Interval, bins: Sequence[int]) -> Float[np.ndarray, " k"]:
    """Which part of an interval within [0, 1] lies in each of so many equal bins; several splits, one after another.

    >>> shares((0.25, 0.75), [2])
    array([0.5, 0.5])
    >>> shares((0.3, 0.3), [2, 4])
    array([1., 0., 0., 1., 0., 0.])
    """
    low, high = interval
    if high - low <= _POINT:
        found = np.zeros(sum(bins))
        for k, count in enumerate(bins):
            found[sum(bins[:k]) + min(int(low * count), count - 1)] = 1.0
        return found
    below, above = _edges(tuple(bins))
    return np.asarray((np.clip(above, low, high) - np.clip(below, low, high)) / (high - low))


@cache
def _edges(bins: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    edges = [np.arange(count + 1) / count for count in bins]
    return np.concatenate([each[:-1] for each in edges]), np.concatenate([each[1:] for each in edges])


class Evidence:
    """Against numbers being spread evenly over (0, 1).

    >>> evidence = Evidence()
    >>> for _ in range(6):
    ...     evidence.take((0.99, 0.99))
    >>> evidence.value > 100
    True
    """

    def __init__(self) -> None:
        self._counts, self._logs, self._taken = np.zeros(sum(BINS)), np.zeros(len(BINS)), 0

    def take(self, interval: Interval) -> None:
        """One more number, or the interval that it lies in."""
        share = shares(interval, BINS)
        won = np.add.reduceat(share * (self._counts + 0.5), _FIRST)
        self._logs += np.log(won * BINS / (self._taken + 0.5 * np.array(BINS)))
        self._counts += share
        self._taken += 1

    @property
    def value(self) -> float:
        """E: above 1 it speaks against the law."""
        return _mean_of_stakes(self._logs)


class PairEvidence:
    """Against numbers being spread evenly whatever others, beside them, are: bets on a bin, given the other's.

    Args:
        pairs: how many pairs of them are watched at once, p.
    """

    def __init__(self, pairs: int = 1) -> None:
        self._counts = np.zeros((pairs, PAIR_BINS, PAIR_BINS))  # of the others, of the numbers
        self._logs = np.zeros(pairs)

    def take(self, share: Float[np.ndarray, "p 3"], beside: Float[np.ndarray, "p 3"]) -> None:
        """One more number of each pair, and what is beside it, as `shares` of bins; of a pair without one, zeros."""
        odds = (self._counts + 0.5) / (self._counts.sum(axis=2, keepdims=True) + 0.5 * PAIR_BINS)
        won = PAIR_BINS * np.einsum("pb,pbs,ps->p", beside, odds, share)
        self._logs += np.log(np.where(won > 0.0, won, 1.0))
        self._counts += beside[:, :, None] * share[:, None]

    @property
    def values(self) -> Float[np.ndarray, " p"]:
        """E of each pair: above 1 it says that the two go together."""
        return np.asarray(np.exp(np.minimum(self._logs, _MOST)))


class Ranks:
    """Where each value stands among those before it: spread evenly, if all are draws of one law, whatever that is.

    This is the conformal p-value (Vovk, Gammerman and Shafer 2005), with the interval that ties leave open.

    Args:
        before: values of that law that are known already, such as the rows of a log.

    >>> Ranks([1.0, 3.0]).take(2.0)
    (0.3333333333333333, 0.6666666666666666)
    """

    def __init__(self, before: Sequence[float] = ()) -> None:
        self._sorted = sorted(before)

    def take(self, value: float) -> Interval:
        """The next value's place."""
        less, most = bisect_left(self._sorted, value), bisect_right(self._sorted, value)
        count = len(self._sorted) + 1
        insort(self._sorted, value)
        return less / count, (most + 1) / count


def _mean_of_stakes(logs: Float[np.ndarray, " k"]) -> float:
    return float(np.mean(np.exp(np.minimum(logs, _MOST))))
