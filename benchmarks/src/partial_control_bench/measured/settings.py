"""Reactions, barrels and blends: what a setting gave when it was tried, looked up."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from ..errors import BenchError
from ..protocol import Blind, Outcome, Values
from ..randomness import keyed
from .tables import Nearest, columns, numbers

NOISE = 2.0
"""Standard deviation of a yield, in percent: the tables have one value a reaction, so that it is assumed."""
WORTH = 0.25
"""Of a percent of yield, in money, where control sets have prices. Ours."""
_DEGRADED = 0.02
"""Standard deviation of a measured degradation, assumed."""


def _choices(table: str, names: Sequence[str]) -> dict[str, list[str]]:
    found = columns(table)
    return {name: sorted(set(found[name]), key=lambda word: (len(word), word)) for name in names}


def _held(values: Values, sets: Sequence[Sequence[str]]) -> int:
    for number, names in enumerate(sets):
        if set(names) == set(values):
            return number
    shown = ", ".join(str(list(names)) for names in sets)
    raise BenchError(f"{sorted(values)}: must be one of the control sets, {shown}")


def _chosen(values: Values, choices: Mapping[str, Sequence[str]]) -> dict[str, int]:
    for name, value in values.items():
        if value not in choices[name]:
            raise BenchError(f"{name}: {value!r} is none of {', '.join(choices[name])}")
    return {name: choices[name].index(value) for name, value in values.items()}


def _within(values: Values, bounds: Mapping[str, tuple[float, float]]) -> Float[np.ndarray, "1 c"]:
    if set(values) != set(bounds):
        raise BenchError(f"{sorted(values)}: all of {', '.join(bounds)} must be set")
    for name, (low, high) in bounds.items():
        if not low - 1e-9 <= float(values[name]) <= high + 1e-9:
            raise BenchError(f"{name}: {values[name]!r} lies outside [{low:g}, {high:g}]")
    return np.array([[float(values[name]) for name in bounds]])


@functools.cache
def _yields(table: str, names: tuple[str, ...]) -> Float[np.ndarray, " ..."]:
    """Yields by choice; what was not measured has the mean over the third column."""
    choices, found = _choices(table, names), columns(table)
    cube = np.full([len(choices[name]) for name in names], np.nan)
    places = tuple([choices[name].index(word) for word in found[name]] for name in names)
    cube[places] = [float(word) for word in found["yield"]]
    return np.where(np.isnan(cube), np.nanmean(cube, axis=2, keepdims=True), cube)


@dataclass(frozen=True)
class Reactions(Blind):
    """Every reaction of a full table: who sets nothing of a variable has it from nature, uniformly.

    Attributes:
        table: its name.
        names: of its variables.
        sets: which of them are set together, and `costs` of these; None: nothing costs.
        seed: of noise and nature.
    """

    table: str
    names: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...]
    costs: tuple[float, ...] | None
    seed: int

    @property
    def known(self) -> dict[str, Any]:
        """Choices, laws of what nature draws, control sets with their prices and what a percent is worth."""
        law = {"kind": "uniform"} if self.costs else None
        variables = [
            {"name": name, "choices": choices, "law": law}
            for name, choices in _choices(self.table, self.names).items()
        ]
        prices = {"costs": list(self.costs), "worth": WORTH} if self.costs else {"costs": None}
        sets = [list(names) for names in self.sets]
        return {"wing": "cost-varying", "variables": variables, "control_sets": sets, **prices}

    def _price(self, number: int) -> float:
        return self.costs[number] if self.costs else 1.0

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """The yield of one reaction, with noise."""
        choices, random = _choices(self.table, self.names), keyed(self.seed, number, "nature")
        cost = self._price(_held(values, self.sets))
        drawn = {name: int(random.integers(len(choices[name]))) for name in self.names}
        at = drawn | _chosen(values, choices)
        found = float(_yields(self.table, self.names)[tuple(at[name] for name in self.names)])
        realised = {name: choices[name][at[name]] for name in self.names}
        return Outcome(found + NOISE * float(random.normal()), cost, realised)

    def truth(self, values: Values) -> float:
        """The expected yield, less the price in percent of yield."""
        number = _held(values, self.sets)
        at = _chosen(values, _choices(self.table, self.names))
        cube = _yields(self.table, self.names)
        found = float(cube[tuple(at.get(name, slice(None)) for name in self.names)].mean())
        return found - (self._price(number) / WORTH if self.costs else 0.0)

    @functools.cached_property
    def best(self) -> float:
        """The largest of these."""
        return _best_of(self.table, self.names, self.sets, self.costs)

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """Less than the best."""
        return max(self.best - self.truth(values), 0.0)


@functools.cache
def _best_of(
    table: str,
    names: tuple[str, ...],
    sets: tuple[tuple[str, ...], ...],
    costs: tuple[float, ...] | None,
) -> float:
    cube, found = _yields(table, names), []
    for number, held in enumerate(sets):
        free = tuple(axis for axis, name in enumerate(names) if name not in held)
        price = costs[number] / WORTH if costs else 0.0
        found.append(float(cube.mean(axis=free).max()) - price)
    return max(found)


@dataclass(frozen=True)
class Barrels(Blind):
    """Six hundred designs, each printed and crushed three times: a play is one of the three, so that noise is real.

    Between designs the nearest one is built.
    """

    seed: int
    bounds: ClassVar[dict[str, tuple[float, float]]] = {
        "n": (6.0, 12.0),
        "theta": (0.0, 200.0),
        "r": (1.5, 2.5),
        "t": (0.7, 1.4),
    }
    steps: ClassVar[dict[str, float]] = {"n": 1.0, "theta": 25.0, "r": 0.1, "t": 0.35}

    @property
    def known(self) -> dict[str, Any]:
        """Bounds and steps."""
        return _all_held(self.bounds, self.steps)

    def design(self, values: Values) -> Float[np.ndarray, " three"]:
        """The toughness of the three that were built of the nearest design."""
        near, three = _designs()
        return three[int(near.places(_within(values, self.bounds))[0][0, 0])]

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """One of the three."""
        picked = int(keyed(self.seed, number, "barrel").integers(3))
        return Outcome(float(self.design(values)[picked]))

    def truth(self, values: Values) -> float:
        """Their mean."""
        return float(self.design(values).mean())

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """Less than the toughest design."""
        return float(_designs()[1].mean(axis=1).max()) - self.truth(values)


@functools.cache
def _designs() -> tuple[Nearest, Float[np.ndarray, "n three"]]:
    rows = numbers("barrel", *Barrels.bounds)
    toughness = numbers("barrel", "toughness")[:, 0]
    designs, which = np.unique(rows, axis=0, return_inverse=True)
    three = toughness[np.argsort(which.ravel(), kind="stable")].reshape(-1, 3)
    return Nearest(designs, three[:, 0], 1), three


def _all_held(
    bounds: Mapping[str, tuple[float, float]], steps: Mapping[str, float]
) -> dict[str, Any]:
    variables = [
        {"name": name, "low": low, "high": high, "law": None}
        | ({"step": steps[name]} if name in steps else {})
        for name, (low, high) in bounds.items()
    ]
    return {"wing": "cost-varying", "variables": variables, "control_sets": [list(bounds)], "costs": None}  # fmt: skip


@dataclass(frozen=True)
class Blends(Blind):
    """Four polymers whose shares sum to 1, and minus how far the blend degrades; shares are divided by their sum."""

    seed: int
    bounds: ClassVar[dict[str, tuple[float, float]]] = dict.fromkeys(
        ("wf3", "p3ht", "pcbm", "oidtbr"), (0.0, 1.0)
    )

    @property
    def known(self) -> dict[str, Any]:
        """Bounds, and what sums to 1."""
        return {**_all_held(self.bounds, {}), "mixture": list(self.bounds)}

    def truth(self, values: Values) -> float:
        """Minus the degradation, of the four compositions that are nearest."""
        shares = _within(values, self.bounds)
        total = float(shares.sum())
        even = np.full_like(shares, 1 / shares.size)
        return -float(_compositions().mean(shares / total if total > 0 else even)[0])

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """That, with noise."""
        noise = _DEGRADED * float(keyed(self.seed, number, "noise").normal())
        return Outcome(self.truth(values) + noise)

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """Less than the composition that degrades least."""
        return max(-float(_compositions().values.min()) - self.truth(values), 0.0)


@functools.cache
def _compositions() -> Nearest:
    rows = numbers("opv", *Blends.bounds)
    return Nearest(rows, numbers("opv", "degradation")[:, 0], 4)
