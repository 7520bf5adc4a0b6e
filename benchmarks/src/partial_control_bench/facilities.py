"""Facilities among the places of a network that others made, beside moving one and keeping what is better.

    python -m partial_control_bench.facilities OUT.csv pmed1.txt [--seeds 0:10] [--only 4/30/60 …]
    python -m partial_control_bench.facilities OUT.csv --page

The network is a file of the OR-Library's uncapacitated *p*-median problems (Beasley 1985): numbers
of places, roads and facilities, then a road a line, with its length. Of its places some are sites,
drawn anew by each seed; a play costs the mean way from all places to the nearest facility, with
noise of a tenth of random plays' deviation.

Losses are shares of what the best gains over random plays: the mean of all plays, and of the answer
after them. The best is that of 30 descents in which no single move gains anything.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.sparse.csgraph import shortest_path

import steerbo as sb

from .errors import BenchError
from .kept import play_missing
from .statistics import difference

SIZES = ("4/30/60", "5/100/100", "10/60/80")
"""Facilities, sites and plays."""
NOISE, DESCENTS, RANDOM = 0.1, 30, 500
WHO = ("default", "additive", "one moved")


def ways(file: Path) -> Float[np.ndarray, "places places"]:
    """The shortest ways between all places of a network.

    Raises:
        BenchError: the file is none of such a network.
    """
    try:
        (places, roads, _), *lines = ([int(word) for word in row] for row in _words(file))
        lengths = np.full((places, places), np.inf)
        for start, stop, length in lines[:roads]:  # of two between the same places the last counts
            lengths[start - 1, stop - 1] = lengths[stop - 1, start - 1] = length
    except (IndexError, ValueError) as error:
        raise BenchError(
            f"{file}: must have places, roads and facilities in its first line, then two places and "
            "a length in each"
        ) from error
    return np.asarray(shortest_path(np.where(np.isfinite(lengths), lengths, 0.0), directed=False))


def _words(file: Path) -> list[list[str]]:
    return [line.split() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


@dataclass(frozen=True)
class Network:
    """Sites, and what a play of them costs.

    Attributes:
        ways: from each site to all places.
        facilities: how many there are.
    """

    ways: Float[np.ndarray, "sites places"]
    facilities: int

    def cost(self, taken: list[int]) -> float:
        """The mean way to the nearest facility."""
        return float(self.ways[taken].min(axis=0).mean())

    def drawn(self, random: np.random.Generator) -> list[int]:
        """Draw a site for each facility; two may have the same."""
        return [int(site) for site in random.integers(0, len(self.ways), self.facilities)]

    def best(self) -> float:
        """The least cost of some descents."""
        random = np.random.default_rng(0)
        sites = len(self.ways)
        return min(
            self._descended([int(s) for s in random.permutation(sites)[: self.facilities]])
            for _ in range(DESCENTS)
        )

    def _descended(self, taken: list[int]) -> float:
        cost, moved = self.cost(taken), True
        while moved:
            moved = False
            for i, site in itertools.product(range(self.facilities), range(len(self.ways))):
                other = [*taken[:i], site, *taken[i + 1 :]]
                if (tried := self.cost(other)) < cost - 1e-12:
                    taken, cost, moved = other, tried, True
        return cost


def network(between: Float[np.ndarray, "places places"], size: str, seed: int) -> Network:
    """Draw sites: `size` has facilities, sites and plays."""
    facilities, sites, _ = map(int, size.split("/"))
    drawn = np.random.default_rng(seed).permutation(len(between))[:sites]
    return Network(between[np.sort(drawn)], facilities)


def played(
    between: Float[np.ndarray, "places places"], size: str, seed: int, who: str
) -> dict[str, Any]:
    """One study: its mean loss, and that of its answer."""
    world, rounds = network(between, size, seed), int(size.split("/")[2])
    random = np.random.default_rng([seed, 1])
    usual = [world.cost(world.drawn(random)) for _ in range(RANDOM)]
    best, noise = world.best(), NOISE * float(np.std(usual))
    luck = np.random.default_rng([seed, 2]).standard_normal(rounds) * noise
    costs, answer = (
        _one_moved(world, luck, random) if who == "one moved" else _ours(world, luck, seed, who)
    )

    def loss(cost: float) -> float:
        return round((cost - best) / (float(np.mean(usual)) - best), 4)

    return {
        "size": size,
        "seed": seed,
        "who": who,
        "plays": loss(float(np.mean(costs))),
        "answer": loss(answer),
    }


def _ours(
    world: Network, luck: Float[np.ndarray, " rounds"], seed: int, who: str
) -> tuple[list[float], float]:
    """Costs of plays, and of the answer, of a study; `who` may be a kernel."""
    names = [f"n{i}" for i in range(len(world.ways))]
    problem = sb.MeanField(names, agents=world.facilities, minimize=True)
    options: dict[str, Any] = {} if who == "default" else {"kernel": who}
    study = sb.Optimizer(problem, rounds=len(luck), seed=seed, **options)

    def taken(values: Mapping[str, Any]) -> list[int]:
        (shares,) = values["distribution"].values()
        return [i for i, name in enumerate(names) if round(shares[name] * world.facilities)]

    costs: list[float] = []
    while (suggestion := study.ask()) is not None:
        costs.append(world.cost(taken(suggestion.values)))
        study.tell(suggestion, costs[-1] + luck[len(costs) - 1])
    return costs, world.cost(taken(study.recommend().values))


def _one_moved(
    world: Network, luck: Float[np.ndarray, " rounds"], random: np.random.Generator
) -> tuple[list[float], float]:
    """The same of a person who moves one at random, and keeps it if the outcome is better."""
    kept = [int(s) for s in random.permutation(len(world.ways))[: world.facilities]]
    costs, seen = [world.cost(kept)], world.cost(kept) + luck[0]
    for noise in luck[1:]:
        tried = list(kept)
        tried[random.integers(world.facilities)] = int(random.integers(len(world.ways)))
        costs.append(world.cost(tried))
        if costs[-1] + noise < seen:
            kept, seen = tried, costs[-1] + noise
    return costs, world.cost(kept)


def page(path: Path) -> str:
    """The table of losses, with differences from the default, paired by seed, and their errors."""
    with path.open(encoding="utf-8") as file:
        found = {(r["size"], int(r["seed"]), r["who"]): r for r in csv.DictReader(file)}
    lines = ["| facilities/sites/plays | who | a play | answer |", "|---|---|--:|--:|"]
    for size, who in itertools.product(dict.fromkeys(key[0] for key in found), WHO):
        cells = []
        for column in ("plays", "answer"):
            own = {k[1]: float(r[column]) for k, r in found.items() if (k[0], k[2]) == (size, who)}
            apart = [
                value - float(found[size, seed, "default"][column])
                for seed, value in own.items()
                if (size, seed, "default") in found
            ]
            beside = "" if who == "default" else f" ({difference(apart)})"
            cells.append(f"{np.mean([*own.values()]):.2f}{beside}" if own else "–")
        lines.append(f"| {size} | {who} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def main() -> None:
    """Play what is asked for, a line of CSV a study; what is in the file already is not played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("network", type=Path, nargs="?")
    parser.add_argument("--seeds", default="0:10")
    parser.add_argument("--only", nargs="*", default=[*SIZES])
    parser.add_argument("--who", nargs="*", default=[*WHO], choices=WHO)
    parser.add_argument("--page", action="store_true")
    said = parser.parse_args()
    if said.page:
        print(page(said.out))
        return
    if said.network is None:
        parser.error("network: missing; name a file such as pmed1.txt, or say --page")
    warnings.simplefilter("ignore")
    between, seeds = ways(said.network), range(*map(int, said.seeds.split(":")))
    play_missing(
        said.out,
        (
            ({"size": size, "seed": seed, "who": who}, partial(played, between, size, seed, who))
            for seed, size, who in itertools.product(seeds, said.only, said.who)
        ),
    )


if __name__ == "__main__":
    main()
