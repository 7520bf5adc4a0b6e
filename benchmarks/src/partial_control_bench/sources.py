"""Thirty results of another year or site: told apart by `source=`, added as if they were of here, or left out.

    python -m partial_control_bench.sources OUT.csv [--seeds 0:4] [--only same shifted …] [--who …]
    python -m partial_control_bench.sources OUT.csv --page

Drawn pairs: a smooth function of x and y (deviation 1, noise .2), of which one or both can be held;
the other source is the same function, one that is shifted in value and place, scaled, another one,
or the opposite. Real pairs, if their files are there (noise of 2 points is added): the yield of a
coupling over seven halides, with that over eight others as the other site (`aryl`), and that of an
arylation at one concentration, with another one as last year (`bms`).

Figures are losses against the best play: the mean of the first 10 and 20 plays, and of the answers
after them.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import steerbo as sb

from .data import measured, required
from .kept import play_missing
from .statistics import difference

ROUNDS, REPORTED, ROWS, NOISE = 20, (10, 20), 30, 0.2
WHO = ("source", "as here", "left out")
COSTS = {("x",): 0.2, ("y",): 0.2, ("x", "y"): 0.6}
GRID, ENDS = (np.arange(64) + 0.5) / 64, np.linspace(0, 1, 129)  # of nature, and of settings

Values = Mapping[str, Any]


@dataclass
class Pair:
    """A problem, what is measured here and elsewhere, and the truth.

    Attributes:
        problem: of here.
        here: expected outcome at settings of all variables.
        elsewhere: the same of the other source.
        truth: what a play of these settings is worth.
        best: the largest of these.
        settings: draws those of all variables.
        noise: deviation of an outcome.
    """

    problem: sb.CostVarying
    here: Callable[[Values], float]
    elsewhere: Callable[[Values], float]
    truth: Callable[[Values], float]
    best: float
    settings: Callable[[np.random.Generator], dict[str, Any]]
    noise: float


# -- pairs that are drawn --------------------------------------------------------------------------


def smooth(random: np.random.Generator) -> Callable[[Any, Any], np.ndarray]:
    """Draw a function on the unit square, of mean 0 and deviation 1 there."""
    frequencies = random.standard_normal((64, 2)) / 0.35
    phases, weights = random.uniform(0, 2 * np.pi, 64), random.standard_normal(64)

    def plain(x: Any, y: Any) -> np.ndarray:
        angles = np.multiply.outer(x, frequencies[:, 0]) + np.multiply.outer(y, frequencies[:, 1])
        return np.asarray(np.cos(angles + phases) @ weights)

    values = plain(*np.meshgrid(GRID, GRID))
    return lambda x, y: (plain(x, y) - values.mean()) / values.std()


def drawn(kind: str, seed: int) -> Pair:
    """Draw a pair."""
    random = np.random.default_rng([seed, [*DRAWN].index(kind), 58])
    f, other = smooth(random), smooth(random)
    by_x = f(*np.meshgrid(ENDS, GRID, indexing="ij")).mean(axis=1)
    by_y = f(*np.meshgrid(GRID, ENDS, indexing="ij")).mean(axis=0)
    table = f(*np.meshgrid(ENDS, ENDS))

    def truth(values: Values) -> float:
        cost = COSTS[tuple(sorted(values))]
        x, y = values.get("x", GRID), values.get("y", GRID)
        return float(np.mean(f(x, y))) - cost

    tops = by_x.max() - 0.2, by_y.max() - 0.2, table.max() - 0.6
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "xy"]
    problem = sb.CostVarying(
        variables, [list(held) for held in COSTS], [*COSTS.values()], value_of_one=1.0
    )
    there = DRAWN[kind]
    return Pair(
        problem,
        lambda v: float(f(v["x"], v["y"])),
        lambda v: float(there(f, other, v["x"], v["y"])),
        truth,
        float(max(tops)),
        lambda random: dict(zip("xy", random.random(2).tolist(), strict=True)),
        NOISE,
    )


DRAWN: dict[str, Callable[..., Any]] = {
    "same": lambda f, other, x, y: f(x, y),
    "shifted": lambda f, other, x, y: f(x - 0.1, y) + 2.0,
    "scaled": lambda f, other, x, y: 2.0 * f(x, y) - 1.0,
    "unrelated": lambda f, other, x, y: other(x, y),
    "opposite": lambda f, other, x, y: -f(x, y),
}

# -- pairs that were measured ----------------------------------------------------------------------


def reactions(name: str, divided: str, here: set[str], elsewhere: set[str]) -> Pair:
    """Yields of settings, averaged over the levels of one column that are here, or elsewhere."""
    rows = list(csv.DictReader(required(measured(name)).open()))
    names = [column for column in rows[0] if column not in (divided, "yield")]
    tables = []
    for levels in (here, elsewhere):
        found: dict[tuple[str, ...], list[float]] = {}
        for row in rows:
            if row[divided] in levels:
                key = tuple(row[column] for column in names)
                found.setdefault(key, []).append(float(row["yield"]))
        tables.append({key: float(np.mean(each)) for key, each in found.items()})
    choices = [sorted({row[column] for row in rows}) for column in names]
    listed = [key for key in itertools.product(*choices) if all(key in table for table in tables)]

    def of(table: dict[tuple[str, ...], float]) -> Callable[[Values], float]:
        usual = float(np.mean([*table.values()]))  # of a setting that nobody tried
        return lambda v: table.get(tuple(str(v[column]) for column in names), usual)

    pairs = zip(names, choices, strict=True)
    problem = sb.CostVarying([sb.Categorical(*each) for each in pairs], [names])
    return Pair(
        problem,
        of(tables[0]),
        of(tables[1]),
        of(tables[0]),
        max(tables[0][key] for key in listed),
        lambda random: dict(zip(names, listed[random.integers(len(listed))], strict=True)),
        2.0,
    )


def aryl(seed: int) -> Pair:
    """Other halides as the other site."""
    first = {f"H{k}" for k in range(1, 9)}
    return reactions("aryl", "halide", {f"H{k}" for k in range(9, 16)}, first)


def bms(seed: int) -> Pair:
    """Another concentration as last year."""
    return reactions("bms", "concentration", {"0.1"}, {"0.057"})


REAL = {"aryl": aryl, "bms": bms}

# -- runs ------------------------------------------------------------------------------------------


def played(name: str, seed: int, who: str) -> dict[str, Any]:
    """One study: mean loss of its first plays, and losses of its answers after them."""
    pair = REAL[name](seed) if name in REAL else drawn(name, seed)
    random = np.random.default_rng([seed, 59])
    study = sb.Optimizer(pair.problem, rounds=ROUNDS, seed=seed)
    for _ in range(ROWS):
        there = pair.settings(random)
        value = pair.elsewhere(there) + pair.noise * random.standard_normal()
        if who != "left out":
            study.add(value, there, source="last year" if who == "source" else None)
    losses, row = [], {"pair": name, "seed": seed, "who": who}
    while (suggestion := study.ask()) is not None:
        full = {**pair.settings(random), **suggestion.values}
        value = pair.here(full) + pair.noise * random.standard_normal()
        study.tell(suggestion, value, realised=full)
        losses.append(pair.best - pair.truth(suggestion.values))
        if (n := len(losses)) in REPORTED:
            answer = pair.best - pair.truth(study.recommend().values)
            row |= {f"plays {n}": round(float(np.mean(losses)), 4), f"answer {n}": round(answer, 4)}
    return row


def page(path: Path) -> str:
    """The table of differences, each paired by seed, with their standard errors."""
    with path.open() as file:
        found = {(r["pair"], int(r["seed"]), r["who"]): r for r in csv.DictReader(file)}
    columns = [f"{what} {n}" for what in ("plays", "answer") for n in REPORTED]
    lines = [
        "| pair (studies) | less the loss | " + " | ".join(columns) + " |",
        "|---|---|" + "--:|" * 4,
    ]
    every = [(name, (name,)) for name in (*DRAWN, *REAL)]
    for title, names in [*every[: len(DRAWN)], ("all drawn", tuple(DRAWN)), *every[len(DRAWN) :]]:
        seeds = [key[:2] for key in found if key[0] in names and key[2] == "source"]
        for who in WHO[1:]:
            cells = []
            for column in columns:
                apart = [
                    float(found[(*key, "source")][column]) - float(found[(*key, who)][column])
                    for key in seeds
                    if (*key, who) in found
                ]
                cells.append(difference(apart))
            lines.append(f"| {title} ({len(seeds)}) | {who} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Play what is asked for, a line of CSV a study; what is in the file already is not played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="0:4")
    parser.add_argument("--only", nargs="*", default=[*DRAWN, *REAL])
    parser.add_argument("--who", nargs="*", default=[*WHO])
    parser.add_argument("--page", action="store_true")
    said = parser.parse_args()
    if said.page:
        print(page(said.out))
        return
    warnings.simplefilter("ignore")
    seeds = range(*map(int, said.seeds.split(":")))
    play_missing(
        said.out,
        (
            ({"pair": name, "seed": seed, "who": who}, partial(played, name, seed, who))
            for seed, name, who in itertools.product(seeds, said.only, said.who)
        ),
    )


if __name__ == "__main__":
    main()
