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
from .causal import NOW as CAUSAL_NOW
from .play import broken, keeps
from .worlds import PROBABILITY, World, worlds

Run = Mapping[str, Any]
KEPT, CAUSAL = "limits-runs.jsonl", "limits-causal.jsonl"
NOW = 4
"""The first seed that the present version played: that of the third registration."""
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
    return sum(kept) / max(len(kept), 1), len(kept), _least(len(kept))


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


def verdict(runs: Sequence[Run], known: Sequence[World], before: Sequence[Run] = ()) -> str:
    """What was wanted, and what came, as Markdown.

    Args:
        runs: of the version that there is.
        known: the worlds.
        before: of earlier versions: their numbers are said beside, and count for no claim.
    """
    ours = of_arm(runs, "steerbo")
    found, n, least = share(list(ours.values()))
    broken, plays = _broken(runs)
    old_broken, old_plays = _broken(before)
    gaps = against(runs, known)
    no_worse, worse = [name for name in gaps if gaps[name] <= CLOSE], [name for name in gaps if gaps[name] > CLOSE]
    third = "holds" if len(no_worse) >= _WANTED else "does not hold" if len(worse) > len(known) - _WANTED else "open"
    then = against(before, known)
    seen = (
        f"; versions before: none worse on {sum(gap <= CLOSE for gap in then.values())} of {len(then)}" if then else ""
    )
    earlier = f"; versions before {share(list(of_arm(before, 'steerbo').values()))[0]:.3f}" if before else ""
    rows = (
        ("no suggestion breaks a linear limit", "holds" if not broken + old_broken else "does not hold",
         f"{broken + old_broken or 'none'} of {plays + old_plays}"),
        (f"outcome limits are kept to from the {LATE + 1}st play on in at least {PROBABILITY:g} of plays",
         "holds" if found >= least else "does not hold",
         f"{found:.3f} of {n}; {least:.3f} is within two deviations of chance{earlier}"),
        (f"answers are no worse than BoTorch's by more than {CLOSE:g} deviations on {_WANTED} of {len(known)} problems",
         third, f"no worse on {len(no_worse)} of the {len(gaps)} that both have played; ours is worse by: "
         f"{_listed(gaps)}{seen}"),
    )  # fmt: skip
    return as_claims(rows)


def _broken(runs: Sequence[Run]) -> tuple[int, int]:
    """How many plays of ours broke a linear limit, of how many."""
    ours = of_arm(runs, "steerbo").values()
    return sum(run["linear"] for run in ours), sum(len(run["kept"]) for run in ours)


def _listed(gaps: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {gap:+.2f}" for name, gap in gaps.items()) or "–"


def as_claims(rows: Sequence[tuple[str, str, str]]) -> str:
    """Claims, whether they hold, and numbers, as Markdown."""
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
    before = {key: run for key, run in of_arm(runs, "steerbo").items() if key[1] < NOW}
    ours = {key: run for key, run in of_arm(runs, "steerbo").items() if key[1] >= NOW}
    theirs = of_arm(runs, "botorch")
    shown = new_figure((10, 3.6), dpi=110)
    left, right = shown.subplots(1, 2)
    arms = (
        ("steerbo", ours, "o", "-", GREEN, GREEN),
        ("steerbo before the third registration", before, "o", ":", GREEN, "none"),
        ("BoTorch", theirs, "D", "--", ORANGE, ORANGE),
    )
    played = [world for world in known if any(name == world.name for name, _ in {**before, **ours})]
    for name, arm, marker, line, colour, face in arms:
        ends = range(5, 1 + min((len(run["kept"]) for run in arm.values()), default=0), 5)
        means = [np.mean([k for run in arm.values() for row in run["kept"][e - 5 : e] for k in row]) for e in ends]
        left.plot([e - 2 for e in ends], means, marker + line, color=colour, mfc=face, label=name)
        for k, world in enumerate(played):
            best, unit = best_there_is(world), world.deviations()["value"]
            values = [run["value"] for (at, _), run in arm.items() if at == world.name and run["value"] is not None]
            gaps = [min((value - best) / unit, 1.0) for value in values]
            right.plot(gaps, [k] * len(values), marker, color=colour, mfc=face, ls="none")
    left.axhline(PROBABILITY, color="#888888", ls="--", lw=1)
    left.set_xticks(range(0, 26, 5))
    left.set(xlabel="play", ylabel="share that keeps to\noutcome limits", ylim=(0, 1.03))
    left.legend(frameon=False, loc="lower right")
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
    now, before = ([run for run in runs if (run["seed"] >= NOW) == latest] for latest in (True, False))
    claims = verdict(now, known, before)
    fill(folder / "limits.md", "claims", claims)
    found = [json.loads(line) for line in (folder / CAUSAL).read_text(encoding="utf-8").splitlines()]
    fill(folder / "limits.md", "causal", in_causal_problems(found))
    return claims + in_causal_problems(found)


def in_causal_problems(runs: Sequence[Run]) -> str:
    """The same of causal problems: what was wanted, and what came; of the version before beside it."""
    now, before = ([run for run in runs if (run["seed"] >= CAUSAL_NOW) == latest] for latest in (True, False))
    ours, old, ignorant = (
        [run for run in some if run["arm"] == arm]
        for some, arm in ((now, "limited"), (before, "limited"), (now, "ignorant"))
    )
    kept, n = _kept(ours)
    sure, wanted = _sure(ours), math.ceil(0.9 * len(ours))
    value = [float(np.mean([run["value"] for run in some])) for some in (ours, ignorant)]
    rows = (
        (f"causal: plays from the {LATE + 1}st on keep to the limit in at least {PROBABILITY:g}",
         "holds" if kept >= _least(n) else "does not hold",
         f"{kept:.3f} of {n}; {_least(n):.3f} is within two deviations of chance; the version before "
         f"{_kept(old)[0]:.3f}; not told {_kept(ignorant)[0]:.3f}"),
        (f"causal: nine answers of ten keep to it with {PROBABILITY - SURE:g}",
         "holds" if sure >= wanted else "does not hold",
         f"{sure} of {len(ours)}; the version before {_sure(old)} of {len(old)}; not told {_sure(ignorant)}; answers "
         f"give {value[0]:.3f}, not told {value[1]:.3f}"),
    )  # fmt: skip
    return as_claims(rows)


def _sure(runs: Sequence[Run]) -> int:
    return sum(run["likely"] >= PROBABILITY - SURE for run in runs)


def _kept(runs: Sequence[Run]) -> tuple[float, int]:
    late = [kept for run in runs for kept in run["kept"][LATE:]]
    return sum(late) / max(len(late), 1), len(late)


def _least(n: int) -> float:
    """The least share that chance allows of so many plays."""
    return PROBABILITY - 2.0 * math.sqrt(PROBABILITY * (1 - PROBABILITY) / max(n, 1))


if __name__ == "__main__":
    page(__doc__, write)
