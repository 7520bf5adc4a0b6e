"""A crowd of agents that are all alike: which share of them should do what?"""
