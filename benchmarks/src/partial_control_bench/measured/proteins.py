"""Signalling in single cells: pka and mek are set, after looking at others, so that there is little akt.

Each protein is drawn from the cells that are nearest in its causes, as the consensus graph has
them: no form is assumed.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..causal.graph import Diagram
from ..causal.scm import Mechanism, StructuralCausalModel
from ..causal.system import System, SystemWorld
from ..protocol import Values
from .tables import Nearest, numbers

CAUSES: dict[str, tuple[str, ...]] = {
    "pip3": (),
    "plc": ("pip3",),
    "pip2": ("pip3", "plc"),
    "pkc": ("pip2", "plc"),
    "pka": ("pkc",),
    "raf": ("pka", "pkc"),
    "mek": ("pka", "pkc", "raf"),
    "erk": ("mek", "pka"),
    "akt": ("erk", "pip3", "pka"),
}
SET, TARGET = ("pka", "mek"), "akt"
NEAREST = 20
LEVELS = 5
"""Of each action, when the least that could have been of a cell is looked for."""


def _mechanism(name: str) -> Mechanism:
    causes, held = CAUSES[name], numbers("sachs", name)[:, 0]
    if not causes:
        return lambda values, random, n: held[(random.random(n) * len(held)).astype(int)]
    near = Nearest(numbers("sachs", *causes), held, NEAREST)
    return lambda values, random, n: near.drawn(
        np.stack([values[cause] for cause in causes], axis=1), random.random(n)
    )


@functools.cache
def system() -> System:
    """The cells; where proteins lie about is between the 2nd and the 98th percentile."""
    edges = [(cause, name) for name, causes in CAUSES.items() for cause in causes]
    graph = Diagram(edges, [], TARGET, SET)
    model = StructuralCausalModel(graph, {name: _mechanism(name) for name in CAUSES})
    held = {name: numbers("sachs", name)[:, 0] for name in CAUSES}
    ranges = {}
    for name in CAUSES:
        if name != TARGET:
            low, high = np.quantile(held[name], (0.02, 0.98))
            ranges[name] = (float(low), float(high))

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        """Where these are set, whatever is seen."""
        drawn = model.sample(400, np.random.default_rng(0), do=actions)
        return float(drawn[TARGET].mean())

    return System("sachs", graph, ranges, model, float(held[TARGET].min()), mean, minimise=True)


class Cells(SystemWorld):
    """Played cell by cell; regret is what this very cell has more than with the best of 25 settings, all noise alike.

    Nobody can know a cell so well, so that everybody has some: differences are what counts.
    """

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """More than the least of this cell."""
        cell = self.system.round(number, self.seed)
        levels = (np.linspace(*self.system.ranges[name], LEVELS).tolist() for name in SET)
        tried = (dict(zip(SET, each, strict=True)) for each in itertools.product(*levels))
        least = min(cell.outcome(each) for each in tried)
        return max(cell.outcome(values) - least, 0.0)


def world(seed: int) -> Cells:
    """The cells of a seed."""
    return Cells(system(), seed)
