"""Speed of a round of many priors on finitely many sites, of a search in a box, and of a long stream.

Of the short rounds on sites, eight make a repeat. The box needs BoTorch, and is left out without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from steerbo.core import Optimizer
from steerbo.space import Categorical, Float
from steerbo.timevarying import Bumps, Covariance, Decay, Prior, SquaredExponential, TimeVarying
from steerbo.timevarying.data import Datum, RoundView
from steerbo.timevarying.surrogates import BoxSurrogate, FiniteSurrogate

from ..size import sizes
from ..speed import Cases, Row, cpu_ms, medians, row
from .rivals import botorch_search, refit, refit_shared

NOISE = 0.3
BLOCK = 8
BARS = {(13, 54, 200, False): 50.0, (11, 54, 200, True): 200.0}


def table(X: int, random: np.random.Generator) -> np.ndarray:
    """A smooth covariance of X sites scattered over a floor, (X, X)."""
    places = random.random((X, 2))
    squares = ((places[:, None] - places) ** 2).sum(-1)
    return np.exp(-0.5 * squares / 0.3**2) + 1e-6 * np.eye(X)


@dataclass(frozen=True, eq=False)
class Floor:
    """P priors on X sites, outcomes of random visits, and our surrogate of them.

    Attributes:
        means: (P, X).
        tables: each prior's covariances, (P, X, X).
        rates: each prior's rate of forgetting, (P,).
        surrogate: ours, without data.
        times, sites, values: of each visit.
    """

    means: np.ndarray
    tables: np.ndarray
    rates: np.ndarray
    surrogate: FiniteSurrogate
    times: np.ndarray
    sites: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, P: int, X: int, visits: int, shared: bool) -> Floor:
        """Priors that share a kernel and do not drift, or have one each and drift."""
        random = np.random.default_rng(0)
        one = table(X, random)
        tables = [one if shared else table(X, random) for _ in range(P)]
        known = Covariance(tuple(map(tuple, one.tolist()))) if shared else None
        kernels = [known or Covariance(tuple(map(tuple, K.tolist()))) for K in tables]
        drifts = [None if shared else Decay(0.01 + 0.005 * p) for p in range(P)]
        means = random.normal(size=(P, X))
        some = [Prior(k, tuple(m.tolist()), d, NOISE) for k, m, d in zip(kernels, means, drifts, strict=True)]
        problem = TimeVarying([Categorical("site", [f"s{i}" for i in range(X)])], some)
        sites, values = random.integers(X, size=visits), random.normal(size=visits)
        rates = np.array([d.rate if d else 0.0 for d in drifts])
        return cls(means, np.array(tables), rates, FiniteSurrogate(problem), np.arange(1.0, visits + 1), sites, values)

    def visit(self, n: int) -> None:
        """Tell our surrogate of visit n."""
        self.surrogate.add(Datum(self.times[n], n, int(self.sites[n]), float(self.values[n])))

    def refitted(self, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rival's answer after n visits: a fresh factor for each prior."""
        seen = self.times[:n], self.sites[:n], self.values[:n]
        return refit(self.means, self.tables, self.rates, NOISE, *seen, self.times[n - 1] + 1)


def finite(P: int, X: int, t: int, shared: bool, repeats: int) -> list[Row]:
    """One round at round t: condition all priors on one more outcome and know their posteriors everywhere."""
    floor = Floor.of(P, X, t + BLOCK * repeats, shared)
    for n in range(t):
        floor.visit(n)
    answers: list[tuple[np.ndarray, ...]] = []  # mean, sd and evidence after each repeat, by turns ours and theirs

    def ours(i: int) -> None:
        for n in range(t + BLOCK * i, t + BLOCK * (i + 1)):
            floor.visit(n)
            mean, sd = floor.surrogate.posterior(floor.times[n] + 1)
        answers.append((mean, sd, np.array(floor.surrogate.evidence)))

    def rival(i: int) -> None:
        for n in range(t + BLOCK * i + 1, t + BLOCK * (i + 1) + 1):
            found = floor.refitted(n)
        answers.append(found)

    def rival_shared(i: int) -> None:
        for n in range(t + BLOCK * i + 1, t + BLOCK * (i + 1) + 1):
            refit_shared(floor.means, floor.tables[0], NOISE, floor.sites[:n], floor.values[:n])

    sides = (ours, rival, rival_shared) if shared else (ours, rival)
    mine, theirs, *best = (ms / BLOCK for ms in medians(*sides, repeats=repeats))
    turns = zip(answers[::2], answers[1::2], strict=True)
    gap = max(float(np.abs(a - b).max() / np.abs(b).max()) for turn in turns for a, b in zip(*turn, strict=True))
    name = f"{P} priors {'sharing a kernel' if shared else 'time-varying'}, {X} sites, t = {t}"
    rows = [row(f"{name}: refit of each prior", mine, theirs, bar=BARS.get((P, X, t, shared)), gap=gap)]
    return rows + [row(f"{name}: refit by one factor for all", mine, ms, gap=gap) for ms in best]


