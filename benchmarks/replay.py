"""Whether kept runs still come out: `python -m benchmarks.replay --share .05` plays some again, drawn at random.

Of each wing's kept runs that share is drawn, among those that took at most `--seconds`. What is compared is every
figure that the run kept, but for its time; two that agree to `DIGITS` are the same. A run that differs was kept by an
older version of its method: delete its line, and `results` plays it anew. Or it is the same method, and a sum that is
formed in another order: then its curve begins as the kept one does, and rounding grew later.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.errors import MissingExtra

from .causal import results as causal
from .costvarying import problems, runner
from .meanfield import runner as meanfield
from .runs import finished
from .timevarying import default

DIGITS = 3
"""Significant ones, as the pages show at most."""
_TIMES = ("seconds",)


def _costvarying(run: Mapping[str, Any]) -> dict[str, Any]:
    told = run["run"]
    return runner.play(runner.Run(**{**told, "world": problems.World(**told["world"])}))


def _causal(run: Mapping[str, Any]) -> dict[str, Any]:
    seed = json.loads(run["key"])[-1]
    (experiment, *_) = (e for e in causal.EXPERIMENTS if e.key(seed) == run["key"])
    return causal.run((experiment, seed))


def _meanfield(run: Mapping[str, Any]) -> dict[str, Any]:
    told = json.loads(run["key"])
    return meanfield.play(meanfield.Job(**{**told, "options": tuple(map(tuple, told["options"]))}))


def _timevarying(run: Mapping[str, Any]) -> dict[str, Any]:
    return default.run(run["case"], run["method"], run["width"], int(run["key"].rpartition("/")[2]))


WINGS: dict[str, tuple[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "costvarying": ("runs/costvarying-runs.jsonl", _costvarying),
    "causal": ("runs/causal-runs.jsonl", _causal),
    "meanfield": ("runs/meanfield-runs.jsonl", _meanfield),
    "timevarying": (default.KEPT, _timevarying),
}


def drawn(runs: Mapping[str, Mapping[str, Any]], share: float, seconds: float, seed: int) -> list[Mapping[str, Any]]:
    """That share of the runs, at random, but for those that took longer and what is no run."""
    played = [run for run in runs.values() if not run["key"].startswith("best/") and run.get("seconds", 0) <= seconds]
    some = np.random.default_rng(seed).permutation(len(played))[: math.ceil(share * len(played))]
    return [played[i] for i in some]


def differences(kept: Any, now: Any, at: str = "") -> Iterator[str]:
    """Where two records differ by more than rounding, with both values.

    >>> list(differences({"best": [1.0, 2.0], "seconds": 3}, {"best": [1.00001, 2.5], "seconds": 9}))
    ['best.1: 2.0, now 2.5']
    """
    if isinstance(kept, Mapping) and isinstance(now, Mapping):
        for name in kept:
            if name not in _TIMES:
                yield from differences(kept[name], now.get(name), f"{at}.{name}".strip("."))
    elif isinstance(kept, list | tuple) and isinstance(now, list | tuple) and len(kept) == len(now):
        for i, pair in enumerate(zip(kept, now, strict=True)):
            yield from differences(*pair, f"{at}.{i}".strip("."))
    elif isinstance(kept, float) and isinstance(now, float):
        if not math.isclose(kept, now, rel_tol=0.5 * 10**-DIGITS, abs_tol=1e-9):
            yield f"{at}: {kept}, now {now}"
    elif kept != now:
        yield f"{at}: {kept}, now {now}"


def agreed(kept: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """How far two curves go together, in words; empty where they do not begin alike.

    >>> agreed({"curve": [1.0, 2.0, 3.0]}, {"curve": [1.0, 2.00001, 3.5]})
    '2 of 3 marks of its curve are the same'
    """
    curve = kept.get("curve", [])
    marks = [not list(differences(*pair)) for pair in zip(curve, now.get("curve", []), strict=False)]
    alike = (*marks, False).index(False)
    return f"{alike} of {len(curve)} marks of its curve are the same" if alike else ""


def main() -> None:
    """Draw, play and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wings", nargs="*", choices=[*WINGS, []], help="default: all")
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--seconds", type=float, default=math.inf, help="leave out what took longer")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for wing in given.wings or WINGS:
        file, play = WINGS[wing]
        runs = drawn(finished(Path("docs/results") / file), given.share, given.seconds, given.seed)
        same = 0
        for run in runs:
            try:
                now = play(run)
            except MissingExtra as error:
                print(f"{run['key']}: {error}", flush=True)
                continue
            found = list(differences(run, json.loads(json.dumps(now))))
            same += not found
            for line in [*found[:3], *filter(None, [agreed(run, now)] if found else [])]:
                print(f"{run['key']}: {line}", flush=True)
        print(f"{wing}: {same} of {len(runs)} runs are the same", flush=True)


if __name__ == "__main__":
    main()
