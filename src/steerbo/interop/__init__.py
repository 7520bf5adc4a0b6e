"""Adapters to other libraries, each imported only on request: BoTorch, Optuna, generators of gest-api."""
