"""Drawn studies in which traits meet: places that fail, a limit, today's settings, drift. Who stands still?

    python -m partial_control_bench.together OUT.csv [--seeds 0:100] [--kinds causal …] [--who …]
    python -m partial_control_bench.together OUT.csv --page

Each world has one to three variables (numbers, steps, whole numbers, categories), a value with a
hump, and half-spaces where plays fail and where a limit on another outcome is kept. Today's
settings are told in half of them, wherever they lie. A play is worth the share of the places that
work and keep the limit whose value it reaches, and 0 where it fails or breaks it. A place drawn at
random is worth half of the share that works and keeps: a study whose last ten plays are worth less
stands still, or chases noise. A person who moves one variable at a time, and keeps what worked,
kept the limit and was better, plays the same worlds.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

import steerbo as sb
from steerbo.space import Space

from .kept import play_missing
from .statistics import error_of

KINDS, WHO = ("cost-varying", "time-varying", "causal"), ("default", "one moved")
ROUNDS, LAST, PLACES = 30, 10, 1000
"""Plays of a study, the last ones that are compared, and places drawn of a world."""
CLOSED = (0.0, 0.0, 0.0, 0.3, 0.6, 0.85)
"""Shares of the places that fail, and that break the limit: none, in half of the worlds each."""
NOISES = (0.0, 0.05, 0.2, 0.5)
"""Deviations of the noise, as shares of the value's over all places."""
ASKED = 0.8
_APART = 1e-6  # of a limit from the nearest place, as a share of all deviations


