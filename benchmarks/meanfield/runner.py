"""Runs of methods on the paper's problems; finished ones are kept, so that it can be stopped and taken up again."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal
from unittest.mock import patch

import numpy as np
from jaxtyping import Float

from partial_control_bench.meanfield.rivals import METHODS as RIVALS
from steerbo.core import Method, Optimizer, Recommendation, Refitted, keyed
from steerbo.core.optimizer import widened
from steerbo.meanfield.mf_gp_ucb import MFGPUCB
from steerbo.meanfield.models import HyperparameterDraw

from .played import World
from .problems import world

MARKS = (20, 40, 80, 160, 250)
"""Rounds at which is looked."""
STARTS = 6
"""Distributions at first, by default: the even spread and random ones."""


@dataclass(frozen=True)
class Job:
    """One run.

    Args:
        problem: its name.
        method: its name, with `options`.
        seed: of method and noise.
        rounds: how many.
        noise: standard deviation of the observation noise, as a share of optimum − random.
        feedback: what is told: the `population`'s average, or one `representative` agent's payoff.
    """

    problem: str
    method: str
    seed: int
    rounds: int = 250
    noise: float = 0.0
    options: tuple[tuple[str, Any], ...] = ()
    feedback: Literal["population", "representative"] = "population"

    @property
    def key(self) -> str:
        """A name for it."""
        return json.dumps(asdict(self), sort_keys=True)


def play(job: Job, methods: Mapping[str, type[Method[Any, Any]]] | None = None) -> dict[str, Any]:
    """Play a job; `methods` are ours that have no name elsewhere.

    Scores are `(payoff − random) / (optimum − random)` of noise-free population averages, by round: `best` and `worst`
    of the rounds so far, `now` of the suggestion, `answer` of the recommendation; `payoff` is the best so far in raw
    units. `lowest` is the worst after the random starts, `dives` how many rounds of these were below −1, and `off` by
    how many standard deviations the recommendation's payoff is above what was said (none where no bounds were).
    """
    place = world(job.problem)
    problem, spread = replace(place.problem, feedback=job.feedback), job.noise * (place.optimum - place.random)
    known: dict[str, type[Method[Any, Any]]] = {method.name: method for method in RIVALS}
    method = (known | dict(methods or {})).get(job.method, job.method)
    optimizer = Optimizer(problem, method, seed=job.seed, **dict(job.options))
    found: dict[str, Any] = {"key": job.key, "best": {}, "worst": {}, "now": {}, "answer": {}, "payoff": {}}
    found |= {"lowest": {}, "dives": {}, "off": {}, "off_likeliest": {}}
    best, worst, lowest, dives, seconds, keys = -np.inf, np.inf, np.inf, 0, 0.0, set()
    for number in range(1, job.rounds + 1):
        began = time.process_time()
        suggestion = optimizer.ask()
        seconds += time.process_time() - began
        assert suggestion is not None
        table = problem.table(suggestion.values["distribution"])
        keys.add(table.tobytes())
        payoff = place.value(table)
        best, worst = max(best, payoff), min(worst, payoff)
        if number > STARTS:
            lowest, dives = min(lowest, payoff), dives + (place.score(payoff) < -1)
        value = payoff
        realised: dict[str, str] = {}
        if job.feedback == "representative":
            value, realised = _one_agent(place, table, keyed(job.seed, number, "agent"))
        noise = spread * keyed(job.seed, number, "noise").normal()
        optimizer.tell(suggestion, value + noise, realised=realised)
        if number in MARKS:
            advice = optimizer.recommend()
            answer = place.value(problem.table(advice.values["distribution"]))
            reached = {"best": best, "worst": worst, "now": payoff, "answer": answer, "lowest": lowest}
            for name, one in reached.items():
                found[name][str(number)] = place.score(one)
            found["payoff"][str(number)], found["dives"][str(number)] = best, dives
            found["off"][str(number)] = _off(advice, answer)
            found["off_likeliest"][str(number)] = _off_likeliest(optimizer, place)
    found["forgotten"] = forgotten(optimizer)
    return {**found, "seconds": seconds, "distinct": len(keys)}


def forgotten(optimizer: Optimizer) -> list[int]:
    """The rounds before which outcomes were forgotten."""
    return [e.round for e in optimizer.events if isinstance(e, Refitted) and e.hyperparameters.get("forgotten")]


def _off_likeliest(optimizer: Optimizer, place: World) -> float | None:
    """As `off`, had the answer rested on the likeliest hyperparameters alone."""
    method, history = optimizer._method, optimizer.history
    if not isinstance(method, MFGPUCB) or len(method.outcomes) < method.options.starting_points:
        return None
    models, data = method.models, method.data()[0]
    alone = [HyperparameterDraw(1.0, models.kernel, models.parameters(models.kernel.embedding.name, data))]
    with patch.object(method, "draws", lambda _: alone):
        advice = method._recommend_at(history, {})
    advice = widened(advice, method.bound_inflation(history, advice.scope))
    return _off(advice, place.value(method.problem.table(advice.values["distribution"])))


def _off(advice: Recommendation, truth: float) -> float | None:
    """How far the truth is above what was expected, in standard deviations: bounds are two of these away."""
    if advice.mean is None or advice.lower is None or advice.upper is None:
        return None
    return (truth - advice.mean) / max(0.25 * (advice.upper - advice.lower), 1e-300)


def _one_agent(
    place: World, table: Float[np.ndarray, "C A"], random: np.random.Generator
) -> tuple[float, dict[str, str]]:
    """The payoff of an agent drawn from all, and who it is."""
    c = int(random.choice(len(table), p=place.problem.shares))
    a = int(random.choice(table.shape[1], p=table[c]))
    realised = {"context": place.problem.contexts[c], "action": place.problem.actions[a]}
    return float(place.agent(table)[c, a]), realised
