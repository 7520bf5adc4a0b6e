"""Contextual causal Bayesian optimisation: which variables to set, depending on which contexts."""

from .graphs.equivalence import graphs_of
from .graphs.graph import CausalGraph
from .identification.enumeration import intervention_sets, policy_scopes
from .problem import Causal

__all__ = ["Causal", "CausalGraph", "graphs_of", "intervention_sets", "policy_scopes"]
