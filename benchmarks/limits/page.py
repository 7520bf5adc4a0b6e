"""The tables and the picture of limits: `python -m benchmarks.limits.page`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import steerbo as sb
from partial_control_bench.picture import save
from steerbo.plots.drawing import GREEN, ORANGE, bare, new_figure

from ..runs import as_csv, fill, page
from .play import broken, keeps
from .worlds import PROBABILITY, World, worlds

Run = Mapping[str, Any]
KEPT = "limits-runs.jsonl"
LATE = 20
"""Plays after which outcome limits are to hold."""
_WANTED = 7
"""Worlds of ten on which ours is to be no worse."""
CLOSE, SURE = 0.05, 0.05
"""Deviations of the value, and of a probability, that count as none."""


def of_arm(runs: Sequence[Run], arm: str) -> dict[tuple[str, int], Run]:
    """Runs of an arm, by world and seed."""
    return {(run["world"], run["seed"]): run for run in runs if run["arm"] == arm}


def late(run: Run) -> list[int]:
    """Of every outcome limit and every play from the 21st on: whether it was kept to."""
    return [int(kept) for row in run["kept"][LATE:] for kept in row]


def share(runs: Sequence[Run]) -> tuple[float, int, float]:
    """How often outcome limits were kept to late in these runs, of how many, and the least that chance allows."""
    kept = [each for run in runs for each in late(run)]
    n = max(len(kept), 1)
    return sum(kept) / n, len(kept), PROBABILITY - 2.0 * math.sqrt(PROBABILITY * (1 - PROBABILITY) / n)


def behind(world: World, ours: Run, rival: Run) -> float:
    """By how many deviations of the value ours is worse than the rival's best; below 0: better.

    A recommendation that does not keep to its outcome limits has lost, and so has a rival that never saw a play keep.
    """
    if ours["likely"] < PROBABILITY - SURE:
        return math.inf
    return -math.inf if rival["value"] is None else (ours["value"] - rival["value"]) / world.deviations()["value"]


@cache
def best_there_is(world: World, draws: int = 4000) -> float:
    """The least true value within all limits with everything set: random settings, then nearer and nearer ones."""
    random, space = np.random.default_rng(3), world.problem.space
    best, at = math.inf, np.full(space.dimension, 0.5)
    for spread in (math.inf, 0.2, 0.1, 0.05, 0.02, 0.01):
        drawn = random.random((draws, space.dimension))
        points = drawn if spread == math.inf else np.clip(at + spread * (2 * drawn - 1), 0.0, 1.0)
        for point, x in zip(points, space.decode(points), strict=True):
            told = world.truth(x)
            if told["value"] < best and all(keeps(world, told)) and not broken(world, x, sb.Linear):
                best, at = told["value"], point
    return best


def table(runs: Sequence[Run], known: Sequence[World]) -> str:
    """A line for each world that both have played, as Markdown."""
    ours, theirs = of_arm(runs, "steerbo"), of_arm(runs, "botorch")
    head = ("problem", "seed", "answer", "best there is (worse by, in deviations)", "BoTorch's", "ours is worse by",
            "plays from the 21st that keep", "BoTorch's plays that keep", "answer keeps with probability",
            "held")  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for world in [world for world in known if any(name == world.name for name, _ in ours)]:
        best = best_there_is(world)
        for (name, seed), run in ours.items():
            if name != world.name:
                continue
            rival, gap = theirs.get((name, seed)), (run["value"] - best) / world.deviations()["value"]
            cells = [f"{run['value']:.3f}", f"{best:.3f} ({gap:+.2f})", "–", "", _late(run), "–"]
            if rival is not None:
                cells[2] = "none kept" if rival["value"] is None else f"{rival['value']:.3f}"
                cells[3], cells[5] = f"{behind(world, run, rival):+.2f}", _late(rival)
            cells += [f"{run['likely']:.2f}", run["set"]]
            lines.append(f"| {name} | {seed} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _late(run: Run) -> str:
    kept = late(run)
    return f"{sum(kept)} of {len(kept)}"


def verdict(runs: Sequence[Run], known: Sequence[World]) -> str:
    """What was wanted, and what came, as Markdown."""
    ours = of_arm(runs, "steerbo")
    found, n, least = share(list(ours.values()))
    broken, plays = sum(r["linear"] for r in ours.values()), sum(len(r["kept"]) for r in ours.values())
    gaps = against(runs, known)
    no_worse, worse = [name for name in gaps if gaps[name] <= CLOSE], [name for name in gaps if gaps[name] > CLOSE]
    third = "holds" if len(no_worse) >= _WANTED else "does not hold" if len(worse) > len(known) - _WANTED else "open"
    told = ", ".join(f"{name} {gap:+.2f}" for name, gap in gaps.items())
    played = f"no worse on {len(no_worse)} of the {len(gaps)} that both have played; ours is worse by: {told or '–'}"
    rows = (
        ("no suggestion breaks a linear limit", "holds" if not broken else "does not hold",
         f"{broken or 'none'} of {plays}"),
        (f"outcome limits are kept to from the {LATE + 1}st play on in at least {PROBABILITY:g} of plays",
         "holds" if found >= least else "does not hold",
         f"{found:.3f} of {n}; {least:.3f} is within two deviations of chance"),
        (f"answers are no worse than BoTorch's by more than {CLOSE:g} deviations on {_WANTED} of {len(known)} problems",
         third, played),
    )  # fmt: skip
    lines = ["| claim, in our words | | numbers |", "| --- | --- | --- |"]
    return "\n".join([*lines, *(f"| {words} | **{verdict}** | {numbers} |" for words, verdict, numbers in rows)]) + "\n"


def against(runs: Sequence[Run], known: Sequence[World]) -> dict[str, float]:
    """By how many deviations ours is worse than the rival, mean over seeds, for each world that both have played."""
    ours, theirs = of_arm(runs, "steerbo"), of_arm(runs, "botorch")
    gaps = {
        world.name: [behind(world, ours[key], theirs[key]) for key in ours if key in theirs and key[0] == world.name]
        for world in known
    }
    return {name: float(np.mean(of)) for name, of in gaps.items() if of}


def picture(runs: Sequence[Run], known: Sequence[World], file: Path) -> None:
    """How often plays keep to outcome limits as rounds go by, and how far answers are from the best there is."""
    ours, theirs = of_arm(runs, "steerbo"), of_arm(runs, "botorch")
    shown = new_figure((10, 3.4), dpi=110)
    left, right = shown.subplots(1, 2)
    for name, arm, line, colour in (("steerbo", ours, "o-", GREEN), ("BoTorch", theirs, "D--", ORANGE)):
        ends = range(5, 1 + min((len(run["kept"]) for run in arm.values()), default=5), 5)
        means = [np.mean([k for run in arm.values() for row in run["kept"][e - 5 : e] for k in row]) for e in ends]
        left.plot([e - 2 for e in ends], means, line, color=colour, label=name)
    left.axhline(PROBABILITY, color="#888888", ls="--", lw=1)
    left.set_xticks(range(0, 26, 5))
    left.set(xlabel="play", ylabel="share that keeps to\noutcome limits", ylim=(0, 1.03))
    left.legend(frameon=False, loc="lower right")
    played = [world for world in known if any(name == world.name for name, _ in ours)]
    for arm, marker, colour in ((ours, "o", GREEN), (theirs, "D", ORANGE)):
        for k, world in enumerate(played):
            best, unit = best_there_is(world), world.deviations()["value"]
            values = [run["value"] for (name, _), run in arm.items() if name == world.name and run["value"] is not None]
            right.plot([min((value - best) / unit, 1.0) for value in values], [k] * len(values), marker, color=colour)
    right.set_yticks(range(len(played)), [world.name for world in played])
    right.axvline(0, color="#444444", lw=0.8)
    right.set(xlabel="worse than the best that keeps to all limits,\nin deviations of the value", xlim=(-0.1, 1.05))
    bare(left, right)
    save(shown, file)


def write(folder: Path) -> str:
    """The picture and the table beside the runs, and both on the page; returns what came of what was wanted."""
    lines = (folder / KEPT).read_text(encoding="utf-8").splitlines()
    runs, known = [json.loads(line) for line in lines], worlds()
    picture(runs, known, folder / "limits.png")
    as_csv(table(runs, known), folder / "limits.csv")
    fill(folder / "limits.md", "claims", claims := verdict(runs, known))
    return claims


if __name__ == "__main__":
    page(__doc__, write)
