"""Optuna: export of a study, and a sampler that a study drives. Needs Optuna (`pip install 'steerbo[optuna]'`)."""

from ...errors import MissingExtra

try:
    from .export import to_optuna
    from .sampler import SteerboSampler
except ModuleNotFoundError as missing:
    if missing.name != "optuna":
        raise
    raise MissingExtra("optuna", "optuna") from None

__all__ = ["SteerboSampler", "to_optuna"]
