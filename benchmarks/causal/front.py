"""What stands before the appendix of the page on causal graphs: `python -m benchmarks.causal.front`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..front import DEPENDS, HOLDS, NOT, Claim, Panel, judged, mean, put, spots, told
from ..runs import finished, page
from . import arms, observed

PAGE, PICTURE, KEPT = "causal.md", "causal.png", "runs/causal-runs.jsonl"
_PROGRAM = "python -m benchmarks.causal."
_SEEDS = 30


def rows(folder: Path) -> Iterator[Claim]:
    """What was wanted of our own choices, and what came."""
    yield from _figure_1(folder / KEPT)
    yield from _observed(observed.read(folder / observed.KEPT))
    yield _arms(folder / arms.KEPT)


def _figure_1(file: Path) -> Iterator[Claim]:
    """`first` the seeds that the bars were set for; `all_` thirty more, played once afterwards."""
    runs = [(json.loads(key), run) for key, run in finished(file).items()]
    own = {key[4]: run for key, run in runs if key[:4] == ["figure-1", "coca-bo", {}, 700]}
    first = [own[seed] for seed in range(_SEEDS)]
    last, clean = ([run[name] for run in first] for name in ("last", "clean"))
    all_ = [run["clean"] for run in own.values()]
    program = _PROGRAM + "results --seeds 30"
    yield Claim("`coca-bo` on Figure 1: less than .03 a round over the last 100 of 700 rounds",
                judged(mean(last)[0] < 0.03), told(last, 4), f"{len(last)}", program)  # fmt: skip
    yield Claim("… and less than .045 over all 700",
                HOLDS if mean(clean)[0] < 0.045 else NOT if mean(all_)[0] >= 0.045 + mean(all_)[1] else DEPENDS,
                f"{told(clean, 4)}; with thirty further seeds {told(all_, 4)}: at the bar",
                f"{len(clean)}; {len(all_)}", program)  # fmt: skip


def _observed(cells: observed.Cells) -> Iterator[Claim]:
    gaps, said = {}, {True: [0, 0], False: [0, 0]}
    for world in observed.WORLDS:
        for a in observed.STRENGTHS:
            gaps[world, a] = observed.gaps(cells, world, a)
            where, runs = said[a == 0], cells[world, a, "checked"].values()
            where[0] += sum(run["said"] for run in runs)
            where[1] += len(runs)
    words = {
        True: "checking observations costs at most one standard error where the graph is right",
        False: "… and loses less than trusting them, by two, where it forgets a common cause",
    }
    for right, claim in words.items():
        these = {f"{w}, {a:g}" if a else w: mean(of) for (w, a), of in gaps.items() if (a == 0) == right}
        came = [m / error <= 1 if right else m / error < -2 for m, error in these.values()]
        numbers = "; ".join(f"{name} {m:+.3f} ± {error:.3f}" for name, (m, error) in these.items())
        yield Claim(claim, judged(*came), numbers, "12 a graph", _PROGRAM + "observed")
    (lost, of), (vain, still) = said[False], said[True]
    yield Claim("`explain` says where observations and plays disagree",
                HOLDS if lost / of > 0.5 and vain / still < 0.05 else DEPENDS,
                f"on {lost} of {of} runs with a forgotten cause, on {vain} of {still} without",
                f"{of + still}", _PROGRAM + "observed")  # fmt: skip


def _arms(file: Path) -> Claim:
    runs, (each, most) = finished(file), arms.HOW
    seeds = [s for s in range(arms.FIRST, arms.FIRST + arms.SEEDS) if all(f"{s}/{how}" in runs for how in arms.HOW)]
    gaps = [float(np.mean(runs[f"{s}/{most}"]["thirds"]) - np.mean(runs[f"{s}/{each}"]["thirds"])) for s in seeds]
    return Claim("with many arms, at most 50 first plays for all together gain no less than first plays of each",
                 judged(mean(gaps)[0] > -mean(gaps)[1]), f"{told(gaps, 3, '+')} deviations of the target more",
                 f"{len(gaps)} graphs", _PROGRAM + "arms")  # fmt: skip


def picture(folder: Path) -> None:
    """Regret with observations left out, trusted and checked, on graphs that may forget a cause."""
    cells = observed.read(folder / observed.KEPT)
    names = {"none": "no observations", "trusted": "trusted (the default)", "checked": "checked"}
    shown = {
        name: {
            f"{world}, {f'forgets {a:g}' if a else 'right'}": mean([r["regret"] for r in cells[world, a, how].values()])
            for world in observed.WORLDS
            for a in observed.STRENGTHS
        }
        for how, name in names.items()
    }
    spots([Panel("regret of a round, in units of the target, over 60 rounds", shown)], folder / PICTURE)


def write(folder: Path) -> str:
    """The picture beside the runs, and the claims on the page; returns these."""
    picture(folder)
    return put(folder, PAGE, rows(folder))


if __name__ == "__main__":
    page(__doc__, write)
