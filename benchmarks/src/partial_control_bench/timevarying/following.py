"""Following what moves without priors: a measured temperature, drawn functions, and some that stand still.

    python -m partial_control_bench.timevarying.following [--seeds 0:6] [--only walk hills …] [--rounds 100]
    python -m partial_control_bench.timevarying.following --only temperature --current

For each kind of world the mean loss of a play, that after twenty plays, the loss of the answer at the
last round, and how often its bounds hold; with ``--current`` the middle of the range is stated as
today's settings, from where perturb and observe and holding begin, too.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import steerbo as sb

from ..data import measured, required

NOISE, FIRST, GRID = 0.05, 20, np.linspace(0, 1, 201)
STEPS = (0.02, 0.05)  # of perturb and observe, as shares of the range
Point = np.ndarray


@dataclass(frozen=True)
class Moving:
    """A function of settings and rounds.

    Attributes:
        value: expected outcome at settings (d,) in round k, from 0.
        best: the largest one in round k.
        times: of the rounds.
        dimension: d.
        noise: standard deviation of an outcome.
    """

    value: Callable[[Point, int], float]
    best: Callable[[int], float]
    times: np.ndarray
    dimension: int = 1
    noise: float = NOISE


def drawn(rng: np.random.Generator, rows: int = 1) -> np.ndarray:
    """Functions on `GRID` with variance 1 and lengthscale .2, (rows, 201)."""
    cov = np.exp(-0.5 * ((GRID[:, None] - GRID) / 0.2) ** 2) + 1e-8 * np.eye(len(GRID))
    return rng.normal(size=(rows, len(GRID))) @ np.linalg.cholesky(cov).T


def _tabled(table: np.ndarray, noise: float = NOISE) -> Moving:
    """A function of one variable whose values on `GRID` in each round are the rows (T, 201) of a table."""
    rounds = np.arange(len(table), dtype=float)
    return Moving(
        lambda x, k: float(np.interp(x[0], GRID, table[k])),
        lambda k: float(table[k].max()),
        rounds,
        noise=noise,
    )


def _followed(place: np.ndarray, times: np.ndarray, noise: float = NOISE) -> Moving:
    """Sixteen times the squared distance to a place that moves, as a loss."""
    return Moving(lambda x, k: -16 * float(x[0] - place[k]) ** 2, lambda k: 0.0, times, noise=noise)


def temperature(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """The office's temperature from 50 to 90 °F, hourly, from another hour for each seed."""
    with required(measured("ambient")).open(encoding="utf-8") as lines:
        rows = [tuple(map(float, row)) for row in itertools.islice(csv.reader(lines), 1, None)]
    window = np.array(rows[350 + 430 * seed :][:rounds])
    return _followed((window[:, 1] - 50) / 40, window[:, 0] - window[0, 0], 0.01)


