"""What a limit on an outcome costs on tables of Olympus, beside who knows it beforehand.

    python -m partial_control_bench.measured.limited [--seeds 0-3] [--only agnp hplc …]

A further outcome, `load`, is a sum of two settings with noise; it is to stay below a bound with
probability .9, which cuts the table's best rows off (`SHARE` of the box keeps it). *Learned* states it
as an `OutcomeConstraint`; *known* states the sum itself as a `LinearConstraint`, with its margin for
the noise. Forty plays each; what answers and plays are worth, in standard deviations of the table, and
how often plays kept the limit.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

import steerbo as sb

from .olympus import Book, World

ROUNDS, NOISE, LOAD_NOISE, PROBABILITY, SHARE = 40, 0.05, 0.05, 0.9, 0.5
TABLES = ("agnp", "alkox", "autoam", "benzylation", "fullerenes", "hplc", "snar", "suzuki")


class Limited:
    """A table with a load on its first two settings, up where the table's best row lies.

    Attributes:
        weights: of the two settings, in units of their ranges.
        bound: of the load.
    """

    def __init__(self, name: str) -> None:
        self.world = World(name)
        self.names = [*self.world.ranges][:2]
        best = max(self.world.rows, key=lambda row: self.world.sign * row[1])[0]
        self.signs = [1.0 if self._share(each, best[each]) >= 0.5 else -1.0 for each in self.names]
        uniform = np.random.default_rng(0).random((4000, 2))
        loads = np.sum([s * u for s, u in zip(self.signs, uniform.T, strict=True)], axis=0)
        self.bound = float(np.quantile(loads, SHARE))

    def ends(self, name: str) -> tuple[float, float]:
        """Bounds of a setting."""
        found = self.world.ranges[name]
        assert isinstance(found, tuple)
        return found

    def _share(self, name: str, value: float) -> float:
        low, high = self.ends(name)
        return float((value - low) / (high - low))

    def load(self, values: Mapping[str, Any]) -> float:
        """Expected load."""
        shares = [self._share(name, values[name]) for name in self.names]
        return float(np.dot(self.signs, shares))

    def problem(self, known: bool) -> sb.CostVarying:
        """The study; the limit is `known`, or learned."""
        variables = [sb.Float(name, *self.ends(name)) for name in self.world.ranges]
        limit: Any = sb.OutcomeConstraint("load", at_most=self.bound, probability=PROBABILITY)
        if known:
            weights, base = dict[str, float](), 0.0
            for name, sign in zip(self.names, self.signs, strict=True):
                low, high = self.ends(name)
                weights[name] = sign / (high - low)
                base += sign * low / (high - low)
            margin = LOAD_NOISE * NormalDist().inv_cdf(PROBABILITY)
            limit = sb.LinearConstraint(weights, at_most=self.bound - margin + base)
        larger = self.world.table.larger
        return sb.CostVarying(
            variables, [[*self.world.ranges]], limits=[limit], minimize=not larger
        )


def played(name: str, known: bool, seed: int) -> tuple[float, float, float]:
    """Worth of the answer and of a mean play, and the share of plays that keep the limit."""
    limited = Limited(name)
    world, book = limited.world, Book(limited.world, seed, NOISE)
    optimizer = sb.Optimizer(limited.problem(known), rounds=ROUNDS, seed=seed)
    random, kept = np.random.default_rng([seed, 2]), list[bool]()
    while (suggestion := optimizer.ask()) is not None:
        load = limited.load(suggestion.values) + float(random.normal(0.0, LOAD_NOISE))
        kept.append(load <= limited.bound)
        told = None if known else {"load": load}
        optimizer.tell(suggestion, book.play(suggestion.values), realised=told)
    unit = world.sign / world.spread
    answer = optimizer.recommend().values
    return unit * world.truth(answer), unit * float(np.mean(book.truths)), float(np.mean(kept))


def main() -> None:
    """Play; a line a study goes to standard error, differences of learned to known are printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0-3", help="first and last")
    parser.add_argument("--only", nargs="*", choices=TABLES, default=TABLES)
    given = parser.parse_args()
    first, last = map(int, given.seeds.split("-"))
    print("table | answer | a play | kept, learned | kept, known | range")
    for name in given.only:
        found = dict[bool, np.ndarray]()
        for known in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                studies = [played(name, known, seed) for seed in range(first, last + 1)]
            found[known] = np.array(studies)
            print(json.dumps([name, known, studies]), file=sys.stderr, flush=True)
        gains = found[False] - found[True]
        errors = gains.std(axis=0, ddof=1) / len(gains) ** 0.5
        cells = [
            f"{g:+.2f} ± {e:.2f}" for g, e in zip(gains[:, :2].mean(axis=0), errors, strict=False)
        ]
        kept = [f"{found[known][:, 2].mean():.2f}" for known in (False, True)]
        world = World(name)
        values = [value for _, value in world.rows]
        print(name, *cells, *kept, f"{np.ptp(values) / world.spread:.1f}", sep=" | ", flush=True)


if __name__ == "__main__":
    main()
