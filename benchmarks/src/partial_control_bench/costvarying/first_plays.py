"""Do first plays keep limits that safe rows never met? `python -m partial_control_bench.costvarying.first_plays`.

Six plants set a heat, a feed and a speed; nature has a humidity. Thirty rows of the past keep all
limits; the value rises beyond what they spanned, across the limits. Each limit is asked to be kept
in nine plays of ten, and how likely a play truly keeps all of them is computed.

With `--plays 40` the summary says what late plays and the answer lose to the best settings that
keep, which somebody who knows the limits would play, in shares of the value's range.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import differential_evolution
from scipy.stats import norm

import steerbo as sb

ASKED, ROWS, PLAYS, NOISE = 0.9, 30, 10, 0.05
NAMES = ("heat", "feed", "speed", "humidity")
LAW = (0.5, 0.12)
"""Mean and deviation of the humidity."""

Points = np.ndarray


def _steep(x: Points) -> list[Points]:
    """An exponential of heat and feed."""
    return [0.2 * np.exp(4.0 * (0.6 * x[:, 0] + 0.4 * x[:, 1] - 0.3))]


def _flat(x: Points) -> list[Points]:
    """A plane."""
    return [0.1 + 0.9 * x[:, 0] + 0.5 * x[:, 1] + 0.2 * x[:, 2]]


def _two(x: Points) -> list[Points]:
    """Two limits, which rise with different variables."""
    return [0.2 + 0.9 * x[:, 0] + 0.4 * x[:, 1] ** 2, 0.1 + 1.1 * x[:, 1] * x[:, 2] + 0.3 * x[:, 2]]


def _rising(x: Points) -> list[Points]:
    """It rises with what nature draws, the more the hotter."""
    return [0.2 + 0.6 * x[:, 0] + 0.3 * x[:, 1] + 1.2 * x[:, 0] * (x[:, 3] - 0.4)]


def _joint(x: Points) -> list[Points]:
    """Nothing by one variable alone: heat and feed together."""
    return [0.3 + 3.0 * np.maximum(x[:, 0] - 0.4, 0.0) * np.maximum(x[:, 1] - 0.4, 0.0) * 4.0]


def _cliff(x: Points) -> list[Points]:
    """A step behind what was measured."""
    over = 0.5 * x[:, 0] + 0.3 * x[:, 1] + 0.2 * x[:, 2] - 0.62
    return [0.4 + 0.2 * x[:, 0] + 0.9 / (1.0 + np.exp(-over / 0.02))]


PLANTS: Mapping[str, Callable[[Points], list[Points]]] = {
    "steep": _steep,
    "flat": _flat,
    "two": _two,
    "rising": _rising,
    "joint": _joint,
    "cliff": _cliff,
}
AT_MOST = 1.0


def _value(x: Points) -> Points:
    """It rises towards the hot, fed and fast corner, and falls with a humidity that is not .5."""
    return (
        2.0 * x[:, 0]
        + 1.2 * x[:, 1]
        + 0.6 * x[:, 2]
        - (x[:, 2] - 0.7) ** 2
        - 2.0 * (x[:, 3] - 0.5) ** 2
    )


def _expected(x: Points) -> float:
    """Value of settings, averaged over the humidity where it is not set."""
    rows = _rows(x)
    return float(_value(rows).mean())


def _rows(x: Points) -> Points:
    """Rows of settings: with each of many humidities where that is not set."""
    if len(x) == len(NAMES):
        return x[None]
    shares = (np.arange(400) + 0.5) / 400
    humidity = np.clip(norm.ppf(shares, *LAW), 0, 1)
    return np.column_stack([np.tile(x, (len(shares), 1)), humidity])


def known(limits: Callable[[Points], list[Points]]) -> tuple[float, float]:
    """Best expected value of settings that keep each limit as asked, and the range of the value."""

    def lost(x: Points) -> float:
        rows = _rows(x)
        short = sum(max(0.0, ASKED - p) for p in _kept(limits, rows))
        return 100.0 * short - float(_value(rows).mean())

    corners = [_expected(np.array(x)) for x in product((0.0, 0.5, 1.0), repeat=len(NAMES))]
    ways = [differential_evolution(lost, [(0, 1)] * n, seed=0) for n in (3, 4)]
    best = max(-float(way.fun) for way in ways)
    return best, max(corners) - min(corners)


def _kept(limits: Callable[[Points], list[Points]], rows: Points) -> list[float]:
    """Probability of each limit."""
    found = limits(rows)
    return [float(norm.cdf((AT_MOST - each) / NOISE).mean()) for each in found]


def keeps(limits: Callable[[Points], list[Points]], values: Mapping[str, float]) -> float:
    """Probability that a play keeps all limits, nature and noise drawn."""
    rows = _rows(np.array([values[name] for name in NAMES if name in values]))
    each = [norm.cdf((AT_MOST - found) / NOISE) for found in limits(rows)]
    return float(np.prod(each, axis=0).mean())


def played(name: str, seed: int, plays: int = PLAYS) -> Mapping[str, Any]:
    """True probabilities of the first plays, and what was said of each beforehand."""
    limits, random = PLANTS[name], np.random.default_rng([seed, 53])
    variables = [sb.Float(each, 0, 1) for each in NAMES[:3]]
    variables.append(sb.Float("humidity", 0, 1, law=sb.Normal(*LAW)))
    count = len(limits(np.zeros((1, 4))))
    problem = sb.CostVarying(
        variables,
        [list(NAMES[:3]), list(NAMES)],
        costs=[1.0, 1.5],
        limits=[
            sb.OutcomeConstraint(f"limit {k}", at_most=AT_MOST, probability=ASKED)
            for k in range(count)
        ],
    )
    optimizer = sb.Optimizer(problem, rounds=40, seed=seed)

    def measured(x: Points) -> tuple[float, dict[str, float]]:
        found = [float(each[0] + NOISE * random.normal()) for each in limits(x[None])]
        row = dict(zip(NAMES, map(float, x), strict=True))
        further = {f"limit {k}": each for k, each in enumerate(found)}
        return float(_value(x[None])[0] + 0.1 * random.normal()), row | further

    past = 0
    while past < ROWS:
        x = np.clip(random.normal([0.35, 0.35, 0.4, LAW[0]], [0.1, 0.1, 0.12, LAW[1]]), 0, 1)
        value, row = measured(x)
        if all(row[f"limit {k}"] <= AT_MOST for k in range(count)):
            optimizer.add(value, realised=row)
            past += 1
    true, gained, worth = list[float](), list[float](), list[float]()
    for _ in range(plays):
        suggestion = optimizer.ask()
        if suggestion is None:
            break
        settings = {k: float(v) for k, v in suggestion.values.items()}
        true.append(keeps(limits, settings))
        worth.append(_expected(np.array([settings[each] for each in NAMES if each in settings])))
        drawn = float(np.clip(random.normal(*LAW), 0, 1))
        x = np.array([{"humidity": drawn, **settings}[each] for each in NAMES])
        value, row = measured(x)
        gained.append(float(_value(x[None])[0]))
        optimizer.tell(suggestion, value, realised=row)
    answer = {k: float(v) for k, v in optimizer.recommend().values.items()}
    best, spread = known(limits)
    answered = _expected(np.array([answer[each] for each in NAMES if each in answer]))
    return {
        "plant": name,
        "seed": seed,
        "true": true,
        "gained": gained,
        "late": (best - float(np.mean(worth[-10:]))) / spread,
        "lost": (best - answered) / spread,
        "kept": keeps(limits, answer),
    }


def _summary(lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Mean probabilities, their standard errors between seeds, and plays below half."""
    for name in dict.fromkeys(line["plant"] for line in lines):
        some = [line for line in lines if line["plant"] == name]
        means = np.array([np.mean(line["true"]) for line in some])
        error = means.std(ddof=1) / np.sqrt(len(means)) if len(means) > 1 else np.nan
        low = sum(p < 0.5 for line in some for p in line["true"])
        least = min(min(line["true"]) for line in some)
        first = np.mean([line["gained"][0] for line in some])
        last = np.mean([line["gained"][-1] for line in some])
        yield (
            f"{name}\t{len(some)} seeds\t{means.mean():.3f} ± {error:.3f}\tbelow half: {low}\t"
            f"least {least:.2f}\tvalue {first:.2f} → {last:.2f}\t{_beside_known(some)}"
        )


def _beside_known(some: Sequence[Mapping[str, Any]]) -> str:
    """What the last ten plays and the answer lose, and how likely the answer keeps."""
    told = []
    for name in ("late", "lost", "kept"):
        each = np.array([line[name] for line in some])
        error = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
        told.append(f"{name} {each.mean():.3f} ± {error:.3f}")
    return ", ".join(told)


def main() -> None:
    """Play plants; a line a study goes to standard error, the summary is printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="9400-9419", help="first and last, such as 9400-9419")
    parser.add_argument("--plants", default=",".join(PLANTS))
    parser.add_argument("--plays", type=int, default=PLAYS)
    given = parser.parse_args()
    first, last = map(int, given.seeds.split("-"))
    lines = []
    for seed in range(first, last + 1):
        for name in given.plants.split(","):
            lines.append(played(name, seed, given.plays))
            print(json.dumps(lines[-1]), file=sys.stderr, flush=True)
    print("\n".join(_summary(lines)))


if __name__ == "__main__":
    main()
