"""How often bounds of the recommended value cover the truth, on functions that are not the model's own.

The default method plays; at every horizon its answer is set beside the expected value that its
settings truly have. A line of the file is a run, so that the same runs of two versions can be
paired: `PYTHONPATH` says which steerbo plays.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ..errors import BenchError
from ..kept import made_plain, text_of
from ..randomness import keyed
from ..statistics import error_of, shown
from .noise import NOISES
from .registration import seed_of
from .wings import ControlSets, Crowd, Place, Played, Policy
from .world import Shape

HORIZONS = (10, 20, 40, 80)
WINGS = "cost-varying", "time-varying", "causal", "mean-field"
_WANTED = 0.85, 0.93  # at worst, and on average

Row = Mapping[str, Any]


def shape(registration: str, index: int, kind: str) -> Shape:
    """Two to four variables in nested sets that cost twice as much each; one in four has a category."""
    random = keyed(seed_of(registration, index), 0, "coverage")
    d = int(random.integers(2, 5))
    levels = [0] * d
    if random.random() < 0.25:
        levels[int(random.integers(d))] = 3
    sds = tuple(None if random.random() < 0.5 else 0.15 for _ in range(d))
    order = random.permutation(d).tolist()
    sets = tuple(tuple(sorted(order[: k + 1])) for k in range(max(d - 3, 0), d))
    prices = tuple(2.0**k for k in range(len(sets)))
    return Shape(tuple(levels), sets, prices, sds, float(random.choice([0.0, 0.3, 0.7])), kind)


@dataclass(frozen=True)
class Run:
    """One study: the function of an index with a kind of noise, by a method (None: the default), in a wing."""

    registration: str
    index: int
    kind: str
    horizons: tuple[int, ...] = HORIZONS
    method: str | None = None
    wing: str = "cost-varying"

    @property
    def key(self) -> str:
        """Of its line."""
        until = ",".join(map(str, self.horizons))
        wing = "" if self.wing == "cost-varying" else f"/{self.wing}"
        return (
            f"{self.registration}/{self.index}/{self.kind}/{until}/{self.method or 'default'}{wing}"
        )

    def drawn(self) -> Played:
        """Draw the problem."""
        seed = seed_of(self.registration, 100 * WINGS.index(self.wing) + self.index)
        if self.wing == "time-varying":
            return Place(self.index, self.kind, seed)
        if self.wing == "causal":
            return Policy(self.index, self.kind, seed)
        if self.wing == "mean-field":
            return Crowd(self.kind, seed)
        return ControlSets(shape(self.registration, self.index, self.kind), seed)

    def play(self) -> dict[str, Any]:
        """What was said at every horizon, and what is true."""
        import steerbo as sb  # not before: which one plays is decided by whoever starts this

        began = time.process_time()
        rows: list[dict[str, Any]] = []
        with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
            drawn = self.drawn()
            optimizer = sb.Optimizer(drawn.problem, self.method, seed=self.index)
            for number in range(1, max(self.horizons) + 1):
                drawn.round(optimizer, number)
                if number in self.horizons:
                    rows.append(_answer(drawn, optimizer.recommend(), number))
        return {"key": self.key, "registration": self.registration, "index": self.index, "noise": self.kind,
                "method": self.method, "wing": self.wing, "best": drawn.best, "rows": rows,
                "seconds": round(time.process_time() - began, 2)}  # fmt: skip


def _answer(drawn: Played, advice: Any, number: int) -> dict[str, Any]:
    truth = drawn.truth(advice, number)
    known = advice.lower is not None  # nothing may say yet how much outcomes differ
    return {
        "rounds": number, "truth": round(truth, 5), "mean": advice.mean, "lower": advice.lower, "upper": advice.upper,
        "covered": bool(advice.lower <= truth <= advice.upper) if known else None,
    }  # fmt: skip


def play(run: Run) -> dict[str, Any]:
    """Of a run, for a process of its own."""
    return run.play()


def play_missing(runs: Iterable[Any], file: Path, jobs: int = 1) -> Iterator[dict[str, Any]]:
    """Play what a file of lines lacks; each run, which has a `key` and a `play`, is written as soon as it is done."""
    made_plain(file)
    there = {each["key"] for each in read(file)} if file.exists() else set()
    missing = [run for run in runs if run.key not in there]
    with file.open("a", encoding="utf-8") as out:
        for line in _lines(missing, jobs):
            out.write(json.dumps(line) + "\n")
            out.flush()
            yield line


def _lines(missing: Sequence[Any], jobs: int) -> Iterator[dict[str, Any]]:
    if jobs == 1:
        yield from (run.play() for run in missing)
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(play, run) for run in missing]
        for future in as_completed(futures):
            yield future.result()


def read(file: Path) -> list[dict[str, Any]]:
    """The lines of a file.

    Raises:
        BenchError: it is not there, or a line is no JSON.
    """
    found = []
    for number, line in enumerate(text_of(file).splitlines(), 1):
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            raise BenchError(
                f"{file}, line {number}: must be a line of JSON that this command wrote"
            ) from None
    return found


def bounded(rows: Iterable[Row]) -> list[Row]:
    """The answers that have bounds: at first nothing may tell how much outcomes differ."""
    return [row for row in rows if row["lower"] is not None]


def table(lines: Sequence[Row]) -> str:
    """Covered, median width and mean error, by noise and horizon; the worst, and the mean, of each horizon.

    The error is what was said less what is true: above 0 it is optimism. Answers without bounds are
    left out, and counted beside the others.
    """
    horizons = sorted({row["rounds"] for line in lines for row in line["rows"]})
    kinds = [kind for kind in NOISES if any(line["noise"] == kind for line in lines)]
    heads = [f"{h} rounds" for h in horizons]
    title = "covered % / median width / mean error / mean true value"
    out = [
        title,
        "",
        "| noise | runs | " + " | ".join(heads) + " |",
        "|---|---|" + "---|" * len(horizons),
    ]
    covered: dict[int, list[float]] = {h: [] for h in horizons}
    for kind in kinds:
        of = [line for line in lines if line["noise"] == kind]
        cells = []
        for h in horizons:
            every = [row for line in of for row in line["rows"] if row["rounds"] == h]
            rows = bounded(every)
            without = (
                f" ({len(every) - len(rows)} without bounds)" if len(rows) < len(every) else ""
            )
            if not rows:
                cells.append("no bounds")
                continue
            share = float(np.mean([row["covered"] for row in rows]))
            covered[h].append(share)
            width = float(np.median([row["upper"] - row["lower"] for row in rows]))
            error, truth = (
                float(np.mean(each))
                for each in ([r["mean"] - r["truth"] for r in rows], [r["truth"] for r in rows])
            )
            cells.append(f"{100 * share:.0f} / {width:.2f} / {error:+.2f} / {truth:.2f}{without}")
        out.append(f"| {kind} | {len(of)} | " + " | ".join(cells) + " |")
    worst = [
        f"**{100 * min(covered[h]):.0f}**, {100 * np.mean(covered[h]):.1f}"
        if covered[h]
        else "no bounds"
        for h in horizons
    ]
    out.append("| **worst**, mean | " + f"{len(lines)} | " + " | ".join(worst) + " |")
    least, mean = (100 * each for each in _WANTED)
    cpu = sum(line["seconds"] for line in lines)
    return "\n".join(
        [
            *out,
            "",
            f"wanted: at worst {least:.0f}, on average {mean:.0f}, at every horizon; {cpu:.0f} CPU seconds",
        ]
    )


def compared(first: Sequence[Row], second: Sequence[Row]) -> str:
    """Pair the runs of two versions: true values, coverage and widths, by noise and horizon."""
    others = {line["key"]: line for line in first}
    pairs = [(others[line["key"]], line) for line in second if line["key"] in others]
    if not pairs:
        raise BenchError(
            "the two files share no run: registration, index, noise, horizons and method must be the same"
        )
    horizons = sorted({row["rounds"] for _, line in pairs for row in line["rows"]})
    title = f"{len(pairs)} runs in pairs: true value of the answer, second less first, ± two standard errors; "
    title += "covered % first → second; ratio of median widths"
    out = [
        title,
        "",
        "| noise | " + " | ".join(f"{h} rounds" for h in horizons) + " |",
        "|---|" + "---|" * len(horizons),
    ]
    for kind in (*(k for k in NOISES if any(line["noise"] == k for _, line in pairs)), "all"):
        cells = []
        for h in horizons:
            both = [
                (
                    next(r for r in a["rows"] if r["rounds"] == h),
                    next(r for r in b["rows"] if r["rounds"] == h),
                )
                for a, b in pairs
                if kind in {"all", b["noise"]}
            ]
            gains = [b["truth"] - a["truth"] for a, b in both]
            mark = "*" if abs(np.mean(gains)) > 2 * error_of(gains) else ""
            gain = f"{np.mean(gains):+.3f} ± {shown(2 * error_of(gains))}{mark}"
            both = [pair for pair in both if len(bounded(pair)) == len(pair)]
            if not both:
                cells.append(f"{gain}; no bounds")
                continue
            shares = [
                100 * float(np.mean([each["covered"] for each in side]))
                for side in zip(*both, strict=True)
            ]
            widths = [
                float(np.median([r["upper"] - r["lower"] for r in side]))
                for side in zip(*both, strict=True)
            ]
            ratio = widths[1] / widths[0] if widths[0] else float("nan")
            cells.append(f"{gain}; {shares[0]:.0f} → {shares[1]:.0f}; {ratio:.2f}")
        out.append(f"| {kind} | " + " | ".join(cells) + " |")
    cpu = [sum(pair[k]["seconds"] for pair in pairs) for k in (0, 1)]
    return "\n".join([*out, "", f"CPU seconds {cpu[0]:.0f} → {cpu[1]:.0f}"])
