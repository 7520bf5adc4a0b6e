"""Bayesian optimisation of systems that one can only partly steer."""

__version__ = "0.1.0"
