"""The methods for time-varying problems: the first is the default without priors, the second with them."""

from __future__ import annotations

from ._baselines import FullyBayesian, Random
from .elimination import PriorElimination, SwitchingElimination, TemperedElimination
from .gp_ucb import EventTriggered, GaussianProcessUCB
from .learned_drift import LearnedDrift

METHODS = (
    LearnedDrift,
    TemperedElimination,
    SwitchingElimination,
    PriorElimination,
    FullyBayesian,
    GaussianProcessUCB,
    EventTriggered,
    Random,
)
