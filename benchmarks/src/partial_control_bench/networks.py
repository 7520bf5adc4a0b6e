"""Decisions in networks that people have drawn: what to do once two of their variables were seen.

    python -m partial_control_bench.networks OUT.csv alarm.bif.gz … [--seeds 0:12] [--who …] [--noise 0.1]
    python -m partial_control_bench.networks OUT.csv --page

A file of the Bayesian network repository, in its interchange format, plain or packed. By the seed a
target, two or three actions among its ancestors and one or two variables that no action changes are
drawn; the levels of the target are worth 0 to 1, in order. Forty plays: each draws all that is not
set, shows what is seen, and tells the target, or with `--noise` its expectation, with a deviation.

Losses are shares of what the best actions in all cells of what is seen gain over random ones: the
mean of all plays, and of the answers in all cells after them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float, Int

import steerbo as sb

from .errors import BenchError
from .kept import play_missing
from .statistics import difference

ROUNDS, ACTIONS, SEEN, LEVELS, CHOICES = 40, 3, 2, 6, 400
DRAWN, DRAWS = 20_000, 400
"""Draws by which expectations are reckoned, and of problems until one is worth playing."""
WORTH = 0.04  # what the best gains over random actions, at least
WHO = ("default", "ridge", "tpe", "random", "nothing set")

Do = dict[str, int]
"""Levels of actions that are set."""
Choice = tuple[int | None, ...]
"""For each action its level, or None: left to nature."""


# -- networks --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """Variables with levels, in an order in which causes come first.

    Attributes:
        levels: names of the levels of each variable.
        parents: direct causes.
        tables: cumulated probabilities of levels, the last axis, by the levels of causes.
    """

    levels: Mapping[str, tuple[str, ...]]
    parents: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, Float[np.ndarray, ...]]

    def ancestors(self, name: str) -> set[str]:
        """All causes, direct or not."""
        found, waiting = set[str](), [*self.parents[name]]
        while waiting:
            if (each := waiting.pop()) not in found:
                found.add(each)
                waiting += self.parents[each]
        return found


def read(file: Path) -> Network:
    """Read a network.

    Raises:
        BenchError: it is none in the interchange format of the repository.
    """
    content = file.read_bytes()
    text = (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8")
    text = re.sub(r"//[^\n]*|/\*[\s\S]*?\*/", "", text)  # comments
    head = r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[[^]]*\]\s*\{([^}]*)\}"
    levels = {name: _words(said) for name, said in re.findall(head, text)}
    bodies = re.findall(r"probability\s*\(([^)]*)\)\s*\{(.*?)\}", text, re.DOTALL)
    try:
        parents, tables = {}, {}
        for said, body in bodies:
            name, _, causes = said.partition("|")
            parents[name.strip()] = _words(causes)
            tables[name.strip()] = _table(levels, name.strip(), _words(causes), body)
        order = _causes_first(parents)
    except (KeyError, ValueError, RecursionError) as error:
        raise BenchError(f"{file}: its tables do not fit its variables") from error
    if not levels or levels.keys() != parents.keys():
        raise BenchError(f"{file}: must have variables of some levels, and a table of each")
    return Network({name: levels[name] for name in order}, parents, tables)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _table(
    levels: Mapping[str, tuple[str, ...]], name: str, causes: tuple[str, ...], body: str
) -> Float[np.ndarray, ...]:
    found = np.zeros([len(levels[each]) for each in (*causes, name)])
    if (whole := re.search(r"table([^;]*);", body)) is not None:
        found[...] = np.reshape([float(word) for word in _words(whole[1])], found.shape)
    for given, row in re.findall(r"\(([^)]*)\)([^;]*);", body):
        at = tuple(levels[c].index(v) for c, v in zip(causes, _words(given), strict=True))
        found[at] = [float(word) for word in _words(row)]
    total = found.sum(axis=-1, keepdims=True)
    if not (total > 0).all():
        raise ValueError("a row of the table is missing")
    return np.cumsum(found / total, axis=-1)


def _causes_first(parents: Mapping[str, tuple[str, ...]]) -> list[str]:
    order: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in order:
            for cause in parents[name]:
                visit(cause)
            order[name] = None

    for name in parents:
        visit(name)
    return [*order]


# -- decisions -------------------------------------------------------------------------------------

Luck = Mapping[str, Float[np.ndarray, " n"]]
"""Uniform numbers by which each variable is drawn."""


class Decision:
    """A target, actions and what is seen, and what each choice is worth in each cell of what is seen.

    Args:
        network: of which they are.
        random: draws them.

    Raises:
        BenchError: none of the draws is worth playing.
    """

    def __init__(self, network: Network, random: np.random.Generator) -> None:
        self.network = network
        for _ in range(DRAWS):
            if self._drawn(random):
                return
        raise BenchError("no actions are worth choosing in this network: take another one")

    def _drawn(self, random: np.random.Generator) -> bool:
        """Draw anew; whether that is worth playing."""
        levels, names = self.network.levels, [*self.network.levels]
        above = {name: self.network.ancestors(name) for name in names}
        targets = [name for name in names if len(above[name]) >= 4]
        if not targets:
            return False
        self.target = targets[random.integers(len(targets))]
        causes = [
            name for name in names if name in above[self.target] and len(levels[name]) <= LEVELS
        ]
        some = [causes[i] for i in random.permutation(len(causes))[:ACTIONS]]
        untouched = [c for c in causes if c not in some and not above[c] & {*some}]
        seen = [untouched[i] for i in random.permutation(len(untouched))[:SEEN]]
        self.actions, self.seen = some, seen
        self.choices: list[Choice] = [
            *itertools.product(*([None, *range(len(levels[a]))] for a in some))
        ]
        rising = random.random() < 0.5
        if len(some) < 2 or not seen or len(self.choices) > CHOICES:
            return False
        worth = np.linspace(0, 1, len(levels[self.target]))
        self._worth = worth if rising else worth[::-1]
        wanted = above[self.target] | {self.target}
        self.relevant = [name for name in names if name in wanted]
        self._reckon()
        return self.gain > WORTH

    def _reckon(self) -> None:
        luck = self.luck(np.random.default_rng(1), DRAWN)
        cells = self.cells(self.levels_of({}, luck))
        counts = np.bincount(cells)
        self.expected = np.array(
            [
                np.bincount(cells, self.value(self.levels_of(self.do(c), luck)), len(counts))
                for c in self.choices
            ]
        ) / np.maximum(counts, 1)
        self.shares = counts / len(cells)
        self.gain = float((self.expected.max(0) - self.expected.mean(0)) @ self.shares)

    def do(self, choice: Choice) -> Do:
        """Levels of what a choice sets."""
        return {a: v for a, v in zip(self.actions, choice, strict=True) if v is not None}

    def choice(self, do: Mapping[str, int]) -> Choice:
        """The choice that sets these levels."""
        return tuple(do.get(a) for a in self.actions)

    def luck(self, random: np.random.Generator, n: int) -> Luck:
        """Draw what nature does, n times."""
        return {name: random.random(n) for name in self.relevant}

    def levels_of(self, do: Do, luck: Luck) -> dict[str, Int[np.ndarray, " n"]]:
        """Levels of all variables when some are set."""
        found: dict[str, np.ndarray] = {}
        for name in self.relevant:
            if name in do:
                found[name] = np.full(len(luck[name]), do[name])
                continue
            by = tuple(found[cause] for cause in self.network.parents[name])
            level = (luck[name][:, None] > self.network.tables[name][by]).sum(axis=-1)
            found[name] = np.minimum(level, len(self.network.levels[name]) - 1)
        return found

    def value(self, levels: Mapping[str, Int[np.ndarray, " n"]]) -> Float[np.ndarray, " n"]:
        """What the target's levels are worth."""
        return np.asarray(self._worth[levels[self.target]])

    def cells(self, levels: Mapping[str, Int[np.ndarray, " n"]]) -> Int[np.ndarray, " n"]:
        """Number of what is seen."""
        shape = [len(self.network.levels[name]) for name in self.seen]
        return np.asarray(np.ravel_multi_index([levels[name] for name in self.seen], shape))

    def seen_in(self, cell: int) -> tuple[int, ...]:
        """Levels of what is seen in a cell."""
        shape = [len(self.network.levels[name]) for name in self.seen]
        return tuple(int(level) for level in np.unravel_index(cell, shape))

    def loss(self, choice: Choice, cell: int) -> float:
        """Less than the best in a cell, in shares of what can be gained."""
        values = self.expected[:, cell]
        return float(values.max() - values[self.choices.index(choice)]) / self.gain