@dataclass(frozen=True)
class World:
    """What plays of one study meet.

    Attributes:
        variables: that are set.
        places: settings drawn at random, encoded.
        works: a direction, and from where on along it plays work.
        limit: another direction, and up to where the limit is kept; infinite: there is none.
        humps: middles and widths of the value along numbers, and the values of categories.
        drift: "no", "slow" or "jump".
        noise: its deviation.
        unit, zero: of the values that are told.
        minimize: whether less is better.
        today: settings in use; None: nothing is told.
    """

    variables: tuple[Any, ...]
    places: Float[np.ndarray, "p d"]
    works: tuple[Float[np.ndarray, " d"], float]
    limit: tuple[Float[np.ndarray, " d"], float]
    humps: tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"], Float[np.ndarray, "d 8"]]
    drift: str
    noise: float
    unit: float
    zero: float
    minimize: bool
    today: Mapping[str, Any] | None

    @property
    def space(self) -> Space:
        """Space of the variables."""
        return Space(self.variables)

    def values(self, points: Float[np.ndarray, "n d"], time: float) -> Float[np.ndarray, " n"]:
        """Values of encoded places; more is better."""
        middles, widths, steps = self.humps
        if self.drift == "slow":
            middles = middles + 0.2 * np.sin(time / 6.0)
        if self.drift == "jump" and time > ROUNDS / 2:
            middles = 1.0 - middles
        found = -(((points - middles) / widths) ** 2)
        for j, variable in enumerate(self.variables):
            if isinstance(variable, sb.Categorical):
                found[:, j] = steps[j, points[:, j].round().astype(int)]
        return np.asarray(found.sum(axis=1))

    def allowed(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Whether plays there work, and keep the limit."""
        return np.asarray(self.working(points) & self.keeping(points))

    def working(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Whether plays there work."""
        return np.asarray(points @ self.works[0] >= self.works[1])

    def keeping(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Whether plays there keep the limit."""
        return np.asarray(points @ self.limit[0] <= self.limit[1])

    def worth(self, point: Float[np.ndarray, " d"], time: float) -> float:
        """Share of the allowed places whose value a play reaches; 0 where it is not allowed."""
        some = self.places[self.allowed(self.places)]
        if not len(some) or not self.allowed(point[None])[0]:
            return 0.0
        return float((self.values(some, time) <= self.values(point[None], time) + 1e-12).mean())


def world(kind: str, seed: int) -> World:
    """Draw a world."""
    random = np.random.default_rng([seed, KINDS.index(kind)])
    d = int(random.integers(1, 4))
    variables = tuple(_variable(f"v{j}", random) for j in range(d))
    space = Space(variables)
    settings = [_settings(variables, random) for _ in range(PLACES)]
    places = space.encode(settings)
    humps = random.random(d), random.uniform(0.2, 1.0, d), 0.5 * random.normal(size=(d, 8))
    fails, breaks = float(random.choice(CLOSED)), float(random.choice(CLOSED))
    drift = str(random.choice(["no", "no", "slow", "jump"])) if kind == "time-varying" else "no"
    unit = 10.0 ** int(random.integers(-3, 6))
    quiet = World(
        variables,
        places,
        _half_space(places, fails, random, above=True),
        _half_space(places, breaks, random, above=False),
        humps,
        drift,
        0.0,
        unit,
        unit * float(random.choice([0.0, 5.0, -100.0])),
        bool(random.random() < 0.5),
        settings[0] if random.random() < 0.5 else None,
    )
    noise = float(random.choice(NOISES)) * float(quiet.values(places, 0.0).std())
    return replace(quiet, noise=noise)


def _variable(name: str, random: np.random.Generator) -> Any:
    which = int(random.integers(5))
    if which == 0:
        return sb.Float(name, 0, 10, step=0.5)
    if which == 1:
        return sb.Integer(name, 0, int(random.integers(2, 12)))
    if which == 2:
        return sb.Categorical(name, [f"c{k}" for k in range(int(random.integers(2, 7)))])
    low = float(random.choice([0.0, -5.0, 100.0]))
    return sb.Float(name, low, low + 10.0 ** int(random.integers(-1, 3)))


def _settings(variables: tuple[Any, ...], random: np.random.Generator) -> dict[str, Any]:
    """Draw a place."""
    return {
        each.name: each.choices[int(random.integers(len(each.choices)))]
        if isinstance(each, sb.Categorical)
        else each.decode(np.array([random.random()]))[0]
        for each in variables
    }


def _half_space(
    places: Float[np.ndarray, "p d"], share: float, random: np.random.Generator, *, above: bool
) -> tuple[Float[np.ndarray, " d"], float]:
    """Draw a direction, and where along it the half-space begins that leaves out this share of the places."""
    direction = np.asarray(random.normal(size=places.shape[1]))
    along = places @ direction
    if share == 0.0:
        return direction, -np.inf if above else np.inf
    sign = -1.0 if above else 1.0
    end = float(np.quantile(along, share if above else 1.0 - share))
    return direction, end + sign * _APART * float(along.std())


def problem(kind: str, of: World) -> Any:
    """The problem that is told."""
    names = [variable.name for variable in of.variables]
    more: dict[str, Any] = {"minimize": of.minimize}
    if np.isfinite(of.limit[1]):
        limit = sb.OutcomeConstraint("other", at_most=float(of.limit[1]), probability=ASKED)
        more["limits"] = [limit]
    if of.today is not None:
        more["current"] = of.today
    if kind == "cost-varying":
        return sb.CostVarying(of.variables, [names], costs=[1], **more)
    if kind == "time-varying":
        return sb.TimeVarying(of.variables, **more)
    arrows = "; ".join(f"{name} -> y" for name in names)
    graph = sb.CausalGraph.from_text(arrows, target="y", intervenable=names)
    return sb.Causal(graph, of.variables, **more)


def played(kind: str, seed: int, who: str) -> dict[str, Any]:
    """One study, and what it is worth beside a place drawn at random."""
    of, luck = world(kind, seed), np.random.default_rng([seed, 7])
    if who == "default":
        plays, answer = _ours(kind, of, luck, seed)
    else:
        plays, answer = _one_moved(of, luck)
    points = of.space.encode([*plays, answer])
    worth = [of.worth(point, time) for time, point in enumerate(points)]
    return {
        "kind": kind,
        "seed": seed,
        "who": who,
        "plays": round(float(np.mean(worth[:-1])), 4),
        "last": round(float(np.mean(worth[-LAST - 1 : -1])), 4),
        "answer": round(worth[-1], 4),
        "random": round(0.5 * float(of.allowed(of.places).mean()), 4),
        "repeats": max(Counter(map(str, plays)).values()),
    }


def _ours(
    kind: str, of: World, luck: np.random.Generator, seed: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Settings of all plays, and of the answer, of the default."""
    study = sb.Optimizer(problem(kind, of), rounds=ROUNDS, seed=seed)
    plays = list[dict[str, Any]]()
    for time in range(ROUNDS):
        asked = study.ask(time=float(time)) if kind == "time-varying" else study.ask()
        if asked is None:
            break
        plays.append({**_settings(of.variables, luck), **asked.values})
        told = {name: x for name, x in plays[-1].items() if name not in asked.values}
        value, other = _outcome(of, plays[-1], time, luck)
        if np.isfinite(of.limit[1]):
            told["other"] = other
        if value is None:
            study.fail(asked, "it broke", realised=told)
        else:
            signed = -value if of.minimize else value
            study.tell(asked, of.zero + of.unit * signed, realised=told)
    return plays, {**_settings(of.variables, luck), **study.recommend().values}


def _one_moved(of: World, luck: np.random.Generator) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The same of a person who moves one variable, and keeps what worked, kept the limit and was better."""
    held = dict(of.today) if of.today is not None else _settings(of.variables, luck)
    best, plays = (-1, -np.inf), list[dict[str, Any]]()
    for time in range(ROUNDS):
        tried = dict(held)
        if plays:
            name = str(luck.choice([*held]))
            tried[name] = _settings(of.variables, luck)[name]
        plays.append(tried)
        value, other = _outcome(of, tried, time, luck)
        if value is None:
            found = 0, -np.inf
        elif other > of.limit[1]:
            found = 1, -other
        else:
            found = 2, value
        if found > best:
            held, best = tried, found
    return plays, held


def _outcome(
    of: World, settings: Mapping[str, Any], time: float, luck: np.random.Generator
) -> tuple[float | None, float]:
    """Value with noise, None where the play fails; and the limited outcome."""
    (point,) = of.space.encode([settings])
    value = float(of.values(point[None], time)[0]) + of.noise * luck.standard_normal()
    return value if of.working(point[None])[0] else None, float(point @ of.limit[0])


def page(path: Path) -> str:
    """The table of means with their errors, and of studies that end worse than places drawn at random."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lines = [
        "| kind | who | studies | a play | the last ten | answer | at random | worse than at random |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for kind, who in dict.fromkeys((row["kind"], row["who"]) for row in rows):
        some = [row for row in rows if (row["kind"], row["who"]) == (kind, who)]
        cells = [
            f"{np.mean(own):.3f} ± {error_of(own):.3f}"
            for own in ([float(row[c]) for row in some] for c in ("plays", "last", "answer"))
        ]
        usual = float(np.mean([float(row["random"]) for row in some]))
        worse = sum(float(row["last"]) < float(row["random"]) for row in some)
        lines.append(
            f"| {kind} | {who} | {len(some)} | {' | '.join(cells)} | {usual:.3f} | {worse} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Play what is asked for, a line of CSV a study; what is in the file already is not played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="0:100")
    parser.add_argument("--kinds", nargs="*", default=[*KINDS], choices=KINDS)
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
            ({"kind": kind, "seed": seed, "who": who}, partial(played, kind, seed, who))
            for seed, kind, who in itertools.product(seeds, said.kinds, said.who)
        ),
    )


if __name__ == "__main__":
    main()
