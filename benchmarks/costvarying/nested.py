"""Nested control sets, optima off nature's centre: does `cheap-first` go on buying the larger set for nothing?

    python -m benchmarks.costvarying.nested [--processes N]

plays what is missing and prints the tables. What is run and what is wanted was written down before:
`docs/results/costvarying-registered.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float
from scipy.stats import truncnorm

import steerbo as sb
from steerbo.costvarying.cheap_first import CheapFirst
from steerbo.costvarying.search_space import Candidates

from ..calibration.world import drawn, noise
from ..runs import command, finished
from ..timevarying.rows import table

KEPT = "runs/costvarying-nested.jsonl"
FIRST, SEEDS = 2000, 200
NAMES = ("a", "b", "c")
SETS = (("a",), ("a", "b"), ("a", "b", "c"))
PRICES = (0.1, 0.3, 1.0)
NOISE = 0.05
QUARTERS = (3.0, 6.0, 9.0, 12.0)
"""Of the budget."""
_SPREAD = 0.1  # standard deviation of nature, about .5
_OFF = 0.25  # how far from there the optimum lies, in every variable that matters
_AS_GOOD = 0.01  # of the range: what a smaller set may lack and be as good
_SCALES = (0.35, 0.2)  # lengthscales of variables that matter
_FLAT = 1e6  # and of those that do not
_NODES = 9  # of the average over each variable that is not held


@dataclass(frozen=True, eq=False)
class World:
    """A function of a, b, c in [0, 1], of which the first `matter` matter.

    Attributes:
        function: from points, (n, 3), to values, (n,).
        matter: 1, 2 or 3.
        best: (3,) the largest expected value that each set can reach.
        least: the smallest value of the function.
    """

    function: Callable[[np.ndarray], np.ndarray]
    matter: int
    best: Float[np.ndarray, " 3"]
    least: float

    def worth(self, values: dict[str, float]) -> float:
        """The expected value of holding these."""
        axes = [np.array([values[name]]) if name in values else nature(_middles()) for name in NAMES]
        return float(self.function(_grid(axes)).mean())

    @property
    def needed(self) -> int:
        """The smallest set that is as good as all."""
        as_good = self.best >= self.best.max() - _AS_GOOD * (self.best.max() - self.least)
        return int(np.flatnonzero(as_good)[0])


def nature(shares: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Quantiles of what nature draws."""
    found: np.ndarray = truncnorm.ppf(shares, -0.5 / _SPREAD, 0.5 / _SPREAD, 0.5, _SPREAD)
    return found


def _middles() -> np.ndarray:
    return (np.arange(_NODES) + 0.5) / _NODES


def _grid(axes: list[np.ndarray]) -> np.ndarray:
    return np.array(list(product(*axes)))


