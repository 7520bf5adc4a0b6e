"""Is it safe to begin where one stands? Four trades with a known truth, whose present practice is stated as `current`.

    python -m partial_control_bench.trades [--only greenhouse plant building curve fleet] [--seeds 5200:5210]

A greenhouse, a pilot plant with thirty rows of last year and a limit, a building over a season (with
fixed settings, or with a curve over the outdoor temperature) and a fleet of vans. Nature is not quite
as stated; one outcome is far off, one play fails, and one number is told ten times too large and put
right later. For each trade: what a play loses with the present practice stated, what it loses where
that is held in every play, and what the answers of studies lose that were told of it, or were not.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import differential_evolution
from scipy.stats import norm

import steerbo as sb

Values = np.ndarray


@dataclass
class Mishaps:
    """Outcomes as people tell them.

    Attributes:
        slipped: round whose outcome is told ten times too large at first.
        righted: round after which it is put right.
        failed: round that brings no outcome.
    """

    slipped: int
    righted: int
    failed: int
    _late: list[tuple[sb.Suggestion, float]] = field(default_factory=list)

    def tell(
        self,
        optimizer: sb.Optimizer,
        number: int,
        suggestion: sb.Suggestion,
        value: float,
        **more: Any,
    ) -> None:
        """Tell the outcome of a round."""
        if number == self.failed:
            optimizer.fail(suggestion, "broke", **{k: v for k, v in more.items() if k == "cost"})
        else:
            optimizer.tell(suggestion, value * (10 if number == self.slipped else 1), **more)
        if number == self.slipped:
            self._late.append((suggestion, value))
        if number == self.righted:
            late, true = self._late[0]
            optimizer.amend(late, value=true)


def _line(lost: list[float], held: list[float], answer: float, covered: bool) -> dict[str, Any]:
    """What a study's plays and answer lose, and what the present practice loses in its rounds."""
    return {
        "play": float(np.mean(lost)),
        "hold": float(np.mean(held)),
        "answer": float(answer),
        "covered": bool(covered),
    }


# -- control sets at a price -----------------------------------------------------------------------


@dataclass(frozen=True)
class Works:
    """A greenhouse or a plant, whose control sets have prices.

    Attributes:
        ends: lowest and highest setting, by variable.
        sets: control sets.
        prices: theirs.
        today: settings in use.
        worth: what a unit of the outcome brings.
        noise: standard deviation of most outcomes; one of ten has 2.5 times as much.
        budget: money.
        mishaps: when what happens.
        nature: rows (n, d) of all variables where nothing is set.
        mean: expected outcome at rows.
        impurity: what has a limit, at rows; None: nothing has.
        problem: what is told, with more fields.
        slow: what a change of the first variable costs.
    """

    ends: Mapping[str, tuple[float, float]]
    sets: list[list[str]]
    prices: list[float]
    today: Mapping[str, float]
    worth: float
    noise: float
    budget: float
    mishaps: tuple[int, int, int]
    nature: Callable[[np.random.Generator, int], Values]
    mean: Callable[[Values], Values]
    problem: Callable[..., sb.CostVarying]
    impurity: Callable[[Values], Values] | None = None
    slow: float = 0.0

    def rows(self, settings: Mapping[str, float], rows: Values) -> Values:
        """Rows with some variables set."""
        given, names = rows.copy(), [*self.ends]
        for name, value in settings.items():
            given[:, names.index(name)] = value
        return given

    def net(self, settings: Mapping[str, float], rows: Values) -> tuple[float, float]:
        """Net value of settings on average over nature, and how likely they keep the limit."""
        given = self.rows(settings, rows)
        price = self.prices[[set(each) for each in self.sets].index({*settings})]
        keeps = 1.0
        if self.impurity is not None:
            keeps = float(norm.cdf((LIMIT - self.impurity(given)) / MEASURED).mean())
        return self.worth * float(self.mean(given).mean()) - price, keeps

    def best(self, rows: Values) -> float:
        """The largest net value of settings that keep the limit as often as asked."""
        found = []
        for each in self.sets:

            def lost(at: Values, each: list[str] = each) -> float:
                net, keeps = self.net(dict(zip(each, at, strict=True)), rows[:600])
                return 200 * max(0.0, ASKED - keeps) - net

            ends = [self.ends[name] for name in each]
            found.append(-differential_evolution(lost, ends, rng=1, maxiter=40, popsize=10).fun)
        return max(found)


