"""Whole runs against a plain GPyTorch + Adam program, and rounds of the default method by size.

Like for like: both sides have Eq. 1's kernel on plain distributions and maximise the paper's `E[μ + βσ]`, β = 2, with
a refit every round. Our run is timed whole. The rival is timed between our rounds, at five numbers of observations,
on our data from our hyperparameters: one fit, and a sample of its 1000 Adam steps, scaled; its run is the integral.
Both best points of a middle round are scored by one evaluator; the gap is relative to the acquisition's range over
random and vertex-near distributions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from steerbo.meanfield import MeanField
from steerbo.meanfield.acquisition import AveragePayoffUCB
from steerbo.meanfield.mf_gp_ucb import MFGPUCB
from steerbo.rounds import Optimizer
from steerbo.search import simplex_starts

from ..size import sizes
from ..speed import Cases, Row, cpu_ms, row, timed
from .plain import STEPS, Plain
from .played import World
from .problems import world
from .results import PAPER

ROUNDS = 250
SAMPLED = (15, 60, 125, 190, 245)
CASES = {
    "swarm": ("30x1", 150.0),
    "arena": ("30x2", 150.0),
    "bikes-36": ("36x1", 150.0),
    "maritime": ("30x5", 150.0),
    "new-york-160": ("160x1", 200.0),
    "new-york-394": ("394x1", 400.0),
}
"""Problems with their sizes, actions × contexts, and bars."""
BETA = 2.0


def indexed(problem: MeanField) -> MeanField:
    """With representative feedback and numbers for features, as in the paper."""
    return replace(
        problem,
        feedback="representative",
        action_features=tuple((float(i),) for i in range(len(problem.actions))),
        context_features=tuple((float(i),) for i in range(len(problem.contexts))),
    )


def play(place: World, optimizer: Optimizer, random: np.random.Generator) -> float:
    """One round; CPU milliseconds of ask and tell."""
    suggestion, asking = timed(optimizer.ask)
    assert suggestion is not None
    problem: MeanField = optimizer.problem  # type: ignore[assignment]
    table = problem.table(suggestion.values["distribution"])
    realised = {}
    if problem.feedback == "representative":
        c = int(random.choice(len(table), p=problem.shares))
        realised = {
            "context": problem.contexts[c],
            "action": problem.actions[int(random.choice(table.shape[1], p=table[c]))],
        }
    value = place.value(table)
    return asking + cpu_ms(lambda: optimizer.tell(suggestion, value, realised=realised))


def rival_of(optimizer: Optimizer) -> tuple[Plain, AveragePayoffUCB]:
    """The rival on our data with our hyperparameters, and our bounds."""
    method: MFGPUCB = optimizer._method  # type: ignore[assignment]
    problem: MeanField = optimizer.problem  # type: ignore[assignment]
    ucb = method.surrogate(optimizer.history, {}).ucb
    data, kernel = method.data()[0], method.models.kernel
    weights = data.inputs.weights
    contexts, actions = weights.sum(axis=2).argmax(axis=1), weights.sum(axis=1).argmax(axis=1)
    posterior, features = ucb.posterior, []
    for similarity, m in ((kernel.actions, len(problem.actions)), (kernel.contexts, len(problem.contexts))):
        index = np.arange(m, dtype=float)
        step = 1.0 if similarity.features is None else np.sqrt(similarity.features.squares[0, 1])
        features.append((index * step)[:, None])
    hyper: dict[str, Any] = {"mean": posterior.mean, "scale": posterior.scale, "noise": posterior.noise}
    hyper["lengthscale"] = kernel.lengthscale("lengthscale", posterior.parameters)
    for name in ("actions", "contexts"):
        length = kernel.lengthscale(name, posterior.parameters)
        own = getattr(kernel, name).own(length)
        hyper[name], hyper[f"{name} variance"] = length, max(kernel.variance(name, posterior.parameters) * own, 1e-6)
    observed = (actions, contexts, data.inputs.tables, data.values)
    return Plain(features[0], features[1], problem.shares, observed, hyper), ucb


def rival(optimizer: Optimizer, full: bool) -> tuple[float, float | None]:
    """CPU milliseconds of the rival's round, and with `full` the gap of its best acquisition value over ours."""
    method: MFGPUCB = optimizer._method  # type: ignore[assignment]
    problem: MeanField = optimizer.problem  # type: ignore[assignment]
    plain, ucb = rival_of(optimizer)
    sample = STEPS if full else max(20, STEPS // (4 * len(problem.actions)))
    plain.maximise(BETA, 2, seed=0)  # caches are warm on both sides
    table, climbing = timed(lambda: plain.maximise(BETA, sample, seed=0))
    gap = None
    if full:
        ours = method.search(lambda t: ucb.expected(t, BETA), problem.region, seed=0)[:1]
        spread = simplex_starts(np.empty((0, *table.shape)), 64, seed=2)
        values, _ = ucb.expected(np.concatenate([ours, table[None], spread]), BETA)
        gap = float((values[1] - values[0]) / (values.max() - values.min()))
    return climbing * STEPS / sample + cpu_ms(plain.fit), gap


def run(name: str, rounds: int = ROUNDS, against: bool | None = None) -> list[Row]:
    """One case: our whole run, and the rival's between our rounds where it is installed."""
    against = find_spec("gpytorch") is not None if against is None else against
    place, (size, bar) = world(name), CASES[name]
    optimizer = Optimizer(indexed(place.problem), "mf-gp-ucb", seed=0, **dict(PAPER))
    random, ours, times, gap = np.random.default_rng(0), 0.0, [], None
    for number in range(1, rounds + 1):
        ours += play(place, optimizer, random)
        if against and number in SAMPLED:
            ms, found = rival(optimizer, full=number == SAMPLED[2])
            times.append(ms)
            gap = found if found is not None else gap
    default = Optimizer(place.problem, "mf-gp-ucb", seed=0)
    own = sum(play(place, default, random) for _ in range(rounds))
    name = f"run of {rounds}, {size} ({name})"
    if not times:
        return [row(name, ours, bar=bar, default_ms=own)]
    grid = np.arange(1, rounds + 1)
    whole = float(np.interp(grid, SAMPLED[: len(times)], times).sum())
    return [row(name, ours, whole, bar=bar, gap=gap, default_ms=own, default_ratio=whole / own)]


def fleet(actions: int, agents: int, featured: bool) -> tuple[MeanField, Callable[[np.ndarray], float]]:
    """Agents, and minus the distance of a table of theirs from a demand, which is smooth on the map if there is one."""
    names, draw = tuple(map(str, range(actions))), np.random.default_rng(0)
    if featured:
        places = draw.random((actions, 2))
        ideal = np.exp(2 * np.sin(3 * places[:, 0]) + 2 * places[:, 1] + 0.3 * draw.normal(size=actions))
        problem = MeanField(names, agents, action_features=tuple(map(tuple, places.tolist())))
    else:
        ideal, problem = draw.dirichlet(np.ones(actions)), MeanField(names, agents)
    wanted = np.sqrt(ideal / ideal.sum())
    return problem, lambda table: -float(((np.sqrt(table[0]) - wanted) ** 2).sum())


def scaling(actions: int, agents: int, known: int, featured: bool = False) -> list[Row]:
    """The median of the last ten rounds of the default method."""
    problem, payoff = fleet(actions, agents, featured)
    optimizer = Optimizer(problem, seed=0)

    def one() -> None:
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, payoff(problem.table(suggestion.values["distribution"])))

    times = [cpu_ms(one) for _ in range(known)]
    on_map = " on a map" if featured else ""
    name = f"a round, {actions} actions{on_map}, {agents} agents, about {known} outcomes"
    return [row(name, float(np.median(times[-10:])), bar_ms=_BARS.get((actions, featured)))]


