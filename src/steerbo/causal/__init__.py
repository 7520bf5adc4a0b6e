"""Contextual causal Bayesian optimisation: which variables to set, after looking at what."""

from .enumeration import policy_scopes
from .equivalence import graphs_of
from .graph import CausalGraph
from .pomis import intervention_sets
from .problem import Causal

__all__ = ["Causal", "CausalGraph", "graphs_of", "intervention_sets", "policy_scopes"]
