"""The methods for time-varying problems; the first is the default."""

from __future__ import annotations

from .event_triggered import EventTriggered
from .forgetting import Resetting, SlidingWindow, Weighted
from .fully_bayesian import FullyBayesian
from .gp_ucb import GaussianProcessUCB
from .mle import MaximumLikelihood
from .prior_elimination import PriorElimination
from .random import Random
from .regret_balancing import RegretBalancing
from .switching_elimination import SwitchingElimination
from .tempered_elimination import TemperedElimination

METHODS = (
    TemperedElimination, SwitchingElimination, PriorElimination, MaximumLikelihood, FullyBayesian, RegretBalancing,
    GaussianProcessUCB, EventTriggered, Resetting, SlidingWindow, Weighted, Random,
)  # fmt: skip