def walk(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """A place that takes steps of .03 and turns at the ends."""
    place = np.abs(0.5 + np.cumsum(rng.normal(0, 0.03, rounds))) % 2
    return _followed(np.where(place > 1, 2 - place, place), np.arange(rounds, dtype=float))


def hills(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """Two hills whose heights trade within 60 to 120 rounds."""
    swing = 0.8 * np.sin(2 * np.pi * np.arange(rounds) / rng.uniform(60, 120))[:, None]
    one, other = (np.exp(-0.5 * ((GRID - at) / 0.1) ** 2) for at in (0.25, 0.75))
    return _tabled((1 + swing) * one + (1 - swing) * other)


def jump(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """Another function from the middle on."""
    return _tabled(np.repeat(drawn(rng, 2), [rounds // 2, rounds - rounds // 2], axis=0))


def fading(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """A function of which a round forgets a hundredth."""
    table = drawn(rng, rounds)
    for k in range(1, rounds):
        table[k] = np.sqrt(0.98) * table[k - 1] + np.sqrt(0.02) * table[k]
    return _tabled(table)


def smooth(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """A function that turns into another one smoothly, with a lengthscale of 30 rounds, and keeps nothing."""
    t = np.arange(rounds) / 30.0
    cov = np.exp(-0.5 * (t[:, None] - t) ** 2) + 1e-6 * np.eye(rounds)
    return _tabled(np.linalg.cholesky(cov) @ drawn(rng, rounds))


def bowl(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """A bowl of two variables on a path that crosses itself."""
    phase = rng.uniform(0, 2 * np.pi, 2)

    def value(x: Point, k: int) -> float:
        place = 0.5 + 0.35 * np.sin(2 * np.pi * k / np.array([80.0, 130.0]) + phase)
        return -6 * float(((x - place) ** 2).sum())

    return Moving(value, lambda k: 0.0, np.arange(rounds, dtype=float), 2, 0.1)


def aging(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """A hill that slides by .4 of the range, and loses half of its height."""
    share = np.arange(rounds)[:, None] / rounds
    return _tabled(np.exp(-0.5 * ((GRID - 0.3 - 0.4 * share) / 0.15) ** 2) * (1 - 0.5 * share), 0.1)


def still(seed: int, rounds: int, rng: np.random.Generator) -> Moving:
    """A function that stands still, with noise of .2."""
    return _tabled(np.repeat(drawn(rng), rounds, axis=0), 0.2)


WORLDS: dict[str, Callable[[int, int, np.random.Generator], Moving]] = {
    world.__name__: world
    for world in (temperature, walk, hills, jump, fading, smooth, bowl, aging, still)
}


def world(name: str, seed: int, rounds: int) -> Moving:
    """Draw a world."""
    return WORLDS[name](seed, rounds, np.random.default_rng([77, seed, [*WORLDS].index(name)]))


def play(name: str, seed: int, rounds: int, current: bool) -> tuple[float, float, float, float]:
    """Mean loss of a play, after `FIRST` plays, loss of the answer, and whether its bounds hold the truth."""
    moving, rng = world(name, seed, rounds), np.random.default_rng([5, seed])
    names = "xy"[: moving.dimension]
    middle = dict.fromkeys(names, 0.5) if current else None
    problem = sb.TimeVarying([sb.Float(each, 0, 1) for each in names], current=middle)
    optimizer, losses = sb.Optimizer(problem, rounds=rounds, seed=seed), []
    for k in range(rounds):
        suggestion = optimizer.ask(time=float(moving.times[k]))
        assert suggestion is not None
        value = moving.value(np.array([suggestion.values[each] for each in names]), k)
        losses.append(moving.best(k) - value)
        optimizer.tell(suggestion, value + float(rng.normal(0, moving.noise)))
    answer, last = optimizer.recommend(), rounds - 1
    truth = moving.value(np.array([answer.values[each] for each in names]), last)
    assert answer.lower is not None
    assert answer.upper is not None
    holds = float(answer.lower <= truth <= answer.upper)
    return (
        float(np.mean(losses)),
        float(np.mean(losses[FIRST:])),
        moving.best(last) - truth,
        holds,
    )


def perturbed(name: str, seed: int, rounds: int, step: float) -> tuple[float, float]:
    """Mean loss of a play, and after `FIRST` plays, of one that goes on while outcomes improve, from the middle.

    With a step of 0 the middle is held. Worlds of one variable.
    """
    moving, rng = world(name, seed, rounds), np.random.default_rng([9, seed])
    at, way, before, losses = 0.5, 1.0, -np.inf, []
    for k in range(rounds):
        value = moving.value(np.array([at]), k)
        losses.append(moving.best(k) - value)
        outcome = value + float(rng.normal(0, moving.noise))
        way = way if outcome >= before else -way
        before, at = outcome, min(max(at + way * step, 0.0), 1.0)
    return float(np.mean(losses)), float(np.mean(losses[FIRST:]))


def text(rows: list[tuple[float, ...]]) -> str:
    """Means of columns with their standard errors."""
    means, errors = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
    return " | ".join(f"{m:.3f} ± {e:.3f}" for m, e in zip(means, errors, strict=True))


def main() -> None:
    """Play, and print a row for each world."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:6", help="from:to, two at least")
    parser.add_argument("--only", nargs="*", choices=[*WORLDS], default=[*WORLDS])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument(
        "--current", action="store_true", help="state the middle as today's settings"
    )
    asked = parser.parse_args()
    seeds = range(*map(int, asked.seeds.split(":")))
    warnings.simplefilter("ignore")
    print("| world | who | a play | after 20 | answer | bounds hold |\n|---|---|--:|--:|--:|--:|")
    for name in asked.only:
        played = [play(name, seed, asked.rounds, asked.current) for seed in seeds]
        print(f"| {name} | default | {text([*played])} |", flush=True)
        if name == "bowl":
            continue
        for step in (*STEPS, 0.0):
            rows = [perturbed(name, seed, asked.rounds, step) for seed in seeds]
            who = f"perturb and observe, {step:g}" if step else "hold the middle"
            print(f"| {name} | {who} | {text([*rows])} | | |", flush=True)


if __name__ == "__main__":
    main()
