"""What real systems have beside prices: something is seen first, moving costs, weather hangs together, optima move.

Functions are drawn anew for each seed, all variables lie in [0, 1], and what sets cost is told.
Where the best changes from round to round, regret is how far a play falls short of what is good
enough (`TOLERANCE` below the best) now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from ..protocol import Blind, Outcome, Values
from ..randomness import keyed
from .sets import set_of
from .waves import SD, Waves, largest, nature

PRICES = (0.1, 0.3, 1.0)
TOLERANCE = 0.1
ROUNDS = 100
_NOISE = 0.02
_NAMES = ("x1", "x2", "x3")
_NESTED = [["x1"], ["x1", "x2"], ["x1", "x2", "x3"]]


def _told(
    names: Sequence[str], sets: Sequence[Sequence[str]], costs: Sequence[float], **more: Any
) -> dict[str, Any]:
    law = {"kind": "truncated-normal", "mean": 0.5, "sd": SD, "moments": "truncated"}
    variables = [{"name": name, "low": 0.0, "high": 1.0, "law": law} for name in names]
    return {"wing": "cost-varying", "variables": variables, "control_sets": [list(each) for each in sets],
            "costs": list(costs), "tolerance": TOLERANCE, **more}  # fmt: skip


def _lengthscales(seed: int) -> list[float]:
    """.4 of the first variable, .4 to 4 of the others."""
    return [0.4, *(0.4 * 10 ** keyed(seed, 0, "lengthscales").random(2))]


@dataclass(frozen=True)
class Changing(Blind):
    """What is best changes from round to round: with what is seen before, or with time.

    Attributes:
        kind: "seen", where z is told before each round; "slides", by .6 along x1; "switch", to
            another function.
        seed: of the function, what is seen, nature and noise.
    """

    kind: str
    seed: int

    @cached_property
    def known(self) -> dict[str, Any]:
        """Prices and laws; what is seen; that something may drift."""
        more = (
            {"seen": [{"name": "z", "low": 0.0, "high": 1.0}]}
            if self.kind == "seen"
            else {"drift": "learned"}
        )
        return _told(_NAMES, _NESTED, PRICES, **more)

    def now(self, number: int) -> dict[str, Any]:
        """What is seen."""
        return {"context": {"z": self._at(number)}} if self.kind == "seen" else {}

    def _at(self, number: int) -> float:
        """What is seen, or the share of the rounds that is over."""
        return (
            float(keyed(self.seed, number, "context").random())
            if self.kind == "seen"
            else number / ROUNDS
        )

    @cached_property
    def _functions(self) -> tuple[Waves, ...]:
        scales = _lengthscales(self.seed) + [0.5] * (self.kind == "seen")
        return tuple(Waves.draw(self.seed, scales, k) for k in range(1 + (self.kind == "switch")))

    def _function(self, number: int) -> tuple[Waves, dict[int, float]]:
        """The function of a round, and what of it nobody sets or draws."""
        z = self._at(number)
        if self.kind == "seen":
            return self._functions[0], {3: z}
        if self.kind == "slides":
            return self._functions[0].moved([0.6 * z, 0.0, 0.0]), {}
        return self._functions[z > 0.5], {}

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """Nature draws what is not held."""
        i, random = set_of(values, _NESTED), keyed(self.seed, number, "nature")
        drawn = dict(zip(_NAMES, nature(random.random(3)).tolist(), strict=True)) | dict(values)
        waves, given = self._function(number)
        value = float(waves.value(np.array([[*drawn.values(), *given.values()]]))[0])
        told = drawn | ({"z": given[3]} if given else {})
        return Outcome(value + _NOISE * float(random.normal()), PRICES[i], told)

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """How far below what is good enough now."""
        waves, given = self._function(number)
        held = {_NAMES.index(name): float(value) for name, value in values.items()}

        def all_held(x: np.ndarray) -> np.ndarray:
            return waves.value(
                np.column_stack([x, np.full((len(x), len(given)), [*given.values()])])
            )

        best = largest(all_held, 3, screen=512, starts=3)
        return max(best - TOLERANCE - waves.expected(held | given), 0.0)


@dataclass(frozen=True)
class Moving(Blind):
    """All variables are set in every round, for 1; to move those that are hard to change costs more.

    Attributes:
        dimension: how many variables there are.
        hard: how many of them, the first, are hard to change.
        fixed: what any change of one of these costs; `per_unit`: what each unit of its way does.
        seed: of the function and noise.
    """

    dimension: int
    hard: int
    fixed: float
    per_unit: float
    seed: int
    _last: dict[str, float] = field(default_factory=dict, compare=False)

    @property
    def names(self) -> list[str]:
        """Of the variables."""
        return [f"x{d + 1}" for d in range(self.dimension)]

    @property
    def known(self) -> dict[str, Any]:
        """What a play costs, and what changes do."""
        told = _told(self.names, [self.names], [1.0], tolerance=None)
        change = {"fixed": self.fixed, "per_unit": self.per_unit}
        return told | {"variables": [v | {"law": None} | ({"change": change} if d < self.hard else {})
                                     for d, v in enumerate(told["variables"])]}  # fmt: skip

    @cached_property
    def _waves(self) -> Waves:
        return Waves.draw(
            self.seed,
            (0.3 * 3 ** keyed(self.seed, 0, "lengthscales").random(self.dimension)).tolist(),
        )

    @cached_property
    def _best(self) -> float:
        return largest(self._waves.value, self.dimension, screen=4096, starts=20)

    def _value(self, values: Values) -> float:
        set_of(values, [self.names])
        return float(self._waves.value(np.array([[float(values[name]) for name in self.names]]))[0])

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """What it costs depends on what was played before."""
        value, cost = (
            self._value(values) + _NOISE * float(keyed(self.seed, number, "noise").normal()),
            1.0,
        )
        for name in self.names[: self.hard]:
            way = abs(float(values[name]) - self._last.get(name, float(values[name])))
            cost += self.fixed + self.per_unit * way if way > 0 else 0.0
        self._last.update({name: float(values[name]) for name in self.names})
        return Outcome(value, cost, dict(values))

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """Less than the function's largest value."""
        return max(self._best - self._value(values), 0.0)


