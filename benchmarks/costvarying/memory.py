"""Memory and time of one `ask` with many observations: `python -m benchmarks.costvarying.memory N`.

A process of its own for each N, because a process's peak never falls. Linux only: it reads `/proc`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from steerbo.core import Optimizer, keyed

from .problems import World


def random_plays(world: World, n: int) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]]:
    """Points (n, d) and noisy outcomes (n,) of plays of random sets at settings drawn uniformly."""
    random = keyed(0, 0, "plays")
    inputs = world.nature(random.random((n, world.dimension)))
    for x in inputs:
        held = list(world.sets[random.integers(len(world.sets))])
        x[held] = random.random(len(held))
    return inputs, world.objective(inputs) + np.array([world.noise(random) for _ in range(n)])


def asked(n: int) -> dict[str, Any]:
    """Two calls of `ask` over the seven sets of Hartmann in 12-D after n observations; the first one refits."""
    world = World("hartmann")
    problem = world.problem()

    def study(size: int) -> Optimizer:
        optimizer = Optimizer(problem, "ucb-cvs")
        for x, value in zip(*random_plays(world, size), strict=True):
            optimizer.add(float(value), dict(zip(problem.space.names, x.tolist(), strict=True)))
        return optimizer

    study(10).ask()  # whatever is imported late is imported now
    before = _resident("VmRSS")
    optimizer = study(n)
    seconds = []
    for _ in range(2):
        start = time.process_time()
        optimizer.ask()
        seconds.append(time.process_time() - start)
    first, later = seconds
    return {"n": n, "megabytes": _resident("VmHWM") - before, "first_ask_s": first, "later_ask_s": later}


def _resident(field: str) -> float:
    """Megabytes in memory: `VmRSS` now, `VmHWM` at most so far."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith(f"{field}:"))


def measured(n: int) -> dict[str, Any]:
    """`asked`, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", __name__, str(n)], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    print(json.dumps(asked(int(sys.argv[1]))))
