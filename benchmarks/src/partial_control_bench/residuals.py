"""Are predictions as sure as they may be? `python -m partial_control_bench.residuals --seeds 7000-7007`.

A model is fitted to random rows of a table that other people measured, and predicts 400 others. If
its deviations are right, (true − mean) / deviation has a root mean square of 1. Tables are read
from `real/open` in the folder that `STEERBO_DATA` names; `--lists` takes five lists of categories
of Olympus instead, see `measured.olympus`.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steerbo.space import Categorical, Float, Integer, Space
from steerbo.surrogate import build_model

from . import data
from .measured.olympus import World

PREDICTED = 400
SIZES = (20, 40, 60)
NOISE = 2.0
"""Standard deviation that is added to a yield, in percent, as the tables have one value a reaction."""
LISTS = ("suzuki_edbo", "dye_lasers", "redoxmers", "perovskites", "lnp3")
"""Tables of Olympus that are made of categories; noise is a twentieth of the outcomes' deviation."""


@dataclass(frozen=True)
class Listed:
    """A table of settings with measured outcomes: the mean of repetitions, and their deviation."""

    name: str
    space: Space
    points: np.ndarray  # (n, d), encoded
    values: np.ndarray  # (n,)
    noise: float


def tables(folder: Path) -> Iterator[Listed]:
    """Read the three tables."""
    for name, columns in (
        ("bms", ("base", "ligand", "solvent", "concentration", "temperature")),
        ("aryl", ("base", "ligand", "additive", "halide")),
    ):
        rows = _rows(folder / f"{name}.csv")
        space = Space(tuple(Categorical(c, sorted({row[c] for row in rows})) for c in columns))
        points = space.encode([{c: row[c] for c in columns} for row in rows])
        yield Listed(name, space, points, np.array([float(row["yield"]) for row in rows]), NOISE)
    yield _barrels(_rows(folder / "barrel.csv"))


def lists() -> Iterator[Listed]:
    """Read the lists of categories of Olympus."""
    for name in LISTS:
        world = World(name)
        space = world.problem().space
        points = space.encode([values for values, _ in world.rows])
        outcomes = np.array([outcome for _, outcome in world.rows])
        yield Listed(name, space, points, outcomes, 0.05 * world.spread)


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def _barrels(rows: list[dict[str, str]]) -> Listed:
    """Printed barrels, each of which was printed and crushed several times."""
    space = Space(
        (
            Integer("n", 6, 12),
            Float("theta", 0, 200, step=25),
            Float("r", 1.5, 2.5, step=0.1),
            Float("t", 0.7, 1.4, step=0.35),
        )
    )
    columns, repeated = space.names, defaultdict[tuple[float, ...], list[float]](list)
    for row in rows:
        repeated[tuple(float(row[c]) for c in columns)].append(float(row["toughness"]))
    points = space.encode([dict(zip(columns, row, strict=True)) for row in repeated])
    values = np.array([np.mean(each) for each in repeated.values()])
    noise = float(np.mean([np.std(each, ddof=1) for each in repeated.values()]))
    return Listed("barrel", space, points, values, noise)


def residuals(table: Listed, size: int, seed: int) -> np.ndarray:
    """Standardised residuals (400,) of rows that a model of `size` random rows predicts."""
    random = np.random.default_rng([seed, size])
    order = random.permutation(len(table.values))
    known, others = order[:size], order[size : size + PREDICTED]
    model = build_model(table.space, None, seed=seed)
    model.replace(table.points[known], table.values[known] + random.normal(0.0, table.noise, size))
    model.set(model.fit())
    parts = [member.marginals(table.points[others]) for member in model.members or (model,)]
    means, variances = (np.array(each) for each in zip(*parts, strict=True))
    mean = means.mean(axis=0)
    variance = (variances + (means - mean) ** 2).mean(axis=0)  # of the mixture of draws
    expected, deviation = model.output.moments(mean, np.sqrt(variance))
    return np.asarray((table.values[others] - expected) / deviation)


def main() -> None:
    """Print a row a table: the root mean square after each number of rows, over the seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="7000-7007", help="first and last, such as 7000-7007")
    parser.add_argument("--lists", action="store_true", help="lists of Olympus instead")
    given = parser.parse_args()
    first, last = map(int, given.seeds.split("-"))
    folder = data.folder()
    if folder is None and not given.lists:
        parser.error(f"{data.VARIABLE} names no folder with the tables")
    for table in lists() if folder is None or given.lists else tables(folder / "real" / "open"):
        found = [_mean_square(table, size, range(first, last + 1)) for size in SIZES]
        print(
            table.name, *(f"{rms:.2f} ± {error:.2f}" for rms, error in found), sep="\t", flush=True
        )


def _mean_square(table: Listed, size: int, seeds: range) -> tuple[float, float]:
    """Root mean square over draws of rows, and its standard error between draws."""
    squares = [float(np.mean(residuals(table, size, seed) ** 2)) for seed in seeds]
    root = float(np.sqrt(np.mean(squares)))
    return root, float(np.std(squares, ddof=1) / np.sqrt(len(squares)) / (2.0 * root))


if __name__ == "__main__":
    main()
