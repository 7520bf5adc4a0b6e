"""Runs of methods on the paper's problems; finished ones are kept, so that it can be stopped and taken up again."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from steerbo.rounds import Optimizer, keyed

from .problems import World, world

MARKS = (20, 40, 80, 160, 250)
"""Rounds at which is looked."""


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


def play(job: Job) -> dict[str, Any]:
    """Play a job.

    Scores are `(payoff − random) / (optimum − random)` of noise-free population averages, by round: `best` and `worst`
    of the rounds so far, `now` of the suggestion, `answer` of the recommendation; `payoff` is the best so far in raw
    units.
    """
    place = world(job.problem)
    problem, spread = replace(place.problem, feedback=job.feedback), job.noise * (place.optimum - place.random)
    optimizer = Optimizer(problem, job.method, seed=job.seed, **dict(job.options))
    found: dict[str, Any] = {"key": job.key, "best": {}, "worst": {}, "now": {}, "answer": {}, "payoff": {}}
    best, worst, seconds, keys = -np.inf, np.inf, 0.0, set()
    for number in range(1, job.rounds + 1):
        began = time.process_time()
        suggestion = optimizer.ask()
        seconds += time.process_time() - began
        assert suggestion is not None
        table = problem.table(suggestion.values["distribution"])
        keys.add(table.tobytes())
        payoff = place.value(table)
        best, worst = max(best, payoff), min(worst, payoff)
        value = payoff
        realised: dict[str, str] = {}
        if job.feedback == "representative":
            value, realised = _one_agent(place, table, keyed(job.seed, number, "agent"))
        noise = spread * keyed(job.seed, number, "noise").normal()
        optimizer.tell(suggestion, value + noise, realised=realised)
        if number in MARKS:
            answer = place.value(problem.table(optimizer.recommend().values["distribution"]))
            for name, reached in (("best", best), ("worst", worst), ("now", payoff), ("answer", answer)):
                found[name][str(number)] = place.score(reached)
            found["payoff"][str(number)] = best
    return {**found, "seconds": seconds, "distinct": len(keys)}


def _one_agent(
    place: World, table: Float[np.ndarray, "C A"], random: np.random.Generator
) -> tuple[float, dict[str, str]]:
    """The payoff of an agent drawn from all, and who it is."""
    c = int(random.choice(len(table), p=place.problem.shares))
    a = int(random.choice(table.shape[1], p=table[c]))
    realised = {"context": place.problem.contexts[c], "action": place.problem.actions[a]}
    return float(place.agent(table)[c, a]), realised
