"""The methods for cost-varying problems; the first is the default."""

from __future__ import annotations

from .cheap_first import CheapFirst
from .etc_groups import EtcGroups
from .explore_then_commit import ExploreThenCommit
from .random import Random
from .ts_psq import TsPsq
from .ucb_cvs import UcbCvs
from .ucb_psq import UcbPsq

METHODS = (CheapFirst, ExploreThenCommit, UcbCvs, EtcGroups, UcbPsq, TsPsq, Random)