# -- who plays -------------------------------------------------------------------------------------


class Player(Protocol):
    """Chooses in a cell, is told an outcome, and answers."""

    def choose(self, cell: int) -> Choice:
        """Choose what to set."""

    def tell(self, cell: int, choice: Choice, levels: Mapping[str, int], value: float) -> None:
        """Learn of an outcome, and of the levels of all variables."""

    def answer(self, cell: int) -> Choice:
        """Name the best choice in a cell."""


class Ours:
    """The default, told the network's arrows; what is neither set nor seen is hidden."""

    def __init__(self, world: Decision, seed: int) -> None:
        self.world, levels = world, world.network.levels
        parents, known = world.network.parents, {*world.actions, *world.seen, world.target}
        lines = [f'"{name}"' for name in world.seen]
        lines += [f'"{c}" -> "{name}"' for name in world.relevant for c in parents[name]]
        hidden = ", ".join(f'"{name}"' for name in world.relevant if name not in known)
        graph = sb.CausalGraph.from_text(
            "\n".join([*lines, *([f"latent: {hidden}"] if hidden else [])]),
            target=world.target,
            intervenable=world.actions,
            contexts=world.seen,
        )
        names = [*world.actions, *(graph.contexts or ())]
        problem = sb.Causal(graph, [sb.Categorical(name, list(levels[name])) for name in names])
        self.study, self._asked = sb.Optimizer(problem, rounds=ROUNDS, seed=seed), None

    def _seen(self, cell: int) -> dict[str, str]:
        levels = zip(self.world.seen, self.world.seen_in(cell), strict=True)
        return {name: self.world.network.levels[name][level] for name, level in levels}

    def _choice(self, values: Mapping[str, Any]) -> Choice:
        levels = self.world.network.levels
        return self.world.choice({name: levels[name].index(v) for name, v in values.items()})

    def choose(self, cell: int) -> Choice:
        """Choose, after the looks that it asks for."""
        suggestion: Any = self.study.ask()
        while suggestion.observe:
            looked = {name: self._seen(cell)[name] for name in suggestion.observe}
            suggestion = self.study.decide(suggestion, looked)
        self._asked = suggestion
        return self._choice(suggestion.values)

    def tell(self, cell: int, choice: Choice, levels: Mapping[str, int], value: float) -> None:
        """Tell the outcome, with what was seen and what nature set."""
        asked: Any = self._asked
        names = [*self.world.seen, *self.world.actions]
        known = {name: self.world.network.levels[name][levels[name]] for name in names}
        space = self.study.problem.space
        told = {n: v for n, v in known.items() if n in space and n not in asked.values}
        self.study.tell(asked, value, realised=told)

    def answer(self, cell: int) -> Choice:
        """The policy's choice."""
        looked: dict[str, str] = {}
        step = self.study.policy(looked)
        values = dict(step.values)
        while step.observe:
            looked |= {name: self._seen(cell)[name] for name in step.observe}
            step = self.study.policy(looked)
            values |= step.values
        return self._choice(values)


