"""A small finite domain, and methods followed round by round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steerbo import Optimizer
from steerbo.timevarying import SquaredExponential
from tests.timevarying.points import LINE
from tests.timevarying.reference import refit
from tests.timevarying.toy_problem import Toy

TOY = Toy()
K = SquaredExponential(TOY.lengthscale).over(LINE)(TOY.grid[:, None], TOY.grid[:, None])


class Plain:
    """The paper's algorithms as printed, with every posterior from scratch (and σ_{i-1} in line 12)."""

    def __init__(self, data: list[tuple[float, int, float]]) -> None:
        self.data = data
        self.means = [np.array(p.mean) for p in TOY.problem.given]
        self.alive = [True] * 11
        self.n, self.errors, self.bands, self.sums = (np.zeros(11) for _ in range(4))

    def posteriors(self, t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found = [refit(m, K, None, TOY.noise, self.data, t) for m in self.means]
        return (
            np.array([f[0] for f in found]),
            np.sqrt(np.array([f[1] for f in found])),
            np.array([f[2] for f in found]),
        )

    @staticmethod
    def beta(t: int) -> float:
        return math.sqrt(2 * math.log(2 * 200 * math.pi**2 * t**2 / 0.1))

    @staticmethod
    def xi(t: int) -> float:
        return 2 * TOY.noise**2 * math.log(11 * math.pi**2 * t**2 / 0.1)


def follow(method: str, rounds: int) -> tuple[Optimizer, Plain, list[tuple[Any, ...]]]:
    """Run the method; beside it, everything from scratch. Returns what to compare, round by round."""
    truth = TOY.truth(3, rounds)
    optimizer = Optimizer(TOY.problem, method, seed=3)
    random = np.random.default_rng(0)
    optimizer.add(float(truth[0, 77]), {"x": TOY.problem.sites[77][0], "time": 0.0})  # type: ignore[index]
    plain = Plain([(0.0, 77, float(truth[0, 77]))])
    rows = []
    for t in range(1, rounds + 1):
        mean, sd, log = plain.posteriors(t)
        mask = np.array(TOY.available(t) or [True] * 200)
        suggestion = optimizer.ask(available=mask)
        assert suggestion is not None
        x, p = TOY.problem.site(suggestion.values), suggestion.note["prior"]
        y = float(truth[t - 1, x] + TOY.noise * random.normal())
        rows.append((t, mean, sd, log, mask, x, p, y, list(plain.alive), suggestion))
        plain.data.append((float(t), x, y))
        plain.n[p] += 1
        plain.errors[p] += y - mean[p, x]
        plain.sums[p] += y
        plain.bands[p] += plain.beta(t) * sd[p, x]
        if method == "prior-elimination":
            if abs(plain.errors[p]) > math.sqrt(plain.xi(t) * plain.n[p]) + plain.bands[p]:
                plain.alive[p] = False
        elif all(plain.n[q] for q in range(11) if plain.alive[q]):
            live = [q for q in range(11) if plain.alive[q]]
            lower = {q: plain.sums[q] / plain.n[q] - math.sqrt(plain.xi(t) / plain.n[q]) for q in live}
            plain.alive = [
                q in live and lower[q] + plain.bands[q] / plain.n[q] >= max(lower.values()) for q in range(11)
            ]
        optimizer.tell(suggestion, y)
        assert optimizer._method.alive.tolist() == plain.alive  # type: ignore[attr-defined]
    return optimizer, plain, rows
