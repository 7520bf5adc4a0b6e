"""The methods for mean-field problems; the first is the default."""

from __future__ import annotations

from .annealing import Annealing
from .genetic import Genetic
from .gp_ucb import GPUCB, AddGPUCB
from .mf_gp_ucb import MFGPUCB
from .random import Random
from .turbo import Turbo

METHODS = (MFGPUCB, GPUCB, AddGPUCB, Turbo, Genetic, Annealing, Random)
