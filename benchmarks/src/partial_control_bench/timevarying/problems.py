"""The time-varying problems by name: those of Ziomek, Adachi & Osborne (2025), and ours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from ..problem import Budget, Problem, Seeds
from . import daily, drifting, intel, unknown
from .toy import Setting
from .world import Stream

PAPER = "Ziomek, Adachi & Osborne (2025), section 7"
OURS = "ours"
HEIGHTS = ((5.0, 1.0), (3.0, 1.0), (2.0, 1.0), (1.5, 1.0))
LENGTHSCALES = (0.5, 0.2, 0.1, 0.05)
HORIZON = 400
MARKS = (25, 50, 100, 150, 200, 300, 400)


def problems() -> Iterator[Problem]:
    """All of them."""
    yield from _toys()
    for kind in (*drifting.KINDS, drifting.LONG):
        rounds = 1200 if kind == drifting.LONG else drifting.ROUNDS
        yield Problem(
            kind, "time-varying", _TITLES[kind], partial(drifting.world, kind), _rounds(rounds), OURS,
            seeds=Seeds(range(1000), range(5000, 5200)),
        )  # fmt: skip
    yield Problem(
        "daily",
        "time-varying",
        "a daily cycle, its period among four opinions",
        daily.world,
        _rounds(daily.ROUNDS),
        OURS,
    )
    for name, known in unknown.KINDS.items():
        title = f"{name}, of which nobody knows a prior"
        world = partial(known.world, name)
        seeds = Seeds(range(1000), range(7000, 7200))
        yield Problem(
            name.lower().replace(" ", "-"),
            "time-varying",
            title,
            world,
            _rounds(unknown.ROUNDS),
            OURS,
            seeds=seeds,
        )
    for day in intel.TEST_DAYS:
        title = f"the warmest mote of the Intel lab, {day} March 2004"
        yield Problem(
            f"intel-{day}", "time-varying", title, partial(intel.world, day), _rounds(intel.STEPS), PAPER,
            data=(intel.FILE,), seed_moves="the start",
        )  # fmt: skip


_TITLES = {
    "switch": "a truth drawn anew every 75 of 300 rounds",
    "rates": "a drift that becomes fifty times faster",
    "moving": "a moving peak that no prior holds",
    "long": "a truth drawn anew every 150 of 1200 rounds",
}


def toy_name(tall: float, lengthscale: float) -> str:
    """What a setting of the grid is called.

    >>> toy_name(5, .5)
    'toy-h5-l0.5'
    """
    return f"toy-h{tall:g}-l{lengthscale:g}"


def _toys() -> Iterator[Problem]:
    budget = Budget(HORIZON, marks=MARKS)
    for (tall, short), lengthscale in product(HEIGHTS, LENGTHSCALES):
        setting = Setting(tall=tall, short=short, lengthscale=lengthscale)
        title = f"the toy: hills {tall:g} and {short:g}, lengthscale {lengthscale:g}"
        yield _toy(toy_name(tall, lengthscale), title, setting, budget)
    reading = Setting(lengthscale=0.2)
    title = "the toy under another reading: lengthscale 0.2, nothing given before the first of 200 rounds"
    yield _toy("toy-empty-start", title, reading, _rounds(200), first=False)
    yield _toy("toy-many", "the toy with 200 priors", Setting(candidates=200), _rounds(150))
    scales = Setting(scales=(0.25, 1.0, 4.0))
    yield _toy("toy-scales", "the toy, each prior with three output scales", scales, _rounds(150))
    yield _toy("toy-drift", "the toy with a truth that drifts", Setting(epsilon=0.02), _rounds(150))


def _toy(name: str, title: str, setting: Setting, budget: Budget, first: bool = True) -> Problem:
    make = partial(_toy_world, setting, budget.rounds, first)
    return Problem(name, "time-varying", title, make, budget, PAPER)


def _toy_world(setting: Setting, rounds: int, first: bool, seed: int) -> Stream:
    return setting.world(seed, rounds, first)


def _rounds(rounds: int) -> Budget:
    """Ten marks, evenly spread."""
    return Budget(rounds, marks=tuple(float(round(rounds * k / 10)) for k in range(1, 11)))
