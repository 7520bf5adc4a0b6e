"""Twenty tables of Olympus, which nothing was tuned on: the default beside simple rules and TPE.

    python -m partial_control_bench.measured.olympus [--seeds 0-5] [--only agnp hplc …] [--who default tpe …]

Everything is set in fifty plays, with noise of a twentieth of the table's standard deviation.
Where all settings are listed, a play looks one up; else it takes the four nearest rows. The files
(github.com/aspuru-guzik-group/olympus, MIT) are fetched by pooch, or read from the folder ``olympus``
of the one that `STEERBO_DATA` names.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import steerbo as sb

from .. import data
from .fetch import Source, download
from .tables import Nearest

ROUNDS, NEAR, LEVELS = 50, 4, 5
_AT = Source("aspuru-guzik-group/olympus", "440b6b58ebfcaa2391cff7e94b570fb4fda98d68", "", "")


@dataclass(frozen=True)
class Table:
    """A public table.

    Attributes:
        settings: columns that are set; the next one is the outcome.
        digest: the file's SHA-256.
        larger: whether larger outcomes are better.
        total: of all settings together, where they are a mixture.
        listed: whether numbers are choices, too.
    """

    settings: int
    digest: str
    larger: bool = True
    total: float | None = None
    listed: bool = False


TABLES = {
    "agnp": Table(5, "a6716a575a9890fce01a0f3090f258678ea3c1f202f293d8a8318afa979df8c1"),
    "alkox": Table(4, "133ff07b39a05c21be3d22ad18d14eee73fe0a1a75f95814a68b4591a042be22"),
    "autoam": Table(4, "7b11cda982c25f8cd37dd273d0d298e627b77e8a55ab3f3d1965824c1f3d60f9"),
    "benzylation": Table(
        4, "a33e4d224f9b77f8e15c1010afb4c8d569261d4d09b7e5eb83a51e1f4ec25ad3", larger=False
    ),
    "fullerenes": Table(3, "87aa0927f0180a0f7d46dffb0b707df5caccc879492dbc0688ac3252414d4441"),
    "hplc": Table(6, "9c94222798229c1391f75445f44d9c0ed285e83c1b1e0608ab76b28bf05decef"),
    "snar": Table(
        4, "06a913889bb2b40cb515ec9eb3817025dea99b43c240aeb42e48cf77fe3eba67", larger=False
    ),
    "suzuki": Table(4, "88e3c2613ee6238300f3b326c34d14dc3f76f0335a3e193cf423750146c819b6"),
    "suzuki_i": Table(4, "bfee0312d4371ec49630c37e76df21f595369066e060ee83fbe1613a52b067cc"),
    "suzuki_ii": Table(4, "6df9fbc68a2141d66b2be9871eada25d34771e0020f906d4b8f4406320ec0ae4"),
    "perovskites": Table(
        3, "ba55731336cf68a2fcc2a8c6b542ee06d4c238c91ced27d243ce9de95f8d6518", larger=False
    ),
    "redoxmers": Table(
        4, "89465c7710966da17296026575fd907b98cf93cfb81d3351efbf642b811abbb5", larger=False
    ),
    "suzuki_edbo": Table(5, "0aefcd2d26b35b6388e69e8d5f00438a209f09157280c264fc9d98597fad8b48"),
    "dye_lasers": Table(3, "3441ee47c3fd12c963a8b506f7085bc483d22858ea29c012ff19f2e996d85c2e"),
    "lnp3": Table(
        5, "69e8847e30f8b8b8720884676cd20d354152b7093309d278ee9910f9924b48ba", listed=True
    ),
    "colors_bob": Table(
        5,
        "2b5bd2a26e595cf69813237d6ba19b9f3efa25f8a5576fba2b2f4008522a433f",
        larger=False,
        total=1.0,
    ),
    "photo_pce10": Table(
        4,
        "b41c72b8e38e73a5ddd175db19e62f1bbd51da75e040fe6bd08afbdf87f0c4cf",
        larger=False,
        total=1.0,
    ),
    "thin_film": Table(
        3,
        "d2c68452f101df392f01609a2eee8347ef338c99dde383d274556d40f9a359d5",
        larger=False,
        total=1.0,
    ),
    "oer_plate_3496": Table(
        6,
        "3c70049ccfdd11bc05d1777421fc4c724d2b2d4a86c12b8759079609912cfade",
        larger=False,
        total=1.0,
    ),
    "p3ht": Table(
        5, "be832eb97e1e18f49766733ca5865718b57819fdaf4e6fcaa2f53873360838c8", total=100.0
    ),
}


class World:
    """A table to play: settings, and the outcome to be expected at each of them, larger is better.

    Attributes:
        ranges: of each setting its bounds, or its choices.
        rows: settings that were tried, each with its outcome.
        spread: standard deviation of the table's outcomes.
    """

    def __init__(self, name: str) -> None:
        self.table, self.sign = TABLES[name], 1.0 if TABLES[name].larger else -1.0
        rows = list(csv.reader(io.StringIO(_text(name))))
        columns = list(zip(*rows, strict=True))
        outcomes = np.array([float(word) for word in columns[self.table.settings]])
        self.spread = float(outcomes.std())
        self.ranges = {f"v{j}": self._range(columns[j]) for j in range(self.table.settings)}
        settings = list(zip(*columns[: self.table.settings], strict=True))
        self._looked_up = dict(zip(settings, outcomes.tolist(), strict=True))
        self.rows = [
            (
                {
                    name: self._read(name, word)
                    for name, word in zip(self.ranges, words, strict=True)
                },
                value,
            )
            for words, value in zip(settings, outcomes.tolist(), strict=True)
        ]
        self._worst = float((self.sign * outcomes).min() * self.sign)
        self._near: Nearest | None = None
        if any(isinstance(each, tuple) for each in self.ranges.values()):
            self._near = Nearest(self._encoded(columns), outcomes, NEAR)

    def _range(self, words: tuple[str, ...]) -> tuple[float, float] | list[str]:
        if self.table.listed or not _is_number(words[0]):
            return sorted(set(words))
        if self.table.total is not None:
            return 0.0, self.table.total
        numbers = [float(word) for word in words]
        return min(numbers), max(numbers)

    def _read(self, name: str, word: str) -> Any:
        return word if isinstance(self.ranges[name], list) else float(word)

    def _encoded(self, columns: list[Any]) -> np.ndarray:
        """Settings as numbers (n, c): a category has a column for each of its choices."""
        found = []
        for (_, of), words in zip(self.ranges.items(), columns, strict=False):
            if isinstance(of, list):
                found += [[float(word == choice) for word in words] for choice in of]
            else:
                found.append([float(word) for word in words])
        return np.array(found).T

    def truth(self, values: Mapping[str, Any]) -> float:
        """Expected outcome."""
        if self._near is None:
            key = tuple(values[name] for name in self.ranges)
            return self._looked_up.get(key, self._worst)
        return float(self._near.mean(self._encoded([[values[name]] for name in self.ranges]))[0])

    def problem(self) -> sb.CostVarying:
        """The study that a user would write."""
        variables = [
            sb.Categorical(name, of) if isinstance(of, list) else sb.Float(name, *of)
            for name, of in self.ranges.items()
        ]
        total = self.table.total
        limits = None
        if total is not None:
            limits = [
                sb.LinearConstraint(dict.fromkeys(self.ranges, 1), at_least=total, at_most=total)
            ]
        names = [*self.ranges]
        return sb.CostVarying(variables, [names], limits=limits, minimize=not self.table.larger)

    def mixed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Settings as shares of the total, where they are a mixture."""
        if (total := self.table.total) is None:
            return dict(values)
        added = sum(values.values())
        if not added:
            return dict.fromkeys(values, total / len(values))
        return {name: value / added * total for name, value in values.items()}

    def levels(self, name: str) -> list[Any]:
        """Choices of a setting, or values spread over its bounds."""
        of = self.ranges[name]
        return of if isinstance(of, list) else np.linspace(*of, LEVELS).tolist()

    def middle(self) -> dict[str, Any]:
        """The middle of all settings; of choices the one in the middle of the list."""
        return self.mixed(
            {name: self.levels(name)[len(self.levels(name)) // 2] for name in self.ranges}
        )


def _text(name: str) -> str:
    place = data.path_of(f"olympus/{name}.csv")
    if place is not None:
        return place.read_text(encoding="utf-8")
    path = f"src/olympus/datasets/dataset_{name}/data.csv"
    return download(replace(_AT, path=path, digest=TABLES[name].digest))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


class Book:
    """Plays of one entrant."""

    def __init__(self, world: World, seed: int, noise: float) -> None:
        self.world, self.random = world, np.random.default_rng(seed)
        self.noise = noise * world.spread
        self.values = list[dict[str, Any]]()
        self.outcomes, self.truths = list[float](), list[float]()

    @property
    def left(self) -> int:
        """Plays that are left."""
        return ROUNDS - len(self.outcomes)

    def play(self, values: Mapping[str, Any]) -> float:
        """Outcome of a play, in the table's unit."""
        truth = self.world.truth(values)
        outcome = truth + float(self.random.normal(0.0, self.noise))
        self.values.append(dict(values))
        self.truths.append(truth)
        self.outcomes.append(outcome)
        return outcome

    def best(self) -> dict[str, Any]:
        """Settings with the best outcome."""
        return self.values[int(np.argmax(self.world.sign * np.array(self.outcomes)))]


def default(world: World, book: Book, seed: int) -> Mapping[str, Any]:
    """The library, with nothing chosen."""
    optimizer = sb.Optimizer(world.problem(), rounds=ROUNDS, seed=seed)
    while (suggestion := optimizer.ask()) is not None:
        optimizer.tell(suggestion, book.play(suggestion.values))
    return optimizer.recommend().values


def drawn(world: World, book: Book, seed: int) -> Mapping[str, Any]:
    """Settings at random, and the best of them."""
    random = np.random.default_rng([seed, 1])
    while book.left:
        values = {
            name: of[random.integers(len(of))] if isinstance(of, list) else random.uniform(*of)
            for name, of in world.ranges.items()
        }
        book.play(world.mixed(values))
    return book.best()


def middle(world: World, book: Book, seed: int) -> Mapping[str, Any]:
    """The middle of all settings, held."""
    values = world.middle()
    while book.left:
        book.play(values)
    return values


def one_at_a_time(world: World, book: Book, seed: int) -> Mapping[str, Any]:
    """One setting after another over its levels from the middle, the best of which is kept."""
    here = world.middle()
    while book.left:
        for name in world.ranges:
            tried = [world.mixed({**here, name: level}) for level in world.levels(name)][
                : book.left
            ]
            if not tried:
                break
            outcomes = [world.sign * book.play(values) for values in tried]
            here = tried[int(np.argmax(outcomes))]
    return book.best()


def tpe(world: World, book: Book, seed: int) -> Mapping[str, Any]:
    """Optuna's default."""
    import optuna  # an entrant needs it

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    while book.left:
        trial = study.ask()
        values = {
            name: trial.suggest_categorical(name, of)
            if isinstance(of, list)
            else trial.suggest_float(name, *of)
            for name, of in world.ranges.items()
        }
        study.tell(trial, world.sign * book.play(world.mixed(values)))
    return book.best()


WHO: Mapping[str, Callable[[World, Book, int], Mapping[str, Any]]] = {
    "default": default,
    "one at a time": one_at_a_time,
    "the middle, held": middle,
    "TPE": tpe,
    "random": drawn,
}


def played(name: str, who: str, seed: int, noise: float) -> tuple[float, float]:
    """What the answer and a mean play are worth, in standard deviations of the table, larger is better."""
    world = World(name)
    book = Book(world, seed, noise)
    answer = WHO[who](world, book, seed)
    unit = world.sign / world.spread
    return unit * world.truth(answer), unit * float(np.mean(book.truths))


def main() -> None:
    """Play; a line a study goes to standard error, differences to the default are printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0-5", help="first and last")
    parser.add_argument(
        "--noise", type=float, default=0.05, help="of a play, in standard deviations of the table"
    )
    parser.add_argument("--only", nargs="*", choices=[*TABLES], default=[*TABLES])
    parser.add_argument("--who", nargs="*", choices=[*WHO], default=[*WHO])
    given = parser.parse_args()
    first, last = map(int, given.seeds.split("-"))
    others = [who for who in given.who if who != "default"]
    print("table", *others, sep=" | ")
    for name in given.only:
        found = dict[str, np.ndarray]()
        for who in ("default", *others):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                studies = [played(name, who, seed, given.noise) for seed in range(first, last + 1)]
            found[who] = np.array(studies)
            print(json.dumps([name, who, found[who].tolist()]), file=sys.stderr, flush=True)
        cells = [_compared(found["default"] - found[who]) for who in others]
        print(name, *cells, sep=" | ", flush=True)


def _compared(gains: np.ndarray) -> str:
    """Gains of answers and plays, with standard errors."""
    errors = gains.std(axis=0, ddof=1) / len(gains) ** 0.5
    return "; ".join(f"{g:+.2f} ± {e:.2f}" for g, e in zip(gains.mean(axis=0), errors, strict=True))


if __name__ == "__main__":
    main()
