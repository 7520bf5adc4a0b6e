"""Contextual causal Bayesian optimisation: which variables to set, depending on which contexts.

`problem.py` has the data, `graphs` the causal graph, `identification` the policy scopes that can be
optimal. The base of all methods is in `method.py`: each scope is an arm with a model (`models.py`),
a cost (`_costs.py`) and a feasible region; the expected outcome of its best policy is in
`_policy_value.py`. A rule that chooses is listed in `methods.py`.
"""

from .graphs.equivalence import graphs_of
from .graphs.graph import CausalGraph
from .identification.enumeration import intervention_sets, policy_scopes
from .problem import Causal

__all__ = ["Causal", "CausalGraph", "graphs_of", "intervention_sets", "policy_scopes"]
