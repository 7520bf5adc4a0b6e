"""What to set, after looking at what: the rest of a causal graph follows."""
