"""A plain MF-GP-UCB, as the paper describes its own: GPyTorch's exact process with Eq. 1's kernel, Adam on logits.

Written after the paper's section 5.1 (its program was not at hand): one `ExactGP` on z = (x, c, ξ), hyperparameters by
`fit_gpytorch_mll` from the last ones on, `E[μ + βσ]` over all cells, `Adam(lr=.01)` for 1000 steps from one start.
One thread, float64, `fast_pred_var` off (the exact variance), the training side of the prediction cached by GPyTorch.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
from jaxtyping import Float

from steerbo.errors import MissingExtra

STEPS = 1000
RATE = 0.01


class Plain:
    """The posterior at given data and hyperparameters, and its acquisition.

    Args:
        x: (A, d) actions' features; c: (C, e) contexts'; shares: (C,).
        actions, contexts: (n,) who was seen; tables: (n, C, A); values: (n,) standardised.
        lengths: lengthscales of x, c and ξ; variances: of x and c against 1; noise; mean; scale.
    """

    def __init__(
        self,
        x: Float[np.ndarray, "A d"],
        c: Float[np.ndarray, "C e"],
        shares: Float[np.ndarray, " C"],
        data: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        hyper: dict[str, Any],
    ) -> None:
        try:
            import gpytorch
            import torch
            from botorch.models.gpytorch import GPyTorchModel
        except ImportError:
            raise MissingExtra("gpytorch", "botorch") from None
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        self.torch, self.gpytorch = torch, gpytorch
        self.x, self.c, self.shares = (torch.as_tensor(v) for v in (x, c, shares))
        actions, contexts, tables, values = data
        inputs = torch.cat([self.x[actions], self.c[contexts], torch.as_tensor(tables).reshape(len(tables), -1)], dim=1)
        d, e, A = x.shape[1], c.shape[1], x.shape[0]
        kernels = gpytorch.kernels

        class Model(gpytorch.models.ExactGP, GPyTorchModel):  # type: ignore[misc]
            _num_outputs = 1

            def __init__(self, likelihood: Any) -> None:
                super().__init__(inputs, torch.as_tensor(values), likelihood)
                self.mean_module = gpytorch.means.ConstantMean()
                parts = [kernels.ScaleKernel(kernels.RBFKernel(active_dims=list(range(d))))]
                if len(c) > 1:
                    parts.append(kernels.ScaleKernel(kernels.RBFKernel(active_dims=list(range(d, d + e)))))
                for k in range(len(c)):
                    dims = list(range(d + e + k * A, d + e + (k + 1) * A))
                    parts.append(kernels.ScaleKernel(kernels.RBFKernel(active_dims=dims)))
                self.covar_module = kernels.AdditiveKernel(*parts)

            def forward(self, z: Any) -> Any:
                return gpytorch.distributions.MultivariateNormal(self.mean_module(z), self.covar_module(z))

        likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=gpytorch.constraints.GreaterThan(1e-8))
        self.model, self.likelihood = Model(likelihood), likelihood
        self.set(hyper)
        self.evaluate()

    def set(self, hyper: dict[str, Any]) -> None:
        """Hyperparameters by name."""
        parts = list(self.model.covar_module.kernels)
        scale = hyper["scale"]
        first = [("actions", hyper["actions variance"])]
        if len(self.c) > 1:
            first.append(("contexts", hyper["contexts variance"]))
        for (name, variance), part in zip(first, parts, strict=False):
            part.outputscale, part.base_kernel.lengthscale = scale * variance, hyper[name]
        for part in parts[len(first) :]:
            part.outputscale, part.base_kernel.lengthscale = scale, hyper["lengthscale"]
        self.model.mean_module.constant.data.fill_(hyper["mean"])
        self.likelihood.noise = max(hyper["noise"], 1.1e-8)

    def fit(self) -> None:
        """Hyperparameters by maximum likelihood, from the present ones on, as BoTorch does it; a fit may fail."""
        from botorch import fit_gpytorch_mll
        from botorch.exceptions.errors import ModelFittingError

        self.model.train()
        self.likelihood.train()
        with suppress(ModelFittingError):
            fit_gpytorch_mll(self.gpytorch.mlls.ExactMarginalLogLikelihood(self.likelihood, self.model))

    def evaluate(self) -> None:
        """Ready for predictions."""
        self.model.eval()
        self.likelihood.eval()

    def acquisition(self, logits: Any, beta: float) -> Any:
        """`E[μ + βσ]` at softmax(logits), a tensor."""
        torch, (C, A) = self.torch, (len(self.c), len(self.x))
        table = torch.softmax(logits, dim=1)
        z = torch.cat(
            [
                self.x.repeat(C, 1),
                self.c.repeat_interleave(A, dim=0),
                table.reshape(1, -1).expand(C * A, C * A),
            ],
            dim=1,
        )
        with self.gpytorch.settings.fast_pred_var(False), self.gpytorch.settings.skip_posterior_variances(False):
            found = self.model(z)
            bound = found.mean + beta * found.variance.clamp_min(1e-12).sqrt()
        return (self.shares[:, None] * table * bound.reshape(C, A)).sum()

    def maximise(self, beta: float, steps: int, seed: int) -> Float[np.ndarray, "C A"]:
        """Adam's end after so many steps from one start."""
        torch = self.torch
        torch.manual_seed(seed)
        logits = torch.randn(len(self.c), len(self.x)).mul_(0.1).requires_grad_(True)
        adam = torch.optim.Adam([logits], lr=RATE)
        for _ in range(steps):
            adam.zero_grad()
            (-self.acquisition(logits, beta)).backward()
            adam.step()
        table: Float[np.ndarray, "C A"] = torch.softmax(logits, dim=1).detach().numpy()
        assert math.isclose(table.sum(), len(table), rel_tol=1e-6)
        return table
