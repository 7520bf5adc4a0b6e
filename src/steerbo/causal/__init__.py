"""Contextual causal Bayesian optimisation: which variables to set, after looking at what."""

from .graph import CausalGraph
from .scopes import PolicyScope, policy_scopes

__all__ = ["CausalGraph", "PolicyScope", "policy_scopes"]
