"""One suggestion of BoTorch: constrained noisy expected improvement over the whole box, within the linear limits.

As long as no play has kept to all limits there is nothing to improve on, and BoTorch advises its probability of
feasibility instead.
"""

from __future__ import annotations

import numpy as np
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement, qLogProbabilityOfFeasibility
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms.outcome import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import SumMarginalLogLikelihood

import steerbo as sb
from benchmarks.limits.worlds import World


def suggest(world: World, points: np.ndarray, told: list[dict[str, float]], seed: int) -> np.ndarray:
    """An encoded point (1, d): whole numbers and steps are rounded afterwards, as is usual."""
    torch.manual_seed(seed)
    X = torch.tensor(points, dtype=torch.double)
    limits = [each for each in world.problem.limits or () if isinstance(each, sb.OutcomeConstraint)]
    names = ["value", *(limit.name for limit in limits)]
    models = [
        SingleTaskGP(
            X, torch.tensor([[row[name]] for row in told], dtype=torch.double), outcome_transform=Standardize(1)
        )
        for name in names
    ]
    model = ModelListGP(*models)
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    constraints = [lambda Z, k=k, end=limit.at_most: Z[..., k + 1] - end for k, limit in enumerate(limits)]
    wanted = (
        qLogNoisyExpectedImprovement(
            model, X, objective=GenericMCObjective(lambda Z, X=None: -Z[..., 0]), constraints=constraints
        )
        if any(all(limit.room(row) >= 0 for limit in limits) for row in told)
        else qLogProbabilityOfFeasibility(model, constraints)
    )
    d = points.shape[1]
    found, _ = optimize_acqf(
        wanted,
        bounds=torch.stack([torch.zeros(d), torch.ones(d)]).double(),
        q=1,
        num_restarts=5,
        raw_samples=64,
        inequality_constraints=_linear(world),
        options={"maxiter": 60},
    )
    return np.asarray(found.detach().numpy())


def _linear(world: World) -> list[tuple[torch.Tensor, torch.Tensor, float]]:
    """Σ weight · z at least a number, over encoded coordinates."""
    rows = []
    for limit in world.problem.limits or ():
        if isinstance(limit, sb.LinearConstraint):
            for sign, end in ((-1.0, limit.at_most), (1.0, limit.at_least)):
                if end is not None:
                    ids = [world.problem.space.index(name) for name in limit.names]
                    spans = [(world.problem.space[n].low, world.problem.space[n].high) for n in limit.names]  # type: ignore[union-attr]
                    weights = [sign * limit.weights[n] for n in limit.names]
                    scaled = [w * (high - low) for w, (low, high) in zip(weights, spans, strict=True)]
                    rest = sign * end - sum(w * low for w, (low, _) in zip(weights, spans, strict=True))
                    rows.append((torch.tensor(ids), torch.tensor(scaled, dtype=torch.double), float(rest)))
    return rows
