"""Identification: which policy scopes of a causal graph can be optimal, and why the others cannot."""
