"""Speed against plain rivals: `python -m benchmarks.timevarying.speed [--out FILE] [--stream ROUNDS]`.

Both sides run by turns in one process, eight rounds each, CPU time, one thread, median over repeats. The box needs the
`peers` extra.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.rounds import Optimizer
from steerbo.rounds.arithmetic import fingerprint, one_blas_thread
from steerbo.space import Categorical, Float
from steerbo.timevarying import Bumps, Covariance, Decay, Prior, SquaredExponential, TimeVarying
from steerbo.timevarying.acquisition import Datum, View
from steerbo.timevarying.boxes import Boxes
from steerbo.timevarying.finite import Sites

from .rivals import botorch_search, refit, refit_shared

Row = dict[str, Any]
NOISE = 0.3
BLOCK = 8


def median_ms(actions: list[Callable[[int], Any]], repeats: int) -> list[float]:
    """Median CPU milliseconds of each action, run by turns."""
    seconds = np.empty((repeats, len(actions)))
    for i in range(repeats):
        for j, action in enumerate(actions):
            start = time.process_time()
            action(i)
            seconds[i, j] = time.process_time() - start
    found: list[float] = (1e3 * np.median(seconds, axis=0)).tolist()
    return found


def table(X: int, random: np.random.Generator) -> np.ndarray:
    """A smooth covariance of X sites scattered over a floor, (X, X)."""
    places = random.random((X, 2))
    squares = ((places[:, None] - places) ** 2).sum(-1)
    return np.exp(-0.5 * squares / 0.3**2) + 1e-6 * np.eye(X)


def finite(P: int, X: int, t: int, shared: bool, repeats: int) -> list[Row]:
    """One round at round t: condition all priors on one more outcome and know their posteriors everywhere."""
    random = np.random.default_rng(0)
    one = table(X, random)
    tables = [one if shared else table(X, random) for _ in range(P)]
    kernels = [Covariance(tuple(map(tuple, one.tolist())))] * P if shared else [
        Covariance(tuple(map(tuple, K.tolist()))) for K in tables
    ]  # fmt: skip
    drifts = [None if shared else Decay(0.01 + 0.005 * p) for p in range(P)]
    means = random.normal(size=(P, X))
    some = [Prior(k, tuple(m.tolist()), d, NOISE) for k, m, d in zip(kernels, means, drifts, strict=True)]
    problem = TimeVarying([Categorical("site", [f"s{i}" for i in range(X)])], some)
    times = np.arange(1.0, t + BLOCK * repeats + 1)
    sites, values = random.integers(X, size=len(times)), random.normal(size=len(times))
    rates = np.array([d.rate if d else 0.0 for d in drifts])
    covariances = np.array(tables)
    surrogate = Sites(problem)
    for i in range(t):
        surrogate.add(Datum(times[i], i, int(sites[i]), float(values[i])))
    gaps = []

    def ours(i: int) -> None:
        for n in range(t + BLOCK * i, t + BLOCK * (i + 1)):
            surrogate.add(Datum(times[n], n, int(sites[n]), float(values[n])))
            answers["ours"] = surrogate.posterior(times[n] + 1)

    def rival(i: int) -> None:
        for n in range(t + BLOCK * i + 1, t + BLOCK * (i + 1) + 1):
            answers["rival"] = refit(
                means, covariances, rates, NOISE, times[:n], sites[:n], values[:n], times[n - 1] + 1
            )
        pairs = [*zip(answers["ours"], answers["rival"][:2], strict=True), (surrogate.evidence, answers["rival"][2])]
        gaps.append(max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs))

    def rival_shared(i: int) -> None:
        for n in range(t + BLOCK * i + 1, t + BLOCK * (i + 1) + 1):
            answers["shared"] = refit_shared(means, one, NOISE, sites[:n], values[:n])

    answers: dict[str, Any] = {}
    medians = median_ms([ours, rival, *([rival_shared] if shared else [])], repeats)
    mine, theirs, *best = (ms / BLOCK for ms in medians)
    kind = "sharing a kernel" if shared else "time-varying"
    bars = {(13, 54, 200, False): 50.0, (11, 54, 200, True): 200.0}
    name = f"{P} priors {kind}, {X} sites, t = {t}"
    rows = [_row(f"{name}: refit of each prior", mine, theirs, bars.get((P, X, t, shared)), max(gaps))]
    if best:
        rows.append(_row(f"{name}: refit by one factor for all", mine, best[0], None, max(gaps)))
    return rows


def _row(name: str, ours: float, rival: float, bar: float | None, gap: float) -> Row:
    return {"name": name, "ours_ms": ours, "rival_ms": rival, "ratio": rival / ours, "bar": bar, "value_gap": gap}


def box(n: int, repeats: int) -> list[Row]:
    """The best point of eleven priors on the unit square, n outcomes seen: our batched search against BoTorch's."""
    import torch

    random = np.random.default_rng(0)
    centres = random.random((11, 2)).tolist()
    bumps = [Bumps(centres=[c], heights=[1.0], width=0.1) for c in centres]
    some = [Prior(SquaredExponential(0.2), b, None, 0.1) for b in bumps]
    problem = TimeVarying([Float("a", 0, 1), Float("b", 0, 1)], some)
    surrogate = Boxes(problem)
    X = random.random((n, 2))
    y = bumps[3](X) + np.sin(9 * X[:, 0]) * np.cos(7 * X[:, 1]) + 0.1 * random.normal(size=n)
    for i in range(n):
        surrogate.add(Datum(0.0, i, X[i], float(y[i])))
    betas = np.full(11, 2.0)

    def as_torch(bump: Bumps) -> Any:
        centre, width = torch.as_tensor(bump.centres[0], dtype=torch.float64), bump.width
        return lambda x: torch.exp(-0.5 * ((x - centre) ** 2).sum(-1) / width**2)

    answers: dict[str, list[np.ndarray]] = {"ours": [], "rival": []}

    def ours(i: int) -> None:
        pick = surrogate.optimistic(View(0.0), betas, np.arange(11), np.random.default_rng(i))
        answers["ours"].append(np.asarray(pick.place))

    def rival(i: int) -> None:
        found, _ = botorch_search(X, y, [as_torch(b) for b in bumps], 0.2, 0.1, 2.0, i)
        answers["rival"].append(found)

    mine, theirs = median_ms([ours, rival], repeats)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 101)] * 2), -1).reshape(-1, 2)
    scores = {name: [_upper(surrogate, p[None], betas)[0] for p in found] for name, found in answers.items()}
    spread = float(np.ptp(_upper(surrogate, grid, betas)))
    gap = (np.mean(scores["rival"]) - np.mean(scores["ours"])) / spread
    return [_row(f"box, 11 priors, 2-D, n = {n}: optimize_acqf per prior", mine, theirs, 40.0, float(gap))]


