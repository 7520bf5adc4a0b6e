"""The committed pages: one a paper, what it claims in our words, and whether that holds in the runs that are kept."""
