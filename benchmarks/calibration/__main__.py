"""How often bounds cover the truth: `python -m benchmarks.calibration causal --seeds fresh`.

Problems, seeds and horizons were written down before: `docs/results/calibration-registered.md`. Finished runs are kept
beside the page of results, and are not played again.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import steerbo as sb

from ..runs import play_missing
from .page import section
from .wings import FRESH, HORIZONS, KEPT, SEEDS, TUNING, WINGS

Job = tuple[str, str, int]


def run(job: Job) -> dict[str, Any]:
    """One run: at every horizon what was said, and what is true."""
    wing, name, seed = job
    start = time.process_time()
    world = WINGS[wing].PROBLEMS[name](seed)
    optimizer, rows = sb.Optimizer(world.problem, world.method, seed=seed), []
    for number in range(1, max(HORIZONS) + 1):
        world.advance(optimizer, seed)
        if number in HORIZONS:
            advice = optimizer.recommend()
            told = [outcome.value for _, outcome, _ in optimizer.history.outcomes()]
            rows.append(
                {
                    "rounds": number, "truth": world.truth(advice, number), "mean": advice.mean, "lower": advice.lower,
                    "upper": advice.upper, "spread": float(np.std(told)),
                    "times": optimizer._method.bound_inflation(optimizer.history, advice.scope),
                }
            )  # fmt: skip
    seconds = round(time.process_time() - start, 2)
    return {"key": key_of(job), "wing": wing, "problem": name, "seed": seed, "rows": rows, "seconds": seconds}


def key_of(job: Job) -> str:
    """Of a run."""
    return "/".join(map(str, job))


def main() -> None:
    """Play what is missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wings", nargs="*", choices=[*WINGS, []], help="default: all")
    parser.add_argument("--seeds", choices=["fresh", "tuning"], default="fresh")
    parser.add_argument("--count", type=int, default=SEEDS, help="seeds a problem")
    parser.add_argument("--runs", type=Path, default=Path("docs/results") / KEPT)
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    first = FRESH if given.seeds == "fresh" else TUNING
    jobs = [
        (wing, name, seed)
        for wing in given.wings or WINGS
        for seed in range(first, first + given.count)
        for name in WINGS[wing].PROBLEMS
    ]
    for _ in play_missing({key_of(job): job for job in jobs}, run, given.runs, given.processes):
        pass
    print(section(given.runs))


if __name__ == "__main__":
    main()
