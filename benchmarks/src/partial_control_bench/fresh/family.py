"""A family of problems, drawn afresh by a registration: what traits they have goes by turns, all else by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..randomness import keyed
from .crowd import FreshCrowd
from .noise import NOISES
from .registration import seed_of
from .world import FreshWorld, Shape

TRAITS = (
    "plain", "sets", "correlated", "drift", "changes", "context", "categories", "agents", "noisy", "limit",
    "changes and drift", "many",
)  # fmt: skip
"""By turns: the problem of index i has the trait i mod 12."""
DRIFTS = ("linear", "seasonal", "jump")
MONEY = 60.0
"""In plays of a set of middling price."""


def trait(index: int) -> str:
    """What stands out in a problem."""
    return TRAITS[index % len(TRAITS)]


def world(registration: str, index: int, draws: int = 0) -> FreshWorld | FreshCrowd:
    """A problem; `draws` gives it other noise and another nature.

    >>> world("tuning", 0).shape.words
    '3 variables, interaction 0.0, normal 1'
    """
    seed = seed_of(registration, index)
    if trait(index) == "agents":
        return FreshCrowd(seed, draws)
    return FreshWorld(shape(registration, index), seed, draws)


def shape(registration: str, index: int) -> Shape:
    """The traits of a problem that is played by control sets."""
    what, random = trait(index), keyed(seed_of(registration, index), 0, "shape")
    some = {"many": (6, 9), "sets": (3, 6), "correlated": (3, 5), "limit": (3, 5)}.get(what, (3, 5))
    d = int(random.integers(*some))
    noise = (
        "normal 1"
        if what == "noisy"
        else NOISES[int(random.choice([0, 1, 1, 2, 2, 3, 4, 5, 6, 7]))]
    )
    interaction = float(random.choice([0.0, 0.3, 0.7]))
    levels, sds = [0] * d, [None if random.random() < 0.5 else 0.15 for _ in range(d)]
    if what == "categories":
        levels[1] = int(random.integers(2, 6))
    more: dict[str, Any] = {}
    sets: tuple[tuple[int, ...], ...] = (tuple(range(d)),)
    prices: tuple[float, ...] = (1.0,)
    if what in {"sets", "correlated", "noisy"} or (what == "categories" and random.random() < 0.5):
        sets, prices = _sets(random, d)
        more["tolerance"] = float(random.uniform(0.1, 0.3))
        more["worth"] = (max(prices) - min(prices)) / (
            more["tolerance"] * float(random.uniform(1, 3))
        )
    if what == "correlated":
        more["correlation"] = float(random.uniform(0.6, 0.95))
    if what == "context":
        sets, more["seen"] = (tuple(range(d - 1)),), d - 1
    if "drift" in what:
        more["drift"] = DRIFTS[int(random.integers(3))]
    if "changes" in what:
        fixed, per_unit = (float(v) for v in random.uniform(0.5, 4.0, 2))
        more["changes"] = {0: (fixed, per_unit)}
        more["money"] = 40 + 8 * (fixed + per_unit / 3)
    if what == "limit":
        more["limit"] = float(random.uniform(1.05, 1.6))
    return Shape(
        tuple(levels), sets, prices, tuple(sds), interaction, noise,
        **({"money": MONEY * float(np.median(prices))} | more),
    )  # fmt: skip


def _sets(
    random: np.random.Generator, d: int
) -> tuple[tuple[tuple[int, ...], ...], tuple[float, ...]]:
    """Two to four sets, nested or not, of which a larger one costs more."""
    order = random.permutation(d).tolist()
    many = int(random.integers(2, 5))
    sizes: Sequence[int] = sorted({max(1, round(d * (k + 1) / many)) for k in range(many)})
    found = [tuple(sorted(order[:size])) for size in sizes]
    if random.random() < 0.5 and d > 1:
        found.insert(0, (order[-1],))
    dearest = math.exp(float(random.uniform(math.log(1.3), math.log(6))))
    ratio = dearest ** (1 / max(len(found) - 1, 1))
    return tuple(found), tuple(round(ratio**k, 3) for k in range(len(found)))