def as_torch(bump: Bumps) -> Any:
    """A hill as a function of tensors."""
    import torch

    centre, width = torch.as_tensor(bump.centres[0], dtype=torch.float64), bump.width
    return lambda x: torch.exp(-0.5 * ((x - centre) ** 2).sum(-1) / width**2)


def box(n: int, repeats: int) -> list[Row]:
    """The best point of eleven priors on the unit square, n outcomes seen: our batched search against BoTorch's."""
    if find_spec("botorch") is None:
        print("botorch is not installed: the box is left out (pip install './benchmarks[peers]')")
        return []
    random = np.random.default_rng(0)
    centres = random.random((11, 2)).tolist()
    bumps = [Bumps(centres=[c], heights=[1.0], width=0.1) for c in centres]
    some = [Prior(SquaredExponential(0.2), b, None, 0.1) for b in bumps]
    problem = TimeVarying([Float("a", 0, 1), Float("b", 0, 1)], some)
    surrogate = BoxSurrogate(problem)
    X = random.random((n, 2))
    y = bumps[3](X) + np.sin(9 * X[:, 0]) * np.cos(7 * X[:, 1]) + 0.1 * random.normal(size=n)
    for i in range(n):
        surrogate.add(Datum(0.0, i, X[i], float(y[i])))
    betas = np.full(11, 2.0)

    answers: dict[str, list[np.ndarray]] = {"ours": [], "rival": []}

    def ours(i: int) -> None:
        pick = surrogate.optimistic(RoundView(0.0), betas, np.arange(11), np.random.default_rng(i))
        answers["ours"].append(np.asarray(pick.place))

    def rival(i: int) -> None:
        found, _ = botorch_search(X, y, [as_torch(b) for b in bumps], 0.2, 0.1, 2.0, i)
        answers["rival"].append(found)

    mine, theirs = medians(ours, rival, repeats=repeats)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 101)] * 2), -1).reshape(-1, 2)
    scores = {name: [_upper(surrogate, p[None], betas)[0] for p in found] for name, found in answers.items()}
    spread = float(np.ptp(_upper(surrogate, grid, betas)))
    gap = (np.mean(scores["rival"]) - np.mean(scores["ours"])) / spread
    return [row(f"box, 11 priors, 2-D, n = {n}: optimize_acqf per prior", mine, theirs, bar=40.0, gap=float(gap))]


def _upper(surrogate: BoxSurrogate, points: np.ndarray, betas: np.ndarray) -> np.ndarray:
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

    def one(i: int) -> None:
        suggestion = optimizer.ask()
        assert suggestion is not None
        site = int(str(suggestion.values["site"])[1:])
        optimizer.tell(suggestion, float(np.sin(0.01 * i + site) + NOISE * random.normal()))

    times = [cpu_ms(partial(one, i)) for i in range(rounds)]
    tenth = rounds // 10
    first, last = float(np.mean(times[:tenth])), float(np.mean(times[-tenth:]))
    return [row(f"stream of {rounds} rounds: a round in the last tenth, against the first", last, first, gap=0.0)]


TABLES: dict[str, Cases] = {
    "rows": {
        **{
            f"{'shared' if shared else 'drifting'}-{t}": partial(finite, P, 54, t, shared, 12 if t < 1000 else 3)
            for t in (50, 200, 1000)
            for P, shared in ((13, False), (11, True))
        },
        "shared-1000-sites": partial(finite, 11, 1000, 200, True, 5),
        "box": partial(box, 30, 7),
        "stream": partial(stream, 20_000),
    },
    "sizes": sizes("timevarying"),
}
