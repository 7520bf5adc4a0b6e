"""The causal problems by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product

from ..problem import Budget, Problem, Seeds
from . import forgotten, priced
from .plates import plates
from .published import cosine, figure_1, psa
from .system import System, SystemWorld

PAPER = "Arsenyan et al. (2025)"
MARKS = (50.0, 100.0, 200.0, 400.0, 700.0)
_MADE: dict[str, tuple[str, Callable[[], System]]] = {
    "figure-1": ("Figure 1", figure_1),
    "figure-1-weight-0.01": (
        "Figure 1 with the weight of the authors' program",
        partial(figure_1, 0.01),
    ),
    "cosine": ("A.2: a cosine on Figure 1's graph", cosine),
    **{
        f"cosine-{sd:g}": (f"A.2 with noise {sd:g}", partial(cosine, sd))
        for sd in (0.05, 0.25, 1.25, 6.25)
    },
    "psa-1": ("A.1: PSA, the same medication for everybody", psa),
    "psa-1-authors": ("A.1 with the authors' BMI", partial(psa, 1, True)),
    "psa-2": ("A.1: PSA, by age and BMI", partial(psa, 2)),
    "psa-2-authors": ("A.1 by age and BMI, with the authors' BMI", partial(psa, 2, True)),
}


@cache
def _system(name: str) -> System:
    return plates() if name == "plates" else _MADE[name][1]()


def _world(name: str, seed: int) -> SystemWorld:
    return SystemWorld(_system(name), seed)


@cache
def _forgetful(name: str, a: float) -> System:
    return forgotten.WORLDS[name](a)


def _observed(name: str, a: float, seed: int) -> SystemWorld:
    return SystemWorld(_forgetful(name, a), seed, forgotten.OBSERVATIONS)


@cache
def _of_prices(name: str) -> System:
    return priced.WORLDS[name][0]()


def _priced(name: str, seed: int) -> SystemWorld:
    return SystemWorld(_of_prices(name), seed, priced=priced.WORLDS[name][1])


def problems() -> Iterator[Problem]:
    """All of them."""
    seeds = Seeds(range(1000, 1100), range(200))
    for name, (title, _) in _MADE.items():
        yield Problem(
            name,
            "causal",
            title,
            partial(_world, name),
            Budget(700, marks=MARKS),
            PAPER,
            seeds=seeds,
        )
    short = Budget(120, marks=(30.0, 60.0, 90.0, 120.0))
    name = "figure-1-weight-0.01"
    title = "Figure 1 as the authors' program was run: weight .01, 120 rounds"
    yield Problem("figure-1-120", "causal", title, partial(_world, name), short, PAPER, seeds=seeds)
    title = "A.3: 57 contexts and 29 actions' graph, of which two can be set"
    plate = Budget(200, marks=MARKS[:3])
    yield Problem("plates", "causal", title, partial(_world, "plates"), plate, PAPER, seeds=seeds)
    observed = Budget(forgotten.ROUNDS, marks=(15.0, 30.0, 45.0, 60.0))
    later = Seeds(range(100), range(9000, 9200))
    for name, a in product(forgotten.WORLDS, forgotten.STRENGTHS):
        told = (
            f"a confounder that the graph forgets, of strength {a:g}" if a else "the graph is right"
        )
        title = f"{name} after 100 observations; {told}"
        world = partial(_observed, name, a)
        yield Problem(
            f"forgotten-{name}-{a:g}", "causal", title, world, observed, "ours", seeds=later
        )
    marks = tuple(priced.ROUNDS * k / 10 for k in range(1, 11))
    for name in priced.WORLDS:
        title = f"{name}, where setting and looking cost money, and nearly the best is good enough"
        budget, newer = Budget(priced.ROUNDS, marks=marks), Seeds(range(100), range(4000, 4200))
        yield Problem(
            f"priced-{name}", "causal", title, partial(_priced, name), budget, "ours", seeds=newer
        )
