"""One run: a method plays a known truth through the round protocol; what it lost is counted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from steerbo.core import Optimizer, keyed
from steerbo.timevarying import TimeVarying


@dataclass(frozen=True)
class Run:
    """What came of one run.

    `regret` (T,) of every round; `plays` (P,) of every prior; `alive` (P,) where priors are dropped, else None.
    """

    regret: Float[np.ndarray, " T"]
    plays: list[int]
    alive: list[bool] | None


def play(
    problem: TimeVarying,
    truth: Float[np.ndarray, "T X"],
    noise: float,
    method: str,
    seed: int,
    available: Any = None,
    **options: Any,
) -> Run:
    """Play all rounds of a truth on a finite domain, after one outcome at a random available point.

    Args:
        problem: with a finite domain of X points.
        truth: the objective in every round; NaN where a point cannot be chosen.
        noise: standard deviation of what is told; 0: the truth itself.
        method: its name.
        seed: of the method and of the noise.
        available: from the number of a round (from 1) to what `ask` is told; None: the points that are not NaN.
        options: of the method.
    """
    optimizer = Optimizer(problem, method, seed=seed, **options)
    random = keyed(seed, 0, "noise")
    assert problem.sites is not None
    numbers = {site: i for i, site in enumerate(problem.sites)}
    names = problem.space.names
    first = int(random.choice(np.flatnonzero(_mask(truth, available, 1))))
    realised = {**dict(zip(names, problem.sites[first], strict=True)), "time": 1.0}
    optimizer.add(float(truth[0, first] + noise * random.standard_normal()), realised)
    regret = np.empty(len(truth))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for t in range(1, len(truth) + 1):
            mask = _mask(truth, available, t)
            suggestion = optimizer.ask(available=None if mask.all() else mask)
            assert suggestion is not None
            x = numbers[tuple(suggestion.values[name] for name in names)]
            regret[t - 1] = truth[t - 1, mask].max() - truth[t - 1, x]
            optimizer.tell(suggestion, float(truth[t - 1, x] + noise * random.standard_normal()))
    state: Any = optimizer._method
    alive = state.alive.tolist() if hasattr(state, "alive") else None
    return Run(regret, state.plays.tolist(), alive)


def _mask(truth: Float[np.ndarray, "T X"], available: Any, t: int) -> np.ndarray:
    seen = ~np.isnan(truth[t - 1])
    told = None if available is None else available(t)
    return seen if told is None else seen & np.array(told)
