"""Objectives that drift, with several candidate priors of which one may hold, or none, or nobody knows any."""