LIMIT, ASKED, MEASURED = 2.0, 0.9, 0.2
"""Of impurity: at most, how often, and how well it is measured."""


def _greenhouse() -> Works:
    """Temperature, CO2 and humidity, which nature draws together, colder and more skewed than stated."""
    ends = {"temperature": (12.0, 32.0), "co2": (400.0, 1200.0), "humidity": (40.0, 95.0)}
    low, high = np.array([*ends.values()]).T

    def nature(random: np.random.Generator, n: int) -> Values:
        z = random.multivariate_normal([0, 0], [[1, -0.5], [-0.5, 1]], n)
        warm = 18.5 + 3.5 * z[:, 0] + 0.5 * (z[:, 0] ** 2 - 1)
        gas = 430 + 30 * random.gamma(2, 1, n)
        return np.asarray(np.clip(np.c_[warm, gas, 68 + 12 * z[:, 1]], low, high))

    def mean(x: Values) -> Values:
        warm, gas, humid = x.T
        growth = 11 - 1.6 * ((warm - 23.5) / 5) ** 2 * np.where(warm > 23.5, 1.6, 1.0)
        fed = 2.5 * (1 - np.exp(-(gas - 400) / 250)) * np.clip(1 - ((warm - 24) / 12) ** 2, 0, 1)
        return np.asarray(growth + fed - 0.5 * ((humid - 72) / 12) ** 2)

    usual = np.random.default_rng(1).normal(460, 40, 40).clip(400, 1200).tolist()
    laws: list[Any] = [
        sb.TruncatedNormal(20, 3.5),
        sb.space.Empirical(usual),
        sb.TruncatedNormal(70, 12),
    ]
    variables = [sb.Float(n, *ends[n], law=law) for n, law in zip(ends, laws, strict=True)]
    sets = [["temperature"], ["co2"], ["temperature", "co2"], ["temperature", "co2", "humidity"]]
    prices, today = [4.0, 3.0, 7.0, 12.0], {"temperature": 21.0, "co2": 800.0}
    problem = functools.partial(sb.CostVarying, variables, sets, prices, value_of_one=2.5)
    return Works(ends, sets, prices, today, 2.5, 1.0, 200.0, (7, 9, 12), nature, mean, problem)


def _plant() -> Works:
    """Six knobs, of which three are always set; impurity has a limit, and the reactor is slow."""
    ends = {"reactor": (60.0, 120.0), "feed": (1.0, 6.0), "stirrer": (100.0, 900.0)}
    ends |= {"catalyst": (0.1, 2.0), "coolant": (5.0, 25.0), "ph": (5.0, 9.0)}
    low, high = np.array([*ends.values()]).T
    more = {"catalyst": 3.0, "coolant": 2.0, "ph": 4.0}
    some = [list(each) for k in range(4) for each in itertools.combinations(more, k)]
    sets = [["reactor", "feed", "stirrer", *each] for each in some]
    prices = [5 + sum(more[name] for name in each) for each in some]

    def nature(random: np.random.Generator, n: int) -> Values:
        drawn = [0.8 + 0.3 * random.normal(size=n), 15 + 3 * random.normal(size=n)]
        fixed = [np.full(n, 85.0), np.full(n, 3.0), np.full(n, 500.0)]
        return np.asarray(np.clip(np.c_[(*fixed, *drawn, random.normal(6.6, 0.5, n))], low, high))

    def mean(x: Values) -> Values:
        hot, feed, stirred, catalyst, cool, ph = x.T
        by_three = -10 * ((hot - 98) / 18) ** 2 - 4 * ((feed - 4.2) / 1.5) ** 2
        by_three += 2 * np.tanh((stirred - 300) / 200) + 2 * ((hot - 90) / 20) * (feed - 3.5) / 1.5
        by_more = 9 * (1 - np.exp(-catalyst / 0.5)) - 6 * ((ph - 7.4) / 1.1) ** 2
        return np.asarray(60 + by_three + by_more - 0.5 * ((cool - 12) / 8) ** 2)

    def impurity(x: Values) -> Values:
        hot, feed, _, _, cool, ph = x.T
        crowded = 0.25 * (feed - 3) * (cool - 12) / 8
        return np.asarray(0.7 + 1.2 * np.exp((hot - 105) / 14) + crowded + 0.15 * np.abs(ph - 7))

    laws = {"catalyst": sb.TruncatedNormal(0.9, 0.35), "coolant": sb.TruncatedNormal(15, 3)}
    laws["ph"] = sb.TruncatedNormal(6.8, 0.5)
    variables = [sb.Float("reactor", 60, 120, change=sb.SwitchingCost(fixed=12))]
    variables += [sb.Float(n, *ends[n], law=laws.get(n)) for n in [*ends][1:]]
    limits = [sb.OutcomeConstraint("impurity", at_most=LIMIT, probability=ASKED)]
    problem = functools.partial(
        sb.CostVarying, variables, sets, prices, value_of_one=1.0, limits=limits
    )
    today = {"reactor": 85.0, "feed": 3.0, "stirrer": 500.0}
    today |= {"catalyst": 1.0, "coolant": 14.0, "ph": 7.0}
    return Works(
        ends,
        sets,
        prices,
        today,
        1.0,
        3.0,
        480.0,
        (7, 9, 12),
        nature,
        mean,
        problem,
        impurity,
        12.0,
    )


