"""Memory and time of one `ask` with many observations: `python -m steerbo.bench.costvarying.memory N`.

A process of its own for each N, because a process's peak never falls. Linux only: it reads `/proc`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ...optimizer import Optimizer, keyed
from .problems import World


def _resident(field: str) -> float:
    """Megabytes of `VmRSS` (now) or `VmHWM` (the most there ever was)."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field + ":"))


def asked(n: int) -> dict[str, Any]:
    """One `ask` on Hartmann in 12-D with seven sets after n observations, refit included."""
    world = World("hartmann")
    problem = world.problem()
    random = keyed(0, 0, "data")
    inputs = world.nature(random.random((n, world.dimension)))
    for x in inputs:  # random plays: settings of one set uniform, the rest nature's
        held = list(world.sets[random.integers(len(world.sets))])
        x[held] = random.random(len(held))
    values = world.objective(inputs)

    def study(size: int) -> Optimizer:
        optimizer = Optimizer(problem, "ucb-cvs", seed=0)
        for x, value in zip(inputs[:size], values, strict=False):
            optimizer.add(float(value) + world.noise(random), dict(zip(problem.space.names, x.tolist(), strict=True)))
        return optimizer

    study(10).ask()  # whatever is imported late is imported now
    before = _resident("VmRSS")
    optimizer = study(n)
    seconds = []
    for _ in range(2):  # the first one learns the hyperparameters
        start = time.process_time()
        optimizer.ask()
        seconds.append(time.process_time() - start)
    first, later = seconds
    return {"n": n, "megabytes": _resident("VmHWM") - before, "first_ask_s": first, "later_ask_s": later}


def measured(n: int) -> dict[str, Any]:
    """`asked`, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", __name__, str(n)], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    print(json.dumps(asked(int(sys.argv[1]))))
