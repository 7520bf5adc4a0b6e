"""Plain rivals, written with care: vectorised, one Cholesky factor a prior, the same hyperparameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import lapack


def refit(  # noqa: PLR0917
    means: Float[np.ndarray, "P X"],
    covariances: Float[np.ndarray, "P X X"],
    rates: Float[np.ndarray, " P"],
    noise: float,
    times: Float[np.ndarray, " n"],
    sites: Int[np.ndarray, " n"],
    values: Float[np.ndarray, " n"],
    now: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, standard deviations (P, X) and log marginal likelihoods (P,) of every prior from scratch, one by one."""
    P, X = means.shape
    mean, sd, evidence = np.empty((P, X)), np.empty((P, X)), np.empty(P)
    lags, ages, n = np.abs(times[:, None] - times), now - times, len(times)
    for p in range(P):
        K = covariances[p]
        gram, cross = K[np.ix_(sites, sites)], K[sites]
        if rates[p]:
            gram, cross = gram * np.exp(-rates[p] * lags), cross * np.exp(-rates[p] * ages)[:, None]
        gram.flat[:: n + 1] += noise**2
        L = lapack.dpotrf(gram.T, lower=1, clean=0)[0]
        both = np.column_stack([cross, values - means[p, sites]])
        half = lapack.dtrtrs(L, both, lower=1)[0]
        V, z = half[:, :-1], half[:, -1]
        mean[p] = means[p] + z @ V
        sd[p] = np.sqrt(np.maximum(np.diag(K) - np.einsum("nx,nx->x", V, V), 0.0))
        evidence[p] = -0.5 * z @ z - np.log(np.diag(L)).sum() - 0.5 * n * np.log(2 * np.pi)
    return mean, sd, evidence


def refit_shared(
    means: Float[np.ndarray, "P X"],
    K: Float[np.ndarray, "X X"],
    noise: float,
    sites: Int[np.ndarray, " n"],
    values: Float[np.ndarray, " n"],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for priors that share a kernel without drift, by one factor for all: the best that refitting can do."""
    n = len(sites)
    gram = K[np.ix_(sites, sites)]
    gram.flat[:: n + 1] += noise**2
    L = lapack.dpotrf(gram.T, lower=1, clean=0)[0]
    half = lapack.dtrtrs(L, np.column_stack([K[sites], (values - means[:, sites]).T]), lower=1)[0]
    V, Z = half[:, : len(K)], half[:, len(K) :]
    sd = np.sqrt(np.maximum(np.diag(K) - np.einsum("nx,nx->x", V, V), 0.0))
    evidence = -0.5 * (Z * Z).sum(0) - np.log(np.diag(L)).sum() - 0.5 * n * np.log(2 * np.pi)
    return means + Z.T @ V, np.broadcast_to(sd, means.shape), evidence


def botorch_search(  # noqa: PLR0917
    X: np.ndarray, y: np.ndarray, means: list[Any], lengthscale: float, noise: float, beta: float, seed: int
) -> tuple[np.ndarray, float]:
    """The largest `max_p μ_p + β σ_p` on the unit square by `optimize_acqf` once for each prior: BoTorch's practice.

    `means` are functions of arrays of points; each is subtracted at the data and added back inside the acquisition.
    Eight restarts from 512 raw samples, as ours. Needs the `peers` extra.
    """
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.kernels import RBFKernel, ScaleKernel
    from gpytorch.means import Mean

    class Known(Mean):  # type: ignore[misc]
        def __init__(self, function: Any) -> None:
            super().__init__()
            self.function = function

        def forward(self, x: Any) -> Any:
            return self.function(x)

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    train, target = torch.as_tensor(X), torch.as_tensor(y)[:, None]
    bounds = torch.tensor([[0.0] * X.shape[1], [1.0] * X.shape[1]], dtype=torch.float64)
    best, point = -np.inf, X[0]
    for mean in means:
        kernel = ScaleKernel(RBFKernel())
        noises = torch.full_like(target, noise**2)
        own = {"covar_module": kernel, "mean_module": Known(mean), "outcome_transform": None}
        model = SingleTaskGP(train, target, noises, **own).double()
        kernel.outputscale, kernel.base_kernel.lengthscale = 1.0, lengthscale
        model.eval()
        found, value = optimize_acqf(
            UpperConfidenceBound(model, beta=beta**2), bounds=bounds, q=1, num_restarts=8, raw_samples=512
        )
        if float(value) > best:
            best, point = float(value), found[0].numpy()
    return point, best
