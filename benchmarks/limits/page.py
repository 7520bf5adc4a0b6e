"""The tables and the picture of limits: `python -m benchmarks.limits.page`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

import steerbo as sb
from partial_control_bench.kept import text_of
from partial_control_bench.picture import save
from steerbo.plots.drawing import BLUE, GREEN, ORANGE, bare, new_figure

from ..runs import as_csv, fill, page
from .causal import NOW as CAUSAL_NOW
from .claims import ARMS, LATE, NOW, as_claims, late, least, verdict
from .comparing import Run, behind, of_arm
from .play import broken, keeps
from .worlds import PROBABILITY, SURE, World, worlds

KEPT, CAUSAL = "runs/limits-runs.jsonl", "runs/limits-causal.jsonl"


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
            if told["value"] < best and all(keeps(world, told)) and not broken(world, x, sb.LinearConstraint):
                best, at = told["value"], point
    return best


def table(runs: Sequence[Run], known: Sequence[World]) -> str:
    """A line for each world that both have played, as Markdown."""
    theirs = of_arm(runs, "botorch")
    ours = [(*key, meant, run) for arm, meant in ARMS.items() for key, run in of_arm(runs, arm).items()]
    head = ("problem", "seed", "limits hold", "answer", "best there is (worse by, in deviations)", "BoTorch's",
            "ours is worse by", "plays from the 21st that keep", "BoTorch's plays that keep",
            "answer keeps with probability", "held")  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for world in known:
        for seed, meant, run in [row[1:] for row in ours if row[0] == world.name]:
            best, name = best_there_is(world), world.name
            rival, gap = theirs.get((name, seed)), (run["value"] - best) / world.deviations()["value"]
            cells = [f"{run['value']:.3f}", f"{best:.3f} ({gap:+.2f})", "–", "", _late(run), "–"]
            if rival is not None:
                cells[2] = "none kept" if rival["value"] is None else f"{rival['value']:.3f}"
                cells[3], cells[5] = f"{behind(world, run, rival):+.2f}", _late(rival)
            cells += [f"{run['likely']:.2f}", run["set"]]
            lines.append(f"| {name} | {seed} | {meant} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _late(run: Run) -> str:
    kept = late(run)
    return f"{sum(kept)} of {len(kept)}"


def picture(runs: Sequence[Run], known: Sequence[World], file: Path) -> None:
    """How often plays keep to outcome limits as rounds go by, and how far answers are from the best there is."""
    before = {key: run for key, run in of_arm(runs, "steerbo").items() if key[1] < NOW}
    ours = {key: run for key, run in of_arm(runs, "steerbo").items() if key[1] >= NOW}
    theirs = of_arm(runs, "botorch")
    shown = new_figure((10, 3.6), dpi=110)
    left, right = shown.subplots(1, 2)
    arms = (
        ("limits in each play", ours, "o", "-", GREEN, GREEN),
        ("limits on average", of_arm(runs, "average"), "s", "-", BLUE, BLUE),
        ("in each play, versions before", before, "o", ":", GREEN, "none"),
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
    lines = text_of(folder / KEPT).splitlines()
    runs, known = [json.loads(line) for line in lines], worlds()
    picture(runs, known, folder / "limits.png")
    as_csv(table(runs, known), folder / "limits.csv")
    claims = verdict(runs, known)
    fill(folder / "limits.md", "claims", claims)
    found = [json.loads(line) for line in text_of(folder / CAUSAL).splitlines()]
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
         "holds" if kept >= least(n) else "does not hold",
         f"{kept:.3f} of {n}; {least(n):.3f} is within two deviations of chance; the version before "
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


if __name__ == "__main__":
    page(__doc__, write)
