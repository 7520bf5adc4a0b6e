"""Simple rules: what people do without an optimiser. Each is a plan of plays that learns one value from each.

A rule knows what sets cost, what may be given up for a cheaper one, and, where it is told, what a
unit of value is worth in money. Limits it keeps by moving towards the middle. It looks at nothing
and forgets nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from ..protocol import Outcome, Values
from ..randomness import keyed
from ..space import Parameter, space_of

Unit = Float[np.ndarray, " c"]
Play = tuple[int, Unit]
Plan = Generator[Play, float, None]

LEVELS = 7  # of a sweep
RETUNED = 12  # plays between two tunings
_LEARNED = 8  # plays between two fits of a parabola, once there are enough
_RIDGE = 0.3


class Rule:
    """A plan: it yields a control set's number and settings in the unit cube, and is sent what they gave."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        self.known, self.space = known, space_of(known)
        self.random = keyed(seed, 0, f"rule {type(self).__name__}")
        sets = known.get("control_sets") or [None]
        self.sets: list[list[Parameter]] = [
            [
                p
                for p in self.space.parameters
                if p.name != "controls" and (names is None or p.name in names)
            ]
            for names in sets
        ]
        self.costs = np.array(known.get("costs") or [float(len(each)) for each in self.sets])
        self.cheapest = int(self.costs.argmin())
        self.fullest = max(range(len(self.sets)), key=lambda i: (len(self.sets[i]), -self.costs[i]))
        self.played: list[tuple[int, Unit, float]] = []
        self.held: Play = (self.cheapest, self.middle(self.cheapest))
        self.plan = self.plays()
        self.next = next(self.plan)
        self.asked = False

    def plays(self) -> Plan:
        """The plan, without an end."""
        raise NotImplementedError

    # -- an entrant --------------------------------------------------------------------------------

    def ask(self, now: Mapping[str, Any]) -> Values:
        """The next play of the plan."""
        self.asked = True
        return self.values(*self.next, now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """What it gave, larger is better; what was given before the first round is left aside."""
        if not self.asked:
            return
        worth = self.known.get("worth")
        net = self.space.sign * outcome.value - (self.costs[self.next[0]] / worth if worth else 0.0)
        self.played.append((*self.next, net))
        self.observe(outcome, net)
        self.next = self.plan.send(net)

    def observe(self, outcome: Outcome, net: float) -> None:
        """See what else came of it; nothing is done with it."""

    def answer(self, now: Mapping[str, Any]) -> Values:
        """What it would do from now on."""
        return self.values(*self.held, now)

    def values(self, i: int, unit: Unit, now: Mapping[str, Any]) -> dict[str, Any]:
        """Settings as values, moved towards the middle until a limit is kept."""
        point: dict[str, Any] = {"controls": i} if len(self.sets) > 1 else {}
        for u, p in zip(self._kept(i, unit), self.sets[i], strict=True):
            point[p.name] = (
                min(int(u * p.size), p.size - 1) if p.size else p.low + (p.high - p.low) * float(u)
            )
        return self.space.values(point, now)

    def _kept(self, i: int, unit: Unit) -> Unit:
        limit = self.known.get("limit")
        if limit is None:
            return unit
        weights = np.array(
            [limit["weights"].get(p.name, 0.0) * (p.high - p.low) for p in self.sets[i]]
        )
        room = limit["at_most"] - sum(
            limit["weights"].get(p.name, 0.0) * p.low for p in self.sets[i]
        )
        middle = self.middle(i)
        over, at_middle = float(weights @ unit), float(weights @ middle)
        if over <= room:
            return unit
        return middle + max((room - at_middle) / (over - at_middle), 0.0) * (1 - 1e-9) * (
            unit - middle
        )

    # -- for plans ---------------------------------------------------------------------------------

    def middle(self, i: int) -> Unit:
        """The middle of a set."""
        return np.full(len(self.sets[i]), 0.5)

    def latin(self, i: int, n: int) -> Float[np.ndarray, "n c"]:
        """So many settings, each level of each variable once; the first variable rises, so that its ways are short."""
        columns = [np.arange(n), *(self.random.permutation(n) for _ in self.sets[i][1:])]
        return (np.stack(columns, axis=1) + 0.5) / n

    def hold_best(self, tried: Sequence[tuple[int, Unit, float]]) -> None:
        """Hold the cheapest set whose best is good enough, at its best."""
        best: dict[int, tuple[int, Unit, float]] = {}
        for each in tried:
            if each[0] not in best or each[2] > best[each[0]][2]:
                best[each[0]] = each
        highest = max(each[2] for each in best.values())
        slack = 0.0 if self.known.get("worth") else self.known.get("tolerance") or 0.0
        i = min(
            (i for i, each in best.items() if each[2] >= highest - slack),
            key=lambda i: (self.costs[i], -best[i][2]),
        )
        self.held = best[i][0], best[i][1]


class HoldMiddle(Rule):
    """The middle of the cheapest set, for ever."""

    def plays(self) -> Plan:
        """One play."""
        while True:
            yield self.held


class BestOfFive(Rule):
    """Five settings by chance, sets in turn; then the best of them."""

    def plays(self) -> Plan:
        """Five, and one."""
        order = np.argsort(self.costs, kind="stable").tolist()
        for k in range(5):
            i = order[k % len(order)]
            yield i, self.random.random(len(self.sets[i]))
        self.hold_best(self.played)
        while True:
            yield self.held


class Sweep(Rule):
    """Seven levels of each set, from the cheapest to the dearest; then the cheapest good set at its best level."""

    def plays(self) -> Plan:
        """A sweep, and what was best of it."""
        for i in np.argsort(self.costs, kind="stable").tolist():
            for unit in self.latin(i, LEVELS):
                yield i, unit
        self.hold_best(self.played)
        while True:
            yield self.held


class OneAtATime(Rule):
    """From the middle of the fullest set: each variable alone, four other levels, kept where better; then finer."""

    def plays(self) -> Plan:
        """Two rounds of all variables."""
        i, at = self.fullest, self.middle(self.fullest)
        self.held = i, at
        now = yield i, at
        for reach in (0.4, 0.15):
            for j, p in enumerate(self.sets[i]):
                for u in self._levels(p, float(at[j]), reach):
                    tried = at.copy()
                    tried[j] = u
                    value = yield i, tried
                    if value > now:
                        self.held, now = (i, tried), value
                at = self.held[1]
        while True:
            yield self.held

    @staticmethod
    def _levels(p: Parameter, at: float, reach: float) -> list[float]:
        if p.categorical and p.size:
            other = [
                (k + 0.5) / p.size for k in range(p.size) if k != min(int(at * p.size), p.size - 1)
            ]
            return other[:4] if reach > 0.2 else []
        return [u for u in (at - reach, at - reach / 2, at + reach / 2, at + reach) if 0 <= u <= 1]


class Retune(Rule):
    """A sweep of the cheapest good set, then its best level for a while; then five plays about it, and so on."""

    def plays(self) -> Plan:
        """Tuned for ever."""
        order = np.argsort(self.costs, kind="stable").tolist()
        for i in order:
            for unit in self.latin(i, LEVELS if len(order) == 1 else 4):
                yield i, unit
        self.hold_best(self.played)
        while True:
            for _ in range(RETUNED):
                yield self.held
            since, (i, at) = len(self.played), self.held
            for k in range(5):
                step = 0.0 if k == 0 else self.random.uniform(-0.25, 0.25, len(at))
                yield i, np.clip(at + step, 0, 1)
            self.hold_best(self.played[since:])


class ResponseSurface(Rule):
    """A quadratic fit to all that was measured: a design first, then the fit's best, fitted anew every few plays."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        self.columns: list[Parameter] = []
        self.rows: list[list[float]] = []
        self.net: list[float] = []
        super().__init__(known, seed)

    def plays(self) -> Plan:
        """A design in the fullest set, and parabolas."""
        self.columns = sorted(
            {p.name: p for each in self.sets for p in each}.values(), key=lambda p: p.name
        )
        design = 2 * len(self.columns) + 3
        for unit in self.latin(self.fullest, design)[self.random.permutation(design)]:
            yield self.fullest, unit
        while True:
            self._fit()
            for _ in range(max(1, min(_LEARNED, len(self.rows) // 5))):
                yield self.held

    def observe(self, outcome: Outcome, net: float) -> None:
        """All variables as they really were, where that is told."""
        i, unit = self.next
        at = dict(zip((p.name for p in self.sets[i]), self._kept(i, unit).tolist(), strict=True))
        for p in self.columns:
            if p.name not in at:
                at[p.name] = (
                    _unit(p, outcome.realised[p.name]) if p.name in outcome.realised else 0.5
                )
        self.rows.append([at[p.name] for p in self.columns])
        self.net.append(net + self._price(i))

    def _price(self, i: int) -> float:
        worth = self.known.get("worth")
        return float(self.costs[i] / worth) if worth else 0.0

    def _fit(self) -> None:
        """Hold the cheapest set whose best on the parabola, averaged over nature as it was seen, is good enough."""
        X, y = np.array(self.rows), np.array(self.net)
        features = self._features(X)
        shrunk = _RIDGE * np.eye(features.shape[1])
        shrunk[0, 0] = 1e-9
        weights = np.linalg.solve(features.T @ features + shrunk, features.T @ y)
        nature = X[self.random.permutation(len(X))[:30]]
        tried = []
        for i, each in enumerate(self.sets):
            at = [next(k for k, p in enumerate(self.columns) if p.name == own.name) for own in each]
            units = np.array([self._kept(i, unit) for unit in self.random.random((300, len(each)))])
            free = len(at) < len(self.columns)
            x = np.repeat((nature if free else nature[:1])[None], len(units), axis=0)
            x[:, :, at] = units[:, None]
            found = (
                (self._features(x.reshape(-1, x.shape[2])) @ weights)
                .reshape(len(units), -1)
                .mean(axis=1)
            )
            k = int(found.argmax())
            tried.append((i, units[k], float(found[k]) - self._price(i)))
        self.hold_best(tried)

    def _features(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n f"]:
        """Of each number, from −1 to 1, itself and its square, of each category its levels, and products of numbers."""
        numbers = [2 * X[:, k] - 1 for k, p in enumerate(self.columns) if not p.categorical]
        levels = [
            (np.minimum((X[:, k] * p.size).astype(int), p.size - 1) == level).astype(float)
            for k, p in enumerate(self.columns)
            if p.categorical and p.size
            for level in range(1, p.size)
        ]
        few = len(numbers) <= 12
        products = [a * b for m, a in enumerate(numbers) for b in (numbers[m:] if few else [a])]
        return np.stack([np.ones(len(X)), *numbers, *products, *levels], axis=1)


def _unit(p: Parameter, value: Any) -> float:
    if p.size:
        return float((p.code(value) + 0.5) / p.size) if p.choices else (float(value) + 0.5) / p.size
    return (float(value) - p.low) / (p.high - p.low)
