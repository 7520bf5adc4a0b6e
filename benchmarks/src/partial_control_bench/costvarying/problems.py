"""The cost-varying problems by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ..problem import Budget, Problem, Seeds
from ..protocol import World
from .traits import ROUNDS, Changing, Moving, Weather
from .world import COSTS, PROBLEMS, PUBLISHED, Plant, PlantWorld

SPENDS = (5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0)
VARIANCES = (0.02, 0.04)
PAPER = "Hoang et al. (2025) and Tay et al. (2023)"
_TITLES = {
    "airfoil": "airfoil self-noise, five variables, sets of two",
    "plant": "a plant's largest leaf, five variables",
    "hartmann": "Hartmann-6 among twelve variables",
    "ackley": "Ackley-6 among twelve variables; its optimum is where nature draws",
    "levy": "Levy-6 among twelve variables",
    "ackley-off": "Ackley-6 among twelve variables, its optimum away from where nature draws",
}
_DATA = {"airfoil": ("airfoil.csv",), "plant": ("plant_gp.json",)}


def plant_name(name: str, costs: str, variance: float) -> str:
    """What a setting is called.

    >>> plant_name("levy", "cheap", 0.02)
    'levy-cheap-0.02'
    """
    return f"{name}-{costs}-{variance:g}"


def problems() -> Iterator[Problem]:
    """All of them."""
    yield from _published()
    spends, rounds = (15.0, 30.0, 60.0, 90.0, 120.0), tuple(ROUNDS * k / 10 for k in range(1, 11))
    for name, (title, make, money) in _TRAITS.items():
        budget = (
            Budget(ROUNDS, marks=rounds)
            if money is None
            else Budget(400, money, tuple(s for s in spends if s <= money))
        )
        measure = "cumulative" if money is None else "simple"
        yield Problem(
            name, "cost-varying", title, make, budget, "ours", seeds=_SEEDS, measure=measure
        )


_SEEDS = Seeds(range(100), range(4000, 4200))
_TRAITS: dict[str, tuple[str, Callable[[int], World], float | None]] = {
    "seen-first": ("something is seen before each choice", partial(Changing, "seen"), None),
    "drift-slides": ("a function that slides", partial(Changing, "slides"), None),
    "drift-switch": (
        "a function that becomes another one half-way",
        partial(Changing, "switch"),
        None,
    ),
    "change-oven": (
        "three variables, one hard to change: 10 for each change",
        partial(Moving, 3, 1, 10.0, 0.0),
        120.0,
    ),
    "change-two": (
        "four variables, two hard to change: 5 for each change",
        partial(Moving, 4, 2, 5.0, 0.0),
        120.0,
    ),
    "change-way": (
        "three variables, one hard to change: 1, and 20 times the way",
        partial(Moving, 3, 1, 1.0, 20.0),
        120.0,
    ),
    "weather-together": (
        "weather whose parts go together, and a log of it",
        partial(Weather, 0.9),
        30.0,
    ),
    "weather-against": (
        "weather whose parts go against each other, and a log of it",
        partial(Weather, -0.9),
        30.0,
    ),
}


def _published() -> Iterator[Problem]:
    for name in PROBLEMS:
        for costs in COSTS:
            for variance in VARIANCES:
                world = partial(PlantWorld, Plant(name, costs, variance))
                source = PAPER if name in PUBLISHED else "ours"
                title = f"{_TITLES[name]}; {costs} costs, variance {variance:g}"
                budget = Budget(400, 100.0, SPENDS)
                yield Problem(
                    plant_name(name, costs, variance), "cost-varying", title, world, budget, source,
                    seeds=Seeds(range(2, 5), range(10, 210)), data=_DATA.get(name, ()),
                )  # fmt: skip