class Ridge:
    """A linear model of all levels and their pairs: eight random plays, then its best, one in ten at random."""

    def __init__(self, world: Decision, seed: int) -> None:
        self.world, self.random = world, np.random.default_rng([seed, 8])
        self._rows: list[Float[np.ndarray, " f"]] = []
        self._values: list[float] = []

    def _features(self, choice: Choice, cell: int) -> Float[np.ndarray, " f"]:
        levels = self.world.network.levels
        parts = [
            np.eye(len(levels[a]) + 1)[0 if v is None else v + 1]
            for a, v in zip(self.world.actions, choice, strict=True)
        ]
        seen = zip(self.world.seen, self.world.seen_in(cell), strict=True)
        parts += [np.eye(len(levels[name]))[level] for name, level in seen]
        pairs = [0.5 * np.outer(a, b).ravel() for a, b in itertools.combinations(parts, 2)]
        return np.concatenate([[1.0], *parts, *pairs])

    def choose(self, cell: int) -> Choice:
        """Choose its best, or at random."""
        if len(self._rows) < 8 or self.random.random() < 0.1:
            return self.world.choices[self.random.integers(len(self.world.choices))]
        return self.answer(cell)

    def tell(self, cell: int, choice: Choice, levels: Mapping[str, int], value: float) -> None:
        """Keep a row."""
        self._rows.append(self._features(choice, cell))
        self._values.append(value)

    def answer(self, cell: int) -> Choice:
        """The largest prediction."""
        rows, values = np.array(self._rows), np.array(self._values)
        gram = rows.T @ rows + np.eye(rows.shape[1])
        slopes = np.linalg.solve(gram, rows.T @ (values - values.mean()))
        said = [self._features(each, cell) @ slopes for each in self.world.choices]
        return self.world.choices[int(np.argmax(said))]


