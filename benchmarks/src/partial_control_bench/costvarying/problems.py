"""The cost-varying problems by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..problem import Budget, Problem, Seeds
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
