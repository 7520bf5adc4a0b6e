"""Hyperparameters of thousands of observations: learned from some of them, and then corrected by all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..gp import MANY, corrected_by_all, evenly
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
