"""The methods of cost-varying problems, by which the registry finds them: the first is the default."""

from __future__ import annotations

from ._explore_then_commit import ExploreThenCommit
from .baselines import EtcGroups, Random, TsPsq, UcbCvs, UcbPsq
from .cheap_first import CheapFirst
from .hypervolume import Hypervolume

METHODS = (CheapFirst, ExploreThenCommit, UcbCvs, EtcGroups, UcbPsq, TsPsq, Random, Hypervolume)