class Tpe:
    """Optuna's TPE over the actions; what is seen it does not know."""

    def __init__(self, world: Decision, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.world = world
        sampler = optuna.samplers.TPESampler(seed=seed)
        self.study = optuna.create_study(direction="maximize", sampler=sampler)
        self._trial: Any = None

    def choose(self, cell: int) -> Choice:
        """Choose levels of all actions."""
        self._trial, levels = self.study.ask(), self.world.network.levels
        sizes = {a: [*range(len(levels[a]))] for a in self.world.actions}
        return tuple(self._trial.suggest_categorical(a, each) for a, each in sizes.items())

    def tell(self, cell: int, choice: Choice, levels: Mapping[str, int], value: float) -> None:
        """Tell the trial."""
        self.study.tell(self._trial, value)

    def answer(self, cell: int) -> Choice:
        """The best trial."""
        return tuple(self.study.best_params[a] for a in self.world.actions)


class Fixed:
    """Random levels of all actions, and the best play as the answer; or nothing set, always."""

    def __init__(self, world: Decision, seed: int, random: bool) -> None:
        self.world, self._drawn = world, np.random.default_rng([seed, 8]) if random else None
        self._best: tuple[float, Choice] = (-np.inf, (None,) * len(world.actions))

    def choose(self, cell: int) -> Choice:
        """Draw levels, or set nothing."""
        if self._drawn is None:
            return (None,) * len(self.world.actions)
        levels = self.world.network.levels
        return tuple(int(self._drawn.integers(len(levels[a]))) for a in self.world.actions)

    def tell(self, cell: int, choice: Choice, levels: Mapping[str, int], value: float) -> None:
        """Keep the best."""
        if value > self._best[0]:
            self._best = value, choice

    def answer(self, cell: int) -> Choice:
        """The best play."""
        return self._best[1]


def player(world: Decision, seed: int, who: str) -> Player:
    """Make a player."""
    if who == "default":
        return Ours(world, seed)
    if who == "ridge":
        return Ridge(world, seed)
    return Tpe(world, seed) if who == "tpe" else Fixed(world, seed, who == "random")


# -- runs ------------------------------------------------------------------------------------------


def played(network: Network, name: str, seed: int, who: str, noise: float | None) -> dict[str, Any]:
    """One study: its mean loss, and that of its answers."""
    world = Decision(network, np.random.default_rng([seed, *map(ord, name)]))
    luck = world.luck(np.random.default_rng([seed, 7]), ROUNDS)
    more = np.random.default_rng([seed, 9])
    one, losses = player(world, seed, who), []
    for t in range(ROUNDS):
        row = {each: drawn[t : t + 1] for each, drawn in luck.items()}
        cell = int(world.cells(world.levels_of({}, row))[0])
        choice = one.choose(cell)
        levels = world.levels_of(world.do(choice), row)
        value = float(world.value(levels)[0])
        if noise is not None:
            expected = world.expected[world.choices.index(choice), cell]
            value = float(expected + noise * more.standard_normal())
        one.tell(cell, choice, {each: int(level[0]) for each, level in levels.items()}, value)
        losses.append(world.loss(choice, cell))
    answers = [
        share * world.loss(one.answer(cell), cell)
        for cell, share in enumerate(world.shares)
        if share
    ]
    return {
        "network": name,
        "seed": seed,
        "noise": "one" if noise is None else f"{noise:g}",
        "who": who,
        "plays": round(float(np.mean(losses)), 4),
        "answer": round(float(np.sum(answers)), 4),
    }


def page(path: Path) -> str:
    """The table of losses, with how much more than the default's they are, paired by study."""
    with path.open(encoding="utf-8") as file:
        found = {(r["noise"], r["who"], r["network"], r["seed"]): r for r in csv.DictReader(file)}
    lines = ["| noise | who | studies | a play | answer |", "|---|---|--:|--:|--:|"]
    for noise, who in itertools.product(sorted({key[0] for key in found}), WHO):
        rows = {key[2:]: r for key, r in found.items() if key[:2] == (noise, who)}
        if rows:
            cells = [
                *_cells(rows, {k[2:]: r for k, r in found.items() if k[:2] == (noise, WHO[0])})
            ]
            lines.append(f"| {noise} | {who} | {len(rows)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(
    rows: Mapping[Any, Mapping[str, str]], default: Mapping[Any, Mapping[str, str]]
) -> Iterator[str]:
    for column in ("plays", "answer"):
        own = np.mean([float(row[column]) for row in rows.values()])
        shared = [] if rows.items() == default.items() else [key for key in rows if key in default]
        apart = [float(rows[key][column]) - float(default[key][column]) for key in shared]
        yield f"{own:.2f} ({difference(apart)})" if apart else f"{own:.2f}"


def main() -> None:
    """Play what is asked for, a line of CSV a study; what is in the file already is not played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("networks", type=Path, nargs="*")
    parser.add_argument("--seeds", default="0:12")
    parser.add_argument("--noise", type=float)
    parser.add_argument("--who", nargs="*", default=[*WHO], choices=WHO)
    parser.add_argument("--page", action="store_true")
    said = parser.parse_args()
    if said.page:
        print(page(said.out))
        return
    if not said.networks:
        parser.error("networks: missing; name files such as alarm.bif.gz, or say --page")
    warnings.simplefilter("ignore")
    noise = "one" if said.noise is None else f"{said.noise:g}"
    for file in said.networks:
        network, name = read(file), file.name.partition(".")[0]
        seeds = range(*map(int, said.seeds.split(":")))
        play_missing(
            said.out,
            (
                (
                    {"network": name, "seed": seed, "noise": noise, "who": who},
                    partial(played, network, name, seed, who, said.noise),
                )
                for seed, who in itertools.product(seeds, said.who)
            ),
        )


if __name__ == "__main__":
    main()
