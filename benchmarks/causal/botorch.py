"""A plain BoTorch rewrite of one arm: the rival in speed.

Best practice of that library: `SingleTaskGP` with an outcome transform and a Kumaraswamy input warp,
`UpperConfidenceBound` with the contexts held by `fixed_features`, `optimize_acqf`. One thread.
"""

from __future__ import annotations

import numpy as np


def suggest(
    X: np.ndarray,
    y: np.ndarray,
    actions: int,
    context: np.ndarray,
    *,
    beta: float = 1.0,
    fit: bool = True,
) -> np.ndarray:
    """The next actions of an arm, given points (n, d) in the unit cube, actions first, and outcomes (n,)."""
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.models.transforms.input import Warp
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    points, outcomes = torch.tensor(X, dtype=torch.double), torch.tensor(y, dtype=torch.double)[:, None]
    d = points.shape[1]
    bent = Warp(d=d, indices=list(range(d)))
    model = SingleTaskGP(points, outcomes, outcome_transform=Standardize(m=1), input_transform=bent)
    if fit:
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    bounds = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.double)
    held = {actions + j: float(value) for j, value in enumerate(context)}
    found, _ = optimize_acqf(
        UpperConfidenceBound(model, beta=beta), bounds, q=1, num_restarts=3, raw_samples=64, fixed_features=held
    )
    return np.asarray(found.detach().numpy()[0, :actions])
