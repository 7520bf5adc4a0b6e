"""A drawn problem that is played: what is told of it, what nature does, and what a play is truly worth."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr, ndtri

from ..errors import BenchError
from ..laws import parent_sd, quantile
from ..protocol import Blind, Outcome, Values
from ..randomness import even_points, keyed
from .functions import Drawn, draw
from .noise import noise

NODES = 1024  # of the average over nature
_COARSE = 128  # of the same, while the best is looked for
_SCREEN, _REFINED = 512, 6
# of time or of what is seen at which the best is looked for; between these it is interpolated
_PLACES = 7
_ROWS = 300  # of nature that are told


@dataclass(frozen=True)
class Shape:
    """All that makes a drawn problem, but its functions.

    Attributes:
        levels: of every variable; 0: it is a number from 0 to 1.
        sets: numbers of the variables that each control set holds, with `prices` a play.
        sds: of the law of every variable, about the middle; None: uniform.
        interaction: the share of terms that several variables enter.
        noise: one of `NOISES`.
        correlation: of neighbours among what nature draws; where it is not 0, rows of nature are
            told in place of laws.
        drift: "linear", "seasonal" or "jump" to another function, or "".
        seen: the number of a variable that is seen before choosing; it is in no set.
        changes: what moving a variable costs: fixed, and per unit.
        limit: x0 + x1 may not exceed this; both are in every set.
        tolerance: what may be given up for a cheaper set; `worth`: what a unit of value is worth in
            money, None: money buys rounds only.
        money: to be spent; `rounds`: at most.
    """

    levels: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    prices: tuple[float, ...]
    sds: tuple[float | None, ...]
    interaction: float
    noise: str
    correlation: float = 0.0
    drift: str = ""
    seen: int | None = None
    changes: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    limit: float | None = None
    tolerance: float | None = None
    worth: float | None = None
    money: float = 60.0
    rounds: int = 90

    @property
    def d(self) -> int:
        """How many variables there are."""
        return len(self.levels)

    @property
    def words(self) -> str:
        """Its traits, for people."""
        held = (
            f"{len(self.sets)} sets of {self.d} variables"
            if len(self.sets) > 1
            else f"{self.d} variables"
        )
        said = [held, f"interaction {self.interaction:.1f}", self.noise]
        said += ["categories"] * any(self.levels) + ["correlated nature"] * (self.correlation > 0)
        said += [f"drift {self.drift}"] * bool(self.drift) + ["context"] * (self.seen is not None)
        return ", ".join(
            said + ["changes"] * bool(self.changes) + ["a limit"] * (self.limit is not None)
        )


class FreshWorld(Blind):
    """A shape with a seed, as an entrant plays it."""

    def __init__(self, shape: Shape, seed: int, draws: int = 0) -> None:
        """`draws` tells runs of one problem apart: other noise, other nature, the same functions."""
        self.shape, self.seed = shape, seed
        self._luck = seed + 7919 * draws
        self._last: dict[int, Any] = {}
        self._looked: float | None = None

    @cached_property
    def names(self) -> list[str]:
        """Of the variables."""
        return [f"x{j + 1}" for j in range(self.shape.d)]

    @cached_property
    def known(self) -> dict[str, Any]:
        """What is told: variables with laws, sets with prices, changes, limits; that it may drift."""
        shape = self.shape
        drawn = [j for j in range(shape.d) if j != shape.seen]
        told: dict[str, Any] = {
            "wing": "cost-varying",
            "variables": [self._told(j) for j in drawn],
            "control_sets": [[self.names[j] for j in held] for held in shape.sets],
            "costs": list(shape.prices),
            "tolerance": shape.tolerance,
        }
        if shape.seen is not None:
            told["seen"] = [{"name": self.names[shape.seen], "low": 0.0, "high": 1.0}]
        if shape.correlation:
            free = [j for j in drawn if not all(j in held for held in shape.sets)]
            rows = self._decoded(self._nature(keyed(self.seed, 0, "rows").random((_ROWS, shape.d))))
            told["nature"] = {
                "names": [self.names[j] for j in free],
                "rows": [[row[j] for j in free] for row in rows],
            }
        if shape.drift:
            told["drift"] = "learned"
        if shape.limit is not None:
            told["limit"] = {
                "weights": {self.names[0]: 1.0, self.names[1]: 1.0},
                "at_most": shape.limit,
            }
        if shape.worth is not None:
            told["worth"] = shape.worth
        return told

    def _told(self, j: int) -> dict[str, Any]:
        shape, always = self.shape, all(j in held for held in self.shape.sets)
        change = shape.changes.get(j)
        moved = {} if change is None else {"change": {"fixed": change[0], "per_unit": change[1]}}
        sd = shape.sds[j]
        law: dict[str, Any] | None = {"kind": "uniform"}
        if sd is not None and not shape.levels[j]:
            law = {"kind": "truncated-normal", "mean": 0.5, "sd": sd, "moments": "truncated"}
        if always or shape.correlation:
            law = None
        over = {"choices": self._choices(j)} if shape.levels[j] else {"low": 0.0, "high": 1.0}
        return {"name": self.names[j], **over, "law": law, **moved}

    def _choices(self, j: int) -> list[str]:
        return [f"{chr(97 + k)}" for k in range(self.shape.levels[j])]

    # -- codes: a category is the place of its level, a number is itself ---------------------------

    def _nature(self, uniform: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Codes that nature draws, given uniform numbers."""
        shape, u = self.shape, uniform
        if shape.correlation:
            z, rho = ndtri(np.clip(u, 1e-9, 1 - 1e-9)), shape.correlation
            for j in range(1, shape.d):
                z[:, j] = rho * z[:, j - 1] + math.sqrt(1 - rho**2) * z[:, j]
            u = ndtr(z)
        found = np.empty_like(u)
        for j, (levels, sd) in enumerate(zip(shape.levels, shape.sds, strict=True)):
            found[:, j] = (
                np.minimum(np.floor(u[:, j] * levels), levels - 1)
                if levels
                else u[:, j]
                if sd is None
                else quantile(u[:, j], parent_sd(sd))
            )
        return found

    def _decoded(self, codes: Float[np.ndarray, "n d"]) -> list[list[Any]]:
        """In the words that are told."""
        choices = [
            self._choices(j) if levels else None for j, levels in enumerate(self.shape.levels)
        ]
        return [
            [float(c) if of is None else of[int(c)] for c, of in zip(row, choices, strict=True)]
            for row in codes
        ]

    def code(self, j: int, value: Any) -> float:
        """A value as a number."""
        return float(self._choices(j).index(value)) if self.shape.levels[j] else float(value)

    @cached_property
    def _places(self) -> list[np.ndarray | None]:
        """Where each level of a category lies, hidden; its order means nothing."""
        return [
            keyed(self.seed, j, "levels").random(n) if n else None
            for j, n in enumerate(self.shape.levels)
        ]

    def _points(self, codes: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Codes in the cube on which functions stand."""
        points = codes.copy()
        for j, places in enumerate(self._places):
            if places is not None:
                points[:, j] = places[codes[:, j].astype(int)]
        return points

    # -- truth -------------------------------------------------------------------------------------

    @cached_property
    def functions(self) -> tuple[Drawn, ...]:
        """The function, and the one it drifts to."""
        first = draw(self.seed, self.shape.d, self.shape.interaction)
        return (
            (first, draw(self.seed, self.shape.d, self.shape.interaction, "later"))
            if self.shape.drift
            else (first,)
        )

    def _later(self, number: float) -> float:
        """How much of the later function is in a round's."""
        shape, random = self.shape, keyed(self.seed, 0, "drift")
        at, period = float(random.uniform(0.3, 0.7)) * shape.rounds, float(random.uniform(12, 30))
        if shape.drift == "linear":
            return min(0.9 * number / shape.rounds, 0.9)
        if shape.drift == "jump":
            return 0.9 * (number > at)
        return 0.9 * math.sin(2 * math.pi * number / period) if shape.drift else 0.0

    def values(
        self, codes: Float[np.ndarray, "n d"], later: float = 0.0
    ) -> Float[np.ndarray, " n"]:
        """Without noise."""
        points = self._points(codes)
        if not self.shape.drift:
            return self.functions[0].value(points)
        return math.sqrt(1 - later**2) * self.functions[0].value(points) + later * self.functions[
            1
        ].value(points)

    def expected(
        self,
        held: Sequence[int],
        settings: Float[np.ndarray, "p c"],
        later: float = 0.0,
        z: float | None = None,
        nodes: int = NODES,
    ) -> Float[np.ndarray, " p"]:
        """The average over nature at settings, as codes, of what is held; where something is seen, there."""
        shape = self.shape
        free = [j for j in range(shape.d) if j not in held and j != shape.seen]
        average = nodes if free or (shape.seen is not None and z is None) else 1
        codes = self._nature(even_points(average, shape.d, 3))
        if z is not None and shape.seen is not None:
            codes[:, shape.seen] = z
        found = np.empty(len(settings))
        step = max(1, 200_000 // average)
        for start in range(0, len(settings), step):
            part = settings[start : start + step]
            x = np.repeat(codes[None], len(part), axis=0)
            x[:, :, list(held)] = part[:, None]
            found[start : start + step] = (
                self.values(x.reshape(-1, shape.d), later).reshape(len(part), -1).mean(axis=1)
            )
        return found

    def net(self, values: Values, value: float) -> float:
        """A value less what its set costs, where value has a price."""
        return self._net(self.set_of(values), value)

    def kept(self, values: Values) -> Values:
        """Values moved towards the middle until the limit is kept."""
        if self.shape.limit is None:
            return values
        over = float(values["x1"]) + float(values["x2"])
        share = min((self.shape.limit - 1) / (over - 1), 1.0) if over > self.shape.limit else 1.0
        moved = {name: 0.5 + share * (float(values[name]) - 0.5) for name in ("x1", "x2")}
        return dict(values) | moved if share < 1 else values

    def _net(self, i: int, value: float) -> float:
        worth = self.shape.worth
        return value if worth is None else value - self.shape.prices[i] / worth

    @cached_property
    def _bests(self) -> dict[float, tuple[float, ...]]:
        """The best expected value of each set, by time or by what is seen."""
        shape = self.shape
        if shape.seen is not None:
            return {z: self._best_of(0.0, z) for z in np.linspace(0, 1, _PLACES).tolist()}
        if shape.drift:
            return {s: self._best_of(s, None) for s in np.linspace(-0.9, 0.9, _PLACES).tolist()}
        return {0.0: self._best_of(0.0, None)}

    def _best_of(self, later: float, z: float | None) -> tuple[float, ...]:
        return tuple(self._best_in(held, later, z) for held in self.shape.sets)

    def _best_in(self, held: tuple[int, ...], later: float, z: float | None) -> float:
        """By many settings, and steps from the best of them that get shorter."""
        random, levels = keyed(self.seed, len(held), "best"), [self.shape.levels[j] for j in held]
        screen = even_points(_SCREEN, len(held), 5)
        screen = np.vstack([screen, np.full((1, len(held)), 0.5)])
        found = self._settable(held, self._coded(screen, levels))
        values = self.expected(held, found, later, z, _COARSE)
        top = found[np.argsort(-values)[:_REFINED]]
        for width in (0.2, 0.1, 0.05, 0.025, 0.012, 0.006):
            steps = (
                width
                * random.normal(size=(12, *top.shape))
                * (random.random((12, *top.shape)) < 0.6)
            )
            near = np.where(np.array(levels) > 0, top, np.clip(top + steps, 0, 1)).reshape(
                -1, len(held)
            )
            near = self._settable(held, np.vstack([top, near]))
            values = self.expected(held, near, later, z, _COARSE)
            top = near[np.argsort(-values)[:_REFINED]]
        return float(self.expected(held, top, later, z).max())

    @staticmethod
    def _coded(unit: Float[np.ndarray, "n c"], levels: Sequence[int]) -> Float[np.ndarray, "n c"]:
        of = np.array(levels)
        return np.where(of > 0, np.minimum(np.floor(unit * of), np.maximum(of - 1, 0)), unit)

    def _settable(
        self, held: Sequence[int], settings: Float[np.ndarray, "n c"]
    ) -> Float[np.ndarray, "n c"]:
        """Those that keep the limit."""
        if self.shape.limit is None:
            return settings
        total = settings[:, [list(held).index(0), list(held).index(1)]].sum(axis=1)
        return settings[total <= self.shape.limit + 1e-9]

    def best(self, number: int) -> float:
        """What could be had in a round, less what it costs where value has a price."""
        at = self._seen(number) if self.shape.seen is not None else self._later(number)
        places = np.array(list(self._bests))
        table = np.array(list(self._bests.values()))
        each = [float(np.interp(at, places, table[:, i])) for i in range(len(self.shape.sets))]
        return max(self._net(i, value) for i, value in enumerate(each))

    def set_of(self, values: Values) -> int:
        """Which control set values belong to, in any order.

        Raises:
            BenchError: to none; or a limit is broken.
        """
        sets = [{self.names[j] for j in held} for held in self.shape.sets]
        if set(values) not in sets:
            raise BenchError(
                f"{sorted(values)}: must be one of the control sets, {', '.join(map(str, map(sorted, sets)))}"
            )
        limit = self.shape.limit
        if limit is not None and float(values["x1"]) + float(values["x2"]) > limit + 1e-6:
            raise BenchError(
                f"x1 {values['x1']:g}, x2 {values['x2']:g}: their sum must be at most {limit:g}"
            )
        return sets.index(set(values))

    def true_value(self, values: Values, number: int | None = None, nodes: int = NODES) -> float:
        """The expected value of settings: in a round, or, without one, on average over what is seen."""
        held = self.shape.sets[self.set_of(values)]
        at = np.array([[self.code(j, values[self.names[j]]) for j in held]])
        z = self._seen(number) if number is not None and self.shape.seen is not None else None
        return float(
            self.expected(held, at, 0.0 if number is None else self._later(number), z, nodes)[0]
        )

    # -- play --------------------------------------------------------------------------------------

    def at(self, number: int, z: float) -> FreshWorld:
        """The same, where z is seen; what was searched for is kept."""
        found = copy.copy(self)
        found._looked = z
        return found

    def _seen(self, number: int) -> float:
        return (
            self._looked
            if self._looked is not None
            else float(keyed(self._luck, number, "context").random())
        )

    def now(self, number: int) -> dict[str, Any]:
        """What is seen."""
        return (
            {}
            if self.shape.seen is None
            else {"context": {self.names[self.shape.seen]: self._seen(number)}}
        )

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """Nature draws what is not held, the same whoever plays."""
        shape, i, random = self.shape, self.set_of(values), keyed(self._luck, number, "nature")
        codes = self._nature(random.random((1, shape.d)))
        cost = shape.prices[i]
        for j in shape.sets[i]:
            codes[0, j] = self.code(j, values[self.names[j]])
        if shape.seen is not None:
            codes[0, shape.seen] = self._seen(number)
        for j, (fixed, per_unit) in shape.changes.items():
            if j in shape.sets[i]:
                way = abs(codes[0, j] - self._last.get(j, codes[0, j]))
                cost += (fixed + per_unit * way) if way > 0 else 0.0
                self._last[j] = float(codes[0, j])
        value = float(self.values(codes, self._later(number))[0]) + noise(
            shape.noise, self._points(codes)[0], random
        )
        realised = dict(zip(self.names, self._decoded(codes)[0], strict=True))
        return Outcome(value, cost, realised)

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """What lacks to the best of the round; the search for the best may be passed by a hair."""
        return self.best(number) - self._net(self.set_of(values), self.true_value(values, number))
