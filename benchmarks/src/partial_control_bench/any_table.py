"""Any table of numbers as a system that one can only partly steer: rows are what nature draws.

    python -m partial_control_bench.any_table OUT.csv TABLE.csv … [--seeds 0:6] [--noise 0.3] [--who …]
    python -m partial_control_bench.any_table OUT.csv --page

A table has a head and numbers; its last column is the outcome, in units of whose deviation all is
reckoned. Of the others four, drawn by the seed, can be held, in nine sets, each variable for a tenth
of a deviation a play. A play draws a row, sets what is held, and is worth what
the nearest six rows say, with noise; sixty rows are stated as what nature draws. Losses, of net
values, are to the best that climbs found: the mean of all plays, and of the answer after them.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.spatial import cKDTree

import steerbo as sb

from .errors import BenchError
from .kept import play_missing
from .statistics import difference

ROUNDS, FREE, PRICE, STATED, JUDGED, NEAREST = 50, 4, 0.1, 60, 250, 6
TRIED = 150  # random settings of a set, and steps of a climb from the best of them
Held = dict[int, float]
"""Values by column."""


def table(file: Path) -> Float[np.ndarray, "rows columns"]:
    """Read a table of numbers with a head.

    Raises:
        BenchError: it is none, or has too few columns or rows.
    """
    try:
        found = np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2)
    except ValueError as error:
        raise BenchError(f"{file}: must have a head, and numbers separated by commas") from error
    if found.shape[1] <= FREE or len(found) < STATED or not np.isfinite(found).all():
        raise BenchError(
            f"{file}: must have {FREE + 1} columns of numbers or more, and {STATED} rows or more"
        )
    if not found.std(axis=0).all():
        raise BenchError(f"{file}: must have columns that change: leave the others out")
    return found


class World:
    """What a play of a table is worth.

    Args:
        found: the table.
        seed: draws what can be held, and the rows that are stated and judged by.

    Attributes:
        sets: columns that can be held together.
        low, high: of each column, without the outermost fiftieths.
        stated: rows that are told to be what nature draws.
    """

    def __init__(self, found: Float[np.ndarray, "rows columns"], seed: int) -> None:
        self.rows, outcome = found[:, :-1], found[:, -1]
        random = np.random.default_rng([seed, len(outcome)])
        self._outcome = outcome / outcome.std()
        self._middle, self._spread = self.rows.mean(0), self.rows.std(0)
        self._near = cKDTree((self.rows - self._middle) / self._spread)
        free = [int(i) for i in random.permutation(self.rows.shape[1])[:FREE]]
        self.stated = self.rows[random.permutation(len(found))[:STATED]]
        low, high = np.quantile(self.rows, [0.02, 0.98], axis=0)
        same = low == high  # nearly all rows are alike in this column
        self.low = np.where(same, self.rows.min(0), low)
        self.high = np.where(same, self.rows.max(0), high)
        pairs = list(itertools.combinations(free, 2))
        some = [pairs[i] for i in random.permutation(len(pairs))[:3]]
        self.sets = [*((i,) for i in free), *some, tuple(free[:3]), tuple(free)]
        self._judged = self.rows[random.permutation(len(found))[:JUDGED]]

    def worth(self, rows: Float[np.ndarray, "n columns"]) -> Float[np.ndarray, " n"]:
        """The outcome of rows: that of the nearest of the table, by their nearness."""
        away, near = self._near.query((rows - self._middle) / self._spread, k=NEAREST)
        weights = 1 / (away + 0.05)
        return np.asarray((weights * self._outcome[near]).sum(1) / weights.sum(1))

    def net(self, held: Held) -> float:
        """The expected outcome, less the price."""
        rows = self._judged.copy()
        rows[:, [*held]] = [*held.values()]
        return float(self.worth(rows).mean()) - PRICE * len(held)

    def drawn(self, columns: tuple[int, ...], random: np.random.Generator) -> Held:
        """Draw settings of some columns."""
        return {i: float(random.uniform(self.low[i], self.high[i])) for i in columns}

    def beside(self, held: Held, random: np.random.Generator) -> Held:
        """Draw settings near others: a tenth of the range is the deviation."""
        steps = {i: random.normal(scale=0.1) * (self.high[i] - self.low[i]) for i in held}
        return {
            i: float(np.clip(value + steps[i], self.low[i], self.high[i]))
            for i, value in held.items()
        }

    def best(self) -> float:
        """The largest net value that a climb from random settings finds in each set."""
        random, tops = np.random.default_rng(0), []
        for columns in self.sets:
            start = [self.drawn(columns, random) for _ in range(TRIED)]
            top, held = max(((self.net(each), each) for each in start), key=lambda each: each[0])
            for _ in range(TRIED):
                other = self.beside(held, random)
                if (value := self.net(other)) > top:
                    top, held = value, other
            tops.append(top)
        return max(tops)


@dataclass
class Plays:
    """Plays of a study: what each was worth, and the outcomes that were told.

    Attributes:
        world: what is played.
        noise: deviation of an outcome.
        random: draws rows and noise.
        nets: net values of all plays, as they are expected.
    """

    world: World
    noise: float
    random: np.random.Generator
    nets: list[float]

    def __call__(self, held: Held) -> tuple[float, Float[np.ndarray, " columns"]]:
        """Play: the outcome, and the row."""
        row = self.world.rows[self.random.integers(len(self.world.rows))].copy()
        row[[*held]] = [*held.values()]
        self.nets.append(self.world.net(held))
        worth = float(self.world.worth(row[None])[0])
        return worth + self.noise * float(self.random.standard_normal()), row


# -- who plays -------------------------------------------------------------------------------------

Player = Callable[[World, Plays, int], Held]
"""Plays a study by a seed; the answer is returned."""


def ours(world: World, play: Plays, seed: int) -> Held:
    """Play the default, which is told the price, and rows that nature draws."""
    names = [f"v{i}" for i in range(len(world.low))]
    variables = [
        sb.Float(name, float(low), float(high))
        for name, low, high in zip(names, world.low, world.high, strict=True)
    ]
    problem = sb.CostVarying(
        variables,
        [[names[i] for i in columns] for columns in world.sets],
        costs=[PRICE * len(columns) for columns in world.sets],
        value_of_one=1.0,
        nature=sb.space.JointRows(np.clip(world.stated, world.low, world.high).tolist(), names),
    )
    study = sb.Optimizer(problem, rounds=ROUNDS, seed=seed)

    def held_in(values: Any) -> Held:
        return {names.index(name): value for name, value in values.items()}

    while (suggestion := study.ask()) is not None:
        held = held_in(suggestion.values)
        outcome, row = play(held)
        drawn = np.clip(row, world.low, world.high)
        realised = {name: float(drawn[i]) for i, name in enumerate(names) if i not in held}
        study.tell(suggestion, outcome, cost=PRICE * len(held), realised=realised)
    return held_in(study.recommend().values)


def at_random(world: World, play: Plays, seed: int) -> Held:
    """Hold a random set at random settings; the best play is the answer."""
    random, found = np.random.default_rng([seed, 4]), []
    for _ in range(ROUNDS):
        held = world.drawn(world.sets[random.integers(len(world.sets))], random)
        found.append((play(held)[0] - PRICE * len(held), held))
    return max(found, key=lambda each: each[0])[1]


def one_at_a_time(world: World, play: Plays, seed: int) -> Held:
    """Hold all four, from their middles on: one is drawn anew, and kept if the outcome is better."""
    random, columns = np.random.default_rng([seed, 4]), world.sets[-1]
    kept = {i: float(world.low[i] + world.high[i]) / 2 for i in columns}
    best, _ = play(kept)
    for t in range(ROUNDS - 1):
        tried = {**kept, **world.drawn((columns[t % len(columns)],), random)}
        outcome, _ = play(tried)
        if outcome > best:
            kept, best = tried, outcome
    return kept


def middle(world: World, play: Plays, seed: int) -> Held:
    """Hold one of the four in its middle, always."""
    (column,) = world.sets[0]
    held = {column: float(world.low[column] + world.high[column]) / 2}
    for _ in range(ROUNDS):
        play(held)
    return held


def tpe(world: World, play: Plays, seed: int) -> Held:
    """Play Optuna's TPE over sets and settings."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True)
    study = optuna.create_study(direction="maximize", sampler=sampler)

    def held_in(trial: Any) -> Held:
        columns = world.sets[trial.suggest_categorical("set", [*range(len(world.sets))])]
        return {
            i: trial.suggest_float(f"v{i}", float(world.low[i]), float(world.high[i]))
            for i in columns
        }

    for _ in range(ROUNDS):
        trial = study.ask()
        held = held_in(trial)
        study.tell(trial, play(held)[0] - PRICE * len(held))
    return held_in(optuna.trial.FixedTrial(study.best_params))


