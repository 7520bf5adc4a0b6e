"""The methods for time-varying problems; the first is the default."""

from __future__ import annotations

from ._baselines import FullyBayesian, Random
from .elimination import PriorElimination, SwitchingElimination, TemperedElimination
from .gp_ucb import EventTriggered, GaussianProcessUCB

METHODS = (
    TemperedElimination,
    SwitchingElimination,
    PriorElimination,
    FullyBayesian,
    GaussianProcessUCB,
    EventTriggered,
    Random,
)
