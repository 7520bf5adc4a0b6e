"""Listed settings within a limit on an outcome: barrels that others printed and crushed, and drawn tables.

    python -m partial_control_bench.limited OUT.csv [--seeds 0:24] [--worlds barrels drawn] [--who …]
    python -m partial_control_bench.limited OUT.csv --page

*Barrels*: the least material with a toughness that three designs in ten reach; each play crushes
one of the three that were printed of the nearest design (`STEERBO_DATA`, or `pcb data --fetch`).
*Drawn*: tables of two or three variables (steps, whole numbers, categories) with a value and a
limited outcome, both of a hump, slopes, products and levels.

A play is worth the share of the settings that keep the limit, by the mean of their outcome, which
it is no worse than; 0 where it does not keep it itself. A person who moves one variable at a time,
and keeps what kept the limit and was better, plays the same worlds.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.stats import norm

import steerbo as sb
from steerbo.space import Space

from .kept import play_missing
from .measured.tables import numbers
from .statistics import difference, error_of

WORLDS, WHO = ("barrels", "drawn"), ("default", "one moved")
ROUNDS, FIRST = 40, 5
"""Plays of a study, and the first ones, which a limit leaves to chance."""
COLUMNS = ("plays", "answer", "kept", "seldom", "repeats")
_OUTCOME = "limited"


@dataclass(frozen=True)
class Table:
    """A world of listed settings.

    Attributes:
        variables: that are set.
        points: (s, d) encoded.
        values: (s,) of settings; more is better.
        outcomes: (s, k) that the limited outcome was measured at, k times each.
        at_most: end of the limit.
        asked: probability with which it is to be kept.
        noise: deviations of the value and of the outcome, beside those among the k.
    """

    variables: tuple[Any, ...]
    points: Float[np.ndarray, "s d"]
    values: Float[np.ndarray, " s"]
    outcomes: Float[np.ndarray, "s k"]
    at_most: float
    asked: float
    noise: tuple[float, float] = (0.0, 0.0)

    def number(self, settings: Mapping[str, Any]) -> int:
        """Number of the listed settings that are nearest to some."""
        (point,) = Space(self.variables).encode([settings])
        return int(((self.points - point) ** 2).sum(axis=1).argmin())

    def worth(self, k: int) -> float:
        """Share of the settings that keep the limit whose value a play reaches; 0 where it does not keep it."""
        keep = self.outcomes.mean(axis=1) <= self.at_most
        return float((self.values[keep] <= self.values[k]).mean()) if keep[k] else 0.0

    def probability(self, k: int) -> float:
        """Probability of a play to keep the limit."""
        room = self.at_most - self.outcomes[k]
        if self.noise[1] == 0.0:
            return float((room >= 0.0).mean())
        return float(norm.cdf(room / self.noise[1]).mean())

    def play(self, k: int, luck: np.random.Generator) -> tuple[float, float]:
        """Value and limited outcome, as measured."""
        outcome = float(luck.choice(self.outcomes[k]))
        of_value, of_outcome = np.array(self.noise) * luck.standard_normal(2)
        return float(self.values[k]) + float(of_value), outcome + float(of_outcome)


@cache
def barrels() -> Table:
    """Struts, twist, radius and thickness of printed barrels: little material, and tough."""
    columns = ("n", "theta", "r", "t")
    rows, toughness = numbers("barrel", *columns), numbers("barrel", "toughness")[:, 0]
    designs, which = np.unique(rows, axis=0, return_inverse=True)
    three = toughness[np.argsort(which.ravel(), kind="stable")].reshape(len(designs), -1)
    steps = [float(np.diff(np.unique(column)).min()) for column in designs.T]
    variables = tuple(
        sb.Float(name, float(column.min()), float(column.max()), step=round(step, 6))
        for name, column, step in zip(columns, designs.T, steps, strict=True)
    )
    settings = [dict(zip(columns, row.tolist(), strict=True)) for row in designs]
    material = designs[:, 0] * designs[:, 2] * designs[:, 3]
    tough = float(np.quantile(three.mean(axis=1), 0.7))
    return Table(variables, Space(variables).encode(settings), -material, -three, -tough, 0.8)


def drawn(seed: int) -> Table:
    """Draw a table."""
    random = np.random.default_rng(seed)
    variables = tuple(_variable(f"v{j}", random) for j in range(int(random.integers(2, 4))))
    space = Space(variables)
    listed = [v.choices if isinstance(v, sb.Categorical) else v.decode(v.levels) for v in variables]
    settings = [dict(zip(space.names, each, strict=True)) for each in itertools.product(*listed)]
    points = space.encode(settings)
    values, outcomes = _surface(variables, points, random), _surface(variables, points, random)
    closed, asked = float(random.choice([0.3, 0.6, 0.8])), float(random.choice([0.8, 0.9]))
    end = float(np.quantile(outcomes, 1.0 - closed)) + 1e-3 * float(outcomes.std())
    share = float(random.choice([0.0, 0.05, 0.2]))
    noise = share * float(values.std()), share * float(outcomes.std())
    return Table(variables, points, values, outcomes[:, None], end, asked, noise)


def _variable(name: str, random: np.random.Generator) -> Any:
    which = int(random.integers(3))
    if which == 0:
        return sb.Float(name, 0, 10, step=0.5)
    if which == 1:
        return sb.Integer(name, 0, int(random.integers(3, 15)))
    return sb.Categorical(name, [f"c{k}" for k in range(int(random.integers(2, 7)))])


def _surface(
    variables: Sequence[Any], points: Float[np.ndarray, "s d"], random: np.random.Generator
) -> Float[np.ndarray, " s"]:
    """A hump and a slope along each number, levels of each category, and products of all."""
    d = len(variables)
    middles, widths, slopes = random.random(d), random.uniform(0.4, 1.2, d), random.normal(size=d)
    products, levels = 0.4 * random.normal(size=(d, d)), 0.7 * random.normal(size=(d, 20))
    found = np.asarray(-(((points - middles) / widths) ** 2) + slopes * points)
    for j, variable in enumerate(variables):
        if isinstance(variable, sb.Categorical):
            found[:, j] = levels[j, points[:, j].round().astype(int)]
    return np.asarray(found.sum(axis=1) + ((points @ products) * points).sum(axis=1))


def played(name: str, seed: int, who: str) -> dict[str, Any]:
    """One study of a world."""
    table = barrels() if name == "barrels" else drawn(seed)
    luck = np.random.default_rng([seed, 1])
    plays, answer = (_ours if who == "default" else _one_moved)(table, luck, seed)
    later = plays[FIRST:]
    probabilities = np.array([table.probability(k) for k in later])
    return {
        "world": name,
        "seed": seed,
        "who": who,
        "plays": round(float(np.mean([table.worth(k) for k in later])), 4),
        "answer": round(table.worth(answer), 4),
        "kept": round(float(probabilities.mean()), 4),
        "seldom": round(float((probabilities < 0.5 * table.asked).mean()), 4),
        "repeats": max(Counter(plays).values()),
    }


def _ours(table: Table, luck: np.random.Generator, seed: int) -> tuple[list[int], int]:
    """Plays, and the answer, of the default."""
    limit = sb.OutcomeConstraint(_OUTCOME, at_most=table.at_most, probability=table.asked)
    names = [variable.name for variable in table.variables]
    problem = sb.CostVarying(table.variables, [names], costs=[1], limits=[limit])
    study, plays = sb.Optimizer(problem, rounds=ROUNDS, seed=seed), list[int]()
    while (asked := study.ask()) is not None:
        plays.append(table.number(asked.values))
        value, outcome = table.play(plays[-1], luck)
        study.tell(asked, value, realised={_OUTCOME: outcome})
    return plays, table.number(study.recommend().values)


def _one_moved(table: Table, luck: np.random.Generator, seed: int) -> tuple[list[int], int]:
    """The same of a person who moves one variable, and keeps what kept the limit and was better."""
    random = np.random.default_rng([seed, 2])
    held, best, plays = int(random.integers(len(table.points))), (False, -np.inf), list[int]()
    for _ in range(ROUNDS):
        tried = held
        if plays:
            moved = table.points[held].copy()
            j = int(random.integers(len(moved)))
            moved[j] = table.points[int(random.integers(len(table.points))), j]
            tried = int(((table.points - moved) ** 2).sum(axis=1).argmin())
        plays.append(tried)
        value, outcome = table.play(tried, luck)
        found = outcome <= table.at_most, value if outcome <= table.at_most else -outcome
        if found > best:
            held, best = tried, found
    return plays, held


def page(path: Path) -> str:
    """The table of means with their errors, and of differences from the default, paired by seed."""
    with path.open(encoding="utf-8") as file:
        found = {(r["world"], r["who"], r["seed"]): r for r in csv.DictReader(file)}
    lines = [f"| world | who | studies | {' | '.join(COLUMNS)} |", f"|---|---|{'--:|' * 6}"]
    for name, who in dict.fromkeys(key[:2] for key in found):
        rows = {key[2]: row for key, row in found.items() if key[:2] == (name, who)}
        cells = []
        for column in COLUMNS:
            own = [float(row[column]) for row in rows.values()]
            said = f"{np.mean(own):.3f} ± {error_of(own):.3f}"
            if who != WHO[0]:
                usual = {seed: found.get((name, WHO[0], seed)) for seed in rows}
                apart = [
                    float(rows[seed][column]) - float(other[column])
                    for seed, other in usual.items()
                    if other is not None
                ]
                said += f" ({difference(apart)})"
            cells.append(said)
        lines.append(f"| {name} | {who} | {len(rows)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Play what is asked for, a line of CSV a study; what is in the file already is not played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="0:24")
    parser.add_argument("--worlds", nargs="*", default=[*WORLDS], choices=WORLDS)
    parser.add_argument("--who", nargs="*", default=[*WHO], choices=WHO)
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
            ({"world": name, "seed": seed, "who": who}, partial(played, name, seed, who))
            for seed, name, who in itertools.product(seeds, said.worlds, said.who)
        ),
    )


if __name__ == "__main__":
    main()