PLAYERS: dict[str, Player] = {
    "default": ours,
    "one at a time": one_at_a_time,
    "tpe": tpe,
    "random": at_random,
    "middle": middle,
}

# -- runs ------------------------------------------------------------------------------------------


def played(file: Path, seed: int, who: str, noise: float) -> dict[str, Any]:
    """One study: its mean loss, and that of its answer."""
    world = World(table(file), seed)
    play = Plays(world, noise, np.random.default_rng([seed, 3]), [])
    answer, best = PLAYERS[who](world, play, seed), world.best()
    return {
        "table": file.stem,
        "seed": seed,
        "noise": f"{noise:g}",
        "who": who,
        "plays": round(best - float(np.mean(play.nets)), 4),
        "answer": round(best - world.net(answer), 4),
    }


def page(path: Path) -> str:
    """The table of losses: the default's, and how much more others lose, paired by study."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {(r["noise"], r["who"], r["table"], r["seed"]): r for r in rows}
    others = [who for who in PLAYERS if who != "default"]
    lines = ["| noise | | default | " + " | ".join(others) + " |", "|---|---|" + "--:|" * 5]
    for noise, column in itertools.product(
        sorted({r["noise"] for r in rows}, key=float), ("plays", "answer")
    ):
        own = {k[2:]: float(r[column]) for k, r in found.items() if k[:2] == (noise, "default")}
        cells = [f"{np.mean([*own.values()]):.2f}"]
        for who in others:
            apart = [
                float(found[noise, who, *study][column]) - value
                for study, value in own.items()
                if (noise, who, *study) in found
            ]
            cells.append(difference(apart))
        lines.append(f"| {noise} | {column} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Play what is asked for, a line of CSV a study; what is in the file already is not played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("tables", type=Path, nargs="*")
    parser.add_argument("--seeds", default="0:6")
    parser.add_argument("--noise", type=float, default=0.3)
    parser.add_argument("--who", nargs="*", default=[*PLAYERS], choices=[*PLAYERS])
    parser.add_argument("--page", action="store_true")
    said = parser.parse_args()
    if said.page:
        print(page(said.out))
        return
    if not said.tables:
        parser.error("tables: missing; name files of numbers with the outcome last, or say --page")
    warnings.simplefilter("ignore")
    seeds, noise = range(*map(int, said.seeds.split(":"))), f"{said.noise:g}"
    play_missing(
        said.out,
        (
            (
                {"table": file.stem, "seed": seed, "noise": noise, "who": who},
                partial(played, file, seed, who, said.noise),
            )
            for file, seed, who in itertools.product(said.tables, seeds, said.who)
        ),
    )


if __name__ == "__main__":
    main()
