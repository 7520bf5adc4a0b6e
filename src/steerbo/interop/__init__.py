"""Doors to other libraries, each imported only by who asks for it: BoTorch, Optuna, generators of gest-api."""