@functools.cache
def _works(name: str) -> tuple[Works, Values, float]:
    """A trade, rows of nature that stand for all of it, and the best net value."""
    works = {"greenhouse": _greenhouse, "plant": _plant}[name]()
    rows = works.nature(np.random.default_rng(12345), 3000)
    return works, rows, works.best(rows)


def _worked(name: str, seed: int, told: bool) -> dict[str, Any]:
    works, rows, best = _works(name)
    problem = works.problem(**({"current": dict(works.today)} if told else {}))
    optimizer = sb.Optimizer(problem, budget=works.budget, seed=seed)
    if works.impurity is not None:
        for row, value, impure in _last_year(works, np.random.default_rng(seed + 77)):
            seen = dict(zip(works.ends, map(float, row), strict=True))
            optimizer.add(value, realised={**seen, "impurity": impure})
    random, mishaps, lost = np.random.default_rng(seed), Mishaps(*works.mishaps), list[float]()
    before: float | None = works.today["reactor"] if told and works.slow else None
    while (suggestion := optimizer.ask()) is not None:
        settings, number = dict(suggestion.values), len(lost) + 1
        move = works.slow if works.slow and before not in {None, settings["reactor"]} else 0.0
        before = settings.get("reactor")
        row = works.rows(settings, works.nature(random, 1))
        net, _ = works.net(settings, rows)
        lost.append(best - net + move)
        error = works.noise * random.normal() * (1.0 if random.random() > 0.1 else 2.5)
        value = float(works.mean(row)[0]) + error
        realised = dict(zip(works.ends, map(float, row[0]), strict=True))
        if works.impurity is not None:
            realised["impurity"] = float(works.impurity(row)[0] + MEASURED * random.normal())
        if number == mishaps.righted:
            value -= 6 * works.noise
        price = works.worth * float(works.mean(works.rows(settings, rows)).mean()) - net
        mishaps.tell(optimizer, number, suggestion, value, cost=price + move, realised=realised)
    answer = optimizer.recommend()
    true, keeps = works.net(dict(answer.values), rows)
    mean = float(works.mean(works.rows(dict(answer.values), rows)).mean())
    today, _ = works.net(works.today, rows)
    found = _line(lost, [best - today], best - true, _holds(answer, mean))
    return {**found, "keeps": keeps}


def _last_year(works: Works, random: np.random.Generator) -> list[tuple[Values, float, float]]:
    """Thirty rows about today's settings, of an older catalyst: a unit less."""
    found, spread = [], np.array([7.0, 0.6, 90.0])
    low, high = np.array([*works.ends.values()]).T
    assert works.impurity is not None
    for _ in range(30):
        row = works.nature(random, 1)
        row[0, :3] += spread * random.normal(size=3)
        row = np.clip(row, low, high)
        value = float(works.mean(row)[0]) + works.noise * random.normal() - 1.0
        found.append((row[0], value, float(works.impurity(row)[0] + MEASURED * random.normal())))
    return found


