"""Constrained problems: what limits cost, and whether they are kept."""
