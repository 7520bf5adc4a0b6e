"""How much a scope gives for how much money, where the price hangs on what is set: the least that is spent for enough.

Money is weighed against value at an exchange rate: at each context the actions with the largest bound less the rate
times their price. The higher the rate, the cheaper, and the less is had. Where it is spent follows by itself: there,
where it brings most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from .keeping import share_short
from .worth import Worth

_HALVINGS = 14
_WIDEST = 1e4  # how far from the middle one rates go, both ways
_SAFELY = 0.75  # of the last rate that is enough; with the rate itself, 4 of 13 answers were not (tuning runs)


@dataclass(frozen=True)
class Offer:
    """What a scope gives at a rate, on average over contexts, in units of `sign · value`.

    Attributes:
        bound: `μ + root · σ`.
        spread: σ, standardised.
        price: what a play costs.
        rate: what a unit of money had to bring.
        short: the share of contexts in which nothing is known that keeps to limits on what is measured: see
            `share_short`.
        actions: what is set at each context, encoded.
    """

    bound: float
    spread: float
    price: float
    rate: float
    short: float
    actions: Float[np.ndarray, "r a"] = field(compare=False)


def offer(worth: Worth, root: float, most: int, rate: float = 0.0) -> Offer:
    """What a scope gives at a rate, over so many contexts at most."""
    bounds, sds, prices, short, actions = worth.bounds(root, most, rate / worth.model.scale if rate else 0.0)
    price = worth.fixed if worth.toll is None else float(prices.mean())
    return Offer(
        float(worth.model.unstandardise(bounds).mean()), float(sds.mean()), price, rate, share_short(short), actions
    )


def cheapest(worth: Worth, root: float, most: int, enough: Callable[[Offer], bool]) -> Offer:
    """A cheap offer that is enough by a margin, the dearest one where none is.

    At the last rate at which an offer is enough, one that is cheaper and not enough is by then as good as it: actions
    are sought anew, in more places than here, when they are set, and that might be what is found. So money counts for
    somewhat less than at that rate.
    """
    found, beyond = edge(worth, root, most, enough)
    return found if beyond is None or not found.rate else offer(worth, root, most, _SAFELY * found.rate)


def edge(worth: Worth, root: float, most: int, holds: Callable[[Offer], bool]) -> tuple[Offer, Offer | None]:
    """By growing rate the last offer found of which something holds, else the first of all; and the one after it."""
    first = offer(worth, root, most)
    if worth.toll is None or not holds(first):
        return first, first if not holds(first) else None
    middle = (worth.model.scale or 1.0) / max(first.price, 1e-9)
    low, high = math.log(middle / _WIDEST), math.log(middle * _WIDEST)
    best, after = first, offer(worth, root, most, math.exp(high))
    if holds(after):
        return after, None
    for _ in range(_HALVINGS):
        between = 0.5 * (low + high)
        found = offer(worth, root, most, math.exp(between))
        if holds(found):
            low, best = between, found
        else:
            high, after = between, found
    return best, after


def likeliest(
    arms: Sequence[int], offers: Sequence[Offer], worths: Sequence[Worth]
) -> tuple[list[int], list[Offer], list[Worth]]:
    """Of arms, with what each gives, those that keep to limits on what is measured in most contexts."""
    least = min(each.short for each in offers)
    some = [k for k, each in enumerate(offers) if each.short <= least]
    return [arms[k] for k in some], [offers[k] for k in some], [worths[k] for k in some]