def _holds(answer: sb.Recommendation, true: float) -> bool:
    assert answer.lower is not None
    assert answer.upper is not None
    return bool(answer.lower <= true <= answer.upper)


# -- a building over a season ----------------------------------------------------------------------

DAYS = [day for day in range(20, 160) if day % 7 < 5]


def _outdoor(day: float) -> float:
    return float(8 - 9 * np.cos(2 * np.pi * (day - 20) / 365))


def _best_heating(day: float) -> tuple[float, float]:
    """Best supply temperature and setback of a day."""
    out = _outdoor(day)
    supply = np.clip(57 - 1.25 * out, 32, 58) + 1.5 * np.sin(day / 9)
    return float(supply), float(np.clip(3 + 0.22 * (out - 3), 0.5, 7.5))


def _heating_loss(settings: Mapping[str, float], day: float) -> float:
    supply, setback = _best_heating(day)
    off = settings["supply"] - supply
    return (
        7 * (off / 8) ** 2 * (1.6 if off < 0 else 1.0)
        + 3 * ((settings["setback"] - setback) / 3) ** 2
    )


def _heated(name: str, seed: int, told: bool) -> dict[str, Any]:
    """The practice in use is fixed settings, or the book's curve over the outdoor temperature."""
    curve = name == "curve"
    variables = [sb.Float("supply", 30, 60), sb.Float("setback", 0, 8)]
    if curve:
        variables.append(sb.Float("outdoor", -10, 25, seen=True))
    practice: dict[str, Any] = {"supply": "55 - 1.1 * outdoor" if curve else 48.0, "setback": 3.0}
    stated: dict[str, Any] = {"current": practice} if told else {}
    problem = sb.TimeVarying(variables, **stated)
    optimizer = sb.Optimizer(problem, rounds=len(DAYS), seed=seed)
    random, mishaps = np.random.default_rng(seed), Mishaps(15, 17, 40)
    lost, held = list[float](), list[float]()
    for number, day in enumerate(DAYS):
        known: dict[str, Any] = {"context": {"outdoor": _outdoor(day)}} if curve else {}
        suggestion = optimizer.ask(time=float(day), **known)
        assert suggestion is not None
        supply = 55 - 1.1 * _outdoor(day) if curve else 48.0
        held.append(_heating_loss({"supply": supply, "setback": 3.0}, day))
        lost.append(_heating_loss(suggestion.values, day))
        value = 40 - lost[-1] + 2.5 * random.normal() - (20 if number == 30 else 0)
        mishaps.tell(optimizer, number, suggestion, float(value))
    day = DAYS[-1]
    seen = {"outdoor": _outdoor(day)} if curve else {}
    values = (optimizer.policy(seen) if curve else optimizer.recommend()).values
    short, said = _heating_loss(values, day), optimizer.predict(values, seen or None)
    return _line(lost, held, short, _holds(said, 40 - short))


# -- a fleet ---------------------------------------------------------------------------------------

VANS, DISTRICTS = 150, 14


