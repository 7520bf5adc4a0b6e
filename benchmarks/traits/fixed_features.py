"""BoTorch as its documentation has it: a model over settings and context, the context fixed in the search."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from steerbo.rounds import keyed

from .seen_worlds import World


def play_rival(world: World, rounds: int) -> tuple[list[float], Any, float]:
    """Losses while learning, the answer by context, and what was spent; everything is held in every round."""
    import torch
    from botorch.acquisition import PosteriorMean, UpperConfidenceBound
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(world.seed)
    d, held = world.dimension, world.sets[-1]
    bounds = torch.tensor([[0.0] * (d + 1), [1.0] * (d + 1)], dtype=torch.double)
    inputs: list[list[float]] = []
    values: list[float] = []
    losses: list[float] = []

    def fitted() -> Any:
        y = torch.tensor(values, dtype=torch.double)[:, None]
        model = SingleTaskGP(torch.tensor(inputs, dtype=torch.double), y, outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    def highest(acquisition: Any, z: float) -> np.ndarray:
        point, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=4, raw_samples=128, fixed_features={d: z})
        return np.asarray(point[0, :d].detach().numpy())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(1, rounds + 1):
            z = world.seen(number)
            if number <= 5:
                x = keyed(world.seed, number, "start").random(d)
            else:
                x = highest(UpperConfidenceBound(fitted(), beta=4.0), z)
            losses.append(max(0.0, world.oracle(z)[0] - float(world.expected(held, x[None], z)[0])))
            value, _ = world.play(number, {f"x{k}": float(x[k]) for k in range(d)})
            inputs.append([*x.tolist(), z])
            values.append(value)
        last = PosteriorMean(fitted())

        def answer(z: float) -> tuple[int, np.ndarray]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return len(world.sets) - 1, highest(last, z)

        return losses, answer, float(rounds)
