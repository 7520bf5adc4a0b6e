"""Speed of the structured acquisition, and memory.

Seven control sets of airfoil, one round: ours is all that `ucb-psq` does between the model and the play, the rival is
the plain evaluation. Both use the same process, learned by our fit on data from random plays. Every point found is
rescored by 4096 Sobol draws of E[μ + 2σ].
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from steerbo.core import History, Optimizer, Streams, keyed
from steerbo.costvarying.method import CostVaryingMethod
from steerbo.costvarying.methods import UcbPsq, UcbPsqOptions
from steerbo.costvarying.search_space import Candidates
from steerbo.optim import sobol_points

from ..size import rivals, sizes
from ..speed import Cases, Row, medians, row
from .memory import measured, random_plays
from .problems import World
from .rivals import Plain

BETA = 2.0
REPEATS = {50: 31, 200: 7, 800: 3}  # the plain evaluation takes half a minute at n = 800
BARS = {50: 150.0, 200: 150.0, 800: 100.0}
MEGABYTES = 200.0
SAMPLES, EVALUATED, SCALED = 1024, 4096, 512


def fitted(world: World, n: int) -> tuple[CostVaryingMethod[Any], History]:
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
    candidates, sets = method.candidates(history, {}), range(len(world.sets))
    draws = world.nature(keyed(0, 0, "draws").random((SAMPLES, world.dimension)))
    rivals = [Plain(candidates.posterior, method.model.noise, world.sets[i], draws, BETA) for i in sets]

    def ours(k: int) -> list[np.ndarray]:
        method.streams = Streams(k)  # each repeat draws its own screening points, as each round does
        candidates = method.candidates(history, {})
        values, found = method.wide_upper_bounds(candidates, sets, 1, BETA)
        best = int(values.argmax())
        points = [each.point for each in found]
        points[best] = method.point_to_play(candidates, best, found[best], 1, BETA)
        return points

    def theirs(k: int) -> list[np.ndarray]:
        return [plain.maximise(keyed(k, 0, "screen")) for plain in rivals]

    answers: list[list[np.ndarray]] = []  # by turns ours and theirs
    fast, slow = medians(lambda k: answers.append(ours(k)), lambda k: answers.append(theirs(k)), repeats=repeats)
    name = f"acquisition over {len(sets)} sets of {world.name}, n = {n}, median of {repeats}"
    return row(name, fast, slow, bar=BARS.get(n), gap=gap(world, method, candidates, answers))


def gap(world: World, method: CostVaryingMethod[Any], candidates: Candidates, answers: list[list[np.ndarray]]) -> float:
    """By how much the worst of our points is worse than the best of the rival's, in the worst control set."""
    shared = world.nature(sobol_points(EVALUATED, world.dimension, seed=1))
    gaps = []
    for i, held in enumerate(world.sets):
        evaluate = Plain(candidates.posterior, method.model.noise, held, shared, BETA)
        # the bound stands for the acquisition here: close enough for a scale, where 512 times 4096 draws take an hour
        scale = np.ptp(candidates.expectation(i).bound(sobol_points(SCALED, len(held), 1), BETA)[0])
        scores = np.array([evaluate(points[i]) for points in answers]).reshape(-1, 2)
        gaps.append(float((scores[:, 1].max() - scores[:, 0].min()) / scale))
    return max(gaps)


def airfoil(n: int) -> list[Row]:
    """The acquisition after n plays of airfoil."""
    return [acquisition(World("airfoil"), n, REPEATS[n])]


def memory(n: int) -> list[Row]:
    """Memory and time of one `ask` after n plays, in a process of its own."""
    return [{"name": f"ask at n = {n}, hartmann in 12-D", **measured(n), "bar": MEGABYTES if n == 2000 else None}]


TABLES: dict[str, Cases] = {
    "rows": {f"acquisition-{n}": partial(airfoil, n) for n in REPEATS},
    "memory": {f"memory-{n}": partial(memory, n) for n in (2000, 4000)},
    "sizes": {**sizes("costvarying"), **rivals()},
}
