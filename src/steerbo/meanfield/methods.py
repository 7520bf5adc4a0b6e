"""The methods of mean-field problems, by which the registry finds them: the first is the default."""

from __future__ import annotations

from .baselines import GPUCB, Random, Turbo
from .hypervolume import Hypervolume
from .mf_gp_ucb import MFGPUCB

METHODS = (MFGPUCB, GPUCB, Turbo, Random, Hypervolume)