@dataclass(frozen=True)
class Fleet:
    """What vans earn in districts that overlap a little.

    Attributes:
        demand: of each district.
        fare: in each.
        near: how districts overlap.
    """

    demand: Values
    fare: Values
    near: Values

    @classmethod
    def drawn(cls) -> Fleet:
        """The same for all seeds."""
        random = np.random.default_rng(777)
        demand = np.round(60 * np.exp(-np.linspace(0, 2.6, DISTRICTS)))
        demand = demand * random.uniform(0.7, 1.4, DISTRICTS)
        fare, at = random.uniform(0.8, 1.3, DISTRICTS), random.normal(size=(DISTRICTS, 2))
        near = np.exp(-((at[:, None] - at[None]) ** 2).sum(-1) / 0.5)
        return cls(demand, fare, near / near.sum(1, keepdims=True))

    def earns(self, vans: Values) -> float:
        """Of a van on average."""
        felt = 0.4 * self.near @ vans + 0.6 * vans
        served = self.demand * (1 - np.exp(-felt / np.maximum(self.demand, 1)))
        return float((self.fare * served).sum() / VANS * 10)

    def best(self) -> float:
        """By exchanges of a van, as long as one helps."""
        vans = np.floor(np.full(DISTRICTS, VANS / DISTRICTS))
        vans[0] += VANS - vans.sum()
        most, better = self.earns(vans), True
        while better:
            better = False
            for i, j in itertools.permutations(range(DISTRICTS), 2):
                moved = vans + np.eye(DISTRICTS)[j] - np.eye(DISTRICTS)[i]
                if vans[i] >= 1 and self.earns(moved) > most + 1e-9:
                    most, vans, better = self.earns(moved), moved, True
        return most


@functools.cache
def _fleet() -> tuple[Fleet, float, float]:
    fleet = Fleet.drawn()
    best = fleet.best()
    return fleet, best, best - fleet.earns(np.full(DISTRICTS, VANS / DISTRICTS))


def _driven(name: str, seed: int, told: bool) -> dict[str, Any]:
    """The practice in use is a guess of the demand; losses are in those of an even spread."""
    fleet, best, unit = _fleet()
    guess = fleet.demand * np.random.default_rng(seed + 3).lognormal(0, 0.5, DISTRICTS)
    guess = VANS * guess / guess.sum()
    names = [f"D{i + 1}" for i in range(DISTRICTS)]
    stated: dict[str, Any] = (
        {"current": dict(zip(names, (guess / VANS).tolist(), strict=True))} if told else {}
    )
    problem = sb.MeanField(names, agents=VANS, counts=True, **stated)
    optimizer = sb.Optimizer(problem, rounds=60, seed=seed)
    random, mishaps, lost = np.random.default_rng(seed), Mishaps(10, 12, 17), list[float]()

    def of(given: Mapping[str, Any]) -> Values:
        row = given["counts"]["everyone"]
        return np.array([row.get(each, 0) for each in names], dtype=float)

    while (suggestion := optimizer.ask()) is not None:
        number, earned = len(lost), fleet.earns(of(suggestion.values))
        lost.append((best - earned) / unit)
        value = (earned + 0.03 * best * random.normal()) * (0.4 if number == 22 else 1.0)
        mishaps.tell(optimizer, number, suggestion, float(value))
    answer = optimizer.recommend()
    true = fleet.earns(of(answer.values))
    held = (best - fleet.earns(guess)) / unit
    return _line(lost, [held], (best - true) / unit, _holds(answer, true))


TRADES: Mapping[str, Callable[[str, int, bool], dict[str, Any]]] = {
    "greenhouse": _worked,
    "plant": _worked,
    "building": _heated,
    "curve": _heated,
    "fleet": _driven,
}


def _said(values: Values, digits: int = 2) -> str:
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}"


def main() -> None:
    """Play studies; a line a study goes to standard error, a row a trade is printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=[*TRADES], default=[*TRADES])
    parser.add_argument("--seeds", default="5200:5210", help="from:to, two at least")
    parser.add_argument("--told", default="yes,no", help="whether the present practice is stated")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = range(*map(int, asked.seeds.split(":")))
    print(
        "| trade | current | a play | held | times | answer | bounds hold |\n|---|---|--:|--:|--:|--:|--:|"
    )
    for trade in asked.only:
        for told in asked.told.split(","):
            lines = []
            for seed in seeds:
                lines.append(TRADES[trade](trade, seed, told == "yes"))
                about = {"trade": trade, "seed": seed, "told": told, **lines[-1]}
                print(json.dumps(about), file=sys.stderr, flush=True)
            by = {name: np.array([line[name] for line in lines]) for name in lines[0]}
            times = by["play"] / by["hold"]
            row = [trade, told, *map(_said, (by["play"], by["hold"], times, by["answer"]))]
            print("|", " | ".join([*row, f"{by['covered'].mean():.2f}"]), "|", flush=True)


if __name__ == "__main__":
    main()
