"""Speed of the structured acquisition, and memory: `python -m benchmarks.costvarying.speed [--out FILE]`.

Seven control sets of airfoil, one round: ours is all that `ucb-psq` does between the model and the play, the rival is
the plain evaluation. Both use the same process, learned by our fit on data from random plays, and run by turns in one
process on one thread; CPU time, median over repeats. Every point found is rescored by 4096 Sobol draws of E[μ + 2σ].
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.costvarying.method import PartialControl
from steerbo.costvarying.ucb_psq import UcbPsq, UcbPsqOptions
from steerbo.rounds import History, Optimizer, Streams, keyed
from steerbo.rounds.arithmetic import fingerprint, one_blas_thread
from steerbo.search import sobol_points

from .memory import measured, random_plays
from .problems import World
from .rivals import Plain

Row = dict[str, Any]
BETA = 2.0
REPEATS = {50: 31, 200: 7, 800: 3}  # the plain evaluation takes half a minute at n = 800
BARS = {50: 150.0, 200: 150.0, 800: 100.0}
GAP = 0.001
"""Share of the acquisition's range by which our point may be worse than the rival's."""
MEGABYTES = 200.0
SAMPLES, EVALUATED, SCALED = 1024, 4096, 512


def fitted(world: World, n: int) -> tuple[PartialControl[Any], History]:
    """A method whose model has learned from n random plays, and a history without rounds."""
    problem = world.problem()
    method = UcbPsq(problem, UcbPsqOptions(), Streams(0))
    inputs, values = random_plays(world, n)
    method.model.replace(inputs, values)
    method.model.set(method.model.fit())
    return method, Optimizer(problem, "ucb-psq").history


def acquisition(world: World, n: int, repeats: int) -> Row:
    """One round's search over all control sets, against the plain one."""
    method, history = fitted(world, n)
    process, sets = method.process(history), range(len(world.sets))
    draws = world.nature(keyed(0, 0, "draws").random((SAMPLES, world.dimension)))
    rivals = [Plain(process, method.model.noise, world.sets[i], draws, BETA) for i in sets]

    def ours(k: int) -> list[np.ndarray]:
        method.streams = Streams(k)  # each repeat draws its own screening points, as each round does
        process = method.process(history)
        values, found = method.best_of(sets, process, 1, BETA)
        best = int(values.argmax())
        points = [each.point for each in found]
        points[best] = method.point_to_play(best, found[best], process, 1, BETA)
        return points

    times = np.empty((repeats, 2))
    answers: list[list[np.ndarray]] = []  # by turns ours and theirs

    def theirs(k: int) -> list[np.ndarray]:
        return [plain.maximise(keyed(k, 0, "screen")) for plain in rivals]

    for k in range(repeats):
        for column, search in enumerate((ours, theirs)):
            start = time.process_time()
            answers.append(search(k))
            times[k, column] = 1e3 * (time.process_time() - start)

    shared = world.nature(sobol_points(EVALUATED, world.dimension, seed=1))
    gaps = []
    for i in sets:
        evaluate = Plain(process, method.model.noise, world.sets[i], shared, BETA)
        # the bound stands for the acquisition here: close enough for a scale, where 512 times 4096 draws take an hour
        scale = np.ptp(method.expectation(process, i).bound(sobol_points(SCALED, len(world.sets[i]), 1), BETA)[0])
        scores = np.array([evaluate(points[i]) for points in answers]).reshape(repeats, 2)
        gaps.append(float((scores[:, 1].max() - scores[:, 0].min()) / scale))  # the worst of ours, the best of theirs
    fast, slow = np.median(times, axis=0).tolist()
    return {
        "name": f"acquisition over {len(sets)} sets of {world.name}, n = {n}, median of {repeats}",
        "ours_ms": fast,
        "rival_ms": slow,
        "ratio": slow / fast,
        "bar": BARS.get(n),
        "value_gap": max(gaps),
    }


def main(arguments: list[str] | None = None) -> None:
    """Run everything, print the table, write it."""
    parser = argparse.ArgumentParser(description="Speed of the structured acquisition, and memory")
    parser.add_argument("--out", type=Path, default=Path("docs/results/bench-costvarying.json"))
    parser.add_argument("--sizes", type=int, nargs="+", default=list(REPEATS), help="observations for the speed")
    parser.add_argument("--memory", type=int, nargs="*", default=[2000, 4000], help="observations for the memory")
    given = parser.parse_args(arguments)
    rows: list[Row] = []
    memory: list[Row] = []
    machine = {**fingerprint(), "processor": platform.processor() or platform.machine()}
    given.out.parent.mkdir(parents=True, exist_ok=True)

    def written() -> None:  # after each row: the whole takes minutes, and may be stopped
        given.out.write_text(json.dumps({"machine": machine, "rows": rows, "memory": memory}, indent=1) + "\n")

    for n in given.sizes:
        with one_blas_thread():
            rows.append(row := acquisition(World("airfoil"), n, REPEATS.get(n, 1)))
        times = f"{row['ours_ms']:.1f} ms against {row['rival_ms']:.0f} ms, {row['ratio']:.1f}×"
        bar = f" (bar {row['bar']:g}×)" if row["bar"] else ""
        print(f"{row['name']}: {times}{bar}, value gap {row['value_gap']:.3%} (bar {GAP:.1%})", flush=True)
        written()
    for n in given.memory:
        memory.append(found := {**measured(n), "bar": MEGABYTES if n == 2000 else None})
        bar = f" (bar {MEGABYTES:g} MB)" if found["bar"] else ""
        seconds = f"{found['first_ask_s']:.1f} s with a refit, {found['later_ask_s']:.2f} s without"
        print(f"ask at n = {n}, hartmann in 12-D: {found['megabytes']:.0f} MB above import{bar}, {seconds}", flush=True)
        written()


if __name__ == "__main__":
    main()
