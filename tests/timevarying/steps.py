"""Methods on a finite domain, one site after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from steerbo import Categorical, Decay, Optimizer, Prior, TimeVarying
from steerbo.timevarying import Covariance

SITES = list("abcdef")
K = np.exp(-0.5 * (np.subtract.outer(np.arange(6.0), np.arange(6.0)) / 1.5) ** 2) + 0.05 * np.eye(6)


def problem(drift: Decay | None = None, levels: tuple[float, ...] = (0.0, 0.5, 1.0)) -> TimeVarying:
    some = [Prior(Covariance(K.tolist()), m, drift, 0.2, name=f"level {m}") for m in levels]
    return TimeVarying([Categorical("s", SITES)], some)


def run(optimizer: Optimizer, rounds: int) -> list[tuple[float, int, float]]:
    data = []
    for t in range(1, rounds + 1):
        suggestion = optimizer.ask()
        assert suggestion is not None
        x = SITES.index(suggestion.values["s"])
        y = float(np.sin(x + 0.3 * t))
        optimizer.tell(suggestion, y)
        data.append((float(t), x, y))
    return data


def next_site(optimizer: Optimizer) -> tuple[int, dict[str, Any]]:
    suggestion = optimizer.ask()
    assert suggestion is not None
    return SITES.index(suggestion.values["s"]), suggestion.note
