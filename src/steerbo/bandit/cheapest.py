"""Choosing among arms with a price: the cheapest of those that are good enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from ..errors import InvalidOption

_ROUNDING = 1e-9  # prices that differ by less, as a share, are equal

Prices = Float[np.ndarray, " m"]


class Enough(NamedTuple):
    """An arm, and what is not known yet about its next play."""

    arm: int
    width: float


def cheap_first(
    upper: Float[np.ndarray, " m"],
    prices: Prices,
    least: float,
    widths: Callable[[Sequence[int]], Float[np.ndarray, " k"]],
    patience: float = 1.0,
    *,
    alike: float = 1.0,
) -> Enough:
    """The cheapest arm that lags behind `least` by no more than what its next play may teach.

    Arm i is *enough* if `u_i + κ w_i ≥ least`. Among equally cheap ones the one with the largest bound is played.

    Args:
        upper: upper bounds u_i, (m,).
        prices: (m,); NaN where nobody knows.
        least: what an arm must be able to come near, at most the largest upper bound.
        widths: from some arms to w_i, what is not known about their next plays. It is asked for the cheapest arms
            first, and no further than needed, since a width may take a search.
        patience: κ.
        alike: prices that differ by no more than this factor count as equal.

    Raises:
        InvalidOption: no arm comes near: `least` is above all upper bounds.

    >>> upper, prices = np.array([1.0, 1.5, 2.0]), np.array([1.0, 3.0, 9.0])
    >>> cheap_first(upper, prices, 2.0, lambda arms: np.array([0.2, 0.6, 0.1])[arms])
    Enough(arm=1, width=0.6)
    """
    for rung in rungs(prices, alike):
        known = zip(rung, widths(rung), strict=True)
        enough = [Enough(i, float(width)) for i, width in known if upper[i] + patience * width >= least]
        if enough:
            return max(enough, key=lambda one: float(upper[one.arm]))
    raise InvalidOption("least", least, f"at most {float(upper.max())}, the largest upper bound")


def rungs(prices: Prices, alike: float = 1.0) -> list[list[int]]:
    """Arms by price, equally cheap ones together: those within a factor of the cheapest of them.

    >>> rungs(np.array([2.0, 1.0, np.nan, 1.4, 1.0])), rungs(np.array([2.0, 1.0, np.nan, 1.4]), alike=1.5)
    ([[2], [1, 4], [3], [0]], [[2], [1, 3], [0]])
    """
    known = np.nan_to_num(prices)
    found: list[list[int]] = []
    for i in np.argsort(known, kind="stable").tolist():
        if found and known[i] <= alike * (1 + _ROUNDING) * known[found[-1][0]]:
            found[-1].append(i)
        else:
            found.append([i])
    return found


def cheapest_near(upper: Float[np.ndarray, " m"], prices: Prices, slack: float) -> int:
    """UCB-CVS (Tay et al. 2023, Algorithm 1): of the arms whose bound is within `slack` of the largest, the cheapest.

    >>> cheapest_near(np.array([1.0, 1.8, 2.0]), np.array([1.0, 3.0, 9.0]), slack=0.5)
    1
    """
    return cheapest(upper >= upper.max() - slack, prices, upper)


def cheapest(among: Bool[np.ndarray, " m"], prices: Prices, upper: Float[np.ndarray, " m"]) -> int:
    """The cheapest of some arms, at least one; of several equally cheap ones the one with the largest bound.

    >>> cheapest(np.array([True, True, False]), np.array([2.0, 2.0, 1.0]), np.array([0.5, 0.7, 0.9]))
    1
    """
    some = np.flatnonzero(among)
    known = np.nan_to_num(prices[some])
    equals = some[known <= known.min()]
    return int(equals[upper[equals].argmax()])
