"""The methods of time-varying problems; the first is the default without priors, the second the one with priors."""

from __future__ import annotations

from .baselines import EventTriggered, FullyBayesian, GaussianProcessUCB, Random
from .elimination import PriorElimination, SwitchingElimination, TemperedElimination
from .hypervolume import Hypervolume
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
    Hypervolume,
)