@dataclass(frozen=True)
class Weather(Blind):
    """Two variables that nature draws hang together, and a log of a year is given; one of them can be held, too.

    Attributes:
        rho: their correlation.
        seed: of the function, the log, nature and noise.
    """

    rho: float
    seed: int
    sets: ClassVar[list[list[str]]] = [["x1"], ["x1", "x2"]]

    @cached_property
    def _days(self) -> Float[np.ndarray, "n 2"]:
        """All that nature draws from; the log is 365 of them."""
        drawn = keyed(self.seed, 0, "days").multivariate_normal(
            [0, 0], [[1, self.rho], [self.rho, 1]], 1000
        )
        return np.clip(0.5 + SD * drawn, 0.0, 1.0)

    @cached_property
    def known(self) -> dict[str, Any]:
        """Prices, and the log."""
        rows = self._days[keyed(self.seed, 0, "log").choice(len(self._days), 365, replace=False)]
        told = _told(
            _NAMES, self.sets, (0.1, 1.0), nature={"names": ["x2", "x3"], "rows": rows.tolist()}
        )
        return told | {"variables": [v | {"law": None} for v in told["variables"]]}

    @cached_property
    def _waves(self) -> Waves:
        return Waves.draw(self.seed, [0.4] * 3)

    def _expected(self, settings: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        x = np.empty((len(settings), len(self._days), 3))
        x[:, :, 1:] = self._days
        x[:, :, : settings.shape[1]] = settings[:, None]
        return np.array([float(self._waves.value(points).mean()) for points in x])

    @cached_property
    def _best(self) -> float:
        return max(largest(self._expected, c, screen=32 * c, starts=2) for c in (1, 2))

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """A day, and what is held on it."""
        random = keyed(self.seed, number, "nature")
        day = self._days[int(random.integers(len(self._days)))].tolist()
        x = dict(zip(_NAMES[1:], day, strict=True)) | dict(values)
        value = float(self._waves.value(np.array([[x[name] for name in _NAMES]]))[0])
        return Outcome(
            value + _NOISE * float(random.normal()), (0.1, 1.0)[set_of(values, self.sets)], x
        )

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """Less than the largest expected value of both sets."""
        settings = [float(values[name]) for name in self.sets[set_of(values, self.sets)]]
        return max(self._best - float(self._expected(np.array([settings]))[0]), 0.0)