def _upper(surrogate: Boxes, points: np.ndarray, betas: np.ndarray) -> np.ndarray:
    """The acquisition that both sides are scored by."""
    mean, sd = surrogate.posterior(points, 0.0)
    best: np.ndarray = (mean + betas[:, None] * sd).max(axis=0)
    return best


def stream(rounds: int) -> list[Row]:
    """A stream through the whole protocol on 54 sites with 13 drifting priors: the last tenth against the first one."""
    random = np.random.default_rng(0)
    some = [
        Prior(Covariance(tuple(map(tuple, table(54, random).tolist()))), 0.0, Decay(0.01 + 0.005 * p), NOISE)
        for p in range(13)
    ]
    problem = TimeVarying([Categorical("site", [f"s{i}" for i in range(54)])], some)
    optimizer = Optimizer(problem, "tempered-elimination", seed=0)
    tenth, marks = rounds // 10, []
    for i in range(rounds):
        if i % tenth == 0:
            marks.append(time.process_time())
        suggestion = optimizer.ask()
        assert suggestion is not None
        site = int(str(suggestion.values["site"])[1:])
        optimizer.tell(suggestion, float(np.sin(0.01 * i + site) + NOISE * random.normal()))
    marks.append(time.process_time())
    first, last = (1e3 * (marks[j + 1] - marks[j]) / tenth for j in (0, len(marks) - 2))
    return [_row(f"stream of {rounds} rounds: a round in the last tenth, against the first", last, first, None, 0.0)]


def main() -> None:
    """Run everything, print the table, write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/results/bench-timevarying.json"))
    parser.add_argument("--stream", type=int, default=20_000)
    given = parser.parse_args()
    rows: list[Row] = []
    with one_blas_thread():
        for t in (50, 200, 1000):
            rows += finite(13, 54, t, False, 12 if t < 1000 else 3)
            rows += finite(11, 54, t, True, 12 if t < 1000 else 3)
        rows += finite(11, 1000, 200, True, 5)
        if find_spec("botorch"):
            rows += box(30, 7)
        else:
            print("botorch is not installed: the box is left out (pip install 'steerbo[peers]')")
    rows += stream(given.stream)
    for row in rows:
        bar = f"  (bar {row['bar']:g})" if row["bar"] else ""
        times = f"{row['ours_ms']:.3f} ms against {row['rival_ms']:.3f} ms, {row['ratio']:.1f}×"
        print(f"{row['name']}: {times}{bar}, gap {row['value_gap']:.1e}")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    machine = {**fingerprint(), "processor": platform.processor() or platform.machine()}
    given.out.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