@cache
def world(seed: int) -> World:
    """The first draw of this seed whose optimum is off nature's centre in every variable that matters."""
    matter = 1 + seed % 3
    scales = [_SCALES[seed // 3 % 2]] * matter + [_FLAT] * (3 - matter)
    fine, coarse = np.linspace(0, 1, 21), nature(_middles())
    for attempt in range(1000):
        function = drawn(scales, 1000 * seed + attempt)
        full = function(_grid([fine] * 3)).reshape(21, 21, 21)
        top = np.array(np.unravel_index(full.argmax(), full.shape)) / 20
        if (np.abs(top - 0.5)[:matter] >= _OFF).all():
            break
    one = function(_grid([fine, coarse, coarse])).reshape(21, -1).mean(axis=1).max()
    two = function(_grid([fine, fine, coarse])).reshape(441, -1).mean(axis=1).max()
    return World(function, matter, np.array([one, two, full.max()]), float(full.min()))


class Strict(CheapFirst):
    """`cheap-first` as it was: where no tolerance is stated, a set must come near the largest upper bound itself."""

    name: ClassVar[str] = "cheap-first, strict"
    share: ClassVar[float] = 0.0

    def _least(self, highest: float, candidates: Candidates) -> float:
        if not self.share:
            return highest
        worst = self.surrogate.smallest_mean(candidates.known)
        return min(highest, sb.costvarying.Fraction(self.share).acceptable(highest, worst, self.problem.sign))


class Twentieth(Strict):
    """A set is enough that lags behind by a twentieth of the range: what was kept."""

    name: ClassVar[str] = "cheap-first, a twentieth"
    share: ClassVar[float] = 0.05


class Tenth(Strict):
    """A tenth: what the answer accepts."""

    name: ClassVar[str] = "cheap-first, a tenth"
    share: ClassVar[float] = 0.1


METHODS: dict[str, tuple[type[CheapFirst], dict[str, Any]]] = {
    "as it is": (Strict, {}),
    "a twentieth": (Twentieth, {}),
    "a tenth": (Tenth, {}),
    "patience 2": (Strict, {"patience": 2.0}),
}
PRESENT, CANDIDATE, *_ = METHODS


def jobs() -> Iterator[tuple[str, int]]:
    """Method and seed of every run."""
    yield from ((method, seed) for seed in range(FIRST, FIRST + SEEDS) for method in METHODS)


def run(job: tuple[str, int]) -> dict[str, Any]:
    """One run: simple regret at each quarter of the money, regret and price of the answer, and what was bought."""
    name, seed = job
    method, options = METHODS[name]
    of, law = world(seed), sb.TruncatedNormal(mean=0.5, sd=_SPREAD)
    problem = sb.CostVarying([sb.Float(v, 0, 1, law=law) for v in NAMES], [list(s) for s in SETS], costs=PRICES)
    optimizer = sb.Optimizer(problem, method, budget=QUARTERS[-1], seed=seed, **options)
    highest, best = float(of.best.max()), -np.inf
    regret, bought = np.full(len(QUARTERS), np.nan), np.zeros((len(QUARTERS), len(SETS)), dtype=int)
    while (suggestion := optimizer.ask()) is not None:
        random = noise(seed, suggestion.round)
        natural = dict(zip(NAMES, nature(random.random(3)).tolist(), strict=True))
        x = {**natural, **suggestion.values}
        value = float(of.function(np.array([[x[v] for v in NAMES]]))[0]) + NOISE * random.standard_normal()
        number = len(suggestion.scope.set) - 1
        optimizer.tell(suggestion, value=value, cost=PRICES[number], realised=x)
        quarter = int(np.searchsorted(QUARTERS, optimizer.status.spent - 1e-9))
        bought[quarter, number] += 1
        best = max(best, of.worth(dict(suggestion.values)))
        regret[quarter:] = highest - best
    advice = optimizer.recommend()
    lost, gain = highest - of.worth(dict(advice.values)), highest - of.worth({})
    return {
        "key": "/".join(map(str, job)),
        "needed": of.needed,
        "simple": (regret / gain).round(5).tolist(),
        "answer": round(lost / gain, 5),
        "price": advice.cost,
        "bought": bought.tolist(),
    }


def section(place: Path) -> str:
    """A table for the page: each rule on the problems that it and the rule as it is have both played."""
    columns = ("problems", "rule", "number", "simple regret, mean of four quarters", "at the end",
               "regret of the answer", "price of the answer",
               "spent on larger sets than needed, second half")  # fmt: skip
    lines = []
    for (group, name), (ours, present) in figures(place).items():
        cells = [_cell(mine, theirs) for mine, theirs in zip(ours, present, strict=True)]
        lines.append((group, name, len(ours[0]), *cells))
    return table(columns, lines) if lines else ""


def figures(place: Path) -> dict[tuple[str, str], tuple[list[np.ndarray], list[np.ndarray]]]:
    """By group of problems and rule: each column's figures, problem by problem, and those of the rule as it is."""
    done, found = finished(place), {}
    groups = {"all": (0, 1, 2), "a smaller set is as good": (0, 1), "the full set is better": (2,)}
    for group, needed in groups.items():
        for name in METHODS:
            both = [s for s in range(FIRST, FIRST + SEEDS) if f"{name}/{s}" in done and f"{PRESENT}/{s}" in done]
            some = [seed for seed in both if done[f"{name}/{seed}"]["needed"] in needed]
            if len(some) < 2:
                continue
            known = np.array([done[f"{name}/{seed}"]["needed"] for seed in some])
            ours, present = (_figures([done[f"{who}/{seed}"] for seed in some], known) for who in (name, PRESENT))
            found[group, name] = ours, present
    return found


def _figures(runs: list[Any], needed: np.ndarray) -> list[np.ndarray]:
    simple = np.array([run["simple"] for run in runs])
    spent = np.array([run["bought"] for run in runs])[:, 2:].sum(axis=1) * np.array(PRICES)
    larger = np.array([row[i + 1 :].sum() for row, i in zip(spent, needed, strict=True)])
    answer, price = (np.array([run[what] for run in runs]) for what in ("answer", "price"))
    return [simple.mean(axis=1), simple[:, -1], answer, price, larger]


def _cell(ours: np.ndarray, present: np.ndarray) -> str:
    """The mean, and the paired difference to the rule as it is with its standard error."""
    apart = ours - present
    if not apart.any():
        return f"{ours.mean():.3f}"
    return f"{ours.mean():.3f} ({apart.mean():+.3f} ± {apart.std(ddof=1) / np.sqrt(len(apart)):.3f})"


def main() -> None:
    """Run what is missing, then print the tables."""
    command(__doc__, KEPT, jobs(), run, section)


if __name__ == "__main__":
    main()
