"""Optimizers of every kind with a dozen outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np

import steerbo as sb
from steerbo.testing import Case
from tests.causal.worlds import figure
from tests.costvarying import worlds
from tests.timevarying import cases


def played(case: Case, rounds: int = 8) -> sb.Optimizer:
    """A case's optimizer after some rounds."""
    optimizer = sb.Optimizer(case.problem, case.method, seed=1, **case.options)
    case.play(optimizer, rounds)
    return optimizer


def control_sets(minimize: bool = False) -> sb.Optimizer:
    """Three control sets over two numbers, of which one is left to nature by some."""
    laws = (sb.TruncatedNormal(22, 3), sb.Uniform())
    problem = sb.CostVarying(
        [sb.Float("t", 10, 35, law=laws[0]), sb.Float("ph", 4, 8, law=laws[1])],
        [["t"], ["ph"], ["t", "ph"]],
        minimize=minimize,
    )
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for _ in range(10):
        suggestion = optimizer.ask()
        assert suggestion is not None
        x = {"t": random.normal(22, 3), "ph": random.uniform(4, 8), **suggestion.values}
        value = 10 - (x["t"] - 26) ** 2 / 50 - (x["ph"] - 6.5) ** 2 + 0.1 * random.normal()
        optimizer.tell(suggestion, value=-value if minimize else value, cost=1.0, realised=x)
    return optimizer


def mixed_control_sets() -> sb.Optimizer:
    """Numbers, whole numbers and categories."""
    return played(worlds.case("cheap-first"))


def drifting() -> sb.Optimizer:
    """Two control sets, and an optimum that moves."""
    variables = [sb.Float("t", 0, 1, law=sb.Uniform()), sb.Float("ph", 0, 1, law=sb.Uniform())]
    problem = sb.CostVarying(variables, [["t"], ["t", "ph"]], costs=[1.0, 2.0], drift=sb.Decay(0.1))
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for time in range(10):
        suggestion = optimizer.ask(time=2.0 * time)
        assert suggestion is not None
        x = {"t": random.random(), "ph": random.random(), **suggestion.values}
        optimizer.tell(suggestion, 1 - (x["t"] - 0.05 * time) ** 2 - x["ph"] ** 2, realised=x)
    return optimizer


def seen() -> sb.Optimizer:
    """With what is known before each choice."""
    return played(worlds.seen_case("cheap-first"))


def box() -> sb.Optimizer:
    """Three priors that drift, with hills as means, on an interval."""
    return played(cases.case("prior-elimination", cases.box(), confidence=2.0))


def scopes(**options: Any) -> sb.Optimizer:
    """Policy scopes of a causal graph."""
    return played(figure("coca-bo", initial=2, **options), 12)
