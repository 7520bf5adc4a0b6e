"""What is set, what is seen and the time as columns of numbers from 0 to 1, for peers that can hold some of them."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from ..protocol import Look, Outcome, Values
from ..randomness import keyed
from ..space import Parameter, space_of

_STARTS = 5


class Columns:
    """Settings first, then contexts, then time: rounds, in units of those so far, so that a budget changes nothing.

    Args:
        known: of the problem.
        seed: of the first plays, which are drawn.
        timed: whether time is a column where the problem is not time-varying, too.
    """

    def __init__(self, known: Mapping[str, Any], seed: int, timed: bool = False) -> None:
        self.known, self.seed, self.space = known, seed, space_of(known)
        self.settings = [p for p in self.space.parameters if p.name != "controls"]
        self.looks, self.contexts = looked_at(known), seen_first(known)
        self.timed = timed or known["wing"] == "time-varying"
        self.width = len(self.settings) + len(self.contexts) + self.timed
        self.X: list[list[float]] = []
        self.y: list[float] = []
        self.chosen: list[int | None] = []
        self.now: Mapping[str, Any] = {}
        self.seen: Values = {}
        self.asked: Float[np.ndarray, " w"] | None = None

    def begin(self, now: Mapping[str, Any]) -> bool:
        """A round begins; whether there is something to look at."""
        self.now, self.seen = now, now.get("context", {})
        return bool(self.looks)

    def see(self, seen: Values) -> None:
        """What was seen."""
        self.seen = {**self.seen, **seen}

    def fixed(self) -> Iterator[tuple[int | None, dict[int, float]]]:
        """For each control set (None: there are none) the columns that cannot be chosen, and their values."""
        held = {
            len(self.settings) + k: _scaled(p, self.seen[p.name])
            for k, p in enumerate(self.contexts)
        }
        if self.timed:
            held[self.width - 1] = 1.0
        sets = self.known.get("control_sets")
        for chosen, names in enumerate(sets) if sets else [(None, None)]:
            middle = {
                k: 0.5
                for k, p in enumerate(self.settings)
                if names is not None and p.name not in names
            }
            yield chosen, {**held, **middle}

    def drawn(self) -> dict[str, Any]:
        """A first play: a control set, then settings, by chance."""
        random = keyed(self.seed, self.now["round"], "first plays")
        sets = self.known.get("control_sets")
        chosen = int(random.integers(len(sets))) if sets else None
        return self.values(chosen, random.random(self.width))

    def values(self, chosen: int | None, x: Float[np.ndarray, " w"]) -> dict[str, Any]:
        """A point as values to set."""
        self.asked = x
        point: dict[str, Any] = {} if chosen is None else {"controls": chosen}
        for u, p in zip(x, self.settings, strict=False):
            point[p.name] = (
                min(int(u * p.size), p.size - 1) if p.size else p.low + (p.high - p.low) * float(u)
            )
        return self.space.values(point, self.now)

    def learn(self, values: Values, outcome: Outcome) -> None:
        """A play as a row; what was given before the first round, too, where it says every column."""
        row = self._row(values, outcome)
        if row is not None:
            sets = [set(names) for names in self.known.get("control_sets") or ()]
            self.chosen.append(sets.index(set(values)) if set(values) in sets else None)
            self.X.append(row)
            self.y.append(self.space.sign * outcome.value)

    def _row(self, values: Values, outcome: Outcome) -> list[float] | None:
        told = {**outcome.realised, **self.seen, **values}
        if self.known["wing"] == "mean-field":
            return [float(share) for share in np.ravel(values["distribution"])]
        clock = [float(outcome.realised.get("time", self._time))] if self.timed else []
        if self.known["wing"] == "time-varying":
            at = self.space.point(values) or {}
            return [*((at[p.name] + 0.5) / (p.size or 1) for p in self.settings), *clock]
        if any(p.name not in told for p in (*self.settings, *self.contexts)):
            return None
        return [*(_scaled(p, told[p.name]) for p in (*self.settings, *self.contexts)), *clock]

    @property
    def _time(self) -> float:
        return float(self.now.get("time", self.now.get("round", 1)))

    def data(self) -> tuple[Float[np.ndarray, "n w"], Float[np.ndarray, " n"]]:
        """All plays; time is 1 now."""
        X = np.array(self.X, dtype=float)
        if self.timed:
            X[:, -1] /= self._time
        return X, np.array(self.y, dtype=float)


def _scaled(p: Parameter, value: Any) -> float:
    return (
        (p.code(value) + 0.5) / p.size
        if p.choices and p.size
        else (float(value) - p.low) / (p.high - p.low)
    )


class OnColumns(ABC):
    """An entrant that looks at all it can, fixes what it saw and the time, and searches the rest; five draws first.

    Args:
        known: of the problem.
        seed: of the first plays.
        timed: whether time is a column where the problem is not time-varying, too.
    """

    def __init__(self, known: Mapping[str, Any], seed: int, timed: bool = False) -> None:
        self.columns = Columns(known, seed, timed)

    def ask(self, now: Mapping[str, Any]) -> Values | Look:
        """Looks first, where there is something to look at."""
        return Look(self.columns.looks) if self.columns.begin(now) else self.decide({})

    def decide(self, seen: Values) -> Values:
        """The best point found, given what was seen."""
        self.columns.see(seen)
        if len(self.columns.y) < _STARTS:
            return self.first()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fits that were tried again
            return self.columns.values(*self.best())

    def first(self) -> Values:
        """One of the first plays, by chance."""
        return self.columns.drawn()

    @abstractmethod
    def best(self) -> tuple[int | None, Float[np.ndarray, " w"]]:
        """The control set (None: there are none), and all columns."""

    def tell(self, values: Values, outcome: Outcome) -> None:
        """What was played, seen, and what came."""
        self.columns.learn(values, outcome)


def seen_first(known: Mapping[str, Any]) -> list[Parameter]:
    """What is known before acting: what can be looked at, and what is told."""
    looks = [Parameter(name, *known["ranges"][name]) for name in looked_at(known)]
    return looks + [
        Parameter(seen["name"], seen["low"], seen["high"]) for seen in known.get("seen", ())
    ]


def looked_at(known: Mapping[str, Any]) -> list[str]:
    """Contexts that no action affects: all of these can be looked at before acting. None but in causal problems."""
    if known["wing"] != "causal":
        return []
    below, waiting = set[str](), list(known["settable"])
    while waiting:
        if (name := waiting.pop()) not in below:
            below.add(name)
            waiting += [effect for cause, effect in known["directed"] if cause == name]
    return [name for name in known["contexts"] if name not in below]
