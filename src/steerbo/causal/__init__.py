"""Contextual causal Bayesian optimisation: which variables to set, after looking at what."""

from .graph import CausalGraph
from .pomis import intervention_sets
from .problem import Causal
from .scopes import PolicyScope, policy_scopes

__all__ = ["Causal", "CausalGraph", "PolicyScope", "intervention_sets", "policy_scopes"]
