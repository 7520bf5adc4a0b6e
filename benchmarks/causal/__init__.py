"""Problems of contextual causal Bayesian optimisation, plain rivals, and the experiments."""
