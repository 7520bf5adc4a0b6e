"""What stands before the appendix of the page on crowds: `python -m benchmarks.meanfield.front`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..front import Claim, Panel, judged, mean, put, spots, told
from ..runs import finished, page
from . import registered
from .problems import TARGETS

PAGE, PICTURE, KEPT = "meanfield.md", "meanfield.png", "runs/meanfield-runs.jsonl"
_REGISTERED = "python -m benchmarks.meanfield.registered"
_MAP = {("new-york-160-map", 0.0): 0.85, ("new-york-160-map", 0.02): 0.7,
        ("new-york-235-map", 0.0): 0.85, ("new-york-394-map", 0.0): 0.78}  # fmt: skip
_LATE, _WORSE, _COVERED = 0.995, 0.06, 0.9
Told = Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]


def rows(folder: Path) -> Iterator[Claim]:
    """What was wanted of `mf-gp-ucb` as it comes, and what came."""
    yield _targets(_read(folder / KEPT))
    runs = _read(folder / registered.KEPT)
    worlds = _worlds(runs)
    yield from _map(worlds)
    yield _dives(worlds)
    yield _bounds(worlds)
    yield from _changes(runs)


def _read(file: Path) -> Told:
    return [(json.loads(key), run) for key, run in finished(file).items()]


def _worlds(runs: Told) -> Told:
    """Without the runs of demands that change."""
    return [(job, run) for job, run in runs if job["problem"] != "change"]


def _best(runs: Told, problem: str, mark: str, noise: float = 0.0, rounds: int | None = None) -> list[float]:
    """The best score so far at a mark, of our default."""
    return [
        run["best"][mark]
        for job, run in runs
        if (job["problem"], job["noise"], job["method"]) == (problem, noise, "mf-gp-ucb")
        and not job["options"]
        and job["feedback"] == "population"
        and mark in run["best"]
        and (rounds is None or job["rounds"] == rounds)
    ]


def _targets(runs: Told) -> Claim:
    came, missed, least = [], [], 99
    for problem, wanted in TARGETS.items():
        for mark, bar in zip(("80", "250"), wanted, strict=True):
            values = _best(runs, problem, mark)
            came.append(float(np.median(values)) >= bar)
            least = min(least, len(values))
            if not came[-1]:
                missed.append(f"{problem} at {mark} has {np.median(values):.3f} where {bar:g} was wanted")
    return Claim("of what can be gained, `mf-gp-ucb` reaches what was wanted after 80 and 250 rounds on four problems",
                 judged(*came), f"{sum(came)} of {len(came)}; {'; '.join(missed)}", f"{least} a problem",
                 "python -m benchmarks.meanfield.results")  # fmt: skip


def _map(runs: Told) -> Iterator[Claim]:
    found = {key: _best(runs, key[0], "80", key[1], 80) for key in _MAP}
    late = _best(runs, "new-york-160-map", "250")
    came = [float(np.median(values)) >= _MAP[key] for key, values in found.items()]
    numbers = [f"{problem}{', 2 % noise' if noise else ''} {np.median(values):.3f} ({_MAP[problem, noise]:g})"
               for (problem, noise), values in found.items()]  # fmt: skip
    yield Claim("coordinates of places tell much: wanted in brackets, after 80 rounds, and .995 after 250",
                judged(*came, float(np.median(late)) >= _LATE),
                f"{'; '.join(numbers)}; after 250 {np.median(late):.3f}", "4 to 20; 3", _REGISTERED)  # fmt: skip
    without, wrong = (_best(runs, name, "80", 0.0, 80) for name in ("new-york-160", "new-york-160-shuffled"))
    lost = float(np.median(without) - np.median(wrong))
    yield Claim(f"… and wrong ones cost at most {_WORSE:g}", judged(lost <= _WORSE),
                f"{np.median(wrong):.3f}; without any {np.median(without):.3f}", f"{len(wrong)}", _REGISTERED)  # fmt: skip


def _dives(runs: Told) -> Claim:
    def below(method: str) -> tuple[int, int]:
        those = [run for job, run in runs if job["method"] == method]
        return sum(run["dives"][max(run["dives"], key=int)] for run in those), len(those)

    (ours, of), (likeliest, its) = below("mf-gp-ucb"), below("unguarded")
    return Claim("no suggestion after the first five is worse than random by more than all there is to gain",
                 judged(not ours), f"{ours} in {of} runs; where only the likeliest distances are asked {likeliest} in "
                 f"{its}", f"{of}; {its}", _REGISTERED)  # fmt: skip


def _bounds(runs: Told) -> Claim:
    shares = {}
    for noise in (0.0, 0.02):
        off = [abs(v) for job, run in runs if job["noise"] == noise for v in run["off"].values() if v is not None]
        shares[noise] = float(np.mean(np.array(off) <= 2)), len(off)
    return Claim("bounds of answers hold at least 90 times in a hundred", judged(*(s >= _COVERED for s, _ in shares.values())),
                 "; ".join(f"{noise:.0%} noise {share:.1%}" for noise, (share, _) in shares.items())
                 + "; [today's are wider](calibration.md)",
                 f"{sum(n for _, n in shares.values())} answers", _REGISTERED)  # fmt: skip


def _changes(runs: Told) -> Iterator[Claim]:
    came, numbers = [], []
    for places in (6, 12):
        both = {
            noticed: [run for job, run in runs if job["problem"] == "change" and job["places"] == places
                      and job["noticed"] == noticed and job["rounds"] == registered.ROUNDS]
            for noticed in (True, False)
        }  # fmt: skip
        late, even = ([run[name] for run in both[True]] for name in ("late", "even"))
        ignored = [run["late"] for run in both[False]]
        came.append(mean(late)[0] > mean(even)[0])
        numbers.append(f"{places} places {told(late)}, evenly {told(even)}, ignored {told(ignored)}")
    yield Claim("where a demand becomes another one, the payoff afterwards is better than an even spread's",
                judged(*came), "; ".join(numbers), "20 each", _REGISTERED)  # fmt: skip
    still = [run for job, run in runs if job["problem"] != "change" or job["at"] >= job["rounds"]]
    vain = sum(bool(run["forgotten"]) for run in still)
    yield Claim("… and where nothing changes nothing is forgotten", judged(not vain),
                f"forgotten in {vain} of {len(still)} runs", f"{len(still)}", _REGISTERED)  # fmt: skip


def picture(folder: Path) -> None:
    """What is reached after 20, 40 and 80 rounds, as a share of what can be gained."""
    runs = _worlds(_read(folder / registered.KEPT))
    cases = {"bikes, 36 cells and a map": "bikes-36-map", "coverage, 160 cells": "coverage-160", "maritime": "maritime",
             "New York, 160 cells": "new-york-160", "… and a map": "new-york-160-map",
             "… and a wrong map": "new-york-160-shuffled", "… 235 cells and a map": "new-york-235-map",
             "… 394 cells and a map": "new-york-394-map"}  # fmt: skip
    shown = {
        f"after {mark} rounds": {case: mean(_best(runs, name, mark, 0.0, 80)) for case, name in cases.items()}
        for mark in ("20", "40", "80")
    }
    noisy = {
        case: mean(_best(runs, name, "80", 0.02, 80)) for case, name in cases.items() if _best(runs, name, "80", 0.02)
    }
    label = "payoff, as a share of what can be gained over random shares"
    spots([Panel(label, shown | {"after 80 rounds, 2 % noise": noisy})], folder / PICTURE)


def write(folder: Path) -> str:
    """The picture beside the runs, and the claims on the page; returns these."""
    picture(folder)
    return put(folder, PAGE, rows(folder))


if __name__ == "__main__":
    page(__doc__, write)
