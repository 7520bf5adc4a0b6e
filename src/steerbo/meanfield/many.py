"""Hyperparameters of thousands of observations: learned from some of them, and then corrected by all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from ..gp import MANY, chosen, corrected_by_all, evenly
from .kernels import Inputs, Parameters, PayoffKernel
from .process import Observations, likelihood, priors_of, shortest

_EVALUATIONS = 3  # of the whole likelihood


def some_of(data: Observations) -> Observations:
    """At most `MANY` observations, evenly spaced in time."""
    n = len(data.values)
    if n <= MANY:
        return data
    kept = evenly(n)
    seen = None if data.inputs.seen is None else data.inputs.seen[kept]
    inputs = Inputs(data.inputs.weights[kept], data.inputs.tables[kept], seen)
    number = None if data.number is None else data.number[kept]
    return replace(data, inputs=inputs, values=data.values[kept], agents=data.agents[kept], number=number)


def counted(
    tables: Sequence[Float[np.ndarray, "C A"]], averages: Float[np.ndarray, " n"], first: int, most: int
) -> Int[np.ndarray, " m"]:
    """Which outcomes count where there are more than fit into a factor: see `gp.counted`; near is near in square roots.

    Args:
        tables: what was played in each.
        averages: (n,) the population's averages, larger is better.
        first: how many of them were random: they say how rough the payoffs are, and all count.
        most: so many count.
    """
    roots = np.sqrt(np.array(tables).reshape(len(tables), -1))
    nearness = -((roots - roots[int(averages.argmax())]) ** 2).sum(axis=1)
    nearness[:first] = np.inf
    return chosen(nearness, most)


def corrected(kernel: PayoffKernel, data: Observations, start: Parameters) -> Parameters:
    """Hyperparameters learned from `some_of` the data, as all of the data have them: see `corrected_by_all`."""
    priors, some = priors_of(kernel, shortest(kernel, data.first)), some_of(data)
    found = corrected_by_all(
        priors,
        likelihood(kernel, data, priors),
        likelihood(kernel, some, priors),
        np.array([start[prior.name] for prior in priors]),
        share=len(some.values) / len(data.values),
        evaluations=_EVALUATIONS,
    )
    return {prior.name: float(x) for prior, x in zip(priors, found.theta, strict=True)}
