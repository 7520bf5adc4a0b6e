"""The methods for cost-varying problems, the default first: where the registry finds them."""

from __future__ import annotations

from ._explore_then_commit import ExploreThenCommit
from .baselines import EtcGroups, Random, TsPsq, UcbCvs, UcbPsq
from .cheap_first import CheapFirst

METHODS = (CheapFirst, ExploreThenCommit, UcbCvs, EtcGroups, UcbPsq, TsPsq, Random)
