"""Contextual causal Bayesian optimisation: which variables to set, after looking at what."""