def many(outcomes: int, actions: int = 30) -> list[Row]:
    """Suggestions after so many outcomes that were there before: the first one, and the median of four more."""
    problem, payoff = fleet(actions, 10**4, featured=False)
    optimizer, draw = Optimizer(problem, seed=0), np.random.default_rng(1)
    for _ in range(outcomes):
        shares = draw.dirichlet(np.ones(actions))
        table = dict(zip(problem.actions, shares.tolist(), strict=True))
        optimizer.add(payoff(shares[None]) + 0.01 * draw.normal(), {"distribution": {"everyone": table}})
    times = []
    for _ in range(5):
        suggestion, asking = timed(optimizer.ask)
        assert suggestion is not None
        times.append(asking)
        optimizer.tell(suggestion, payoff(problem.table(suggestion.values["distribution"])))
    name = f"suggestion after {outcomes} outcomes, {actions} actions"
    return [
        row(f"first {name}", times[0], bar_ms=20_000.0),
        row(f"later {name}", float(np.median(times[1:])), bar_ms=2000.0),
    ]


_BARS = {(5000, False): 1000.0, (2000, True): 500.0, (5000, True): 2000.0}
"""Milliseconds, by the number of actions and whether they have features."""
_SIZES = ((30, 50, 100), (30, 10**4, 100), (30, 10**7, 100), (5000, 10**6, 60))
_MAPS = ((2000, 10**6, 20), (5000, 10**6, 20))
TABLES: dict[str, Cases] = {
    "rows": {
        **{name: partial(run, name) for name in CASES},
        **{f"round-{size[0]}x{size[1]}": partial(scaling, *size) for size in _SIZES},
        **{f"map-{size[0]}": partial(scaling, *size, featured=True) for size in _MAPS},
        "many-2000": partial(many, 2000),
    },
    "sizes": sizes("meanfield"),
}
