"""Optuna's default sampler (a tree of Parzen estimators), one trial a round: it knows nothing of time."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float as Floats

from steerbo.core import keyed
from steerbo.timevarying import TimeVarying


def tpe(problem: TimeVarying, values: Floats[np.ndarray, "T X"], noise: float, seed: int) -> Floats[np.ndarray, " T"]:
    """Regrets (T,) on a finite domain that is available as a whole. Needs `optuna`."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    # settings by number: steps that are no decimal numbers would lose the last one
    sizes = {v.name: len(v.levels) for v in problem.variables if v.levels is not None}
    random, regret = keyed(seed, 0, "noise"), np.empty(len(values))
    for t, row in enumerate(values):
        trial = study.ask()
        x = int(
            np.ravel_multi_index([trial.suggest_int(name, 0, k - 1) for name, k in sizes.items()], [*sizes.values()])
        )
        regret[t] = row.max() - row[x]
        study.tell(trial, float(row[x] + noise * random.standard_normal()))
    return regret
