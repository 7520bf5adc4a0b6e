"""The mean-field problems by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..problem import Budget, Problem, Seeds
from .published import NAMES
from .world import CrowdWorld

PAPER, OURS = "Steinberg et al.", "ours"
MARKS = (20.0, 40.0, 80.0, 160.0, 250.0)
NOISE = 0.02
_TITLES = {
    "swarm": "gather about a place, but not all in one",
    "arena": "two teams on opposite sides of a ring",
    "bikes-36": "bikes over 36 stations as the demand there is",
    "new-york-160": "taxis over 160 cells of New York",
    "new-york-235": "taxis over 235 cells of New York",
    "new-york-394": "taxis over 394 cells of New York",
    "maritime": "ships of five regions that refuel in thirty ports",
    "coverage-160": "vans that cover a town: who is near serves",
}
_FILES = {
    "bikes-36": "bike_station_demand.csv",
    "new-york-160": "nyc_uber_demand_12x20.csv",
    "new-york-235": "nyc_uber_demand_15x26.csv",
    "new-york-394": "nyc_uber_demand_20x36.csv",
    "coverage-160": "nyc_uber_demand_12x20.csv",
    "maritime": "ports.csv",
}


def problems() -> Iterator[Problem]:
    """All of them, and those of the papers with noise of a fiftieth of what can be gained."""
    seeds, budget = Seeds(range(3), range(10, 400)), Budget(250, marks=MARKS)
    for name in NAMES:
        place, _, kind = (
            name.removesuffix("-map").removesuffix("-shuffled"),
            0,
            name.rpartition("-")[2],
        )
        told = {"map": "; the map is known", "shuffled": "; a map that tells nothing"}.get(kind, "")
        data = (_FILES[place],) if place in _FILES else ()
        source = OURS if told or place.startswith("coverage") else PAPER
        for noise in (0.0, NOISE):
            yield Problem(
                name if not noise else f"{name}-noisy", "mean-field",
                _TITLES[place] + told + ("; noise of 2 %" if noise else ""),
                partial(CrowdWorld, name, noise), budget, source, seeds=seeds, data=data,
                seed_moves="everything" if noise else "what an entrant draws itself",
            )  # fmt: skip
