"""Causal graphs: the graph itself, its text forms, its relations as bit masks, and equivalence classes of graphs."""
